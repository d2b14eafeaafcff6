import type { SessionTypes } from '../../core/chat/session-types.ts'
import type { LinkedAction } from './definition.ts'
import type { BackgroundManager } from '../../core/tasks/background-manager.ts'
import type { workflowTriggers } from './protocol/workflow.ts'
import type { PermissionMode } from '../../core/protocol/permission.ts'
import type { Session } from '../../core/protocol/session.ts'
import type { Clock } from '../../core/shared/clock.ts'
import type { Ids } from '../../core/shared/ids.ts'
import type { FinalStatus, Run } from '../../core/store/queries/run-row.ts'
import type { DefinitionReader } from './definition-reader.ts'
import type { WorkflowRunRecord } from './store/workflow-runs.ts'
import type { Store, StoreOperations } from '../../core/store/store.ts'
import type { Retention } from '../../core/store/housekeeping.ts'

export interface WorkflowLimits {
  /** Default of definitions. */
  maxTotalTimeoutMs: number
  maxStepOutputChars: number
  approvalTimeoutMs: number
  /** How deep workflows may start workflows as their steps. */
  maxDepth: number
  /** Steps of one run, each round and each item counted. */
  maxRunSteps: number
  /** Open runs of all scopes. */
  maxOpenRuns: number
  /** Ended runs are deleted after this many days. */
  runsKeptDays: number
}

export const defaultWorkflowLimits: WorkflowLimits = {
  maxTotalTimeoutMs: 24 * 3_600_000,
  maxStepOutputChars: 50_000,
  approvalTimeoutMs: 24 * 3_600_000,
  maxDepth: 5,
  maxRunSteps: 10_000,
  maxOpenRuns: 10_000,
  runsKeptDays: 90,
}

/** What workflows work with. */
export interface WorkflowDeps {
  store: Store
  background: BackgroundManager
  clock: Clock
  ids: Ids
  /** How many turns in a row may start by themselves in a session that receives results. */
  maxWakes?: number
  types: SessionTypes
  limits: WorkflowLimits
  definitions: DefinitionReader
  /** Throws when there is no such model. */
  requireModel(id: string): unknown
  /** What a session may do without approval, limited by the sessions above it. */
  readMode(tx: StoreOperations, session: Pick<Session, 'scope'> & Partial<Session>): Promise<PermissionMode>
  /** Performed when a step completes, in the transaction that stores it. */
  doLinkedAction(
    tx: StoreOperations,
    place: { scope: string; sessionId: string },
    action: LinkedAction,
  ): Promise<void>
  /** Notified of an end, in its transaction. */
  onSettled?: readonly OnRunSettled[]
  /** Where runs and workflows have folders; without it they have none. */
  workspacesDir?: string
}

export type OnRunSettled = (
  tx: StoreOperations,
  record: WorkflowRunRecord,
  end: { status: FinalStatus; error?: string },
) => Promise<void>

/** What a run of a definition is started with. */
export interface RunRequest {
  scope: string
  /** The definition as it is now; later changes do not affect the run. */
  text: string
  /** Of a stored definition. */
  workflow?: { id: string; version: number }
  args?: Record<string, unknown>
  source: (typeof workflowTriggers)[number]
  /** The cron, the event hook or the tool call that started it. */
  sourceId?: string
  /** The session whose model started it: the run has its rights, and no others. */
  parentSessionId?: string
  /** The run of that session: its budget is that of the steps too. */
  parentRunId?: string
  /** The session whose model wrote the definition, of a run that nobody requested: it limits the rights of the run. */
  writtenIn?: string
  /** The session that is notified of the end. */
  deliverTo?: string
  /** A second start with the same key finds the first one's run. */
  key?: string
}

export interface StartedRun {
  session: Session
  run: Run
}

/** Starts a run, in a transaction of the caller's. Throws `invalid_request` with every problem of the text or the args. */
export type StartRunIn = (tx: StoreOperations, request: RunRequest) => Promise<StartedRun>

export const workflowRunRetention = (keptDays = defaultWorkflowLimits.runsKeptDays): Retention => ({
  keptDays,
  listOld: (store, before, limit) => store.listOldWorkflowRuns(before, limit),
})
