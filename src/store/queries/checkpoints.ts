import { fromTimestamp, toTimestamp } from '../../protocol/names.ts'
import type { Checkpoint } from '../../protocol/session.ts'
import type { QueryContext } from '../context.ts'

export interface CheckpointQueries {
  addCheckpoints(sessionId: string, checkpoints: Checkpoint[]): Promise<void>
  /** Oldest first; with `newest`, only the last so many. */
  listCheckpoints(
    sessionId: string,
    options?: { newest?: number; throughSeq?: number },
  ): Promise<Checkpoint[]>
}

export function checkpointQueries({ db }: QueryContext): CheckpointQueries {
  return {
    async addCheckpoints(sessionId, checkpoints) {
      for (const checkpoint of checkpoints)
        await db
          .insertInto('checkpoints')
          .values({
            session_id: sessionId,
            id: checkpoint.id,
            message_seq: checkpoint.messageSeq,
            user_message: checkpoint.userMessage,
            completed: checkpoint.completed ? 1 : 0,
            file_changes: JSON.stringify(checkpoint.fileChanges),
            created_at: fromTimestamp(checkpoint.createdAt),
          })
          .execute()
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
