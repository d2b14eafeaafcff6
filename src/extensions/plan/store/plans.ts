import { sql } from 'kysely'
import { notFound } from '../../../core/protocol/error.ts'
import type { NodeResult } from '../protocol/plan-node.ts'
import type { Backend } from '../../../core/store/backend.ts'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { statement } from '../../../core/store/statement.ts'
import type { PlanChangeRow, PlanNodeRow, PlanRow } from './tables.ts'
import { isAfterCursor, toPage, type Page } from '../../../core/store/queries/cursor.ts'
import { parseFacets } from '../../../core/store/queries/session-facets.ts'

/** A plan as it is stored; times are milliseconds. */
export interface PlanRecord {
  id: string
  scope: string
  title: string
  description: string
  metadata: Record<string, unknown>
  /** Grows with every change. */
  version: number
  /** The highest number that a node ever had. */
  lastNode: number
  createdAt: number
  updatedAt: number
}

export type NodeStatus = PlanNodeRow['status']

/** Nothing has to wait for a node in one of these. */
export const doneStates: readonly NodeStatus[] = ['completed', 'skipped']

/** What the session of a node is given in addition to its instruction. */
export interface NodeContext {
  combined?: string
  sections?: { title: string; content: string }[]
}

/** A node without its place in the tree. */
export interface NodeFacts {
  name: string
  instruction: string
  status: NodeStatus
  /** Why it is partial, refused, failed, skipped or blocked. */
  reason?: string
  metadata: Record<string, unknown>
  context?: NodeContext
  /** Checks that decide whether it is really done. */
  acceptance?: string[]
  result?: NodeResult
  cost?: number
  sessionId?: string
  runId?: string
}

export interface NodeRecord extends NodeFacts {
  id: number
  /** 0 at the top. */
  parentId: number
  /** Orders the children of a parent. */
  sort: number
  /** Ids of the nodes that have to be done before. */
  dependencies: number[]
  createdAt: number
  updatedAt: number
}

/** Where a node hangs, what it waits for and whether others still wait for it. */
export type NodeLinks = Pick<NodeRecord, 'id' | 'parentId' | 'sort' | 'status' | 'dependencies'>

/** What an outline shows of a node; results can be large. */
export interface OutlineNode extends Pick<
  NodeRecord,
  'id' | 'name' | 'instruction' | 'status' | 'dependencies'
> {
  hasChildren: boolean
  /** Of its result: what it was made from that has changed since. */
  stale?: number[]
}

/** A node as it was and as it became; one of them is missing when it was made or deleted. */
export interface NodeChange {
  before?: NodeRecord
  after?: NodeRecord
  /** When it was moved or deleted: the sibling that it stood behind, of those that stayed; 0 for the first. */
  stoodAfter?: number
}

export interface PlanChange {
  version: number
  action: string
  author: string
  sessionId?: string
  /** The version that it undoes. */
  undoes?: number
  changes: NodeChange[]
  createdAt: number
}

/** How far a plan is. */
export interface PlanCounts {
  byStatus: Partial<Record<NodeStatus, number>>
  cost?: number
}

export interface PlanQueries {
  createPlan(
    plan: Pick<PlanRecord, 'scope' | 'title' | 'description' | 'metadata'> & { id?: string },
  ): Promise<PlanRecord>
  getPlan(scope: string, id: string): Promise<PlanRecord | undefined>
  /** Throws `not_found` when the scope has no such plan. */
  requirePlan(scope: string, id: string): Promise<PlanRecord>
  /** Keeps others from changing it until the transaction ends. Throws `not_found`. */
  lockPlan(scope: string, id: string): Promise<PlanRecord>
  /** The same; false when there is none. */
  lockPlanIfThere(scope: string, id: string): Promise<boolean>
  /** What was changed last comes first. */
  listPlans(scope: string, filter: { q?: string; limit: number; cursor?: string }): Promise<Page<PlanRecord>>
  /** How far plans are; those without nodes are missing. */
  countPlans(ids: readonly string[]): Promise<Map<string, PlanCounts>>
  updatePlan(
    plan: PlanRecord,
    patch: Partial<Pick<PlanRecord, 'title' | 'description' | 'metadata' | 'version' | 'lastNode'>>,
  ): Promise<PlanRecord>
  deletePlan(scope: string, id: string): Promise<void>
  /** Those that are bound to a plan. Scans all of the scope. */
  listSessionsOfPlan(scope: string, planId: string): Promise<string[]>

  addPlanChange(planId: string, change: PlanChange): Promise<void>
  getPlanChange(planId: string, version: number): Promise<PlanChange | undefined>
  /** Newest first, those between two versions. */
  listPlanChanges(
    planId: string,
    page: { before?: number; after?: number; limit: number },
  ): Promise<PlanChange[]>
  /** The version that a plan had at a time; 0 before its first change. */
  findPlanVersion(planId: string, at: number): Promise<number>
  /** Newest first, without what they changed. */
  listUndone(
    planId: string,
    page: { before?: number; limit: number },
  ): Promise<Pick<PlanChange, 'version' | 'undoes'>[]>
}

export function planQueries(context: QueryContext): PlanQueries {
  const { db, backend, clock, ids } = context

  const require = async (rows: Promise<PlanRow[]>, id: string) => {
    const [row] = await rows
    if (!row) throw notFound('plan', id)
    return fromRow(row)
  }

  return {
    async createPlan({ id, scope, title, description, metadata }) {
      const now = clock.now()
      const row: PlanRow = {
        id: id ?? ids.next('plan'),
        scope,
        title,
        description,
        metadata: JSON.stringify(metadata),
        version: 0,
        last_node: 0,
        created_at: now,
        updated_at: now,
      }
      await db.insertInto('plans').values(row).execute()
      return fromRow(row)
    },

    async getPlan(scope, id) {
      const [row] = await selectPlan(context, [id, scope])
      return row && fromRow(row)
    },
    requirePlan: (scope, id) => require(selectPlan(context, [id, scope]), id),
    lockPlan: (scope, id) => require(lockOne(context, [id, scope]), id),
    async lockPlanIfThere(scope, id) {
      return (await lockOne(context, [id, scope])).length > 0
    },

    async listSessionsOfPlan(scope, planId) {
      const find = sql.raw(backend.name === 'postgres' ? 'strpos' : 'instr')
      const rows = await db
        .selectFrom('sessions')
        .select(['id', 'facets'])
        .where('scope', '=', scope)
        .where(sql<boolean>`${find}(facets, ${`"planId":${JSON.stringify(planId)}`}) > 0`)
        .execute()
      // the same words may stand deeper in a facet
      return rows.filter(({ facets }) => parseFacets(facets)?.planId === planId).map(({ id }) => id)
    },

    async listPlans(scope, { q, limit, cursor }) {
      const rows = await db
        .selectFrom('plans')
        .selectAll()
        .where('scope', '=', scope)
        .$if(q !== undefined, (query) => query.where(holds(q!, backend)))
        .$if(cursor !== undefined, (query) => query.where(isAfterCursor('updated_at', cursor!)))
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      return toPage(rows, limit, (row) => row.updated_at, fromRow)
    },

    async countPlans(planIds) {
      const counts = new Map<string, PlanCounts>()
      if (planIds.length === 0) return counts
      const rows = await db
        .selectFrom('plan_nodes')
        .select(({ fn }) => [
          'plan_id',
          'status',
          fn.countAll<number>().as('count'),
          fn.sum<number | null>('cost').as('cost'),
        ])
        .where('plan_id', 'in', planIds)
        .groupBy(['plan_id', 'status'])
        .execute()
      for (const { plan_id: id, status, count, cost } of rows) {
        const known = counts.get(id) ?? { byStatus: {} }
        known.byStatus[status] = Number(count)
        if (cost !== null) known.cost = (known.cost ?? 0) + Number(cost)
        counts.set(id, known)
      }
      return counts
    },

    async updatePlan(plan, patch) {
      const next = { ...plan, ...patch, updatedAt: clock.now() }
      await updateOne(context, [
        next.title,
        next.description,
        JSON.stringify(next.metadata),
        next.version,
        next.lastNode,
        next.updatedAt,
        plan.id,
      ])
      return next
    },

    async deletePlan(scope, id) {
      await db.deleteFrom('plans').where('id', '=', id).where('scope', '=', scope).execute()
    },

    async addPlanChange(planId, { version, action, author, sessionId, undoes, changes, createdAt }) {
      await insertChange(context, [
        planId,
        version,
        action,
        author,
        sessionId ?? null,
        undoes ?? null,
        JSON.stringify(changes),
        createdAt,
      ])
    },

    async getPlanChange(planId, version) {
      const [row] = await selectChange(context, [planId, version])
      return row && toChange(row)
    },

    async listPlanChanges(planId, { before = highest, after = 0, limit }) {
      return (await selectChanges(context, [planId, before, after, limit])).map(toChange)
    },

    async findPlanVersion(planId, at) {
      const [row] = await selectVersionAt(context, [planId, at])
      return row?.version ?? 0
    },

    async listUndone(planId, { before = highest, limit }) {
      const rows = await selectUndone(context, [planId, before, limit])
      return rows.map(({ version, undoes }) => ({ version, undoes: undoes ?? undefined }))
    },
  }
}

/** Case is ignored in the letters that the database knows. */
function holds(q: string, backend: Backend) {
  const part = `%${q.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  return backend.name === 'postgres'
    ? sql<boolean>`title ilike ${part} escape '\\'`
    : sql<boolean>`title like ${part} escape '\\'`
}

const highest = Number.MAX_SAFE_INTEGER

const fromRow = (row: PlanRow): PlanRecord => ({
  id: row.id,
  scope: row.scope,
  title: row.title,
  description: row.description,
  metadata: JSON.parse(row.metadata) as Record<string, unknown>,
  version: row.version,
  lastNode: row.last_node,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const toChange = (row: PlanChangeRow): PlanChange => ({
  version: row.version,
  action: row.action,
  author: row.author,
  sessionId: row.session_id ?? undefined,
  undoes: row.undoes ?? undefined,
  changes: JSON.parse(row.changes) as NodeChange[],
  createdAt: row.created_at,
})

const selectPlan = statement<PlanRow>(`select * from plans where id = ? and scope = ?`)
const lockOne = statement<PlanRow>(`select * from plans where id = ? and scope = ? {forUpdate}`)
const updateOne = statement(`
  update plans set title = ?, description = ?, metadata = ?, version = ?, last_node = ?, updated_at = ? where id = ?
`)
const insertChange = statement(`
  insert into plan_changes (plan_id, version, action, author, session_id, undoes, changes, created_at)
  values (?, ?, ?, ?, ?, ?, ?, ?)
`)
const selectChange = statement<PlanChangeRow>(`select * from plan_changes where plan_id = ? and version = ?`)
const selectChanges = statement<PlanChangeRow>(
  `select * from plan_changes where plan_id = ? and version < ? and version > ? order by version desc limit ?`,
)
const selectVersionAt = statement<{ version: number | null }>(
  `select max(version) as version from plan_changes where plan_id = ? and created_at <= ?`,
)
const selectUndone = statement<Pick<PlanChangeRow, 'version' | 'undoes'>>(
  `select version, undoes from plan_changes where plan_id = ? and version < ? order by version desc limit ?`,
)
