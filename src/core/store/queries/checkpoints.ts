import { fromTimestamp, toTimestamp } from '../../protocol/names.ts'
import type { Checkpoint } from '../../protocol/session.ts'
import type { QueryContext } from '../query-context.ts'
import { slices } from '../rows.ts'
import { statement } from '../statement.ts'

export interface CheckpointQueries {
  addCheckpoints(sessionId: string, checkpoints: Checkpoint[]): Promise<void>
  /** Oldest first; with `newest`, only the last so many. */
  listCheckpoints(
    sessionId: string,
    options?: { newest?: number; throughSeq?: number },
  ): Promise<Checkpoint[]>
}

export function checkpointQueries(context: QueryContext): CheckpointQueries {
  const { db } = context
  return {
    async addCheckpoints(sessionId, checkpoints) {
      for await (const some of slices(checkpoints))
        for (const { id, messageSeq, userMessage, completed, fileChanges, createdAt } of some) {
          const values = [sessionId, id, messageSeq, userMessage, completed ? 1 : 0]
          await context.alongside(
            insertOne(context, [...values, JSON.stringify(fileChanges), fromTimestamp(createdAt)]),
          )
        }
    },

    async listCheckpoints(sessionId, { newest, throughSeq } = {}) {
      const rows = await db
        .selectFrom('checkpoints')
        .selectAll()
        .where('session_id', '=', sessionId)
        .$if(throughSeq !== undefined, (query) => query.where('message_seq', '<', throughSeq!))
        .orderBy('message_seq', newest === undefined ? 'asc' : 'desc')
        .orderBy('id', newest === undefined ? 'asc' : 'desc')
        .$if(newest !== undefined, (query) => query.limit(newest!))
        .execute()
      if (newest !== undefined) rows.reverse()
      return rows.map((row) => ({
        id: row.id,
        messageSeq: row.message_seq,
        userMessage: row.user_message,
        completed: row.completed === 1,
        fileChanges: JSON.parse(row.file_changes),
        createdAt: toTimestamp(row.created_at),
      }))
    },
  }
}

const insertOne = statement(`
  insert into checkpoints (session_id, id, message_seq, user_message, completed, file_changes, created_at)
  values (?, ?, ?, ?, ?, ?, ?)
`)
