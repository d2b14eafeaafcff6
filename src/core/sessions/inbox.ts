import type { InboxEntry, InboxPage } from '../protocol/inbox.ts'
import type { TaskResult } from '../protocol/background.ts'
import type { Part } from '../protocol/message.ts'
import { toTimestamp } from '../protocol/names.ts'
import type { InboxItem } from '../store/queries/inbox.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Caller } from './caller.ts'

/** What was delivered to a session and not taken in yet: the turn that is running takes it in, or else the next. */
export async function listInbox(store: StoreOperations, { scope }: Caller, id: string): Promise<InboxPage> {
  await store.requireSession(scope, id)
  return { items: (await store.listInbox(id)).map(toEntry), nextCursor: null }
}

function toEntry({ id, kind, payload, createdAt }: InboxItem): InboxEntry {
  const entry = { id, createdAt: toTimestamp(createdAt) }
  if (kind !== 'task-result') {
    const { message } = payload as { message: { parts: Part[] } }
    return { ...entry, kind: 'steer', parts: message.parts }
  }
  const { result, wake } = payload as { result: TaskResult; wake: boolean }
  return { ...entry, kind, result, wake }
}
