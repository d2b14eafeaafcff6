import { inPortions, portion } from '../../../core/store/rows.ts'
import { sql } from 'kysely'
import type { NodeResult } from '../protocol/plan-node.ts'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { statement } from '../../../core/store/statement.ts'
import type { PlanNodeRow } from './tables.ts'
import { claimQueries } from '../../../core/store/queries/claims.ts'
import type { NodeContext, NodeLinks, NodeRecord, NodeStatus, OutlineNode } from './plans.ts'

/** The nodes of plans. Whoever changes them holds the plan. */
export interface PlanNodeQueries {
  getNode(planId: string, id: number): Promise<NodeRecord | undefined>
  /** Those of them that there are. */
  getNodes(planId: string, ids: readonly number[]): Promise<Map<number, NodeRecord>>
  /** In their order; with `limit` and `after` a part of them. */
  listChildren(
    planId: string,
    parentId: number,
    page?: { limit: number; after?: number },
  ): Promise<NodeRecord[]>
  /** The first children of a parent, without what came of them. */
  listOutline(planId: string, parentId: number, limit: number): Promise<OutlineNode[]>
  /** The neighbours of a place among the children of a parent, and the first and the last of them. */
  getSortAround(planId: string, parentId: number, sort: number): Promise<{ before?: number; after?: number }>
  getSortEnds(planId: string, parentId: number): Promise<{ first?: number; last?: number }>
  /** The places of all children of a parent, in their order. */
  listSorts(planId: string, parentId: number): Promise<Pick<NodeRecord, 'id' | 'sort'>[]>
  /** How many children of a parent stand before a place. */
  countChildrenBefore(planId: string, parentId: number, sort: number): Promise<number>
  /** All nodes of a plan, or those with a status, by their number. */
  listNodes(planId: string, filter?: { status?: NodeStatus }): Promise<NodeRecord[]>
  countNodes(planId: string): Promise<Partial<Record<NodeStatus, number>>>
  /** The first one, by its number, that is in one of these states. */
  findNodeWith(planId: string, statuses: readonly NodeStatus[]): Promise<number | undefined>
  /** Running nodes, of any run. */
  countRunningNodes(planId: string): Promise<number>
  /** Of all nodes, by their place among the children of each parent. */
  listLinks(planId: string): Promise<NodeLinks[]>
  /** Resets those in one of these states to pending, without their results. Returns their ids. */
  resetNodes(planId: string, ids: readonly number[], from: readonly NodeStatus[]): Promise<number[]>
  /** A node and all above it, nearest first. */
  listAbove(planId: string, id: number): Promise<number[]>
  /** A node and all below it, parents first. */
  listSubtree(planId: string, id: number): Promise<NodeRecord[]>
  putNode(planId: string, node: NodeRecord): Promise<void>
  /** The same for many; what they wait for is there or among them. */
  putNodes(planId: string, nodes: readonly NodeRecord[]): Promise<void>
  /** Gives children of one parent other places in the same order, for which there is room. */
  setSorts(planId: string, sorts: readonly Pick<NodeRecord, 'id' | 'sort'>[]): Promise<void>
  /** What they wait for has to be there. */
  setDependencies(planId: string, nodes: readonly Pick<NodeRecord, 'id' | 'dependencies'>[]): Promise<void>
  /** With their dependencies and those on them; what is below has to go as well. */
  deleteNodes(planId: string, ids: readonly number[]): Promise<void>
  /** Nodes that wait for one of these. */
  listDependents(planId: string, ...ids: number[]): Promise<number[]>
}

export function planNodeQueries(context: QueryContext): PlanNodeQueries {
  const { db, clock } = context

  const selectOfSome = (planId: string, ids: number[]) =>
    db
      .selectFrom('plan_dependencies')
      .select(['node_id', 'on_id'])
      .where('plan_id', '=', planId)
      .where('node_id', 'in', ids)
      .orderBy('on_id')
      .execute()

  const readDependencies = async (planId: string, ids: number[]): Promise<Map<number, number[]>> => {
    if (ids.length === 0) return new Map()
    const rows =
      ids.length === 1
        ? await selectOfOne(context, [planId, ids[0]!])
        : ids.length <= portion
          ? await selectOfSome(planId, ids)
          : await selectDependencies(context, [planId])
    const found = new Map<number, number[]>()
    for (const { node_id: id, on_id: on } of rows) {
      const known = found.get(id)
      if (known) known.push(on)
      else found.set(id, [on])
    }
    return found
  }

  const withDependencies = async (planId: string, rows: PlanNodeRow[]): Promise<NodeRecord[]> => {
    const ids = rows.map(({ id }) => id)
    const dependencies = await readDependencies(planId, ids)
    return rows.map((row) => toNode(row, dependencies.get(row.id) ?? []))
  }

  const setDependencies: PlanNodeQueries['setDependencies'] = async (planId, nodes) => {
    for (const some of inPortions(nodes)) {
      const ids = some.map(({ id }) => id)
      await db
        .deleteFrom('plan_dependencies')
        .where('plan_id', '=', planId)
        .where('node_id', 'in', ids)
        .execute()
      // each may wait for others now
      await db
        .updateTable('plan_nodes')
        .set({ waits_for: 0 })
        .where('plan_id', '=', planId)
        .where('id', 'in', ids)
        .where('waits_for', '<>', 0)
        .execute()
    }
    const edges = nodes.flatMap(({ id, dependencies }) =>
      dependencies.map((on) => ({ plan_id: planId, node_id: id, on_id: on })),
    )
    for (const some of inPortions(edges)) await db.insertInto('plan_dependencies').values(some).execute()
  }

  /** Marks the nodes that wait for one of these to be checked again. */
  const freeWaiting = async (planId: string, ids: readonly number[]): Promise<void> => {
    if (ids.length === 1) await updateFreed(context, [planId, ids[0]!])
    else
      for (const some of inPortions(ids))
        await db
          .updateTable('plan_nodes')
          .set({ waits_for: 0 })
          .where('plan_id', '=', planId)
          .where('waits_for', 'in', some)
          .where('waits_for', '<>', 0)
          .execute()
  }

  // two places are never the same, not even for a moment
  const lift = async (planId: string, nodes: readonly Pick<NodeRecord, 'id'>[]): Promise<void> => {
    for (const some of inPortions(nodes)) {
      const ids = sql.join(some.map(({ id }) => id))
      const query = sql`
        update plan_nodes set sort = sort + ${sql.lit(beyondAll)} where plan_id = ${planId} and id in (${ids})`
      await query.execute(db)
    }
  }

  return {
    async getNode(planId, id) {
      const rows = await selectNode(context, [planId, id])
      return (await withDependencies(planId, rows))[0]
    },

    async getNodes(planId, ids) {
      const found = new Map<number, NodeRecord>()
      for (const some of inPortions(ids)) {
        const rows = await db
          .selectFrom('plan_nodes')
          .selectAll()
          .where('plan_id', '=', planId)
          .where('id', 'in', some)
          .execute()
        for (const node of await withDependencies(planId, rows)) found.set(node.id, node)
      }
      return found
    },

    async listChildren(planId, parentId, { limit, after } = { limit: 1_000_000 }) {
      const rows = await selectChildren(context, [planId, parentId, after ?? lowest, limit])
      return withDependencies(planId, rows)
    },

    async listOutline(planId, parentId, limit) {
      const rows = await selectOutline(context, [planId, parentId, limit])
      const dependencies = await readDependencies(
        planId,
        rows.map(({ id }) => id),
      )
      return rows.map(({ has_children: hasChildren, marked, ...row }) => ({
        ...row,
        stale: parse<NodeResult>(marked)?.stale,
        dependencies: dependencies.get(row.id) ?? [],
        hasChildren: Boolean(hasChildren),
      }))
    },

    async getSortAround(planId, parentId, sort) {
      const [row] = await selectAround(context, [planId, parentId, sort, planId, parentId, sort])
      return { before: row?.before_sort ?? undefined, after: row?.after_sort ?? undefined }
    },

    async getSortEnds(planId, parentId) {
      const [row] = await selectEnds(context, [planId, parentId])
      return { first: row?.first_sort ?? undefined, last: row?.last_sort ?? undefined }
    },

    listSorts: (planId, parentId) => selectSorts(context, [planId, parentId]),

    async countChildrenBefore(planId, parentId, sort) {
      const [row] = await selectBefore(context, [planId, parentId, sort])
      return Number(row?.count ?? 0)
    },

    async listNodes(planId, { status } = {}) {
      const rows = status
        ? await selectWithStatus(context, [planId, status])
        : await selectAllNodes(context, [planId])
      return withDependencies(planId, rows)
    },

    async countNodes(planId) {
      const rows = await selectCounts(context, [planId])
      return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]))
    },

    async findNodeWith(planId, statuses) {
      const row = await db
        .selectFrom('plan_nodes')
        .select('id')
        .where('plan_id', '=', planId)
        .where('status', 'in', statuses)
        .orderBy('id')
        .limit(1)
        .executeTakeFirst()
      return row?.id
    },

    async countRunningNodes(planId) {
      const [row] = await selectRunning(context, [planId])
      return Number(row?.count ?? 0)
    },

    async listSubtree(planId, id) {
      return withDependencies(planId, await selectSubtree(context, [planId, id, planId]))
    },

    async listLinks(planId) {
      const rows = await selectLinks(context, [planId])
      const dependencies = await readDependencies(
        planId,
        rows.map(({ id }) => id),
      )
      return rows.map(({ id, parent_id: parentId, sort, status }) => ({
        id,
        parentId,
        sort,
        status,
        dependencies: dependencies.get(id) ?? [],
      }))
    },

    async resetNodes(planId, ids, from) {
      const reset: number[] = []
      const nothing = { reason: null, result: null, cost: null, session_id: null, run_id: null, waits_for: 0 }
      for (const some of inPortions(ids)) {
        const rows = await db
          .updateTable('plan_nodes')
          .set({ status: 'pending', ...nothing, updated_at: clock.now() })
          .where('plan_id', '=', planId)
          .where('id', 'in', some)
          .where('status', 'in', from)
          .returning('id')
          .execute()
        reset.push(...rows.map(({ id }) => id))
      }
      return reset
    },

    async listAbove(planId, id) {
      return (await selectAbove(context, [planId, id])).map((row) => row.id)
    },

    async putNode(planId, node) {
      await upsertNode(context, toValues(planId, node))
      await freeWaiting(planId, [node.id])
      await deleteDependencies(context, [planId, node.id])
      for (const on of node.dependencies) await insertDependency(context, [planId, node.id, on])
    },

    async putNodes(planId, nodes) {
      for (const some of inPortions(nodes))
        await db
          .insertInto('plan_nodes')
          .values(some.map((node) => ({ ...toNodeRow(planId, node), waits_for: 0 })))
          .onConflict((oc) =>
            oc.columns(['plan_id', 'id']).doUpdateSet(({ ref }) => ({
              ...Object.fromEntries(
                nodeColumns.slice(2).map((column) => [column, ref(`excluded.${column}`)]),
              ),
              waits_for: 0,
            })),
          )
          .execute()
      await freeWaiting(
        planId,
        nodes.map(({ id }) => id),
      )
      await setDependencies(planId, nodes)
    },

    setDependencies,

    async setSorts(planId, sorts) {
      await lift(planId, sorts)
      for (const { id, sort } of sorts) await updateSort(context, [sort, planId, id])
    },

    async deleteNodes(planId, ids) {
      await freeWaiting(planId, ids)
      for (const some of inPortions(ids))
        await db.deleteFrom('plan_nodes').where('plan_id', '=', planId).where('id', 'in', some).execute()
    },

    async listDependents(planId, ...ids) {
      const found = new Set<number>()
      for (const some of inPortions(ids)) {
        const rows = await db
          .selectFrom('plan_dependencies')
          .select('node_id')
          .where('plan_id', '=', planId)
          .where('on_id', 'in', some)
          .execute()
        for (const row of rows) found.add(row.node_id)
      }
      return [...found].sort((a, b) => a - b)
    },
  }
}

/** Nodes that a session was doing, when it is deleted: others may do them. */
export async function giveNodesBack(context: QueryContext, sessionId: string): Promise<void> {
  // who waits for one of them would wait for ever; the runs before the nodes, as everywhere
  for (const { run_id: runId } of await selectWaiting(context, [sessionId]))
    await claimQueries(context).wakeRun(runId)
  await updateOrphans(context, ['Its session was deleted.', sessionId])
}

// the database counts further than we do: no place that is given is as far
const beyondAll = 2 ** 62
const lowest = Number.MIN_SAFE_INTEGER

const parse = <Value>(text: string | null): Value | undefined =>
  text === null ? undefined : (JSON.parse(text) as Value)
const write = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))

const toNode = (row: PlanNodeRow, dependencies: number[]): NodeRecord => ({
  id: row.id,
  parentId: row.parent_id,
  sort: row.sort,
  name: row.name,
  instruction: row.instruction,
  status: row.status,
  reason: row.reason ?? undefined,
  metadata: JSON.parse(row.metadata) as Record<string, unknown>,
  context: parse<NodeContext>(row.context),
  acceptance: parse<string[]>(row.acceptance),
  result: parse<NodeResult>(row.result),
  cost: row.cost ?? undefined,
  sessionId: row.session_id ?? undefined,
  runId: row.run_id ?? undefined,
  dependencies,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const nodeColumns = [
  'plan_id',
  'id',
  'parent_id',
  'sort',
  'name',
  'instruction',
  'status',
  'reason',
  'metadata',
  'context',
  'acceptance',
  'result',
  'cost',
  'session_id',
  'run_id',
  'created_at',
  'updated_at',
] as const

/** Output of models and tools may contain characters that not every database can store. */
export const keepable = (text: string | undefined): string | null =>
  text?.replaceAll('\0', '').toWellFormed() ?? null

const toNodeRow = (planId: string, node: NodeRecord): Omit<PlanNodeRow, 'waits_for'> => ({
  plan_id: planId,
  id: node.id,
  parent_id: node.parentId,
  sort: node.sort,
  name: node.name,
  instruction: node.instruction,
  status: node.status,
  reason: keepable(node.reason),
  metadata: JSON.stringify(node.metadata),
  context: write(node.context),
  acceptance: write(node.acceptance),
  result: write(node.result),
  cost: node.cost ?? null,
  session_id: node.sessionId ?? null,
  run_id: node.runId ?? null,
  created_at: node.createdAt,
  updated_at: node.updatedAt,
})

const toValues = (planId: string, node: NodeRecord) => {
  const row = toNodeRow(planId, node)
  return nodeColumns.map((column) => row[column])
}

const selectNode = statement<PlanNodeRow>(`select * from plan_nodes where plan_id = ? and id = ?`)
const selectChildren = statement<PlanNodeRow>(
  `select * from plan_nodes where plan_id = ? and parent_id = ? and sort > ? order by sort limit ?`,
)
type OutlineRow = Pick<PlanNodeRow, 'id' | 'name' | 'instruction' | 'status'> & OutlineFacts
type OutlineFacts = { has_children: boolean | number; marked: string | null }
const selectOutline = statement<OutlineRow>(`
  select id, name, instruction, status, exists (
    select 1 from plan_nodes as child where child.plan_id = node.plan_id and child.parent_id = node.id
  ) as has_children, case when result like '%"stale":[%' then result end as marked
  from plan_nodes as node where plan_id = ? and parent_id = ? order by sort limit ?
`)
const selectAround = statement<{ before_sort: number | null; after_sort: number | null }>(`
  select
    (select max(sort) from plan_nodes where plan_id = ? and parent_id = ? and sort < ?) as before_sort,
    (select min(sort) from plan_nodes where plan_id = ? and parent_id = ? and sort > ?) as after_sort
`)
const selectEnds = statement<{ first_sort: number | null; last_sort: number | null }>(
  `select min(sort) as first_sort, max(sort) as last_sort from plan_nodes where plan_id = ? and parent_id = ?`,
)
const selectSorts = statement<Pick<PlanNodeRow, 'id' | 'sort'>>(
  `select id, sort from plan_nodes where plan_id = ? and parent_id = ? order by sort`,
)
const selectBefore = statement<{ count: number }>(
  `select count(*) as count from plan_nodes where plan_id = ? and parent_id = ? and sort < ?`,
)
const selectAllNodes = statement<PlanNodeRow>(`select * from plan_nodes where plan_id = ? order by id`)
const selectWithStatus = statement<PlanNodeRow>(
  `select * from plan_nodes where plan_id = ? and status = ? order by id`,
)
const selectCounts = statement<{ status: NodeStatus; count: number }>(
  `select status, count(*) as count from plan_nodes where plan_id = ? group by status`,
)
const selectRunning = statement<{ count: number }>(
  `select count(*) as count from plan_nodes where plan_id = ? and status = 'running'`,
)
const selectSubtree = statement<PlanNodeRow>(`
  with recursive below (plan_id, id, depth) as (
    select plan_id, id, 0 from plan_nodes where plan_id = ? and id = ?
    union all
    select child.plan_id, child.id, below.depth + 1 from below
    join plan_nodes as child on child.plan_id = below.plan_id and child.parent_id = below.id
  )
  select node.* from below join plan_nodes as node on node.plan_id = ? and node.id = below.id
  order by below.depth, node.sort
`)
const upsertNode = statement(`
  insert into plan_nodes (${nodeColumns.join(', ')}) values (${nodeColumns.map(() => '?').join(', ')})
  on conflict (plan_id, id) do update set
    ${nodeColumns
      .slice(2)
      .map((column) => `${column} = excluded.${column}`)
      .join(', ')}, waits_for = 0
`)
/** Marks the nodes that wait for a node to be checked again. */
export const updateFreed = statement(
  `update plan_nodes set waits_for = 0 where plan_id = ? and waits_for = ? and waits_for <> 0`,
)
const selectWaiting = statement<{ run_id: string }>(`
  select distinct plan_runs.run_id from plan_nodes
  join plan_runs on plan_runs.plan_id = plan_nodes.plan_id
  join runs on runs.id = plan_runs.run_id and runs.status = 'running'
  where plan_nodes.session_id = ? and plan_nodes.status = 'running' order by plan_runs.run_id
`)
const updateOrphans = statement(
  `update plan_nodes set status = 'pending', reason = ? where session_id = ? and status = 'running'`,
)
const selectLinks = statement<Pick<PlanNodeRow, 'id' | 'parent_id' | 'sort' | 'status'>>(
  `select id, parent_id, sort, status from plan_nodes where plan_id = ? order by parent_id, sort`,
)
const selectAbove = statement<{ id: number }>(`
  with recursive above (plan_id, id, parent_id, distance) as (
    select plan_id, id, parent_id, 0 from plan_nodes where plan_id = ? and id = ?
    union all
    select parent.plan_id, parent.id, parent.parent_id, above.distance + 1 from above
    join plan_nodes as parent on parent.plan_id = above.plan_id and parent.id = above.parent_id
  )
  select id from above order by distance
`)
const updateSort = statement(`update plan_nodes set sort = ? where plan_id = ? and id = ?`)
const selectDependencies = statement<{ node_id: number; on_id: number }>(
  `select node_id, on_id from plan_dependencies where plan_id = ? order by on_id`,
)
const selectOfOne = statement<{ node_id: number; on_id: number }>(
  `select node_id, on_id from plan_dependencies where plan_id = ? and node_id = ? order by on_id`,
)
const deleteDependencies = statement(`delete from plan_dependencies where plan_id = ? and node_id = ?`)
const insertDependency = statement(`insert into plan_dependencies (plan_id, node_id, on_id) values (?, ?, ?)`)
