import { z } from 'zod'
import {
  createPlanSchema,
  importMarkdownSchema,
  outlineQuerySchema,
  planListQuerySchema,
  planResultsQuerySchema,
  planVersionListQuerySchema,
  treeQuerySchema,
  undoPlanSchema,
  updatePlanSchema,
} from '../protocol/plan.ts'
import type { Plans } from '../protocol/plans.ts'
import {
  decomposePlanSchema,
  executePlanSchema,
  planRunListQuerySchema,
  runNodeSchema,
} from '../protocol/plan-run.ts'
import {
  createNodeSchema,
  doneNodeSchema,
  messageNodeSchema,
  moveNodeSchema,
  nodeIdSchema,
  resetNodeSchema,
  skipNodeSchema,
  updateNodeSchema,
} from '../protocol/plan-node.ts'
import type { PageLimits } from '../sessions/list.ts'
import { callerIn, check } from '../sessions/sessions.ts'
import type { PlanDeps } from './deps.ts'
import { addPlanNode, deletePlanNode, movePlanNode, updatePlanNode } from './edits.ts'
import { exportMarkdown, importMarkdown } from './exchange.ts'
import { markDone, messageNode, stopLeft, stopNode } from './node-control.ts'
import { findNodePlace, toPlanNode } from './plan-record.ts'
import { createPlan, deletePlan, getPlan, listPlans, updatePlan } from './plans.ts'
import {
  cancelPlanRun,
  decomposePlan,
  executePlan,
  listPlanRuns,
  requirePlanRun,
  retryPlanRun,
  runNode,
} from './runs.ts'
import { acceptNode, resetNode, skipNode } from './status.ts'
import { readNode, readOutline, readResults, readTree } from './tree.ts'
import { listPlanVersions, undoPlan } from './versions.ts'

/** The plans of one Parley, for the program that embeds it. Input is checked as it is over HTTP. */
export function createPlans(deps: PlanDeps, pages: PageLimits): Plans {
  const { store } = deps
  const toNodeId = (id: number) => check(nodeIdSchema, id)
  return {
    async list(query = {}) {
      const { scope, ...filter } = check(planListQuerySchema, query)
      return listPlans(store, pages, callerIn({ scope }), filter)
    },
    get: async (id, options) => getPlan(store, callerIn(options), id),
    async create(input) {
      const { scope, ...plan } = check(createPlanSchema, input)
      return createPlan(store, deps, callerIn({ scope }), plan)
    },
    async update(id, input) {
      const { scope, ...patch } = check(updatePlanSchema, input)
      return updatePlan(store, callerIn({ scope }), id, patch)
    },
    delete: async (id, options) => deletePlan(store, callerIn(options), id),
    async tree(id, query = {}) {
      const { scope, ...bounds } = check(treeQuerySchema, query)
      return readTree(store, callerIn({ scope }), id, bounds)
    },
    async outline(id, query = {}) {
      const { scope, ...bounds } = check(outlineQuerySchema, query)
      return readOutline(store, callerIn({ scope }), id, bounds)
    },
    markdown: async (id, options) => exportMarkdown(store, callerIn(options), id),
    async importMarkdown(id, input) {
      const { scope, ...text } = check(importMarkdownSchema, input)
      return importMarkdown(store, deps, callerIn({ scope }), id, text)
    },
    async results(id, query = {}) {
      const { scope, ...filter } = check(planResultsQuerySchema, query)
      return readResults(store, callerIn({ scope }), id, filter)
    },

    node: async (id, nodeId, options) => readNode(store, callerIn(options), id, toNodeId(nodeId)),
    async addNode(id, input) {
      const { scope, ...node } = check(createNodeSchema, input)
      return addPlanNode(store, deps, callerIn({ scope }), id, node)
    },
    async updateNode(id, nodeId, input) {
      const { scope, ...patch } = check(updateNodeSchema, input)
      return updatePlanNode(store, deps, callerIn({ scope }), id, toNodeId(nodeId), patch)
    },
    async moveNode(id, nodeId, input) {
      const { scope, ...place } = check(moveNodeSchema, input)
      return movePlanNode(store, deps, callerIn({ scope }), id, toNodeId(nodeId), place)
    },
    async deleteNode(id, nodeId, { scope, ...options } = {}) {
      const base = check(z.strictObject({ baseVersion: z.int().nonnegative().optional() }), options)
      return deletePlanNode(store, deps, callerIn({ scope }), id, toNodeId(nodeId), base)
    },
    async skipNode(id, nodeId, input = {}) {
      const { scope, ...wish } = check(skipNodeSchema, input)
      const caller = callerIn({ scope })
      const changed = await skipNode(store, deps, caller, id, toNodeId(nodeId), wish)
      await stopLeft(deps, caller, id, nodeId)
      return changed
    },
    async resetNode(id, nodeId, input = {}) {
      const { scope, ...wish } = check(resetNodeSchema, input)
      return resetNode(store, deps, callerIn({ scope }), id, toNodeId(nodeId), wish)
    },
    async acceptNode(id, nodeId, options) {
      const node = await acceptNode(store, deps, callerIn(options), id, toNodeId(nodeId))
      return toPlanNode(node, await findNodePlace(store, id, node))
    },

    stopNode: async (id, nodeId, options) => stopNode(deps, callerIn(options), id, toNodeId(nodeId)),
    async messageNode(id, nodeId, input) {
      const { scope, ...said } = check(messageNodeSchema, input)
      return messageNode(store, deps, callerIn({ scope }), id, toNodeId(nodeId), said)
    },
    async doneNode(id, nodeId, input) {
      const { scope, ...said } = check(doneNodeSchema, input)
      const caller = callerIn({ scope })
      const changed = await markDone(store, deps, caller, id, toNodeId(nodeId), said)
      await stopLeft(deps, caller, id, nodeId)
      return changed
    },

    async versions(id, query = {}) {
      const { scope, ...page } = check(planVersionListQuerySchema, query)
      return listPlanVersions(store, pages, callerIn({ scope }), id, page)
    },
    async undo(id, input = {}) {
      const { scope, ...wish } = check(undoPlanSchema, input)
      return undoPlan(store, deps, callerIn({ scope }), id, wish)
    },

    async execute(id, input = {}) {
      const { scope, ...wish } = check(executePlanSchema, input)
      return executePlan(store, deps, callerIn({ scope }), id, wish)
    },
    async runNode(id, nodeId, input = {}) {
      const { scope, ...wish } = check(runNodeSchema, input)
      return runNode(store, deps, callerIn({ scope }), id, toNodeId(nodeId), wish)
    },
    async decompose(id, input = {}) {
      const { scope, ...wish } = check(decomposePlanSchema, input)
      return decomposePlan(store, deps, callerIn({ scope }), id, wish)
    },
    async runs(query = {}) {
      const { scope, ...filter } = check(planRunListQuerySchema, query)
      return listPlanRuns(store, pages, callerIn({ scope }), filter)
    },
    getRun: async (id, options) => requirePlanRun(store, callerIn(options).scope, id),
    cancelRun: async (id, options) => cancelPlanRun(deps, callerIn(options), id),
    retryRun: async (id, options) => retryPlanRun(store, deps, callerIn(options), id),
  }
}
