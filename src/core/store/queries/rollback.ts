import type { QueryContext } from '../query-context.ts'
import { statement } from '../statement.ts'
import { epochQueries } from './epochs.ts'
import { windowQueries } from './windows.ts'

export interface RollbackQueries {
  /** Takes away what came after the first so many messages: those, and what was made of them. Within a transaction. */
  cutLog(sessionId: string, messageSeq: number): Promise<void>
}

export function rollbackQueries(context: QueryContext): RollbackQueries {
  const windows = windowQueries(context)
  const epochs = epochQueries(context)
  return {
    async cutLog(sessionId, messageSeq) {
      const place = [sessionId, messageSeq]
      await markUndone(context, [sessionId, ...place])
      for (const remove of [deleteMessages, deleteWords, deleteCheckpoints, deleteSnapshots])
        await remove(context, place)
      await cutMemo(sessionId, messageSeq)
      await shortenSession(context, [...Array.from({ length: 5 }, () => messageSeq), sessionId])
      await sendAgain(sessionId)
    },
  }

  /** A memo that knows of what is gone gives way to the newest one that does not. */
  async function cutMemo(sessionId: string, messageSeq: number): Promise<void> {
    const newest = await windows.getMemo(sessionId)
    if (!newest || newest.throughSeq <= messageSeq) return
    const earlier = await windows.getMemoThrough(sessionId, messageSeq)
    const memo = earlier ?? { ...newest, memo: {}, pinned: newest.pinned, throughSeq: 0, sizeAfter: 2 }
    await windows.addMemoVersion(sessionId, newest.version, {
      memo: memo.memo,
      pinned: memo.pinned,
      throughSeq: memo.throughSeq,
      author: 'undo',
      sizeBefore: newest.sizeAfter,
      sizeAfter: memo.sizeAfter,
    })
  }

  /** What was sent along with messages that are gone has to be sent once more; the static part stays as it is. */
  async function sendAgain(sessionId: string): Promise<void> {
    const epoch = await epochs.getEpoch(sessionId)
    if (epoch) await epochs.beginEpoch(sessionId, { ...epoch, epoch: epoch.epoch + 1, sent: {} })
  }
}

// an answer has the id of its run, but for the prefix; its words are moved to the run, whose course refers to them
const markUndone = statement(`
  update runs set is_undone = 1, words = case
    when course is null then null
    else coalesce(words, (
      select parts from messages where messages.session_id = runs.session_id and id = 'msg_' || substr(runs.id, 5)
    ))
  end
  where session_id = ? and 'msg_' || substr(id, 5) in (select id from messages where session_id = ? and seq > ?)
`)
const deleteMessages = statement(`delete from messages where session_id = ? and seq > ?`)
const deleteWords = statement(`delete from search_documents where session_id = ? and seq > ?`)
const deleteCheckpoints = statement(`delete from checkpoints where session_id = ? and message_seq >= ?`)
const deleteSnapshots = statement(`delete from snapshots where session_id = ? and message_seq >= ?`)
// a window that began later starts again, and is cut again when it is too long
const shortenSession = statement(`
  update sessions set
    last_seq = ?,
    log_version = log_version + 1,
    indexed_seq = case when indexed_seq > ? then ? else indexed_seq end,
    resized_seq = case when resized_seq > ? then 0 else resized_seq end,
    window_start = case when window_start > ? then 1 else window_start end
  where id = ?
`)
