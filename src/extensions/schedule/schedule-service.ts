import type { BackgroundManager } from '../../core/tasks/background-manager.ts'
import type { TaskOptions } from './protocol/cron.ts'
import { invalidRequest } from '../../core/protocol/error.ts'
import { checkAt } from '../../core/protocol/issues.ts'
import type { ScopeEvent } from '../../core/protocol/event.ts'
import type { Session } from '../../core/protocol/session.ts'
import type { PriceList } from '../../core/runs/budget.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import type { Clock } from '../../core/shared/clock.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { Store, StoreOperations } from '../../core/store/store.ts'
import { compileOutputSchema } from '../../core/tools/tool-schemas.ts'

/** A run of a workflow that one of its triggers starts. */
export interface TriggeredRun {
  scope: string
  workflowId: string
  /** Those that the trigger was written with. */
  args: Record<string, unknown>
  source: 'cron' | 'event'
  /** The cron or the event hook. */
  sourceId: string
  /** A second start with the same key finds the first one's run. */
  key: string
  /** The event, when one started it. */
  event?: ScopeEvent
  /** The session whose model triggered a cron. */
  parentSessionId?: string
}

/** What crons and event hooks work with. */
export interface ScheduleDeps {
  store: Store
  background: Pick<BackgroundManager, 'triggerIn' | 'cancel'>
  /** Runs in the transaction of the caller; throwing rolls it back. */
  startWorkflow(tx: StoreOperations, wanted: TriggeredRun): Promise<{ session: Session; run: Run }>
  /** Throws `not_found` or `conflict` when nothing is running there any more. */
  cancelWorkflow(scope: string, runId: string): Promise<unknown>
  clock: Clock
  /** Throws when there is no such model. */
  requireModel(id: string): unknown
  /** Whether a budget of cost can be counted. */
  prices: Pick<PriceList, 'hasPrices'>
}

/** On whose behalf; with the session when a model calls. */
export type ScheduleCaller = Pick<Caller, 'scope' | 'actor'> & { sessionId?: string }

/** Rejects at once what would fail at every start. */
export async function requireStartable(
  tx: StoreOperations,
  { requireModel, prices }: ScheduleDeps,
  scope: string,
  { model, outputSchema, budget, announceTarget }: TaskOptions,
): Promise<void> {
  if (model !== undefined) checkAt(['model'], () => requireModel(model))
  if (outputSchema) compileOutputSchema(outputSchema)
  if (budget?.cost !== undefined && !prices.hasPrices)
    throw invalidRequest('A budget of cost needs prices of models (setting "prices").')
  if (announceTarget !== undefined) await tx.requireSession(scope, announceTarget)
}

const taskKeys = [
  'label',
  'model',
  'context',
  'expectedOutput',
  'outputSchema',
  'timeoutMs',
  'budget',
  'announceTarget',
  'wake',
] as const satisfies (keyof TaskOptions)[]

/** The task options among the fields of a request; null removes a stored value. */
export function pickTask(
  given: { [Key in keyof TaskOptions]?: TaskOptions[Key] | null },
  before: TaskOptions = {},
): TaskOptions {
  const merged = taskKeys.map((key) => [key, given[key] === undefined ? before[key] : given[key]])
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined && value !== null))
}
