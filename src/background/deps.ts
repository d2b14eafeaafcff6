import type { Chats } from '../chat/chats.ts'
import type { TaskResult } from '../protocol/background.ts'
import type { Session } from '../protocol/session.ts'
import type { Prices } from '../runs/budget.ts'
import type { Clock } from '../shared/clock.ts'
import type { Ids } from '../shared/ids.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { Store, StoreOperations } from '../store/store.ts'
import type { BackgroundLimits } from './limits.ts'

/** Told of each end, in its transaction; what it throws undoes the end. */
export type OnSettled = (tx: StoreOperations, session: Session, result: TaskResult) => Promise<void>

export interface BackgroundDeps {
  store: Store
  chats: () => Chats
  clock: Clock
  ids: Ids
  limits: BackgroundLimits
  /** How many turns in a row may begin by themselves where results go. */
  maxWakes?: number
  /** Throws when there is no such model. */
  requireModel(id: string): unknown
  prices?: Prices
  /** Stops a run below a session that is no background run. */
  cancelOther?(tx: StoreOperations, run: Run): Promise<void>
  /** Ends one whose session is about to be deleted. */
  endOther?(tx: StoreOperations, run: Run): Promise<void>
  /** Who else has to know of an end, in its transaction. */
  onSettled?: readonly OnSettled[]
}
