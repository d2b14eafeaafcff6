import { sql, type RawBuilder, type Selectable } from 'kysely'
import { conflict, notFound, quote } from '../../protocol/error.ts'
import type { SessionFacets } from '../../protocol/facets.ts'
import { fromTimestamp, toTimestamp } from '../../protocol/names.ts'
import type { BgStatus, Session, SessionKind } from '../../protocol/session.ts'
import type { Backend } from '../backend.ts'
import type { QueryContext } from '../query-context.ts'
import type { StoreSlice } from '../store-slice.ts'
import { statement } from '../statement.ts'
import type { SearchTerm } from '../search-words.ts'
import type { SessionRow } from '../tables/sessions.ts'
import { isAfterCursor, toPage, type Page } from './cursor.ts'
import { hideDeleted, maxDeletedAtOnce } from './deleted-sessions.ts'
import { releaseTasks, type ReleasedTasks } from './session-tree.ts'
import { createFacets, type StoredFacets } from './session-facets.ts'
import { requireTerms, sessionsWith } from './search.ts'
import { indexTitle } from './search-index.ts'

/** A session to be stored: everything that the caller leaves out takes its default. */
export type NewSession = Partial<
  Omit<Session, 'id' | 'scope' | 'messageCount' | 'checkpoints' | 'progress' | 'updatedAt' | 'damaged'>
> & {
  id?: string
  scope: string
  updatedAt?: string
}

/** `null` takes a value away, `undefined` leaves it. */
export type SessionPatch = {
  [Key in keyof Omit<NewSession, 'id' | 'scope' | 'kind' | 'createdAt' | 'updatedAt'>]?:
    | NewSession[Key]
    | null
}

export interface SessionFilter {
  kind?: SessionKind
  bgStatus?: BgStatus
  /** The name of one; or whether they have any, other than the `plainModes` of facets. */
  mode?: string | boolean
  thread?: string
  parentId?: string
  /** Only those without a parent. */
  isRoot?: boolean
  /** Of sessions that are variants of one another, only the one that changed last among those that fit the filter. */
  newestOfFamily?: boolean
  /** Default false: only sessions that are not archived. */
  archived?: boolean | 'all'
  /** Words that the title or one message must hold. */
  text?: string
  limit: number
  cursor?: string
}

export interface SessionQueries {
  /** Refuses an id that is taken, in any scope. */
  createSession(session: NewSession): Promise<Session>
  /** The same from an export: what of it does not hold here is left out. */
  createImported(session: NewSession): Promise<Session>
  getSession(scope: string, id: string): Promise<Session | undefined>
  /** Throws `not_found` when the scope has no such session. */
  requireSession(scope: string, id: string): Promise<Session>
  isSessionIdTaken(id: string): Promise<boolean>
  /** Makes others who ask for the same wait until the transaction ends; false when the scope has no such session. */
  lockSession(scope: string, id: string): Promise<boolean>
  /** Newest first. */
  listSessions(scope: string, filter: SessionFilter): Promise<Page<Session>>
  /** How many direct children sessions have; those that have none are missing. */
  countChildren(scope: string, ids: string[]): Promise<Map<string, number>>
  /** All sessions of a family, oldest first. */
  listFamily(scope: string, family: string): Promise<Session[]>
  /** Makes a session part of a family; does not count as a change of the session. */
  joinFamily(scope: string, id: string, family: string): Promise<void>
  /** Of a session that comes from elsewhere: when something happened in it last, which is never later than now. */
  setUpdatedAt(id: string, updatedAt: string): Promise<void>
  updateSession(scope: string, id: string, patch: SessionPatch): Promise<Session>
  /** Sets the state that lists show and nothing else; does not count as a change of the session. */
  setChatStatus(id: string, status: Session['chatStatus']): Promise<void>
  /**
   * Makes the tasks and runs that were started in a session independent of it, before it is deleted. Whoever starts
   * another one there meanwhile waits until the transaction ends, and finds the session gone.
   */
  releaseTasks(scope: string, id: string): Promise<ReleasedTasks>
  /**
   * Takes messages, runs, inbox, checkpoints and the sessions that are parts of it along; the audit stays, and so do
   * tasks that were started there, without a parent: their ids are the answer. Of a long session the messages are swept
   * later (`sweepDeleted`), and until then nobody else can have its id.
   */
  deleteSession(scope: string, id: string): Promise<string[]>
}

export function sessionQueries(context: QueryContext, slices: readonly StoreSlice[]): SessionQueries {
  const { db, backend, clock, ids } = context
  const facets = createFacets(context.facets.names)

  const getSession: SessionQueries['getSession'] = async (scope, id) => {
    const [row] = await selectOne(context, [id, scope])
    return row && toSession(row, facets)
  }

  const requireSession: SessionQueries['requireSession'] = async (scope, id) => {
    const session = await getSession(scope, id)
    if (!session) throw notFound('session', id)
    return session
  }

  const createSession: SessionQueries['createSession'] = (session) =>
    context.transaction(async (tx) => {
      const now = clock.now()
      const row = toRow({ ...session, id: session.id ?? ids.next('ses') }, now, facets.write(session))
      await tx.db.insertInto('sessions').values(row).execute().catch(refuse)
      await indexTitle(backend, tx.db, row.id, row.title)
      tx.changed({ type: 'session-changed', scope: row.scope, sessionId: row.id })
      return toSession(row, facets)

      function refuse(error: unknown): never {
        // the scope comes first, so this is the parent: somebody deleted it meanwhile
        if (row.parent_id !== null && backend.isForeignKeyViolation(error))
          throw notFound('session', row.parent_id)
        throw backend.isUniqueViolation(error)
          ? conflict(`The session id ${quote(row.id)} is taken.`, { id: row.id })
          : error
      }
    })

  return {
    getSession,
    requireSession,
    createSession,

    createImported: (session) =>
      context.transaction(async (tx) => {
        const changed: SessionFacets = {}
        for (const { sessionImported } of slices)
          Object.assign(changed, await sessionImported?.(tx, session.scope, session))
        return sessionQueries(tx, slices).createSession({ ...session, ...changed })
      }),

    lockSession: async (scope, id) => (await lockRow(context, scope, id)) !== undefined,

    async isSessionIdTaken(id) {
      return (
        (await db.selectFrom('sessions').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
      )
    },

    async listSessions(scope, filter) {
      const { text, limit, cursor } = filter
      const terms = text === undefined ? [] : requireTerms(text)
      const { plainModes } = context.facets
      const fitsAs = (name: 'sessions' | 'newer') => fits(name, { backend, scope, filter, terms, plainModes })
      const rows = await db
        .selectFrom('sessions')
        .selectAll()
        .where(fitsAs('sessions'))
        .$if(filter.newestOfFamily === true, (query) => query.where(isNewestOfFamily(fitsAs('newer'))))
        .$if(cursor !== undefined, (query) => query.where(isAfterCursor('updated_at', cursor!)))
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      return toPage(
        rows,
        limit,
        (row) => row.updated_at,
        (row) => toSession(row, facets),
      )
    },

    async countChildren(scope, parentIds) {
      if (parentIds.length === 0) return new Map()
      const rows = await db
        .selectFrom('sessions')
        .select(({ fn }) => ['parent_id', 'scope', fn.countAll<number>().as('count')])
        .where('parent_id', 'in', parentIds)
        // not a condition: it would lead SQLite to the index of the scope
        .groupBy(['parent_id', 'scope'])
        .execute()
      const here = rows.filter((row) => row.scope === scope)
      return new Map(here.map((row) => [row.parent_id!, Number(row.count)]))
    },

    async listFamily(scope, family) {
      return (await selectFamily(context, [scope, family])).map((row) => toSession(row, facets))
    },

    async joinFamily(scope, id, family) {
      await updateFamily(context, [family, id, scope])
      context.changed({ type: 'session-changed', scope, sessionId: id })
    },

    async setUpdatedAt(id, updatedAt) {
      const time = Math.min(fromTimestamp(updatedAt), clock.now())
      await db.updateTable('sessions').set({ updated_at: time }).where('id', '=', id).execute()
    },

    updateSession: (scope, id, patch) =>
      context.transaction(async (tx) => {
        // locked, so that two patches of different facets do not overwrite each other
        const stored = await lockRow(tx, scope, id)
        if (!stored) throw notFound('session', id)
        const before = toSession(stored, facets)
        const merged = withoutNulls({ ...before, ...withoutUndefined(patch) }) as NewSession
        const row = toRow(
          { ...merged, id, updatedAt: undefined },
          clock.now(),
          facets.write(merged, stored.facets),
        )
        row.updated_at = Math.max(row.updated_at, stored.updated_at)
        const columns = Object.fromEntries(
          Object.entries(row).filter(([name]) => !(name in ownColumns) && !unchanging.has(name)),
        )
        await tx.db.updateTable('sessions').set(columns).where('id', '=', id).execute()
        if (row.title !== before.title) await indexTitle(backend, tx.db, id, row.title)
        tx.changed({ type: 'session-changed', scope, sessionId: id })
        return toSession({ ...stored, ...columns }, facets)
      }),

    async setChatStatus(id, status) {
      await context.alongside(updateChatStatus(context, [status, id]))
    },

    releaseTasks: (scope, id) => context.transaction((tx) => releaseTasks(tx, slices, scope, id)),

    deleteSession: (scope, id) =>
      context.transaction(async (tx) => {
        const { left } = await releaseTasks(tx, slices, scope, id)
        const gone = await selectTree(tx, [id, scope])
        const deleted = { scope, id, sessions: gone.map((session) => session.id) }
        const afterwards: (() => Promise<void>)[] = []
        for (const { sessionDeleted } of slices)
          if (sessionDeleted) afterwards.push(await sessionDeleted(tx, deleted))
        const messages = gone.reduce((sum, { last_seq: count }) => sum + Number(count), gone.length)
        if (messages > maxDeletedAtOnce) await hideDeleted(tx, slices, id)
        else {
          const { numDeletedRows } = await tx.db
            .deleteFrom('sessions')
            .where('id', '=', id)
            .where('scope', '=', scope)
            .executeTakeFirst()
          if (numDeletedRows === 0n) throw notFound('session', id)
        }
        // after the sessions, as at the end of a task: who ends and who deletes wait for each other in one order
        for (const settle of afterwards) await settle()
        // the database takes the children along; others have things of theirs to clear away
        for (const session of gone) tx.changed({ type: 'session-deleted', scope, sessionId: session.id })
        return left
      }),
  }
}

const selectOne = statement<SessionRow>(`select * from sessions where id = ? and scope = ?`)
const selectTree = statement<{ id: string; last_seq: number }>(`
  with recursive tree (id, last_seq) as (
    select id, last_seq from sessions where id = ? and scope = ?
    union select sessions.id, sessions.last_seq from sessions join tree on sessions.parent_id = tree.id
  ) select id, last_seq from tree
`)
const selectFamily = statement<SessionRow>(`
  select * from sessions where scope = ? and family = ? order by created_at, id
`)
const updateFamily = statement(`update sessions set family = ? where id = ? and scope = ?`)
const updateChatStatus = statement(`update sessions set chat_status = ? where id = ?`)

interface Wanted {
  backend: Backend
  scope: string
  filter: SessionFilter
  terms: SearchTerm[]
  plainModes: readonly string[]
}

/** That a session, under the name it has in the query, is one of those requested. */
function fits(
  name: 'sessions' | 'newer',
  { backend, scope, filter, terms, plainModes }: Wanted,
): RawBuilder<boolean> {
  const { kind, bgStatus, mode, thread, parentId, isRoot, archived = false } = filter
  const column = (key: keyof SessionRow) => sql.ref(`${name}.${key}`)
  const isPlain = plainModes.length === 0 ? sql`false` : sql`${column('mode')} in (${sql.join(plainModes)})`
  const conditions = [
    sql`${column('scope')} = ${scope}`,
    kind !== undefined && sql`${column('kind')} = ${kind}`,
    bgStatus !== undefined && sql`${column('bg_status')} = ${bgStatus}`,
    typeof mode === 'string' && sql`${column('mode')} = ${mode}`,
    mode === true && sql`(${column('mode')} is not null and not ${isPlain})`,
    mode === false && sql`(${column('mode')} is null or ${isPlain})`,
    thread !== undefined && sql`${column('thread')} = ${thread}`,
    parentId !== undefined && sql`${column('parent_id')} = ${parentId}`,
    isRoot && sql`${column('parent_id')} is null`,
    archived !== 'all' && sql`${column('archived_at')} ${archived ? sql`is not` : sql`is`} null`,
    terms.length > 0 && sql`${column('id')} in ${sessionsWith(backend, terms)}`,
  ]
  return sql.join(
    conditions.filter((condition) => condition !== false && condition !== undefined),
    sql` and `,
  ) as RawBuilder<boolean>
}

/** Looks into the index of the family alone; most sessions have none, and then at nothing. */
const isNewestOfFamily = (newerFits: RawBuilder<boolean>) => sql<boolean>`(
  sessions.family is null or not exists (
    select 1 from sessions as newer
    where newer.family = sessions.family and (newer.updated_at, newer.id) > (sessions.updated_at, sessions.id)
      and ${newerFits}
  )
)`

async function lockRow(
  { db, backend }: QueryContext,
  scope: string,
  id: string,
): Promise<SessionRow | undefined> {
  const query = sql<SessionRow>`select * from sessions where id = ${id} and scope = ${scope} ${backend.forUpdate}`
  return (await query.execute(db)).rows[0]
}

/** What others than patches change, as it begins. */
const ownColumns = {
  last_seq: 0,
  indexed_seq: 0,
  window_start: 1,
  resized_seq: 0,
  window_stopped: null,
  memo_version: 0,
  log_version: 0,
  usage_runs: 0,
  usage_calls: 0,
  usage_input_tokens: 0,
  usage_output_tokens: 0,
  usage_cache_read_tokens: 0,
  usage_cost: null,
  usage_last_input_tokens: null,
} satisfies Partial<SessionRow>
const unchanging: ReadonlySet<string> = new Set<keyof SessionRow>(['id', 'scope', 'created_at'])

function toRow(session: NewSession & { id: string }, now: number, facets: string): SessionRow {
  const createdAt = session.createdAt === undefined ? now : fromTimestamp(session.createdAt)
  return {
    id: session.id,
    scope: session.scope,
    kind: session.kind ?? 'interactive',
    title: session.title ?? '',
    chat_status: session.chatStatus ?? 'idle',
    bg_status: session.bgStatus ?? null,
    mode: session.mode ?? null,
    parent_id: session.parentId ?? null,
    family: session.family ?? null,
    thread: session.thread ?? null,
    facets,
    ...ownColumns,
    archived_at: session.archivedAt === undefined ? null : fromTimestamp(session.archivedAt),
    created_at: createdAt,
    updated_at: session.updatedAt === undefined ? now : fromTimestamp(session.updatedAt),
  }
}

export function toSession(row: Selectable<SessionRow>, facets: StoredFacets): Session {
  return {
    id: row.id,
    scope: row.scope,
    kind: row.kind,
    title: row.title,
    chatStatus: row.chat_status,
    ...(row.bg_status !== null && { bgStatus: row.bg_status }),
    ...(row.mode !== null && { mode: row.mode }),
    ...(row.parent_id !== null && { parentId: row.parent_id }),
    ...(row.family !== null && { family: row.family }),
    ...(row.thread !== null && { thread: row.thread }),
    ...facets.read(row.facets),
    messageCount: row.last_seq,
    ...(row.archived_at !== null && { archivedAt: toTimestamp(row.archived_at) }),
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
  }
}

const withoutUndefined = <T extends object>(value: T) =>
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined))
const withoutNulls = <T extends object>(value: T) =>
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== null))
