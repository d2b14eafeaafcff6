import { sql } from 'kysely'
import type { QueryContext } from '../query-context.ts'
import type { StoreSlice } from '../store-slice.ts'
import { statement } from '../statement.ts'
import type { SessionRow } from '../tables/sessions.ts'
import { parseFacets } from './session-facets.ts'

/*
 * Sessions below a session are of two sorts. Parts are nothing without it: sessions of tools, the steps of a run and
 * the runs that are steps. Tasks, and runs that somebody started there, are work of their own that reports to it.
 */

export interface ReleasedTasks {
  /** The session itself and its parts, which go with it. */
  parts: string[]
  /** What was started there and has no parent now. */
  left: string[]
}

type TreeRow = Pick<SessionRow, 'id' | 'parent_id' | 'kind' | 'facets'>

// fewer than a statement may have values
const parentsPerRead = 500

/** Of one transaction with the deletion: who starts a task there waits for the session that is locked here. */
export async function releaseTasks(
  tx: QueryContext,
  slices: readonly StoreSlice[],
  scope: string,
  id: string,
): Promise<ReleasedTasks> {
  const isPart = partsAmong(slices)
  const parts: TreeRow[] = []
  const left: TreeRow[] = []
  // a locked row gets no more children, so each level is read when those above are
  for (let level = await lockOne(tx, scope, id); level.length > 0;) {
    parts.push(...level)
    const parents = new Map(level.map((row) => [row.id, row]))
    const next: TreeRow[] = []
    for (const row of await lockChildren(tx, level))
      (isPart(row, parents.get(row.parent_id!)!) ? next : left).push(row)
    level = next
  }
  for (const { id: sessionId, facets } of left) {
    await updateReleased(tx, [withoutParent(facets), sessionId])
    tx.changed({ type: 'session-changed', scope, sessionId })
  }
  return { parts: parts.map((row) => row.id), left: left.map((row) => row.id) }
}

function partsAmong(slices: readonly StoreSlice[]): (child: TreeRow, parent: TreeRow) => boolean {
  const runs = slices.flatMap((slice) => slice.runs ?? [])
  const sources = new Set<string | undefined>(runs.map(({ source }) => source))
  const stepSources = new Set<string | undefined>(runs.map(({ stepSource }) => stepSource))
  const isRun = ({ kind, facets }: TreeRow) =>
    kind === 'tool' && sources.has(parseFacets(facets)?.toolMeta?.source)
  return (child, parent) => {
    const isOfRun = isRun(parent)
    if (child.kind === 'background')
      return isOfRun && stepSources.has(parseFacets(child.facets)?.bgMeta?.source)
    return isOfRun || !isRun(child)
  }
}

/** What cannot be read stays as it is. */
function withoutParent(text: string): string {
  const facets = parseFacets(text)
  if (facets?.bgMeta?.parentSessionId === undefined) return text
  const { parentSessionId: _, ...bgMeta } = facets.bgMeta
  return JSON.stringify({ ...facets, bgMeta })
}

const lockOne = async ({ db, backend }: QueryContext, scope: string, id: string): Promise<TreeRow[]> =>
  (
    await sql<TreeRow>`
      select id, parent_id, kind, facets from sessions where id = ${id} and scope = ${scope} ${backend.forDelete}
    `.execute(db)
  ).rows

async function lockChildren({ db, backend }: QueryContext, parents: TreeRow[]): Promise<TreeRow[]> {
  const found: TreeRow[] = []
  for (let from = 0; from < parents.length; from += parentsPerRead) {
    const ids = parents.slice(from, from + parentsPerRead).map((row) => row.id)
    const { rows } = await sql<TreeRow>`
      select id, parent_id, kind, facets from sessions where parent_id in (${sql.join(ids)})
      order by id ${backend.forDelete}
    `.execute(db)
    found.push(...rows)
  }
  return found
}

const updateReleased = statement(`update sessions set parent_id = null, facets = ? where id = ?`)
