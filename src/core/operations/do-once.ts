import { createHash } from 'node:crypto'
import type { Store, StoreOperations } from '../store/store.ts'

/**
 * Does the work once per key: effect, key and answer commit together, so a client whose connection broke can repeat the request and
 * gets the first answer. `content` is the request; the same key with another one is refused. A refusal stores nothing, not
 * even the key.
 */
export function doOnce<Answer>(
  store: Store,
  { scope, key, content }: { scope: string; key: string; content: readonly (string | Uint8Array)[] },
  work: (tx: StoreOperations) => Promise<Answer>,
): Promise<Answer> {
  const hash = createHash('sha256')
  for (const part of content) hash.update(part)
  const fingerprint = hash.digest('base64url')
  return store.transaction(async (tx) => {
    const earlier = await tx.reserveIdempotencyKey(scope, key, fingerprint)
    if (earlier !== undefined) return earlier as Answer
    const answer = await work(tx)
    await tx.saveIdempotentAnswer(scope, key, answer ?? null)
    return answer
  })
}
