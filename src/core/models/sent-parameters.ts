/**
 * Requests that the AI SDK writes. Its packages leave out what they believe a model does not take, and only warn of it when
 * the answer has begun: here the body is read before it leaves, and a parameter that is not in it is refused by name.
 */
import type { ParameterName } from '../protocol/parameters.ts'
import { isObject } from '../shared/type-checks.ts'
import type { ModelRequest } from './adapter.ts'
import { optionsFor, setParameters } from './parameters.ts'
import type { Faults } from './provider-faults.ts'

/** Where a provider has each parameter in the body of its requests; those that have no place cannot be sent. */
export type ParameterPlaces = Readonly<Partial<Record<ParameterName, readonly (readonly string[])[]>>>

type Body = Record<string, unknown>

/** A fetch for one request: adds the options of its provider to the body, once every parameter was found in it. */
export function fetchWithParameters(
  fetch: typeof globalThis.fetch,
  { id, faults, places }: { id: string; faults: Faults; places: ParameterPlaces },
  request: ModelRequest,
): typeof globalThis.fetch {
  return (input, init) => {
    const body = JSON.parse(String(init?.body)) as Body
    for (const name of setParameters(request))
      if (name !== 'providerOptions' && !isSent(request, name, body, places[name]))
        throw faults.unsupported(`the parameter ${name}: ${JSON.stringify(request[name])}`)
    return fetch(input, {
      ...init,
      body: JSON.stringify(mergeOptions(faults, body, optionsFor(id, request))),
    })
  }
}

function isSent(
  request: ModelRequest,
  name: ParameterName,
  body: Body,
  places: readonly (readonly string[])[] = [],
): boolean {
  const wanted = request[name]
  const found = places.map((path) => valueAt(body, path)).filter((value) => value !== undefined)
  return name === 'reasoningEffort'
    ? found.some((value) => isSameEffort(value, wanted))
    : found.some((value) => JSON.stringify(value) === JSON.stringify(wanted))
}

const noEffort: readonly unknown[] = ['none', 'disabled', 0]

/** A word must be the same one; a budget of tokens, which some models have in its place, stands for any. */
const isSameEffort = (found: unknown, wanted: unknown) =>
  wanted === 'none' ? noEffort.includes(found) : found === wanted || Number(found) > 0

const valueAt = (body: Body, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), body)

/** The options of the caller within a body. What Parley has set is not replaced: it is refused, by its path. */
export function mergeOptions(
  faults: Faults,
  body: Body,
  options: Body | undefined,
  path = 'providerOptions',
): Body {
  if (!options) return body
  const merged = { ...body }
  for (const [key, value] of Object.entries(options)) {
    const own = merged[key]
    const place = `${path}.${key}`
    if (own === undefined) merged[key] = value
    else if (isObject(own) && isObject(value)) merged[key] = mergeOptions(faults, own, value, place)
    else throw faults.unsupported(`${place}, which Parley has set already`)
  }
  return merged
}
