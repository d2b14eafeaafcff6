import { sql } from 'kysely'
import { notFound } from '../../protocol/error.ts'
import type { QueryContext } from '../query-context.ts'
import type { StoreSlice } from '../store-slice.ts'
import { statement } from '../statement.ts'
import type { ThreadRow } from '../tables/sessions.ts'
import { isAfterCursor, toPage, type Page } from './cursor.ts'

/** A thread as it is stored; times are milliseconds. */
export interface ThreadRecord {
  scope: string
  slug: string
  title: string
  archivedAt?: number
  archivedBy?: string
  archiveReason?: string
  createdAt: number
  updatedAt: number
}

export type ThreadPatch = Pick<ThreadRecord, 'title' | 'archivedAt' | 'archivedBy' | 'archiveReason'>

export interface ThreadQueries {
  /** Undefined when the slug is taken. */
  createThread(scope: string, thread: { slug: string; title: string }): Promise<ThreadRecord | undefined>
  getThread(scope: string, slug: string): Promise<ThreadRecord | undefined>
  /** Throws `not_found` when the scope has no such thread. */
  requireThread(scope: string, slug: string): Promise<ThreadRecord>
  /** Keeps others from changing or deleting it, or adding sessions, until the transaction ends. Throws `not_found`. */
  lockThread(scope: string, slug: string): Promise<ThreadRecord>
  /** What was changed last comes first. */
  listThreads(
    scope: string,
    filter: { archived: boolean | 'all'; limit: number; cursor?: string },
  ): Promise<Page<ThreadRecord>>
  /**
   * How many sessions a list of each thread shows: not those that are archived or hidden, variants as one. Threads
   * without any are missing.
   */
  countSessionsOfThreads(scope: string, slugs: readonly string[]): Promise<Map<string, number>>
  /** Takes what the patch leaves out away. */
  updateThread(thread: ThreadRecord, patch: ThreadPatch): Promise<ThreadRecord>
  /** Its sessions stay, without a thread. Answers how many there were. */
  deleteThread(scope: string, slug: string): Promise<number>
}

export function threadQueries(context: QueryContext, slices: readonly StoreSlice[]): ThreadQueries {
  const { db, clock } = context

  const require = async (rows: Promise<ThreadRow[]>, slug: string) => {
    const [row] = await rows
    if (!row) throw notFound('thread', slug)
    return fromRow(row)
  }

  return {
    async createThread(scope, { slug, title }) {
      const now = clock.now()
      const [row] = await insert(context, [scope, slug, title, now, now])
      if (!row) return undefined
      context.changed({ type: 'thread-changed', scope, slug })
      return fromRow(row)
    },

    async getThread(scope, slug) {
      const [row] = await selectOne(context, [scope, slug])
      return row && fromRow(row)
    },
    requireThread: (scope, slug) => require(selectOne(context, [scope, slug]), slug),
    lockThread: (scope, slug) => require(lockOne(context, [scope, slug]), slug),

    async listThreads(scope, { archived, limit, cursor }) {
      const rows = await db
        .selectFrom('threads')
        .selectAll()
        .select('slug as id')
        .where('scope', '=', scope)
        .$if(archived !== 'all', (query) => query.where('archived_at', archived ? 'is not' : 'is', null))
        .$if(cursor !== undefined, (query) => query.where(isAfterCursor('updated_at', cursor!, 'slug')))
        .orderBy('updated_at', 'desc')
        .orderBy('slug', 'desc')
        .limit(limit + 1)
        .execute()
      return toPage(rows, limit, (row) => row.updated_at, fromRow)
    },

    async countSessionsOfThreads(scope, slugs) {
      if (slugs.length === 0) return new Map()
      const rows = await db
        .selectFrom('sessions')
        .select(['thread', sql<number>`count(distinct coalesce(family, id))`.as('count')])
        .where('scope', '=', scope)
        .where('thread', 'in', slugs)
        .where('archived_at', 'is', null)
        .where(({ and }) => and(slices.flatMap(({ hiddenSources = [] }) => hiddenSources.map(isNotOf))))
        .groupBy('thread')
        .execute()
      return new Map(rows.map(({ thread, count }) => [thread!, Number(count)]))
    },

    async updateThread(thread, patch) {
      const { scope, slug } = thread
      const now = Math.max(clock.now(), thread.updatedAt)
      const [row] = await update(context, [
        patch.title,
        patch.archivedAt ?? null,
        patch.archivedBy ?? null,
        patch.archiveReason ?? null,
        now,
        scope,
        slug,
      ])
      if (!row) throw notFound('thread', slug)
      context.changed({ type: 'thread-changed', scope, slug })
      return fromRow(row)
    },

    deleteThread: (scope, slug) =>
      context.transaction(async (tx) => {
        const released = await release(tx, [scope, slug])
        await remove(tx, [scope, slug])
        for (const { id } of released) tx.changed({ type: 'session-changed', scope, sessionId: id })
        tx.changed({ type: 'thread-changed', scope, slug })
        return released.length
      }),
  }
}

const isNotOf = (source: string) => sql<boolean>`(
  kind <> 'tool' or facets not like ${`%"source":${JSON.stringify(source)}%`}
)`

const fromRow = (row: ThreadRow): ThreadRecord => ({
  scope: row.scope,
  slug: row.slug,
  title: row.title,
  archivedAt: row.archived_at ?? undefined,
  archivedBy: row.archived_by ?? undefined,
  archiveReason: row.archive_reason ?? undefined,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const insert = statement<ThreadRow>(`
  insert into threads (scope, slug, title, created_at, updated_at) values (?, ?, ?, ?, ?)
  on conflict (scope, slug) do nothing returning *
`)
const selectOne = statement<ThreadRow>(`select * from threads where scope = ? and slug = ?`)
const lockOne = statement<ThreadRow>(`select * from threads where scope = ? and slug = ? {forUpdate}`)
const update = statement<ThreadRow>(`
  update threads set title = ?, archived_at = ?, archived_by = ?, archive_reason = ?, updated_at = ?
  where scope = ? and slug = ? returning *
`)
const release = statement<{ id: string }>(
  `update sessions set thread = null where scope = ? and thread = ? returning id`,
)
const remove = statement(`delete from threads where scope = ? and slug = ?`)
