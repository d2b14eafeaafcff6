import { sql } from 'kysely'
import type { QueryContext } from '../query-context.ts'
import type { StoreSlice } from '../store-slice.ts'
import { statement } from '../statement.ts'

/*
 * A long session is not deleted in one go. In one transaction it is moved to a scope that nobody can name, without all
 * that is found by other ways than the session: from then on it is gone for everybody. Its messages and their words in
 * the search index are swept later, some at a time. A crash in between leaves the rest for the next start.
 */
export interface DeletedSessionQueries {
  /** Sweeps a little of what was deleted; false when nothing is left. */
  sweepDeleted(): Promise<boolean>
}

/** No name of a scope begins with a dot. */
export const deletedScope = '.deleted'

/** Messages of a session and its children that are deleted with it; more are swept. */
export const maxDeletedAtOnce = 2_000
// some 10 ms of work
const messagesPerSweep = 1_000

/** By which column each table of the core knows the session; `messages` and `search_documents` are swept. */
export const deletedAtOnce = {
  runs: 'session_id',
  approvals: 'session_id',
  awaited_calls: 'session_id',
  inbox: 'session_id',
  checkpoints: 'session_id',
  prompt_epochs: 'session_id',
  memo_versions: 'session_id',
  resizes: 'session_id',
  // of earlier versions
  session_usage: 'session_id',
  snapshots: 'session_id',
} as const

export function deletedSessionQueries(context: QueryContext): DeletedSessionQueries {
  return {
    sweepDeleted: () =>
      context.transaction(async (tx) => {
        const { rows } = await sql<{ id: string }>`
          select id from sessions where scope = ${deletedScope} limit 1 ${tx.backend.skipLocked}
        `.execute(tx.db)
        const [session] = rows
        if (!session) return false
        const [{ seq } = { seq: null }] = await firstMessage(tx, [session.id])
        if (seq === null) {
          // what is left of it goes along
          await deleteRow(tx, [session.id])
          return true
        }
        const before = Number(seq) + messagesPerSweep
        await deleteWords(tx, [session.id, before])
        await deleteMessages(tx, [session.id, before])
        return true
      }),
  }
}

const firstMessage = statement<{ seq: number | null }>(
  `select min(seq) as seq from messages where session_id = ?`,
)
const deleteRow = statement(`delete from sessions where id = ?`)
const deleteWords = statement(`delete from search_documents where session_id = ? and seq < ?`)
const deleteMessages = statement(`delete from messages where session_id = ? and seq < ?`)

const tree = `(
  with recursive tree (id) as (
    select id from sessions where id = ?
    union select sessions.id from sessions join tree on sessions.parent_id = tree.id
  ) select id from tree
)`
const lockTree = statement(`select id from sessions where id in ${tree} order by id {forUpdate}`)
// the search index has no more to take in of it
const moveAway = statement(`
  update sessions set scope = ?, parent_id = null, thread = null, family = null, indexed_seq = last_seq where id in ${tree}
`)

/** Marks a session and its children as deleted. Of the same transaction: whatever else a deletion does. */
export async function hideDeleted(
  tx: QueryContext,
  slices: readonly StoreSlice[],
  id: string,
): Promise<void> {
  // the sessions first, as when they are deleted: who ends a run and who deletes it wait for each other in one order
  await lockTree(tx, [id])
  for (const rows of [deletedAtOnce, ...slices.map(({ sessionRows = {} }) => sessionRows)])
    for (const [table, column] of Object.entries(rows))
      await statement(`delete from ${table} where ${column} in ${tree}`)(tx, [id])
  for (const { sessionReferences = {} } of slices)
    for (const [table, column] of Object.entries(sessionReferences))
      await statement(`update ${table} set ${column} = null where ${column} in ${tree}`)(tx, [id])
  await tx.db
    .insertInto('scopes')
    .values({ name: deletedScope, root: null, event_seq: 0, created_at: tx.clock.now() })
    .onConflict((oc) => oc.doNothing())
    .execute()
  await moveAway(tx, [deletedScope, id])
}
