import { sql } from 'kysely'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { unlearn } from './document-memories.ts'
import {
  fromMemoryRow,
  indexMemory,
  toVersionColumns,
  type MemoryVersion,
  type StoredMemory,
} from './memory-row.ts'

/** How memories and the log they come from hang together. */
export interface MemoryTurnQueries {
  /** Records once for each turn what it was given, and counts the use; what is gone by now is left out. */
  useMemories(
    turn: { runId: string; sessionId: string; messageId: string },
    memoryIds: readonly string[],
  ): Promise<void>
  /** What a turn was given, in the order of its prompt. */
  listUsed(by: { runId: string } | { scope: string; messageId: string }): Promise<StoredMemory[]>
  /** What was learned from the turn of an answer; newest first. */
  listMade(scope: string, messageId: string): Promise<StoredMemory[]>
  /** How far the log was summed up; 0 is not at all. */
  getNarrativeSeq(sessionId: string): Promise<number>
  /** False when another process moved it meanwhile. */
  moveNarrative(sessionId: string, from: number, to: number): Promise<boolean>
  /**
   * Undoes what was learned after the first so many messages, as if it had never been; what a person edited or deleted
   * stays as that person left it. Answers the ids that are gone.
   */
  forgetMadeAfter(sessionId: string, messageSeq: number): Promise<string[]>
}

export function memoryTurnQueries(context: QueryContext): MemoryTurnQueries {
  const { db, clock } = context
  return {
    useMemories: ({ runId, sessionId, messageId }, memoryIds) =>
      context.transaction(async (tx) => {
        if (memoryIds.length === 0) return
        // first of all, so that nobody deletes them meanwhile
        const counted = await tx.db
          .updateTable('memories')
          .set(({ eb }) => ({ ref_count: eb('ref_count', '+', 1), last_used_at: clock.now() }))
          .where('id', 'in', memoryIds)
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('memory_uses')
                  .select('memory_id')
                  .where('run_id', '=', runId)
                  .whereRef('memory_uses.memory_id', '=', 'memories.id'),
              ),
            ),
          )
          .returning('id')
          .execute()
        if (counted.length === 0) return
        await tx.db
          .insertInto('memory_uses')
          .values(
            counted.map(({ id }) => ({
              run_id: runId,
              memory_id: id,
              session_id: sessionId,
              message_id: messageId,
              position: memoryIds.indexOf(id),
            })),
          )
          .execute()
      }),

    async listUsed(by) {
      const used = db
        .selectFrom('memory_uses')
        .innerJoin('memories', 'memories.id', 'memory_uses.memory_id')
        .selectAll('memories')
        .orderBy('memory_uses.position')
      const rows = await (
        'runId' in by
          ? used.where('memory_uses.run_id', '=', by.runId)
          : used
              .innerJoin('sessions', 'sessions.id', 'memory_uses.session_id')
              .where('memory_uses.message_id', '=', by.messageId)
              // a turn may be given what is known of the user elsewhere; who asks must have the turn
              .where('sessions.scope', '=', by.scope)
      ).execute()
      return rows.map(fromMemoryRow)
    },

    async listMade(scope, messageId) {
      const rows = await db
        .selectFrom('memories')
        .selectAll()
        .where('scope', '=', scope)
        .where('source_message_id', '=', messageId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute()
      return rows.map(fromMemoryRow)
    },

    async getNarrativeSeq(sessionId) {
      const row = await db
        .selectFrom('memory_cursors')
        .select('narrative_seq')
        .where('session_id', '=', sessionId)
        .executeTakeFirst()
      return row?.narrative_seq ?? 0
    },

    async moveNarrative(sessionId, from, to) {
      const row = await db
        .insertInto('memory_cursors')
        .values({ session_id: sessionId, narrative_seq: to })
        .onConflict((conflict) =>
          conflict
            .column('session_id')
            .doUpdateSet({ narrative_seq: to })
            .where('memory_cursors.narrative_seq', '=', from),
        )
        .returning('session_id')
        .executeTakeFirst()
      return row !== undefined
    },

    forgetMadeAfter: (sessionId, messageSeq) =>
      context.transaction(async (tx) => {
        const rows = await tx.db
          .selectFrom('memories')
          .selectAll()
          .where('source_session_id', '=', sessionId)
          .where('source_seq', '>', messageSeq)
          // what a person wrote or took away is that person's wish, whatever becomes of the turn
          .where('is_edited', '=', 0)
          .where('status', '=', 'active')
          .execute()
        // a document may be as it was, whatever becomes of the turn after which it was read; it is locked before its
        // memories, as by those who read it
        await unlearn(tx, [...new Set(rows.flatMap((row) => row.source_document_id ?? []))])
        const gone: string[] = []
        let summedUp = messageSeq
        for (const memory of rows.map(fromMemoryRow)) {
          const { fromSeq } = memory.source
          if (fromSeq !== undefined) summedUp = Math.min(summedUp, fromSeq - 1)
          const kept = memory.history.filter((version) => !isAfter(version, sessionId, messageSeq))
          const earlier = kept.pop()
          if (earlier) await goBack(tx, memory.id, earlier, kept)
          else gone.push(memory.id)
        }
        if (gone.length > 0) await tx.db.deleteFrom('memories').where('id', 'in', gone).execute()
        await sql`
          update memory_cursors set narrative_seq = ${summedUp}
          where session_id = ${sessionId} and narrative_seq > ${summedUp}
        `.execute(tx.db)
        return gone
      }),
  }
}

const isAfter = ({ source }: MemoryVersion, sessionId: string, messageSeq: number) =>
  source.sessionId === sessionId && source.messageSeq !== undefined && source.messageSeq > messageSeq

/** What was there before the turns that are undone. */
async function goBack(
  tx: QueryContext,
  id: string,
  version: MemoryVersion,
  history: MemoryVersion[],
): Promise<void> {
  await tx.db
    .updateTable('memories')
    .set({ ...toVersionColumns(version), history: JSON.stringify(history) })
    .where('id', '=', id)
    .execute()
  await indexMemory(tx, id, version.text)
}
