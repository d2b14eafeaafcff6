import type { SessionTypes } from '../../core/chat/session-types.ts'
import type { BackgroundManager } from '../../core/tasks/background-manager.ts'
import type { ToolCaller } from '../../core/chat/tool-caller.ts'
import type { PriceList } from '../../core/runs/budget.ts'
import type { ReadWorkspaces } from '../../core/sessions/session-workspaces.ts'
import type { Clock } from '../../core/shared/clock.ts'
import type { Ids } from '../../core/shared/ids.ts'
import type { Slots } from '../../core/store/queries/claims.ts'
import type { Store, StoreOperations } from '../../core/store/store.ts'
import type { Call } from '../../core/tools/permission.ts'
import type { Retention } from '../../core/store/housekeeping.ts'

export interface PlanLimits {
  /** Nodes of one plan that are done at once, by all of its runs together. */
  maxParallel: number
  /** How often a failed node is retried. */
  nodeRetries: number
  /** How long one node may take. */
  nodeTimeoutMs: number
  /** How long a run of actions, of nodes or of a decomposition may take. */
  runTimeoutMs: number
  /** What one run may use; callers may lower it. Default: no limit. */
  maxRunTokens?: number
  maxRunCost?: number
  /** Answers in a row that are started by results alone. */
  maxFollowUps: number
  /** Most tokens of the report of an execution, for the model that requested it. */
  resultTokens: number
  /** Ended runs are deleted after this many days; results of nodes stay. */
  runsKeptDays: number
  /** Whether a plan that a model creates is decomposed at once. */
  autoDecompose: boolean
}

export const defaultPlanLimits: PlanLimits = {
  maxParallel: 5,
  nodeRetries: 2,
  nodeTimeoutMs: 600_000,
  runTimeoutMs: 24 * 3_600_000,
  maxFollowUps: 3,
  resultTokens: 4_000,
  runsKeptDays: 90,
  autoDecompose: true,
}

/** What plans work with. */
export interface PlanDeps extends ToolCaller {
  store: Store
  background: BackgroundManager
  clock: Clock
  ids: Ids
  /** How many turns in a row may start by themselves in a session that receives results. */
  maxWakes?: number
  types: SessionTypes
  limits: PlanLimits
  /** How many tasks the background runs at once. */
  slots: Slots
  prices?: PriceList
  /** Throws when there is no such model. */
  requireModel(id: string): unknown
  readWorkspaces: ReadWorkspaces
  /** Why a session may not make a call that requires no approval. */
  findDenial(
    tx: StoreOperations,
    place: { scope: string; sessionId: string },
    call: Call,
  ): Promise<string | undefined>
}

export const planRunRetention = (keptDays = defaultPlanLimits.runsKeptDays): Retention => ({
  keptDays,
  listOld: (store, before, limit) => store.listOldPlanRuns(before, limit),
})
