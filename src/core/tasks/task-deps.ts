import type { SessionTypes } from '../chat/session-types.ts'
import type { ChatRuns } from '../chat/chat-runs.ts'
import type { RunEngine } from '../runs/run-engine.ts'
import type { TaskResult } from '../protocol/background.ts'
import type { Session } from '../protocol/session.ts'
import type { PriceList } from '../runs/budget.ts'
import type { Clock } from '../shared/clock.ts'
import type { Ids } from '../shared/ids.ts'
import type { Store, StoreOperations } from '../store/store.ts'
import type { BackgroundLimits } from './task-limits.ts'
import type { FindTool } from './open-tasks.ts'

/** Called at each end, in its transaction; an error undoes the end. */
export type OnSettled = (tx: StoreOperations, session: Session, result: TaskResult) => Promise<void>

export interface BackgroundDeps {
  store: Store
  chats: Pick<ChatRuns, 'answerOf'>
  engine: Pick<RunEngine, 'cancel' | 'end' | 'taskKinds'>
  clock: Clock
  ids: Ids
  limits: BackgroundLimits
  /** How many turns in a row may begin by themselves where results go. */
  maxWakes?: number
  types: SessionTypes
  /** Which of them start tasks. */
  tools?: FindTool
  /** The `triggerType` of tasks that come at a pace of their own, beside those of the API. */
  pacedTriggers?: readonly string[]
  /** Throws when there is no such model. */
  requireModel(id: string): unknown
  /** Throws where the model of a session does not take its parameters. Default: its turn does. */
  checkParameters?(tx: StoreOperations, session: Partial<Session> & { scope: string }): Promise<void>
  prices?: PriceList
}

/** The same, with the listeners for each end, which are called in their order. */
export interface TaskDeps extends BackgroundDeps {
  onSettled: readonly OnSettled[]
}
