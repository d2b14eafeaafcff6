import type { z } from 'zod'
import { invalidRequest } from '../protocol/error.ts'
import { describeIssues } from '../protocol/issues.ts'
import { requireCleanJson } from '../protocol/json.ts'
import { defaultScope, type InScope, scopeSchema } from '../protocol/names.ts'
import type { Caller } from '../sessions/caller.ts'
import type { PageLimits } from '../sessions/list.ts'
import type { Store } from '../store/store.ts'
import {
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

/** Operations with the services that they run with. */
export interface BoundOperations {
  readonly name: string
  readonly operations: OperationTree
  readonly deps: unknown
}

export interface CallsDeps {
  store: Store
  pages: PageLimits
}

/** Operations as calls of the program that embeds Parley: checked as over HTTP, and on its own behalf. */
export function createCalls<Tree extends OperationTree>(
  tree: Tree,
  deps: unknown,
  { store, pages }: CallsDeps,
): Calls<Tree> {
  const entries = Object.entries(tree).map(([name, entry]) => [
    name,
    isOperation(entry)
      ? createCall(entry, deps, store, pages)
      : createCalls(entry as OperationTree, deps, { store, pages }),
  ])
  return Object.fromEntries(entries) as Calls<Tree>
}

const createCall =
  (operation: Operation, deps: unknown, store: Store, pages: PageLimits) =>
  async (...given: unknown[]): Promise<unknown> => {
    const names = Object.keys(operation.params)
    const params = Object.fromEntries(
      names.map((name, index) => [name, check(operation.params[name]!, given[index])]),
    )
    const [input = {}, options] = given.slice(names.length)
    const { scope, ...rest } = check(operation.input, input) as InScope & Record<string, unknown>
    const caller = programIn({ scope, ...(options as InScope | undefined) })
    const call = { caller, tx: store, deps, pages } as never
    const stored = await operation.run(call, params as never, rest as never)
    await operation.after?.(call, params as never, rest as never)
    if (!operation.output) return undefined
    return operation.answer ? operation.answer(stored as never) : stored
  }

/** The program itself: it may do everything, in any scope. */
export function programIn({ scope = defaultScope }: InScope = {}): Caller {
  return { scope: check(scopeSchema, scope), actor: { type: 'user', id: 'library' }, seesAllScopes: true }
}

/** What a program hands in is checked as if it had come over HTTP. */
export function check<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  requireCleanJson(value)
  const result = schema.safeParse(value)
  if (!result.success) throw invalidRequest(describeIssues(result.error, value))
  return result.data
}
