import type { VariantList } from '../protocol/session.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Caller } from './caller.ts'

/** A session and its variants, oldest first; just the session itself when it has none. */
export async function listVariants(
  store: StoreOperations,
  { scope }: Caller,
  id: string,
): Promise<VariantList> {
  const session = await store.requireSession(scope, id)
  const members = session.family === undefined ? [session] : await store.listFamily(scope, session.family)
  return {
    items: members.map(({ id: sessionId, title, forkedFrom, createdAt, updatedAt }) => ({
      sessionId,
      title,
      forkedFrom,
      createdAt,
      updatedAt,
    })),
  }
}
