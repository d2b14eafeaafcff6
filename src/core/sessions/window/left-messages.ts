import { messageText } from '../../protocol/message-text.ts'
import type { StoreOperations } from '../../store/store.ts'

export interface LeftMessages {
  fromSeq: number
  toSeq: number
  heads: string[]
}

const maxHeads = 20
const headLength = 120

/** What left a window and is not in the memo yet, by its first words. */
export async function findLeft(
  store: Pick<StoreOperations, 'listMessages'>,
  session: { scope: string; id: string },
  { throughSeq, startSeq }: { throughSeq: number; startSeq: number },
): Promise<LeftMessages | undefined> {
  const fromSeq = throughSeq + 1
  if (fromSeq >= startSeq) return undefined
  const range = { after: fromSeq - 1, before: startSeq, limit: maxHeads * 2 }
  const heads = (await store.listMessages(session.scope, session.id, range))
    .filter(({ role }) => role === 'user')
    .map((message) => messageText(message).replace(/\s+/g, ' ').trim().slice(0, headLength).toWellFormed())
  return { fromSeq, toSeq: startSeq - 1, heads: heads.slice(-maxHeads) }
}
