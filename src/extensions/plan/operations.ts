import type { Calls } from '../../core/operations/calls.ts'
import { operationsOf } from '../../core/operations/operation.ts'
import { inScopeSchema, wholeNumber } from '../../core/protocol/names.ts'
import {
  createNodeSchema,
  doneNodeSchema,
  messageNodeSchema,
  moveNodeSchema,
  nodeChangedSchema,
  nodeParam,
  planNodeSchema,
  resetNodeSchema,
  skipNodeSchema,
  stopNodeSchema,
  updateNodeSchema,
} from './protocol/plan-node.ts'
import {
  decomposePlanSchema,
  executePlanSchema,
  planRunListQuerySchema,
  planRunPageSchema,
  planRunSchema,
  runNodeSchema,
} from './protocol/plan-run.ts'
import {
  createPlanSchema,
  importMarkdownSchema,
  outlineQuerySchema,
  planChangedSchema,
  planListQuerySchema,
  planMarkdownSchema,
  planOutlineSchema,
  planPageSchema,
  planResultsQuerySchema,
  planResultsSchema,
  planSchema,
  planTreeSchema,
  planVersionListQuerySchema,
  planVersionPageSchema,
  treeQuerySchema,
  undoPlanSchema,
  updatePlanSchema,
} from './protocol/plan.ts'
import type { PlanDeps } from './plan-service.ts'
import { addPlanNode, deletePlanNode, movePlanNode, updatePlanNode } from './edit-nodes.ts'
import { exportMarkdown, importMarkdown } from './export-import-markdown.ts'
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
import { acceptNode, resetNode, skipNode } from './node-status.ts'
import { readNode, readOutline, readResults, readTree } from './tree.ts'
import { listPlanVersions, undoPlan } from './versions.ts'

const plans = operationsOf<PlanDeps>('plans')
const runs = operationsOf<PlanDeps>('plan runs')

const params = { nodeId: nodeParam }
const nodeActionSchema = inScopeSchema.meta({ id: 'PlanNodeAction' })
const runActionSchema = inScopeSchema.meta({ id: 'PlanRunAction' })
const begins = {
  output: planRunSchema,
  status: 202,
  returns: 'The run, which continues',
  refuses: { 429: 'Too many background sessions are running' },
} as const

export const planOperations = {
  /** What was changed last comes first. */
  list: plans.read('/api/plans', {
    summary: 'List plans without their nodes, last changed first',
    input: planListQuerySchema,
    output: planPageSchema,
    returns: 'A page of plans',
    run: ({ tx, pages, caller }, _, filter) => listPlans(tx, pages, caller, filter),
  }),
  create: plans.write('POST', '/api/plans', {
    summary: 'Create a plan, empty or from a list of tasks in Markdown',
    body: 'large',
    input: createPlanSchema,
    output: planSchema,
    status: 201,
    returns: 'The plan',
    run: ({ tx, deps, caller }, _, input) => createPlan(tx, deps, caller, input),
  }),
  get: plans.read('/api/plans/{id}', {
    summary: 'Get a plan and its progress',
    output: planSchema,
    returns: 'The plan',
    run: ({ tx, caller }, { id }) => getPlan(tx, caller, id),
  }),
  update: plans.write('PATCH', '/api/plans/{id}', {
    summary: 'Change the title, the description or the metadata of a plan',
    input: updatePlanSchema,
    output: planSchema,
    returns: 'The plan as it is now',
    run: ({ tx, caller }, { id }, patch) => updatePlan(tx, caller, id, patch),
  }),
  /** With its nodes and versions; sessions that were bound to it are not any more. Refused while it is worked on. */
  delete: plans.remove('/api/plans/{id}', {
    summary: 'Delete a plan with its nodes and versions; 409 while a run works on it',
    returns: 'It is deleted',
    run: ({ tx, caller }, { id }) => deletePlan(tx, caller, id),
  }),
  tree: plans.read('/api/plans/{id}/tree', {
    summary: 'List all nodes of a plan, or one with all below it, in the order of the tree',
    input: treeQuerySchema,
    output: planTreeSchema,
    returns: 'The plan and its nodes',
    run: ({ tx, caller }, { id }, bounds) => readTree(tx, caller, id, bounds),
  }),
  outline: plans.read('/api/plans/{id}/outline', {
    summary: 'Get a plan in lines, as models read it',
    input: outlineQuerySchema,
    output: planOutlineSchema,
    returns: 'The lines',
    run: ({ tx, caller }, { id }, bounds) => readOutline(tx, caller, id, bounds),
  }),
  /** As a list of tasks in Markdown, which `importMarkdown` takes. */
  markdown: plans.read('/api/plans/{id}/markdown', {
    summary: 'Get a plan as a list of tasks in Markdown, which can be imported again',
    output: planMarkdownSchema,
    returns: 'The text',
    run: ({ tx, caller }, { id }) => exportMarkdown(tx, caller, id),
  }),
  importMarkdown: plans.write('POST', '/api/plans/{id}/import', {
    summary: 'Add the items of a Markdown list as nodes; all of them or none',
    body: 'large',
    input: importMarkdownSchema,
    output: planChangedSchema,
    returns: 'The version and the nodes that were added',
    run: ({ tx, deps, caller }, { id }, input) => importMarkdown(tx, deps, caller, id, input),
  }),
  results: plans.read('/api/plans/{id}/results', {
    summary: 'List the results of the nodes of a plan',
    input: planResultsQuerySchema,
    output: planResultsSchema,
    returns: 'In the order of the tree',
    run: ({ tx, caller }, { id }, filter) => readResults(tx, caller, id, filter),
  }),
  /** Newest first. */
  versions: plans.read('/api/plans/{id}/versions', {
    summary: 'List the changes of a plan and who made them, newest first',
    input: planVersionListQuerySchema,
    output: planVersionPageSchema,
    returns: 'A page of versions',
    run: ({ tx, pages, caller }, { id }, page) => listPlanVersions(tx, pages, caller, id, page),
  }),
  undo: plans.write('POST', '/api/plans/{id}/undo', {
    summary: 'Undo a version, as a change of its own',
    input: undoPlanSchema,
    output: planChangedSchema,
    returns: 'The new version and the nodes that it changed',
    run: ({ tx, deps, caller }, { id }, input) => undoPlan(tx, deps, caller, id, input),
  }),

  addNode: plans.write('POST', '/api/plans/{id}/nodes', {
    summary: 'Add a node at a place',
    input: createNodeSchema,
    output: nodeChangedSchema,
    status: 201,
    returns: 'The version and the node',
    run: ({ tx, deps, caller }, { id }, input) => addPlanNode(tx, deps, caller, id, input),
  }),
  node: plans.read('/api/plans/{id}/nodes/{nodeId}', {
    summary: 'Get a node with its context and its result',
    params,
    output: planNodeSchema,
    returns: 'The node',
    run: ({ tx, caller }, { id, nodeId }) => readNode(tx, caller, id, nodeId),
  }),
  updateNode: plans.write('PATCH', '/api/plans/{id}/nodes/{nodeId}', {
    summary: 'Change the text, the dependencies or the checks of a node',
    params,
    input: updateNodeSchema,
    output: nodeChangedSchema,
    returns: 'The version and the node',
    run: ({ tx, deps, caller }, { id, nodeId }, patch) =>
      updatePlanNode(tx, deps, caller, { planId: id, nodeId }, patch),
  }),
  /** With all below it. */
  deleteNode: plans.write('DELETE', '/api/plans/{id}/nodes/{nodeId}', {
    summary: 'Delete a node with all below it; 409 while one of them is running',
    params,
    input: inScopeSchema.extend({ baseVersion: wholeNumber(0).optional() }),
    output: planChangedSchema,
    returns: 'The version and the nodes that are gone',
    run: ({ tx, deps, caller }, { id, nodeId }, base) =>
      deletePlanNode(tx, deps, caller, { planId: id, nodeId }, base),
  }),
  moveNode: plans.write('POST', '/api/plans/{id}/nodes/{nodeId}/move', {
    summary: 'Move a node with all below it to another place',
    params,
    input: moveNodeSchema,
    output: nodeChangedSchema,
    requiresBody: true,
    returns: 'The version and the node',
    run: ({ tx, deps, caller }, { id, nodeId }, place) =>
      movePlanNode(tx, deps, caller, { planId: id, nodeId }, place),
  }),
  /** It counts as done for those that wait for it. */
  skipNode: plans.write('POST', '/api/plans/{id}/nodes/{nodeId}/skip', {
    summary: 'Skip a node: it counts as done for those that wait for it',
    params,
    input: skipNodeSchema,
    output: planChangedSchema,
    returns: 'The version and the nodes that were changed',
    run: ({ tx, deps, caller }, { id, nodeId }, wish) =>
      skipNode(tx, deps, caller, { planId: id, nodeId }, wish),
    after: ({ deps, caller }, { id, nodeId }) => stopLeft(deps, caller, { planId: id, nodeId }),
  }),
  resetNode: plans.write('POST', '/api/plans/{id}/nodes/{nodeId}/reset', {
    summary: 'Make a node pending again; its result is removed',
    params,
    input: resetNodeSchema,
    output: planChangedSchema,
    returns: 'The version and the nodes that were changed',
    run: ({ tx, deps, caller }, { id, nodeId }, wish) =>
      resetNode(tx, deps, caller, { planId: id, nodeId }, wish),
  }),
  /** A node that is partial, refused or failed counts as done all the same. */
  acceptNode: plans.write('POST', '/api/plans/{id}/nodes/{nodeId}/accept', {
    summary: 'Let a node that failed its checks count as done',
    params,
    input: nodeActionSchema,
    output: planNodeSchema,
    returns: 'The node',
    async run({ tx, deps, caller }, { id, nodeId }) {
      const node = await acceptNode(tx, deps, caller, { planId: id, nodeId })
      return toPlanNode(node, await findNodePlace(tx, id, node))
    },
  }),
  /** Ends its session; refused with `conflict` when it is not running. */
  stopNode: plans.write('POST', '/api/plans/{id}/nodes/{nodeId}/stop', {
    summary: 'Stop the session of a node; the run continues with what does not wait for it',
    params,
    input: stopNodeSchema,
    output: planNodeSchema,
    // the node itself recognises a repeated call
    keepsKeys: false,
    returns: 'The node; it has failed as soon as it has ended',
    run: ({ deps, caller }, { id, nodeId }) => stopNode(deps, caller, { planId: id, nodeId }),
  }),
  /** Sends a message to its session. */
  messageNode: plans.write('POST', '/api/plans/{id}/nodes/{nodeId}/message', {
    summary: 'Send a message to the session of a running node',
    params,
    input: messageNodeSchema,
    output: planNodeSchema,
    returns: 'The node',
    run: ({ tx, deps, caller }, { id, nodeId }, input) =>
      messageNode(tx, deps, caller, { planId: id, nodeId }, input),
  }),
  /** A person did it: the note is its result, and what is open below it was done with it. */
  doneNode: plans.write('POST', '/api/plans/{id}/nodes/{nodeId}/done', {
    summary: 'Mark a node as done by a person; the note is its result',
    params,
    input: doneNodeSchema,
    output: nodeChangedSchema,
    returns: 'The version and the node',
    run: ({ tx, deps, caller }, { id, nodeId }, input) =>
      markDone(tx, deps, caller, { planId: id, nodeId }, input),
    after: ({ deps, caller }, { id, nodeId }) => stopLeft(deps, caller, { planId: id, nodeId }),
  }),

  execute: runs.write('POST', '/api/plans/{id}/execute', {
    ...begins,
    summary: 'Execute a plan, or one node and all below it',
    input: executePlanSchema,
    run: ({ tx, deps, caller }, { id }, wish) => executePlan(tx, deps, caller, id, wish),
  }),
  runNode: runs.write('POST', '/api/plans/{id}/nodes/{nodeId}/run', {
    ...begins,
    summary: 'Execute one node',
    params,
    input: runNodeSchema,
    run: ({ tx, deps, caller }, { id, nodeId }, wish) =>
      runNode(tx, deps, caller, { planId: id, nodeId }, wish),
  }),
  decompose: runs.write('POST', '/api/plans/{id}/decompose', {
    ...begins,
    summary: 'Let a model break a plan or a node down into smaller nodes',
    input: decomposePlanSchema,
    run: ({ tx, deps, caller }, { id }, wish) => decomposePlan(tx, deps, caller, id, wish),
  }),
  /** Newest first. */
  runs: runs.read('/api/plan-runs', {
    summary: 'List runs of plans, newest first',
    input: planRunListQuerySchema,
    output: planRunPageSchema,
    returns: 'A page of runs',
    run: ({ tx, pages, caller }, _, filter) => listPlanRuns(tx, pages, caller, filter),
  }),
  getRun: runs.read('/api/plan-runs/{id}', {
    summary: 'Get a run with all its steps',
    output: planRunSchema,
    returns: 'The run',
    run: ({ tx, caller }, { id }) => requirePlanRun(tx, caller.scope, id),
  }),
  /** Refused with `conflict` when it has ended. */
  cancelRun: runs.write('POST', '/api/plan-runs/{id}/cancel', {
    summary: 'Cancel a run and all that it started',
    input: runActionSchema,
    output: planRunSchema,
    // the run itself recognises a repeated cancel
    keepsKeys: false,
    returns: 'The run',
    run: ({ deps, caller }, { id }) => cancelPlanRun(deps, caller, id),
  }),
  /** Repeats the actions of a failed run that were not done, as a new run. */
  retryRun: runs.write('POST', '/api/plan-runs/{id}/retry', {
    ...begins,
    summary: 'Repeat the actions of a run that were not done, as a run of its own',
    input: runActionSchema,
    run: ({ tx, deps, caller }, { id }) => retryPlanRun(tx, deps, caller, id),
  }),
}

/** Plans of a scope, their nodes and runs. */
export type Plans = Calls<typeof planOperations>
