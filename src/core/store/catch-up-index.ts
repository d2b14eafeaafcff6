import { setImmediate as others } from 'node:timers/promises'
import { ParleyError } from '../protocol/error.ts'
import type { Unsearched } from '../protocol/search.ts'
import type { SearchIndexQueries } from './queries/search-index.ts'

/**
 * What a search takes into the index before it answers: what a few turns leave behind is found at once, and so much takes
 * some 50 ms. Of long messages fewer are taken in.
 */
export const mostCaughtUp = { messages: 500, bytes: 1_000_000 }

/**
 * Takes in what is fresh, sessions that changed last first, and answers how much a search will not see. A session that is
 * further behind, as after an import, is left to the indexer.
 */
export async function catchUpIndex(
  store: SearchIndexQueries,
  scope: string,
  { sessionId, most = mostCaughtUp }: { sessionId?: string; most?: { messages: number; bytes: number } } = {},
): Promise<Unsearched> {
  const found = await store.countUnindexed(scope, { sessionId })
  let messages = found.messages
  let space = most.messages
  const behind = new Map<string, number>()
  for (const session of found.sessions) {
    if (session.messages > space) continue
    space -= session.messages
    behind.set(session.id, session.messages)
  }
  const takeIn = async () => {
    for (let bytes = 0; behind.size > 0 && bytes < most.bytes;) {
      const step = await store.indexMessages([...behind.keys()])
      bytes += step.bytes
      for (const [id, left] of step.left) {
        // another one may be taking in the same: what it holds is fresh, too
        const waited = left === undefined ? await store.indexWaiting(id) : step
        if (waited !== step) bytes += waited.bytes
        const remaining = waited.left.get(id) ?? 0
        messages -= behind.get(id)! - remaining
        if (remaining > 0) behind.set(id, remaining)
        else behind.delete(id)
      }
    }
  }
  await takeIn().catch(refuseAllButFull)
  return messages > 0 ? { indexing: { messages } } : {}
}

/** Whoever searches only reads, and that continues on a full disk. */
function refuseAllButFull(error: unknown): void {
  if (!(error instanceof ParleyError && error.code === 'storage_full')) throw error
}

/** Takes in everything, for a process that ends before an indexer would be done. */
export async function finishIndex(store: SearchIndexQueries): Promise<void> {
  for (let ids: string[]; (ids = await store.listUnindexed(1)).length > 0;)
    while (((await store.indexWaiting(ids[0]!)).left.get(ids[0]!) ?? 0) > 0) await others()
}
