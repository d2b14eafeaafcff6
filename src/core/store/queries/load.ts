import type { QueryContext } from '../query-context.ts'
import { statement } from '../statement.ts'

/** How much there is to do, over all scopes and all nodes. */
export interface Load {
  runs: {
    kind: string
    /** `waiting` for others; nobody executes it meanwhile. */
    status: 'queued' | 'running' | 'waiting'
    count: number
    /** How long the oldest of them has been there. */
    oldestMs: number
  }[]
  /** What a person has to decide. */
  approvals: number
  schemaVersion: number
}

export interface LoadQueries {
  /** For those who operate it: numbers alone, found without reading what has finished. */
  readLoad(): Promise<Load>
}

export function loadQueries(context: QueryContext): LoadQueries {
  return {
    async readLoad() {
      const now = context.clock.now()
      const rows = [...(await countQueued(context, [])), ...(await countRunning(context, []))]
      const [approvals] = await countApprovals(context, [])
      const [schema] = await selectVersion(context, [])
      return {
        runs: rows.map(({ kind, status, count, oldest }) => ({
          kind,
          status,
          count: Number(count),
          oldestMs: Math.max(0, now - Number(oldest)),
        })),
        approvals: Number(approvals!.count),
        schemaVersion: Number(schema!.number),
      }
    },
  }
}

type Counted = { kind: string; status: Load['runs'][number]['status']; count: number; oldest: number }

const countQueued = statement<Counted>(`
  select kind, 'queued' as status, count(*) as count, min(created_at) as oldest
  from runs where status = 'queued' group by kind
`)
const countRunning = statement<Counted>(`
  select kind, case when lease_owner is null then 'waiting' else 'running' end as status,
    count(*) as count, min(created_at) as oldest
  from runs where status = 'running' group by kind, case when lease_owner is null then 'waiting' else 'running' end
`)
// by scope, because that is how they are indexed
const countApprovals = statement<{ count: number }>(`
  select count(*) as count from scopes join approvals on approvals.scope = scopes.name and approvals.status = 'pending'
`)
const selectVersion = statement<{ number: number }>(`select max(number) as number from schema_versions`)
