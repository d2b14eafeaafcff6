import { ParleyError } from '../core/protocol/error.ts'
import type { Send } from './http.ts'
import { randomKey } from './random-key.ts'

/** Routes by the names of their calls. `POST?` has its input in the query; `POST!` begins a run, once however often it is sent. */
export interface RouteTable {
  readonly [name: string]: string | RouteTable
}

/** One call per route: path parameters first, then the input, then what goes into the query in addition to a body. */
export function createCalls(table: RouteTable, send: Send): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(table).map(([name, route]) => [
      name,
      typeof route === 'string' ? createCall(route, send) : createCalls(route, send),
    ]),
  )
}

function createCall(route: string, send: Send) {
  const [verb = '', path = ''] = route.split(' ')
  const method = verb.replace(/[?!]/, '')
  const takesBody = !['GET', 'DELETE', 'POST?'].includes(verb)
  return async (...args: unknown[]): Promise<unknown> => {
    const values = [...args]
    const place = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(String(values.shift())))
    const [input, beside] = values as [Query?, Query?]
    const options = takesBody ? { json: input ?? {}, query: { ...beside } } : { query: { ...input } }
    const idempotencyKey = verb === 'POST!' ? randomKey() : undefined
    const response = await send(method, place, { ...options, idempotencyKey })
    return response.status === 204 ? undefined : response.json().catch(refuseOther(response.url))
  }
}

const refuseOther = (url: string) => (error: unknown) => {
  if (!(error instanceof SyntaxError)) throw error
  throw new ParleyError('store_unavailable', `No Parley answers at ${url}: what is there sent no JSON.`, {
    cause: error,
  })
}

type Query = Record<string, string | number | boolean | undefined>
