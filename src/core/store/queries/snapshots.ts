import type { QueryContext } from '../query-context.ts'
import { statement } from '../statement.ts'

export interface Snapshot {
  /** How long the log was before the turn that made it. */
  messageSeq: number
  kind: string
  name: string
  /** Undefined when the thing was not there. */
  content?: string
  detail: Record<string, unknown>
}

export interface SnapshotQueries {
  /** Of one turn the first for a thing counts. */
  keepSnapshot(sessionId: string, snapshot: Snapshot): Promise<void>
  /** Of each thing the oldest that was made by the turns after this place: how it was then. */
  listSnapshotsSince(sessionId: string, messageSeq: number): Promise<Snapshot[]>
  /** The files that it changed, as paths in their workspaces, without what was in them. */
  listChangedFiles(sessionId: string, limit: number): Promise<string[]>
  countChangedFiles(sessionId: string): Promise<number>
  /** How many things of each kind each turn changed, by place. */
  countSnapshots(sessionId: string): Promise<Map<number, Record<string, number>>>
}

export function snapshotQueries(context: QueryContext): SnapshotQueries {
  const { clock } = context
  return {
    async keepSnapshot(sessionId, { messageSeq, kind, name, content, detail }) {
      const values = [sessionId, messageSeq, kind, name, content ?? null, JSON.stringify(detail)]
      await insertOne(context, [...values, clock.now()])
    },

    async listSnapshotsSince(sessionId, messageSeq) {
      const rows = await selectOldest(context, [sessionId, messageSeq, sessionId, messageSeq])
      return rows.map((row) => ({
        messageSeq: row.message_seq,
        kind: row.kind,
        name: row.name,
        ...(row.content !== null && { content: row.content }),
        detail: JSON.parse(row.detail) as Record<string, unknown>,
      }))
    },

    async listChangedFiles(sessionId, limit) {
      const rows = await selectFiles(context, [sessionId, limit])
      return rows.map(({ detail }) => (JSON.parse(detail) as { path: string }).path)
    },

    async countChangedFiles(sessionId) {
      const [row] = await selectFileCount(context, [sessionId])
      return Number(row?.count ?? 0)
    },

    async countSnapshots(sessionId) {
      const counts = new Map<number, Record<string, number>>()
      for (const row of await selectCounts(context, [sessionId])) {
        const ofTurn = counts.get(row.message_seq) ?? {}
        counts.set(row.message_seq, { ...ofTurn, [row.kind]: Number(row.count) })
      }
      return counts
    },
  }
}

const insertOne = statement(`
  insert into snapshots (session_id, message_seq, kind, name, content, detail, created_at)
  values (?, ?, ?, ?, ?, ?, ?) on conflict (session_id, message_seq, kind, name) do nothing
`)
const selectOldest = statement<{
  message_seq: number
  kind: string
  name: string
  content: string | null
  detail: string
}>(`
  select snapshots.* from snapshots join (
    select kind, name, min(message_seq) as first_seq from snapshots
    where session_id = ? and message_seq >= ? group by kind, name
  ) oldest on oldest.kind = snapshots.kind and oldest.name = snapshots.name and oldest.first_seq = snapshots.message_seq
  where snapshots.session_id = ? and snapshots.message_seq >= ?
  order by snapshots.kind, snapshots.name
`)
const selectFiles = statement<{ detail: string }>(`
  select min(detail) as detail from snapshots where session_id = ? and kind = 'file' group by name order by name limit ?
`)
const selectFileCount = statement<{ count: number }>(
  `select count(distinct name) as count from snapshots where session_id = ? and kind = 'file'`,
)
const selectCounts = statement<{ message_seq: number; kind: string; count: number }>(`
  select message_seq, kind, count(*) as count from snapshots where session_id = ?
  group by message_seq, kind order by message_seq, kind
`)
