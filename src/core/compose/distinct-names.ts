import { ownSources } from '../chat/prompt-context.ts'
import { invalidRequest, quote } from '../protocol/error.ts'
import { operationsIn } from '../operations/operation.ts'
import type { BoundOperations } from '../operations/calls.ts'
import type { Added } from './extensions.ts'

/** A name, and what has it. */
export type Owned = readonly [name: string, owner: string]

/** What those names are called that no extension brings. */
export const ofParley = 'Parley'

/** What comes from options of `createParley`. */
const ofProgram = 'The program'

/** Refuses a name that two have, and names both. */
export function requireDistinct(what: string, names: Iterable<Owned>): void {
  const owners = new Map<string, string>()
  for (const [name, owner] of names) {
    const other = owners.get(name)
    if (other !== undefined) throw taken(what, name, owner, other)
    owners.set(name, owner)
  }
}

function taken(what: string, name: string, owner: string, other: string) {
  if (owner === other) return invalidRequest(`${describe(owner)} has two ${what}s named ${quote(name)}.`)
  return invalidRequest(
    `${describe(owner)} has the ${what} ${quote(name)}, which ${describe(other, 'the')} has already. Rename one of them.`,
  )
}

function describe(owner: string, article = 'The'): string {
  return owner === ofParley || owner === ofProgram ? owner : `${article} extension ${quote(owner)}`
}

export interface TakenNames {
  operations: readonly Omit<BoundOperations, 'deps'>[]
  /** What a Parley has beside its calls. */
  members: readonly string[]
  tools: readonly string[]
  /** Of fragments that the program has by itself. */
  promptSources?: readonly string[]
  sessionTypes: readonly string[]
  runKinds: readonly string[]
}

/** Refuses contributions that have the name of another, or of something of the core. */
export function checkNames(added: readonly Added[], core: TakenNames): void {
  const owned = (names: readonly string[]): Owned[] => names.map((name) => [name, ofParley])
  const each = (namesOf: (one: Added) => readonly string[]): Owned[] =>
    added.flatMap((one) => namesOf(one).map((name): Owned => [name, one.name]))

  requireDistinct('call', [
    ...owned([...core.operations.map(({ name }) => name), ...core.members]),
    ...each(({ operations = {} }) => Object.keys(operations)),
  ])
  requireDistinct('route', [
    ...owned(core.operations.flatMap(({ operations }) => routesOf(operations))),
    ...each(({ operations = {} }) =>
      Object.values(operations).flatMap((bound) => routesOf(bound.operations)),
    ),
  ])
  requireDistinct('tool', [...owned(core.tools), ...each(({ tools = [] }) => tools.map(({ name }) => name))])
  requireDistinct('prompt source', [
    ...owned(ownSources),
    ...each(({ prompt = [] }) => prompt.map(({ name }) => name)),
    ...(core.promptSources ?? []).map((name): Owned => [name, ofProgram]),
  ])
  requireDistinct('session type', [
    ...owned(core.sessionTypes),
    ...each(({ sessionTypes = [] }) => sessionTypes.map(({ name }) => name)),
  ])
  requireDistinct('run kind', [
    ...owned(core.runKinds),
    ...each(({ runKinds = {} }) => Object.keys(runKinds)),
  ])
  requireDistinct(
    'metric',
    each(({ metrics = [] }) => metrics.map(({ name }) => name)),
  )
}

/** As a router distinguishes them: whatever the parameters are called. */
function routesOf(operations: BoundOperations['operations']): string[] {
  return operationsIn(operations).map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`)
}
