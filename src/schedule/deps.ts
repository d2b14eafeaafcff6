import type { BackgroundManager } from '../background/manager.ts'
import type { TaskOptions } from '../protocol/cron.ts'
import { invalidRequest } from '../protocol/error.ts'
import type { Caller } from '../sessions/caller.ts'
import type { Clock } from '../shared/clock.ts'
import type { Store, StoreOperations } from '../store/store.ts'
import { compileOutputSchema } from '../tools/output-schema.ts'

/** What crons and event hooks work with. */
export interface ScheduleDeps {
  store: Store
  background: Pick<BackgroundManager, 'triggerIn' | 'cancel'>
  clock: Clock
  /** Throws when there is no such model. */
  requireModel(id: string): unknown
  /** Whether a budget of cost can be counted. */
  hasPrices: boolean
}

/** On whose behalf; with the session when it is a model that asks. */
export type ScheduleCaller = Pick<Caller, 'scope' | 'actor'> & { sessionId?: string }

/** Refuses now what would fail at every start. */
export async function requireStartable(
  tx: StoreOperations,
  { requireModel, hasPrices }: ScheduleDeps,
  scope: string,
  { model, outputSchema, budget, announceTarget }: TaskOptions,
): Promise<void> {
  if (model !== undefined) requireModel(model)
  if (outputSchema) compileOutputSchema(outputSchema)
  if (budget?.cost !== undefined && !hasPrices)
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

/** The options of a task among the fields of a request; a null among them takes away what was there. */
export function pickTask(
  given: { [Key in keyof TaskOptions]?: TaskOptions[Key] | null },
  before: TaskOptions = {},
): TaskOptions {
  const merged = taskKeys.map((key) => [key, given[key] === undefined ? before[key] : given[key]])
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined && value !== null))
}
