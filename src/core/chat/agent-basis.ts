import type { RunEngineOptions } from '../runs/run-engine.ts'
import type { ChatDeps } from './turn-limits.ts'
import type { WindowsOptions } from '../sessions/window/windows.ts'
import type { Store } from '../store/store.ts'
import type { CallGuard } from '../tools/call-outcome.ts'
import type { TurnHooks } from './turn-hooks.ts'

/** What an agent shares with the Parley that its sessions live in. */
export interface AgentBasis
  extends
    Pick<
      ChatDeps,
      | 'requireModel'
      | 'findDefaultModel'
      | 'readGroups'
      | 'readWorkspaces'
      | 'prices'
      | 'limits'
      | 'clock'
      | 'logger'
    >,
    Pick<RunEngineOptions, 'aroundRun' | 'owner'> {
  windows: Pick<
    WindowsOptions,
    'settings' | 'parameters' | 'presetOf' | 'scopeSettings' | 'handlers' | 'contextWindowOf' | 'costOf'
  >
  /** By mode, rules and hooks of the Parley, for sessions in this store: its own, or one that nobody else sees. */
  guardOver(store: Store): CallGuard
  /** What its program does around turns. */
  turnHooks: TurnHooks
  /** Answers an ask of that guard. */
  answerAsk(store: Store, scope: string, approvalId: string, isAllowed: boolean): Promise<void>
}
