import { setImmediate as others } from 'node:timers/promises'
import { sql } from 'kysely'
import { conflict, notFound, quote } from '../../protocol/error.ts'
import type { Message, MessageRole, Part } from '../../protocol/message.ts'
import { fromTimestamp, toTimestamp } from '../../protocol/names.ts'
import type { Session } from '../../protocol/session.ts'
import type { QueryContext } from '../query-context.ts'
import { insertAll } from '../rows.ts'
import { statement } from '../statement.ts'
import type { MessageRow } from '../tables/sessions.ts'
import { addCallToSession, sessionAmounts, type ModelCall } from './usage.ts'
import { toWindowState, type WindowState, type WindowStateRow } from './windows.ts'

export interface MessageToAppend {
  id?: string
  role: MessageRole
  parts: Part[]
  metadata?: Record<string, unknown>
  createdAt?: string
  /** The dynamic tail of the prompt that was sent with it. */
  context?: string
}

/** A message with the dynamic tail of the prompt that went with it. */
export type WindowMessage = Message & { context?: string }

/** Of one moment. */
export interface StoredWindow {
  state: WindowState
  messages: readonly WindowMessage[]
}

export interface MessageRange {
  /** Only messages with a smaller seq. */
  before?: number
  /** Only messages with a larger seq; the oldest of them, where `before` and neither give the newest. */
  after?: number
  limit: number
  /** As many of them as have so many bytes together, at least one; asks the database once more. */
  maxBytes?: number
}

/** A message whose parts and metadata are JSON texts already, as they are stored. */
export interface WrittenMessage {
  id?: string
  role: MessageRole
  parts: string
  metadata?: string
  createdAt?: string
}

export interface MessageQueries {
  /**
   * Appends in order, all or none; the log has no gaps. Refuses an id the session has already. What else of the session
   * changes with it, as what the model call used that made them, is said here: it is one row.
   */
  appendMessages(
    scope: string,
    sessionId: string,
    messages: MessageToAppend[],
    more?: { chatStatus?: Session['chatStatus']; call?: ModelCall },
  ): Promise<Message[]>
  /** The same for many at once, which nobody wants back. */
  appendWritten(scope: string, sessionId: string, messages: WrittenMessage[]): Promise<void>
  /** Oldest first. Reads only what it returns, however long the log is. */
  listMessages(scope: string, sessionId: string, range: MessageRange): Promise<Message[]>
  /**
   * The window of a session as it is stored: the newest messages in it, oldest first, with what was sent along. With
   * `after`, only those that follow; undefined when there are none.
   */
  readWindow(sessionId: string, range?: { after?: number; limit?: number }): Promise<StoredWindow | undefined>
  /** All messages from one place to another, both included, with what was sent along. */
  readLog(sessionId: string, fromSeq: number, throughSeq: number): Promise<WindowMessage[]>
  setMessageContext(sessionId: string, seq: number, context: string): Promise<void>
  getMessage(scope: string, sessionId: string, messageId: string): Promise<Message | undefined>
  /** For parts that show running work; what the model was sent of a message stays as it was. */
  setMessageParts(sessionId: string, messageId: string, parts: readonly Part[]): Promise<void>
  /** Copies the log up to and including a message into another, empty session. */
  copyMessages(fromSessionId: string, toSessionId: string, throughSeq: number): Promise<void>
}

// "all of them", in a way that both databases understand
const maxRows = 2_147_483_647
// SQLite takes at most 32,766 parameters in one statement
const rowsPerInsert = 1_000
// a few milliseconds of work, after which others have their turn
const rowsPerCopy = 2_000
const charactersPerTurn = 2_000_000

export function messageQueries(context: QueryContext): MessageQueries {
  const { db, backend, clock, ids } = context
  return {
    appendMessages: (scope, sessionId, messages, { chatStatus, call } = {}) =>
      context.transaction(async (tx) => {
        const now = clock.now()
        const lastSeq = await advanceLog(tx, { scope, sessionId }, messages.length, { now, chatStatus, call })
        const firstSeq = lastSeq - messages.length + 1
        const stored = messages.map(({ context: _, ...message }, index): Message => {
          const createdAt = message.createdAt === undefined ? now : fromTimestamp(message.createdAt)
          return {
            ...message,
            id: message.id ?? ids.next('msg'),
            seq: firstSeq + index,
            createdAt: toTimestamp(createdAt),
          }
        })
        const contexts = messages.map((message) => message.context ?? null)
        await tx.alongside(
          insertRows(tx, sessionId, stored, contexts).catch((error) => refuseTakenId(error, messages)),
        )
        tx.changed({ type: 'messages-appended', scope, sessionId, lastSeq })
        return stored
      }),

    appendWritten: (scope, sessionId, messages) =>
      context.transaction(async (tx) => {
        const now = clock.now()
        const lastSeq = await advanceLog(tx, { scope, sessionId }, messages.length, { now })
        const firstSeq = lastSeq - messages.length + 1
        const rows = messages.map(({ id, role, parts, metadata, createdAt }, index) => [
          sessionId,
          firstSeq + index,
          id ?? ids.next('msg'),
          role,
          parts,
          metadata ?? null,
          createdAt === undefined ? now : fromTimestamp(createdAt),
        ])
        await insertAll(tx, 'messages', writtenColumns, rows).catch((error) => refuseTakenId(error, messages))
        tx.changed({ type: 'messages-appended', scope, sessionId, lastSeq })
      }),

    async listMessages(scope, sessionId, { before, after, limit: wanted, maxBytes }) {
      const isForward = after !== undefined && before === undefined
      const inRange = db
        .selectFrom('messages')
        .innerJoin('sessions', 'sessions.id', 'messages.session_id')
        .where('messages.session_id', '=', sessionId)
        .where('sessions.scope', '=', scope)
        .$if(before !== undefined, (query) => query.where('seq', '<', before!))
        .$if(after !== undefined, (query) => query.where('seq', '>', after!))
        .orderBy('seq', isForward ? 'asc' : 'desc')
      let limit = wanted
      if (maxBytes !== undefined) {
        // of the row as it is stored: no text is read for it
        const bytes = sql<number>`octet_length(parts) + coalesce(octet_length(metadata), 0)`
        const sizes = await inRange.select(bytes.as('bytes')).limit(wanted).execute()
        limit = countWithin(sizes, maxBytes)
      }
      const rows = await inRange.selectAll('messages').limit(limit).execute()
      return (isForward ? rows : rows.toReversed()).map(toMessage)
    },

    async readWindow(sessionId, { after = 0, limit = maxRows } = {}) {
      const rows = await selectWindow(context, [sessionId, after, after, sessionId, limit])
      const [newest] = rows
      return newest && { state: toWindowState(newest), messages: await toWindowMessages(rows.toReversed()) }
    },

    async readLog(sessionId, fromSeq, throughSeq) {
      return toWindowMessages(await selectLog(context, [sessionId, fromSeq, throughSeq]))
    },

    async setMessageContext(sessionId, seq, text) {
      await updateContext(context, [text, sessionId, seq])
    },

    async getMessage(scope, sessionId, messageId) {
      const [row] = await selectOne(context, [sessionId, messageId, scope])
      return row && toMessage(row)
    },

    async setMessageParts(sessionId, messageId, parts) {
      await context.transaction(async (tx) => {
        await keepWords(tx, [sessionId, messageId, messageId.replace(/^msg_/, 'run_'), sessionId])
        await updateParts(tx, [JSON.stringify(parts), sessionId, messageId])
        await advanceLogVersion(tx, [sessionId])
      })
    },

    copyMessages: (fromSessionId, toSessionId, throughSeq) =>
      context.transaction(async (tx) => {
        for (let from = 0; from < throughSeq; from += rowsPerCopy) {
          if (from > 0) await others()
          await copyRows(tx, [toSessionId, fromSessionId, from, Math.min(from + rowsPerCopy, throughSeq)])
        }
        const { scope } = await tx.db
          .updateTable('sessions')
          .set({ last_seq: throughSeq })
          .where('id', '=', toSessionId)
          .returning('scope')
          .executeTakeFirstOrThrow()
        tx.changed({ type: 'messages-appended', scope, sessionId: toSessionId, lastSeq: throughSeq })
      }),
  }

  function refuseTakenId(error: unknown, messages: readonly { id?: string }[]): never {
    if (!backend.isUniqueViolation(error)) throw error
    const given = messages.flatMap(({ id }) => id ?? []).slice(0, 5)
    throw conflict(
      `The session already has a message with the id ${given.map((id) => quote(id)).join(' or ')}.`,
    )
  }
}

/** How many of the first come to no more than that together; one at least. */
export function countWithin(sizes: readonly { bytes: number }[], maxBytes: number): number {
  let total = 0
  const tooMany = sizes.findIndex(({ bytes }) => (total += Number(bytes)) > maxBytes)
  return Math.max(1, tooMany === -1 ? sizes.length : tooMany)
}

const writtenColumns = ['session_id', 'seq', 'id', 'role', 'parts', 'metadata', 'created_at'] as const

const selectOne = statement<MessageRow>(`
  select messages.* from messages join sessions on sessions.id = messages.session_id
  where messages.session_id = ? and messages.id = ? and sessions.scope = ?
`)
const selectWindow = statement<MessageRow & WindowStateRow>(`
  select messages.*, window_start, last_seq, resized_seq, window_stopped, memo_version, log_version
  from messages join sessions on sessions.id = messages.session_id
  where session_id = ? and seq >
    (select case when window_start > cast(? as bigint) then window_start - 1 else cast(? as bigint) end
      from sessions where id = ?)
  order by seq desc limit ?
`)
const selectLog = statement<MessageRow>(`
  select * from messages where session_id = ? and seq >= ? and seq <= ? order by seq
`)
const copyRows = statement(`
  insert into messages (session_id, seq, id, role, parts, metadata, created_at)
  select cast(? as text), seq, id, role, parts, metadata, created_at from messages
  where session_id = ? and seq > ? and seq <= ?
`)
// the course of the run that gave the message refers to its words
const keepWords = statement(`
  update runs set words = (select parts from messages where session_id = ? and id = ?)
  where id = ? and session_id = ? and course is not null and words is null
`)
const updateParts = statement(`update messages set parts = ? where session_id = ? and id = ?`)
const advanceLogVersion = statement(`update sessions set log_version = log_version + 1 where id = ?`)
const updateContext = statement(`update messages set context = ? where session_id = ? and seq = ?`)

const placesReserved = (alsoSet = '') =>
  statement<{ last_seq: number }>(`
    update sessions
    set last_seq = last_seq + ?, updated_at = case when updated_at > ? then updated_at else ? end,
      chat_status = coalesce(?, chat_status) ${alsoSet}
    where id = ? and scope = ?
    returning last_seq
  `)
const reservePlaces = placesReserved()
const reserveAndCount = placesReserved(`, ${addCallToSession}`)

/** Reserves places at the end of the log; the row lock makes appends to one session wait for each other. */
async function advanceLog(
  tx: QueryContext,
  { scope, sessionId }: { scope: string; sessionId: string },
  count: number,
  { now, chatStatus, call }: { now: number; chatStatus?: Session['chatStatus']; call?: ModelCall },
): Promise<number> {
  const place = [count, now, now, chatStatus ?? null]
  const [session] = await (call
    ? reserveAndCount(tx, [...place, ...sessionAmounts(call), sessionId, scope])
    : reservePlaces(tx, [...place, sessionId, scope]))
  if (!session) throw notFound('session', sessionId)
  return session.last_seq
}

const messageColumns = [
  'session_id',
  'seq',
  'id',
  'role',
  'parts',
  'metadata',
  'context',
  'created_at',
] as const
const insertRow = statement(`
  insert into messages (${messageColumns.join(', ')}) values (${messageColumns.map(() => '?').join(', ')})
`)

async function insertRows(
  tx: QueryContext,
  sessionId: string,
  messages: Message[],
  contexts: (string | null)[],
): Promise<void> {
  const rows = messages.map((message, index) => toRow(sessionId, message, contexts[index] ?? null))
  await Promise.all(
    rows.length <= 2
      ? rows.map((row) =>
          insertRow(
            tx,
            messageColumns.map((column) => row[column]),
          ),
        )
      : Array.from({ length: Math.ceil(rows.length / rowsPerInsert) }, (_, index) => {
          const start = index * rowsPerInsert
          return tx.db
            .insertInto('messages')
            .values(rows.slice(start, start + rowsPerInsert))
            .execute()
        }),
  )
}

function toRow(sessionId: string, message: Message, context: string | null): MessageRow {
  return {
    session_id: sessionId,
    seq: message.seq,
    id: message.id,
    role: message.role,
    parts: JSON.stringify(message.parts),
    metadata: message.metadata === undefined ? null : JSON.stringify(message.metadata),
    context,
    created_at: fromTimestamp(message.createdAt),
  }
}

/** Others have their turn while long messages are parsed; a usual window is parsed at once. */
async function toWindowMessages(rows: MessageRow[]): Promise<WindowMessage[]> {
  const messages: WindowMessage[] = []
  let characters = 0
  for (const row of rows) {
    messages.push(toWindowMessage(row))
    characters += row.parts.length
    if (characters < charactersPerTurn) continue
    characters = 0
    await others()
  }
  return messages
}

const toWindowMessage = (row: MessageRow): WindowMessage => ({
  ...toMessage(row),
  ...(row.context !== null && { context: row.context }),
})

export function toMessage(row: MessageRow): Message {
  return {
    id: row.id,
    role: row.role,
    parts: JSON.parse(row.parts) as Part[],
    ...(row.metadata !== null && { metadata: JSON.parse(row.metadata) as Record<string, unknown> }),
    seq: row.seq,
    createdAt: toTimestamp(row.created_at),
  }
}
