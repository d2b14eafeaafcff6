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
  /** Of a definition that says nothing else. */
  maxTotalTimeoutMs: number
  maxStepOutputChars: number
  approvalTimeoutMs: number
  /** How deep workflows may start workflows as their steps. */
  maxDepth: number
  /** Steps of one run, each round and each item counted. */
  maxRunSteps: number
  /** Runs that are not over, of all scopes. */
  maxOpenRuns: number
  /** Runs that are over go after so many days. */
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
  /** How many turns in a row may begin by themselves where results go. */
  maxWakes?: number
  types: SessionTypes
  limits: WorkflowLimits
  definitions: DefinitionReader
  /** Throws when there is no such model. */
  requireModel(id: string): unknown
  /** What a session may do without asking, all that is above it considered. */
  readMode(tx: StoreOperations, session: Pick<Session, 'scope'> & Partial<Session>): Promise<PermissionMode>
  /** Done when a step is completed, in the transaction that stores that it was. */
  doLinkedAction(
    tx: StoreOperations,
    place: { scope: string; sessionId: string },
    action: LinkedAction,
  ): Promise<void>
  /** Who else has to know of an end, in its transaction. */
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
  /** The definition as it is now; the run keeps to it. */
  text: string
  /** Of a definition that is kept. */
  workflow?: { id: string; version: number }
  args?: Record<string, unknown>
  source: (typeof workflowTriggers)[number]
  /** The cron, the event hook or the tool call that started it. */
  sourceId?: string
  /** The session whose model started it: the run has its rights, and no others. */
  parentSessionId?: string
  /** The run of that session: its budget is that of the steps too. */
  parentRunId?: string
  /** The session whose model wrote the definition, of a run that nobody asked for: it may do no more than that one. */
  writtenIn?: string
  /** The session that is told of the end. */
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
