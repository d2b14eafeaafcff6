import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { invalidRequest, quote } from '../protocol/error.ts'
import type { Caller } from '../sessions/caller.ts'
import type { Store, StoreOperations } from '../store/store.ts'
import type { AppEnv } from './environment.ts'

/**
 * Does the work once per `Idempotency-Key`: effect, key and answer commit together, so a client that saw the
 * connection break can repeat the request and gets the first answer. A refusal stores nothing, not even the key.
 */
export async function once<Answer>(
  c: Context<AppEnv>,
  store: Store,
  caller: Caller,
  work: (tx: StoreOperations) => Promise<Answer>,
): Promise<Answer> {
  const key = readKey(c)
  if (key === undefined) return work(store)
  const fingerprint = await fingerprintOf(c)
  return store.transaction(async (tx) => {
    const earlier = await tx.reserveIdempotencyKey(caller.scope, key, fingerprint)
    if (earlier !== undefined) return earlier as Answer
    const answer = await work(tx)
    await tx.saveIdempotentAnswer(caller.scope, key, answer ?? null)
    return answer
  })
}

export function readKey(c: Context<AppEnv>): string | undefined {
  const key = c.req.header('idempotency-key')
  if (key !== undefined && !/^[\x21-\x7e]{1,200}$/.test(key))
    throw invalidRequest(`The Idempotency-Key ${quote(key)} must be 1 to 200 visible ASCII characters.`)
  return key
}

async function fingerprintOf(c: Context<AppEnv>): Promise<string> {
  const hash = createHash('sha256').update(`${c.req.method} ${c.req.path}\n`)
  return hash.update(new Uint8Array(await c.req.arrayBuffer())).digest('base64url')
}
