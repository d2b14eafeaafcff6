import { count, optionGroup, positiveCount } from '../protocol/options.ts'
import type { Logger } from 'pino'
import type { ModelAdapter } from '../models/adapter.ts'
import type { GroupSwitches } from '../protocol/permission.ts'
import type { Session } from '../protocol/session.ts'
import type { ScopeSettings } from '../protocol/settings.ts'
import type { Clock } from '../shared/clock.ts'
import type { Ids } from '../shared/ids.ts'
import type { PriceList } from '../runs/budget.ts'
import type { ReadWorkspaces } from '../sessions/session-workspaces.ts'
import type { Windows } from '../sessions/window/windows.ts'
import type { TurnStart } from '../store/queries/turn-start.ts'
import type { Store } from '../store/store.ts'
import type { CallGuard } from '../tools/call-outcome.ts'
import type { Tool } from '../tools/tool.ts'
import type { DiskContext } from './prompt-context.ts'
import type { PromptSource } from './prompt-source.ts'
import type { RunKinds } from './input-queue.ts'
import type { SessionTypes } from './session-types.ts'
import type { TurnInput } from './turn-input.ts'
import type { JoinedHooks } from './turn-hooks.ts'

/** Answers the tools that a turn has beyond those of every turn. */
export type ToolSource = (session: Session, input: TurnInput) => Promise<readonly Tool[]>

/** What a turn works with. */
export interface ChatDeps {
  store: Store
  /** Refuses a model that is unknown or has no key. */
  requireModel(id: string | undefined): ModelAdapter
  /** Asks a server which model counts for those who name none, where that is not known yet. */
  findDefaultModel?(): Promise<void> | undefined
  tools: readonly Tool[]
  /** Tools that are there for some sessions or come and go; what fails there is no concern of the turn. */
  toolSources: readonly ToolSource[]
  /** Where the tools of a session may work with files; nowhere when left out. */
  readWorkspaces?: ReadWorkspaces
  /** Checks calls before they are made; without it every call is made. */
  guard?: CallGuard
  /** Which groups of tools a session has, with the settings of its scope where they are known; all when left out. */
  readGroups?(session: Session, settings?: ScopeSettings): Promise<GroupSwitches>
  readContext(session: Session, input: TurnInput, start: TurnStart): Promise<DiskContext>
  /** What is known of the kinds of runs. */
  kinds: RunKinds
  /** Of conversations that are in some way their own. */
  types: SessionTypes
  /** What extensions know for prompts, in the order in which they are asked. */
  sources: readonly PromptSource[]
  clock: Clock
  ids: Ids
  logger: Logger
  limits: ChatLimits
  /** How many turns in a row may begin by themselves. */
  maxWakes?: number
  /** What of a log the model sees. */
  windows: Windows
  hooks: JoinedHooks
  /** Of models, by id: what budgets of cost are counted with. */
  prices?: PriceList
}

export interface ChatLimits {
  /** A run whose owner has sent no heartbeat for so long belongs to a dead process. */
  leaseMs: number
  /** A turn that took its process down so often is given up. */
  maxClaims: number
  /** Queued runs are taken up only while fewer than this are running here. */
  maxTakenUp: number
  /** Model calls in one turn. */
  maxSteps: number
  /** The same call with the same input so often in a row ends the turn. */
  maxSameCalls: number
  /** Tries of one model call, the first one included. */
  maxAttempts: number
  /** The longest wait that a provider may ask for. */
  maxRetryWaitMs: number
  /** A model that sends nothing for so long has failed; clients of providers give up earlier. */
  modelIdleMs: number
  /** How long a call may wait for its result where that comes from outside of the turn. */
  callerTimeoutMs: number
  /** Tokens of one turn, in and out; undefined is no limit. */
  tokenBudget?: number
  /** Text of one input, all its parts together; files do not count. */
  maxInputCharacters: number
  /** Text of the instructions of a session. */
  maxInstructionsCharacters: number
  /** Text of one tool result that the model gets to see. */
  maxToolOutput: number
  /** Text of the view of a scope that goes with an input; 0 is none. */
  maxScopeContext: number
}

export const defaultChatLimits: ChatLimits = {
  leaseMs: 30_000,
  maxClaims: 3,
  maxTakenUp: 64,
  maxSteps: 50,
  maxSameCalls: 5,
  maxAttempts: 4,
  maxRetryWaitMs: 60_000,
  modelIdleMs: 600_000,
  callerTimeoutMs: 3_600_000,
  maxInputCharacters: 1_000_000,
  maxInstructionsCharacters: 20_000,
  maxToolOutput: 100_000,
  maxScopeContext: 2_200,
}

export const chatLimitOptions = optionGroup<ChatLimits>({
  leaseMs: positiveCount,
  maxClaims: positiveCount,
  maxTakenUp: count,
  maxSteps: positiveCount,
  maxSameCalls: positiveCount,
  maxAttempts: positiveCount,
  maxRetryWaitMs: count,
  modelIdleMs: positiveCount,
  callerTimeoutMs: positiveCount,
  tokenBudget: count,
  maxInputCharacters: positiveCount,
  maxInstructionsCharacters: positiveCount,
  maxToolOutput: count,
  maxScopeContext: count,
})
