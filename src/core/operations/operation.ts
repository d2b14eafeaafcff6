import type { z } from 'zod'
import { idSchema, inScopeSchema } from '../protocol/names.ts'
import type { Caller } from '../sessions/caller.ts'
import type { PageLimits } from '../sessions/list.ts'
import type { StoreOperations } from '../store/store.ts'

/**
 * A verb of Parley, declared once. The HTTP route with its OpenAPI entry (`server/operation-routes.ts`), the call of the
 * library (`calls.ts`) and the call of the client (`client/operation-calls.ts`) are made from this one value.
 */
export interface Operation<
  Path extends string = string,
  Given extends ParamSchemas = ParamSchemas,
  Input extends z.ZodType = z.ZodType,
  Output = unknown,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: Path
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** By name, in the order of the path. */
  readonly params: Given
  /** Of the query of a GET or DELETE, and of the body of all others unless `bodyless`. */
  readonly input: Input
  /** A write whose input, the scope, is in the query. */
  readonly bodyless: boolean
  readonly body: BodyRule
  /** Undefined answers 204. */
  readonly output?: z.ZodType<Output>
  readonly status: 200 | 201 | 202 | 204
  /** Other statuses that `reply` gives, with what they mean. */
  readonly otherStatuses: Readonly<Record<number, string>>
  /** What the answer is, for the document. */
  readonly returns: string
  /** Refusals beyond those of every operation, by status. */
  readonly refuses: Readonly<Record<number, string>>
  /** The input holds secrets: no message repeats any of it. */
  readonly isSecret: boolean
  /** False: asking twice does the same as asking once, so that nothing is kept of an Idempotency-Key. */
  readonly keepsKeys: boolean
  /** Of each item of a list: the session that must be open to the caller for the item to be shown. */
  readonly sessionOf?: (item: never) => string | undefined
  /** The answer is a run: with `Accept: text/event-stream` what comes of it is sent in its place. */
  readonly streams: boolean
  before?(call: Call<never>, params: never, input: never): Promise<unknown>
  run(call: Call<never>, params: never, input: never): unknown
  after?(call: Call<never>, params: never, input: never): Promise<void>
  answer?(kept: never): Output
  reply?(kept: never): Reply
}

export interface Reply {
  status?: number
  headers?: Record<string, string>
}

/** How large a body may be, and whether there must be one; see `core/http/body-class.ts`. */
export interface BodyRule {
  size: 'small' | 'large'
  isRequired: boolean
}

/** What an operation runs with. */
export interface Call<Deps> {
  caller: Caller
  /** The transaction of the Idempotency-Key where there is one; the store itself otherwise. */
  tx: StoreOperations
  deps: Deps
  pages: PageLimits
  /** What `before` answered. */
  prepared?: unknown
  /** Does something once what `run` did is stored, but not for a request that is repeated. */
  later(work: () => unknown): void
}

export type ParamSchemas = Readonly<Record<string, z.ZodType>>

/** The names of a path's parameters, in order. */
export type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? [Name, ...PathNames<Rest>]
  : []

type ParamsOf<Path extends string, Given extends ParamSchemas> = {
  [Name in PathNames<Path>[number]]: Name extends keyof Given ? z.output<Given[Name]> : string
}

/** The scope is the caller's already. */
type Parsed<Input extends z.ZodType> = WithoutScope<z.output<Input>>
type WithoutScope<T> = T extends unknown ? Omit<T, 'scope'> : never

interface Declaration<
  Deps,
  Path extends string,
  Given extends ParamSchemas,
  Input extends z.ZodType,
  Stored,
> {
  summary: string
  description?: string
  /** What has to be done first, outside of the transaction; `run` finds its answer in `prepared`. */
  before?(call: Call<Deps>, params: ParamsOf<Path, Given>, input: Parsed<Input>): Promise<unknown>
  /** Schemas of those parameters of the path that are not ids. */
  params?: Given
  /** Default: the scope alone. */
  input?: Input
  returns?: string
  refuses?: Readonly<Record<number, string>>
  run(call: Call<Deps>, params: ParamsOf<Path, Given>, input: Parsed<Input>): Stored | Promise<Stored>
}

interface WriteDeclaration<
  Deps,
  Path extends string,
  Given extends ParamSchemas,
  Input extends z.ZodType,
  Stored,
> extends Declaration<Deps, Path, Given, Input, Stored> {
  status?: 200 | 201 | 202
  otherStatuses?: Readonly<Record<number, string>>
  /** `large` for texts, files and lists that do not fit into a small body. */
  body?: 'large'
  /** Default: unless it is a POST whose input can do without any field. */
  requiresBody?: boolean
  isSecret?: boolean
  keepsKeys?: boolean
  streams?: boolean
  /** What follows once `run` is stored, also for a request that is repeated. */
  after?(call: Call<Deps>, params: ParamsOf<Path, Given>, input: Parsed<Input>): Promise<void>
}

/** Makes operations of one capability, which all run with the same services; `tag` groups them in the document. */
export function operationsOf<Deps>(tag: string) {
  return {
    /** Changes nothing. */
    read: <
      const Path extends string,
      Output,
      Given extends ParamSchemas = {},
      Input extends z.ZodType = typeof inScopeSchema,
    >(
      path: Path,
      declared: Declaration<Deps, Path, Given, Input, NoInfer<Output>> & {
        output: z.ZodType<Output>
        sessionOf?(item: Item<Output>): string | undefined
      },
    ) => toOperation<Path, Given, Input, Output>(tag, 'GET', path, declared),

    /** The same where more has to be known of the items than is answered of them. */
    readKeeping: <
      const Path extends string,
      Output,
      Kept,
      Given extends ParamSchemas = {},
      Input extends z.ZodType = typeof inScopeSchema,
    >(
      path: Path,
      declared: Declaration<Deps, Path, Given, Input, Kept> & {
        output: z.ZodType<Output>
        sessionOf(item: Item<NoInfer<Kept>>): string | undefined
        answer(kept: NoInfer<Kept>): NoInfer<Output>
      },
    ) => toOperation<Path, Given, Input, Output>(tag, 'GET', path, declared),

    /** Changes something, once for each Idempotency-Key, and answers with what is there now. */
    write: <
      const Path extends string,
      Output,
      Given extends ParamSchemas = {},
      Input extends z.ZodType = typeof inScopeSchema,
    >(
      method: Method,
      path: Path,
      declared: WriteDeclaration<Deps, Path, Given, Input, NoInfer<Output>> & { output: z.ZodType<Output> },
    ) => toOperation<Path, Given, Input, Output>(tag, method, path, declared),

    /** The same where more has to be kept of the first request than its answer. */
    writeKeeping: <
      const Path extends string,
      Output,
      Kept,
      Given extends ParamSchemas = {},
      Input extends z.ZodType = typeof inScopeSchema,
    >(
      method: Method,
      path: Path,
      declared: WriteDeclaration<Deps, Path, Given, Input, Kept> & {
        output: z.ZodType<Output>
        answer(kept: NoInfer<Kept>): NoInfer<Output>
        /** Status and headers of one answer. */
        reply(kept: NoInfer<Kept>): Reply
      },
    ) => toOperation<Path, Given, Input, Output>(tag, method, path, declared),

    /** Changes something and returns nothing. */
    remove: <
      const Path extends string,
      Given extends ParamSchemas = {},
      Input extends z.ZodType = typeof inScopeSchema,
    >(
      path: Path,
      declared: WriteDeclaration<Deps, Path, Given, Input, unknown>,
    ) => toOperation<Path, Given, Input, void>(tag, 'DELETE', path, declared),
  }
}

type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Item<Output> = Output extends { items: (infer One)[] } ? One : never

function toOperation<Path extends string, Given extends ParamSchemas, Input extends z.ZodType, Output>(
  tag: string,
  method: Operation['method'],
  path: Path,
  // its callers are checked against the types of the operation
  declared: object,
): Operation<Path, Given, Input, Output> {
  const {
    params = {},
    input,
    output,
    status = 200,
    body: size = 'small',
    requiresBody,
    ...rest
  } = declared as Partial<WriteDeclaration<unknown, Path, Given, Input, unknown>> & { output?: z.ZodType }
  const takesBody = method !== 'GET' && method !== 'DELETE'
  const schema: z.ZodType = input ?? inScopeSchema
  return {
    isSecret: false,
    keepsKeys: true,
    streams: false,
    otherStatuses: {},
    refuses: {},
    returns: 'Deleted',
    ...rest,
    tag,
    method,
    path,
    params: Object.fromEntries(
      namesIn(path).map((name) => [name, (params as ParamSchemas)[name] ?? idSchema]),
    ),
    input: schema,
    bodyless: takesBody && input === undefined,
    body: {
      size,
      // for the server alone: to try the schemas of all operations takes long in a program that ends soon
      get isRequired() {
        return requiresBody ?? (method !== 'POST' || !schema.safeParse({}).success)
      },
    },
    output,
    status: output ? status : 204,
  } as unknown as Operation<Path, Given, Input, Output>
}

export const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)

/** Operations by the name under which library and client have them; a group of them may stand for a noun of its own. */
export interface OperationTree {
  readonly [name: string]: Operation | OperationTree
}

export const isOperation = (entry: OperationTree[string]): entry is Operation =>
  typeof (entry as Operation).path === 'string'

/** All of a tree, in the order in which they were declared. */
export const operationsIn = (tree: OperationTree[string]): Operation[] =>
  isOperation(tree) ? [tree] : Object.values(tree).flatMap(operationsIn)

/** How the client writes a route: `POST?` has its input in the query, `POST!` begins a run. */
export const routeOf = ({ method, bodyless, streams, path }: Operation): string =>
  `${method}${bodyless ? '?' : streams ? '!' : ''} ${path}`

/** The routes of a tree by the names of their calls. */
export const routesOf = (tree: OperationTree): RouteNames =>
  Object.fromEntries(
    Object.entries(tree).map(([name, entry]) => [
      name,
      isOperation(entry) ? routeOf(entry) : routesOf(entry),
    ]),
  )

interface RouteNames {
  readonly [name: string]: string | RouteNames
}
