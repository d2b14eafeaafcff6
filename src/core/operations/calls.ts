import type { z } from 'zod'
import { misfit } from '../protocol/issues.ts'
import { requireCleanJson } from '../protocol/json.ts'
import { defaultScope, type InScope, inScopeSchema, scopeSchema } from '../protocol/names.ts'
import type { Caller } from '../sessions/caller.ts'
import type { PageLimits } from '../sessions/list.ts'
import type { Store, StoreOperations } from '../store/store.ts'
import {
  type Call,
  isOperation,
  type Operation,
  type OperationTree,
  type ParamSchemas,
  type PathNames,
} from './operation.ts'

/** Operations as calls: parameters of the path first, then the input. The same in the process and over HTTP. */
export type Calls<Tree> = {
  [Name in keyof Tree]: Tree[Name] extends Operation<infer Path, infer Given, infer Input, infer Output>
    ? (...args: Arguments<PathValues<PathNames<Path>, Given>, Input>) => Promise<Output>
    : Calls<Tree[Name]>
}

type PathValues<Names, Given extends ParamSchemas> = Names extends [infer Name, ...infer Rest]
  ? [Name extends keyof Given ? z.output<Given[Name]> : string, ...PathValues<Rest, Given>]
  : []

type Arguments<Values, Input extends z.ZodType> = Values extends [infer First, infer Second]
  ? [id: First, partId: Second, ...InputArguments<z.input<Input>>]
  : Values extends [infer First]
    ? [id: First, ...InputArguments<z.input<Input>>]
    : InputArguments<z.input<Input>>

// an input without a scope of its own has one beside it
type InputArguments<Input> =
  'scope' extends KeysOf<Input>
    ? {} extends Input
      ? [input?: Input]
      : [input: Input]
    : [input: Input, options?: InScope]

type KeysOf<T> = T extends unknown ? keyof T : never

/** An operation, or those of a noun, with the services that they run with. */
export interface BoundOperations {
  readonly name: string
  readonly operations: Operation | OperationTree
  readonly deps: unknown
}

export interface CallsDeps {
  store: Store
  pages: PageLimits
}

/** As calls of the program that embeds Parley: checked as over HTTP, and on its own behalf. */
export function createCalls({ operations, deps }: Omit<BoundOperations, 'name'>, within: CallsDeps): unknown {
  if (isOperation(operations)) return createCall(operations, deps, within)
  return Object.fromEntries(
    Object.entries(operations).map(([name, entry]) => [
      name,
      createCalls({ operations: entry, deps }, within),
    ]),
  )
}

const createCall =
  (operation: Operation, deps: unknown, { store, pages }: CallsDeps) =>
  async (...given: unknown[]): Promise<unknown> => {
    const names = Object.keys(operation.params)
    const params = Object.fromEntries(
      names.map((name, index) => [name, check(operation.params[name]!, given[index])]),
    )
    const [input = {}, options = {}] = given.slice(names.length)
    const { scope, ...rest } = check(operation.input, input, operation) as InScope & Record<string, unknown>
    const caller = programIn({ scope, ...check(inScopeSchema, options) })
    const call = createCallOf(operation, { caller, deps, pages }, params, rest)
    const kept = await call.perform(store, () => call.run(store))
    if (!operation.output) return undefined
    return operation.answer ? operation.answer(kept as never) : kept
  }

/** One call of an operation: what comes first, what it does, and what follows once that is stored. */
export function createCallOf(
  operation: Operation,
  given: Omit<Call<unknown>, 'tx' | 'later' | 'prepared'>,
  ...args: [params: unknown, input: unknown]
) {
  const following: (() => unknown)[] = []
  const later = (work: () => unknown) => void following.push(work)
  const [params, input] = args as [never, never]
  let prepared: unknown
  const callIn = (tx: StoreOperations) => ({ ...given, tx, later, prepared }) as Call<never>
  return {
    run: async (tx: StoreOperations) => operation.run(callIn(tx), params, input),
    async perform<Kept>(store: Store, run: () => Promise<Kept>): Promise<Kept> {
      // nearly all have neither, and each await costs a turn of the queue
      if (operation.before) prepared = await operation.before(callIn(store), params, input)
      const kept = await run()
      for (const work of following) await work()
      if (operation.after) await operation.after(callIn(store), params, input)
      return kept
    },
  }
}

/** The program itself: it may do everything, in any scope. */
export function programIn({ scope = defaultScope }: InScope = {}): Caller {
  return { scope: check(scopeSchema, scope), actor: { type: 'user', id: 'library' }, seesAllScopes: true }
}

/** What a program passes is checked as if it had come over HTTP. Of secrets a message repeats nothing. */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  options?: { isSecret: boolean },
): z.output<Schema> {
  requireCleanJson(value)
  const result = schema.safeParse(value)
  if (!result.success) throw misfit(result.error, value, options)
  return result.data
}
