import { invalidRequest, quote } from '../protocol/error.ts'
import type { MessagePage } from '../protocol/message.ts'
import type { SessionListQuery, SessionPage } from '../protocol/session.ts'
import { catchUpIndex } from '../store/catch-up-index.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Caller } from './caller.ts'

export interface PageLimits {
  /** The most items one page may have; a larger request is refused. */
  pageSize: number
}

const defaultLimit = 50
// a page of long messages has fewer of them: it is read, and written as JSON, in one go
const maxPageBytes = 4_194_304

/** Newest first; a search with how many messages of the scope it did not see. */
export async function listSessions(
  store: StoreOperations,
  limits: PageLimits,
  { scope }: Caller,
  query: SessionListQuery,
): Promise<SessionPage> {
  const { kind, bgStatus, mode, thread, parent, roots, variants, counts, archived, q, limit, cursor } = query
  const unsearched = q === undefined ? {} : await catchUpIndex(store, scope)
  const found = await store.listSessions(scope, {
    kind,
    bgStatus,
    mode: mode === '*' ? true : mode === '' ? false : mode,
    thread,
    parentId: parent,
    isRoot: roots === 'true',
    newestOfFamily: variants !== 'all',
    archived: archived === 'all' ? 'all' : archived === 'true',
    text: q,
    limit: requireLimit(limits, limit),
    cursor,
  })
  const page = { ...found, ...unsearched }
  if (counts !== 'true') return page
  const children = await store.countChildren(
    scope,
    page.items.map(({ id }) => id),
  )
  return {
    ...page,
    items: page.items.map((session) => ({ ...session, childCount: children.get(session.id) ?? 0 })),
  }
}

/** Oldest first within a page; the newest page when neither `before` nor `after` is given. */
export async function listMessages(
  store: StoreOperations,
  limits: PageLimits,
  { scope }: Caller,
  sessionId: string,
  range: { before?: number; after?: number; limit?: number },
): Promise<MessagePage> {
  const limit = requireLimit(limits, range.limit)
  const { messageCount } = await store.requireSession(scope, sessionId)
  const isForward = range.after !== undefined && range.before === undefined
  const items = await store.listMessages(scope, sessionId, { ...range, limit, maxBytes: maxPageBytes })
  const edge = isForward ? items.at(-1) : items[0]
  if (!edge) return { items, nextCursor: null }
  // a log has no gaps, so what is missing at the edge is there to be read
  const hasMore = isForward ? edge.seq < messageCount : edge.seq > (range.after ?? 0) + 1
  return { items, nextCursor: hasMore ? String(edge.seq) : null }
}

/** The limit of a page, as requested or by default. */
export function requireLimit({ pageSize }: PageLimits, limit = Math.min(defaultLimit, pageSize)): number {
  if (!Number.isInteger(limit) || limit < 1)
    throw invalidRequest(`limit is ${quote(limit)}; it must be a whole number from 1.`)
  if (limit > pageSize) throw invalidRequest(`limit is ${limit}, the most is ${pageSize}.`)
  return limit
}
