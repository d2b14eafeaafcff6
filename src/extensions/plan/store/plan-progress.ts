import { sql } from 'kysely'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { statement } from '../../../core/store/statement.ts'
import { inPortions } from '../../../core/store/rows.ts'
import { keepable, updateFreed } from './plan-nodes.ts'
import { doneStates, type NodeRecord } from './plans.ts'

/** A node that is to be done and, as far as is known, could be. */
export interface Candidate {
  id: number
  parentId: number
  sort: number
  /** One that has to be done before it; undefined when there is none. */
  waitsFor?: number
}

export type NodeState = Pick<
  NodeRecord,
  'id' | 'status' | 'reason' | 'result' | 'cost' | 'sessionId' | 'runId' | 'updatedAt'
>

/**
 * What can be done next in a plan, found without reading the rest of it. A node that has to wait remembers one of those
 * that it waits for; when that one is done, or changed, it is checked again.
 */
export interface PlanProgressQueries {
  /** By parent and place. */
  listCandidates(
    planId: string,
    page: { after?: Pick<Candidate, 'parentId' | 'sort'>; limit: number },
  ): Promise<Candidate[]>
  /** Stores what these wait for. The caller has locked the plan. */
  noteWaits(planId: string, ids: readonly number[]): Promise<void>
  /** Marks these to be checked again. */
  forgetWaits(planId: string, ids: readonly number[]): Promise<void>
  /** Nodes that are to be done and wait for one that is being done; the first hundred. */
  listWaitingForRunning(planId: string): Promise<Pick<NodeRecord, 'id' | 'parentId'>[]>
  /** What became of a node; where it stands and what it waits for stays as it is. */
  putNodeState(planId: string, node: NodeState): Promise<void>
  /** Returns those that were pending until now. */
  blockNodes(
    planId: string,
    nodes: readonly { id: number; reason: string }[],
    now: number,
  ): Promise<Pick<NodeRecord, 'id' | 'name' | 'sessionId'>[]>
  /** Those that are blocked and wait for one of these themselves. */
  listBlockedBy(planId: string, ids: readonly number[]): Promise<number[]>
}

export function planProgressQueries(context: QueryContext): PlanProgressQueries {
  const { db } = context
  return {
    async listCandidates(planId, { after, limit }) {
      const rows = await selectCandidates(context, [planId, after?.parentId ?? -1, after?.sort ?? 0, limit])
      return rows.map(({ id, parent_id: parentId, sort, unmet }) => ({
        id,
        parentId,
        sort,
        ...(unmet !== null && { waitsFor: unmet }),
      }))
    },

    async noteWaits(planId, ids) {
      for (const some of inPortions(ids)) {
        const query = sql`
          update plan_nodes as node set waits_for = coalesce(${sql.raw(unmet)}, 0)
          where node.plan_id = ${planId} and node.id in (${sql.join(some)})`
        await query.execute(db)
      }
    },

    async forgetWaits(planId, ids) {
      for (const some of inPortions(ids))
        await db
          .updateTable('plan_nodes')
          .set({ waits_for: 0 })
          .where('plan_id', '=', planId)
          .where('id', 'in', some)
          .execute()
    },

    async listWaitingForRunning(planId) {
      const rows = await selectWaitingForRunning(context, [planId, planId])
      return rows.map(({ id, parent_id: parentId }) => ({ id, parentId }))
    },

    async putNodeState(planId, { id, status, reason, result, cost, sessionId, runId, updatedAt }) {
      await updateState(context, [
        status,
        keepable(reason),
        result === undefined ? null : JSON.stringify(result),
        cost ?? null,
        sessionId ?? null,
        runId ?? null,
        updatedAt,
        planId,
        id,
      ])
      if (doneStates.includes(status)) await updateFreed(context, [planId, id])
    },

    async blockNodes(planId, nodes, now) {
      const blocked: Pick<NodeRecord, 'id' | 'name' | 'sessionId'>[] = []
      for (const [reason, same] of Map.groupBy(nodes, (node) => node.reason))
        for (const some of inPortions(same)) {
          const rows = await db
            .updateTable('plan_nodes')
            .set({ status: 'blocked', reason: keepable(reason), updated_at: now })
            .where('plan_id', '=', planId)
            .where(
              'id',
              'in',
              some.map(({ id }) => id),
            )
            .where('status', '=', 'pending')
            .returning(['id', 'name', 'session_id'])
            .execute()
          for (const { id, name, session_id: sessionId } of rows)
            blocked.push({ id, name, sessionId: sessionId ?? undefined })
        }
      return blocked
    },

    async listBlockedBy(planId, ids) {
      const found = new Set<number>()
      for (const slice of inPortions(ids)) {
        const some = sql.join(slice)
        const { rows } = await sql<{ id: number }>`
          select node.id from plan_dependencies as edge
          join plan_nodes as node on node.plan_id = edge.plan_id and node.id = edge.node_id
          where edge.plan_id = ${planId} and edge.on_id in (${some}) and node.status = 'blocked'
          union
          select node.id from plan_nodes as child
          join plan_nodes as node on node.plan_id = child.plan_id and node.id = child.parent_id
          where child.plan_id = ${planId} and child.id in (${some}) and node.status = 'blocked'
        `.execute(db)
        for (const { id } of rows) found.add(id)
      }
      return [...found]
    },
  }
}

const isOpen = `status not in (${doneStates.map((status) => `'${status}'`).join(', ')})`

// the last one of them is likely to be done last, so that it is not looked for again after each
const unmet = `coalesce(
  (select edge.on_id from plan_dependencies as edge
    join plan_nodes as needed on needed.plan_id = edge.plan_id and needed.id = edge.on_id
    where edge.plan_id = node.plan_id and edge.node_id = node.id and needed.${isOpen}
    order by edge.on_id desc limit 1),
  (select below.id from plan_nodes as below
    where below.plan_id = node.plan_id and below.parent_id = node.id and below.${isOpen}
    order by below.sort desc limit 1)
)`

type CandidateRow = { id: number; parent_id: number; sort: number; unmet: number | null }
const selectCandidates = statement<CandidateRow>(`
  select node.id, node.parent_id, node.sort, ${unmet} as unmet from plan_nodes as node
  where node.plan_id = ? and node.status = 'pending' and node.waits_for = 0
    and (node.parent_id, node.sort) > (cast(? as bigint), cast(? as bigint))
  order by node.parent_id, node.sort limit ?
`)
const selectWaitingForRunning = statement<{ id: number; parent_id: number }>(`
  select node.id, node.parent_id from plan_nodes as going
  join plan_dependencies as edge on edge.plan_id = going.plan_id and edge.on_id = going.id
  join plan_nodes as node on node.plan_id = edge.plan_id and node.id = edge.node_id
  where going.plan_id = ? and going.status = 'running' and node.status = 'pending'
  union
  select node.id, node.parent_id from plan_nodes as going
  join plan_nodes as node on node.plan_id = going.plan_id and node.id = going.parent_id
  where going.plan_id = ? and going.status = 'running' and node.status = 'pending'
  limit 100
`)
const updateState = statement(`
  update plan_nodes set status = ?, reason = ?, result = ?, cost = ?, session_id = ?, run_id = ?, updated_at = ?
  where plan_id = ? and id = ?
`)
