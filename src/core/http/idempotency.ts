import type { Context } from 'hono'
import { doOnce } from '../operations/do-once.ts'
import { invalidRequest, quote } from '../protocol/error.ts'
import type { Caller } from '../sessions/caller.ts'
import type { Store, StoreOperations } from '../store/store.ts'
import type { AppEnv } from './request-environment.ts'

/** Does the work once per `Idempotency-Key` of a request; without one, at every request. */
export async function once<Answer>(
  c: Context<AppEnv>,
  store: Store,
  { scope }: Caller,
  work: (tx: StoreOperations) => Promise<Answer>,
): Promise<Answer> {
  const key = readKey(c)
  if (key === undefined) return work(store)
  const content = [`${c.req.method} ${c.req.path}\n`, new Uint8Array(await c.req.arrayBuffer())]
  return doOnce(store, { scope, key, content }, work)
}

export function readKey(c: Context<AppEnv>): string | undefined {
  const key = c.req.header('idempotency-key')
  if (key !== undefined && !/^[\x21-\x7e]{1,200}$/.test(key))
    throw invalidRequest(`The Idempotency-Key ${quote(key)} must be 1 to 200 visible ASCII characters.`)
  return key
}
