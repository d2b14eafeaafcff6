/** Sessions as OpenAI's conversations. */
import { z } from 'zod'
import { invalidRequest, notFound } from '../../core/protocol/error.ts'
import { fromTimestamp, labelSchema } from '../../core/protocol/names.ts'
import type { Message } from '../../core/protocol/message.ts'
import type { Session } from '../../core/protocol/session.ts'
import { auditSession, recordSessionEvent, type Caller } from '../../core/sessions/caller.ts'
import { createSession } from '../../core/sessions/create.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { toItemList, type ItemList, type ItemPage, type LogItem } from './item-page.ts'
import { messageOfItem, toLogItems } from './log-items.ts'
import { toConversationId } from './response-ids.ts'
import { itemsSchema, metadataSchema, readLogMessages, type GivenItem } from './response-request.ts'
import { requestSource } from './take-turn.ts'
import { addHistory } from './open-response.ts'

export const conversationSchema = z
  .object({
    id: z.string(),
    object: z.literal('conversation'),
    created_at: z.int(),
    metadata: z.record(z.string(), z.string()),
  })
  .meta({ id: 'Conversation', description: 'A session, as OpenAI has it' })
export type Conversation = z.infer<typeof conversationSchema>

export const createConversationSchema = z
  .looseObject({ items: itemsSchema.nullish(), metadata: metadataSchema.nullish() })
  .meta({ id: 'CreateConversation' })
export const updateConversationSchema = z
  .looseObject({ metadata: metadataSchema.nullable() })
  .meta({ id: 'UpdateConversation' })
export const addItemsSchema = z
  .looseObject({
    items: itemsSchema.refine((items) => items.length > 0, { error: 'must hold at least one item' }),
  })
  .meta({ id: 'AddConversationItems' })

export const toConversation = ({ id, createdAt, conversationMetadata }: Session): Conversation => ({
  id: toConversationId(id),
  object: 'conversation',
  created_at: Math.floor(fromTimestamp(createdAt) / 1_000),
  metadata: conversationMetadata ?? {},
})

export async function createConversation(
  store: StoreOperations,
  caller: Caller,
  { items, metadata }: z.infer<typeof createConversationSchema>,
): Promise<Session> {
  const title = titleIn(metadata)
  return store.transaction(async (tx) => {
    const { id } = await createSession(tx, caller, {
      kind: 'tool',
      toolMeta: { source: requestSource },
      ...(title !== undefined && { title }),
      ...(metadata && { conversationMetadata: metadata }),
    })
    if (items?.length) await addItems(tx, caller, id, items)
    return tx.requireSession(caller.scope, id)
  })
}

/** Replaces all of the metadata. */
export async function updateConversation(
  store: StoreOperations,
  caller: Caller,
  id: string,
  metadata: Record<string, string> | null,
): Promise<Session> {
  const title = titleIn(metadata)
  return store.transaction(async (tx) => {
    const session = await tx.updateSession(caller.scope, id, {
      conversationMetadata: metadata,
      ...(title !== undefined && { title }),
    })
    const fields = ['conversationMetadata', ...(title === undefined ? [] : ['title'])]
    await auditSession(tx, caller, 'update', id, { fields })
    await recordSessionEvent(tx, caller, 'session-updated', id, { fields })
    return session
  })
}

/** What people see of it in lists. */
function titleIn(metadata: Record<string, string> | null | undefined): string | undefined {
  const title = metadata?.['title']
  if (title === undefined || labelSchema.safeParse(title).success) return title
  throw invalidRequest('"metadata.title" must be one line of at most 500 characters.', {
    param: 'metadata.title',
  })
}

/** Adds to the log without a turn; returns what was added. */
export async function addItems(
  store: StoreOperations,
  caller: Caller,
  id: string,
  items: readonly GivenItem[],
): Promise<LogItem[]> {
  const history = await readLogMessages(store, caller, items)
  return store.transaction(async (tx) => {
    const session = await tx.requireSession(caller.scope, id)
    return (await addHistory(tx, session, { history })).flatMap(toLogItems)
  })
}

const messagesPerRead = 50
const defaultLimit = 20

/** Reads no more of the log than the page needs. */
export async function listItems(
  store: StoreOperations,
  { scope }: Caller,
  sessionId: string,
  { limit = defaultLimit, order = 'desc', after }: ItemPage,
): Promise<ItemList> {
  const isForward = order === 'asc'
  const first = after === undefined ? undefined : await requireMessage(store, scope, sessionId, after)
  const found: LogItem[] = []
  let isBehind = after !== undefined
  let edge = first && (isForward ? first.seq - 1 : first.seq + 1)
  for (;;) {
    const range = isForward ? { after: edge ?? 0 } : { before: edge }
    const messages = await store.listMessages(scope, sessionId, { ...range, limit: messagesPerRead })
    const items = messages.flatMap(toLogItems)
    for (const item of isForward ? items : items.toReversed()) {
      if (!isBehind) found.push(item)
      if (item.id === after) isBehind = false
    }
    if (isBehind && messages.length < messagesPerRead) throw notFound('item', after!)
    if (found.length > limit || messages.length < messagesPerRead)
      return toItemList(found.slice(0, limit), found.length > limit)
    edge = isForward ? messages.at(-1)!.seq : messages[0]!.seq
  }
}

export async function requireItem(
  store: StoreOperations,
  { scope }: Caller,
  sessionId: string,
  id: string,
): Promise<LogItem> {
  const message = await requireMessage(store, scope, sessionId, id)
  const item = toLogItems(message).find((one) => one.id === id)
  if (!item) throw notFound('item', id)
  return item
}

async function requireMessage(
  store: StoreOperations,
  scope: string,
  sessionId: string,
  itemId: string,
): Promise<Message> {
  const messageId = messageOfItem(itemId)
  const message = messageId === undefined ? undefined : await store.getMessage(scope, sessionId, messageId)
  if (!message) throw notFound('item', itemId)
  return message
}
