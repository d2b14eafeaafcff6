import { sql } from 'kysely'
import type { MemoryLayer, MemoryType } from '../protocol/memory.ts'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { isAfterCursor, toPage, type Page } from '../../../core/store/queries/cursor.ts'
import {
  fromMemoryRow,
  indexMemory,
  toVersionColumns,
  type MemoryVersion,
  type StoredMemory,
} from './memory-row.ts'

/** Memories that are read and compared together. */
export interface MemoryPlace {
  /** Left out: every scope. */
  scope?: string
  layer: MemoryLayer
  /** Of layer session. */
  sessionId?: string
}

export interface NewMemory extends MemoryVersion {
  /** Default: a new one. */
  id?: string
  scope: string
  layer: MemoryLayer
  type: MemoryType
  sessionId?: string
}

export interface MemoryFilter {
  layer?: MemoryLayer
  type?: MemoryType
  /** About this session, or learned in it. */
  sessionId?: string
  status: 'active' | 'deleted'
  limit: number
  cursor?: string
}

export interface MemoryVector {
  memoryId: string
  hash: string
  vector: string
}

export interface MemoryQueries {
  /** Undefined when its place has one of the same words already, deleted ones included. */
  createMemory(memory: NewMemory): Promise<StoredMemory | undefined>
  getMemory(scope: string, id: string): Promise<StoredMemory | undefined>
  /** Those that exist, of any scope, in the requested order. */
  getMemories(ids: readonly string[]): Promise<StoredMemory[]>
  /** Of the same words, deleted or not. */
  findMemory(place: MemoryPlace, hash: string): Promise<StoredMemory | undefined>
  /** Newest first. */
  listMemories(scope: string, filter: MemoryFilter): Promise<Page<StoredMemory>>
  /** The newest ones of a place, changed last first. */
  listPlace(
    place: MemoryPlace,
    options: { type?: MemoryType; status?: 'active'; limit: number },
  ): Promise<StoredMemory[]>
  countPlace(place: MemoryPlace): Promise<number>
  /** Gives a memory another text, status or history. */
  changeMemory(
    id: string,
    change: Partial<Pick<StoredMemory, 'status' | 'history'>> & { version?: MemoryVersion },
  ): Promise<StoredMemory>
  /** As if it had never been. */
  removeMemories(ids: readonly string[]): Promise<void>
  /** Counts one more mention. */
  countMention(id: string): Promise<void>
  /** Which of the words each active memory of a place holds. */
  matchWords(
    place: MemoryPlace,
    words: readonly string[],
  ): Promise<{ memoryId: string; word: string; updatedAt: number }[]>
  /** Removes the active ones of a model that nobody used for longest, until no more than `max` are left. */
  trimPlace(place: MemoryPlace, max: number): Promise<void>
  listVectors(place: MemoryPlace, model: string): Promise<MemoryVector[]>
  putVector(model: string, vector: MemoryVector): Promise<void>
}

export function memoryQueries(context: QueryContext): MemoryQueries {
  const { db, ids, clock } = context
  const inPlace = ({ scope, layer, sessionId }: MemoryPlace) =>
    sql<boolean>`memories.layer = ${layer}
      and coalesce(memories.session_id, '') = ${sessionId ?? ''}
      ${scope === undefined ? sql`` : sql`and memories.scope = ${scope}`}`
  return {
    createMemory: ({ id = ids.next('mem'), scope, layer, type, sessionId, ...version }) =>
      context.transaction(async (tx) => {
        const now = clock.now()
        const row = await tx.db
          .insertInto('memories')
          .values({
            id,
            scope,
            layer,
            type,
            session_id: sessionId ?? null,
            ...toVersionColumns(version),
            status: 'active',
            history: '[]',
            ref_count: 0,
            last_used_at: null,
            created_at: now,
            updated_at: now,
          })
          .onConflict((conflict) => conflict.doNothing())
          .returningAll()
          .executeTakeFirst()
        if (!row) return undefined
        await indexMemory(tx, row.id, row.text)
        return fromMemoryRow(row)
      }),

    async getMemory(scope, id) {
      const row = await db
        .selectFrom('memories')
        .selectAll()
        .where('scope', '=', scope)
        .where('id', '=', id)
        .executeTakeFirst()
      return row && fromMemoryRow(row)
    },

    async getMemories(wanted) {
      if (wanted.length === 0) return []
      const rows = await db.selectFrom('memories').selectAll().where('id', 'in', wanted).execute()
      const found = new Map(rows.map((row) => [row.id, fromMemoryRow(row)]))
      return wanted.flatMap((id) => found.get(id) ?? [])
    },

    async findMemory(place, hash) {
      const row = await db
        .selectFrom('memories')
        .selectAll()
        .where(inPlace(place))
        .where('hash', '=', hash)
        .executeTakeFirst()
      return row && fromMemoryRow(row)
    },

    async listMemories(scope, { layer, type, sessionId, status, limit, cursor }) {
      const rows = await db
        .selectFrom('memories')
        .selectAll()
        .where('scope', '=', scope)
        .where('status', '=', status)
        .$if(layer !== undefined, (query) => query.where('layer', '=', layer!))
        .$if(type !== undefined, (query) => query.where('type', '=', type!))
        .$if(sessionId !== undefined, (query) =>
          query.where(({ or, eb }) =>
            or([eb('session_id', '=', sessionId!), eb('source_session_id', '=', sessionId!)]),
          ),
        )
        .$if(cursor !== undefined, (query) => query.where(isAfterCursor('created_at', cursor!)))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      return toPage(rows, limit, (row) => row.created_at, fromMemoryRow)
    },

    async listPlace(place, { type, status, limit }) {
      const rows = await db
        .selectFrom('memories')
        .selectAll()
        .where(inPlace(place))
        .$if(type !== undefined, (query) => query.where('type', '=', type!))
        .$if(status !== undefined, (query) => query.where('status', '=', status!))
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      return rows.map(fromMemoryRow)
    },

    async countPlace(place) {
      const { count } = await db
        .selectFrom('memories')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where(inPlace(place))
        .where('status', '=', 'active')
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    changeMemory: (id, { version, status, history }) =>
      context.transaction(async (tx) => {
        const row = await tx.db
          .updateTable('memories')
          .set({
            ...(version && toVersionColumns(version)),
            ...(status && { status }),
            ...(history && { history: JSON.stringify(history) }),
            updated_at: clock.now(),
          })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow()
        if (version) await indexMemory(tx, id, version.text)
        return fromMemoryRow(row)
      }),

    async removeMemories(gone) {
      if (gone.length > 0) await db.deleteFrom('memories').where('id', 'in', gone).execute()
    },

    async countMention(id) {
      await db
        .updateTable('memories')
        .set(({ eb }) => ({ ref_count: eb('ref_count', '+', 1) }))
        .where('id', '=', id)
        .execute()
    },

    async matchWords(place, words) {
      if (words.length === 0) return []
      const rows = await db
        .selectFrom('memory_words')
        .innerJoin('memories', 'memories.id', 'memory_words.memory_id')
        .select(['memory_words.memory_id', 'memory_words.word', 'memories.updated_at'])
        .where('memory_words.word', 'in', words)
        .where('memories.status', '=', 'active')
        .where(inPlace(place))
        .execute()
      return rows.map((row) => ({ memoryId: row.memory_id, word: row.word, updatedAt: row.updated_at }))
    },

    async trimPlace(place, max) {
      const rows = await db
        .selectFrom('memories')
        .select('id')
        .where(inPlace(place))
        .where('status', '=', 'active')
        .where('author', '=', 'model')
        .where('is_edited', '=', 0)
        .orderBy(sql`coalesce(last_used_at, updated_at)`, 'desc')
        .orderBy('id', 'desc')
        // SQLite takes no offset without a limit
        .limit(1_000)
        .offset(max)
        .execute()
      const gone = rows.map(({ id }) => id)
      if (gone.length > 0) await db.deleteFrom('memories').where('id', 'in', gone).execute()
    },

    async listVectors(place, model) {
      const rows = await db
        .selectFrom('memory_vectors')
        .innerJoin('memories', 'memories.id', 'memory_vectors.memory_id')
        .select(['memory_vectors.memory_id', 'memory_vectors.hash', 'memory_vectors.vector'])
        .where('memory_vectors.model', '=', model)
        .where('memories.status', '=', 'active')
        .where(inPlace(place))
        .execute()
      return rows.map((row) => ({ memoryId: row.memory_id, hash: row.hash, vector: row.vector }))
    },

    async putVector(model, { memoryId, hash, vector }) {
      await db
        .insertInto('memory_vectors')
        .values({ memory_id: memoryId, model, hash, vector })
        .onConflict((conflict) => conflict.column('memory_id').doUpdateSet({ model, hash, vector }))
        .execute()
    },
  }
}
