import { z } from 'zod'
import { flag, idSchema, labelSchema, listOf, scopeSchema, timestampSchema, wholeNumber } from './names.ts'
import type { InScope } from './sessions.ts'

export const nodeStatuses = ['pending', 'running', 'completed', 'failed', 'skipped', 'blocked'] as const
export const planRunTypes = ['actions', 'execute', 'decompose'] as const
export const planRunStatuses = [
  'pending',
  'running',
  'paused',
  'completed',
  'failed',
  'timeout',
  'cancelled',
  'interrupted',
] as const
export const planStepStatuses = [
  'pending',
  'running',
  'paused',
  'completed',
  'failed',
  'skipped',
  'cancelled',
] as const
export const actionKinds = [
  'plan_operation',
  'task_operation',
  'context_request',
  'system_operation',
  'tool_operation',
] as const

export const maxInstruction = 50_000
export const maxDependencies = 100
export const maxMarkdown = 2_000_000

const jsonObjectSchema = z.record(z.string().max(200), z.unknown())
export const nodeIdSchema = z.int().min(1).max(1e9)
/** A node in a path or a query. */
export const nodeParam = wholeNumber(1, 1e9)

const titleSchema = labelSchema.refine((text) => text.trim() !== '', 'must not be empty')
const descriptionSchema = z.string().max(20_000)
const instructionSchema = z.string().max(maxInstruction)

export const nodeContextSchema = z.strictObject({
  combined: z.string().max(200_000).optional(),
  sections: z
    .array(z.strictObject({ title: labelSchema, content: z.string().max(200_000) }))
    .max(100)
    .optional(),
})
const acceptanceSchema = z
  .array(z.string().min(1).max(2_000))
  .max(50)
  .meta({ description: 'Checks such as "file_nonempty:report.md"; one that begins with "?" only warns' })
const dependenciesSchema = listOf(nodeIdSchema, maxDependencies, { type: 'integer' })

export const nodeCheckSchema = z
  .object({ check: z.string(), passed: z.boolean(), warning: z.boolean().optional(), message: z.string() })
  .meta({ id: 'PlanNodeCheck' })
export type NodeCheck = z.infer<typeof nodeCheckSchema>

/** What came of doing a node. */
export const nodeResultSchema = z
  .object({
    status: z.string().meta({ description: 'success, partial, failed, timeout, cancelled or interrupted' }),
    output: z.string(),
    structuredData: z.unknown().optional(),
    artifacts: z.array(z.string()).optional(),
    source: z.string().optional(),
    degraded: z.boolean().optional(),
    error: z.string().optional(),
    checks: z.array(nodeCheckSchema).optional(),
    accepted: z.boolean().optional().meta({ description: 'A person said that it will do' }),
    inputTokens: z.number().optional(),
    outputTokens: z.number().optional(),
    attempts: z.int().optional(),
    durationMs: z.number().optional(),
  })
  .meta({ id: 'PlanNodeResult' })
export type NodeResult = z.infer<typeof nodeResultSchema>

const treeNodeFields = {
  id: nodeIdSchema.meta({ description: 'A small number that no other node of the plan ever had' }),
  parentId: z.int().nonnegative().meta({ description: '0 at the top' }),
  depth: z.int().nonnegative(),
  position: z.int().nonnegative().meta({ description: 'Among the children of its parent' }),
  name: z.string(),
  instruction: z.string(),
  status: z.enum(nodeStatuses),
  reason: z.string().optional().meta({ description: 'Why it is skipped, blocked or failed' }),
  dependencies: z.array(nodeIdSchema).meta({ description: 'Nodes that have to be done before' }),
  acceptance: z.array(z.string()).optional(),
  metadata: jsonObjectSchema,
  hasResult: z.boolean(),
  cost: z.number().optional().meta({ description: 'In the currency of the prices' }),
  tokens: z.number().optional(),
  sessionId: idSchema.optional().meta({ description: 'The background session that does or did it' }),
  runId: idSchema.optional().meta({ description: 'The run of that session' }),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
}
export const treeNodeSchema = z.object(treeNodeFields).meta({ id: 'PlanTreeNode' })
export type TreeNode = z.infer<typeof treeNodeSchema>

export const planNodeSchema = z
  .object({ ...treeNodeFields, context: nodeContextSchema.optional(), result: nodeResultSchema.optional() })
  .meta({ id: 'PlanNode' })
export type PlanNode = z.infer<typeof planNodeSchema>

const countsSchema = z.partialRecord(z.enum(nodeStatuses), z.int())

export const planSchema = z
  .object({
    id: idSchema,
    scope: scopeSchema,
    title: z.string(),
    description: z.string(),
    metadata: jsonObjectSchema,
    version: z.int().nonnegative().meta({ description: 'Grows with every change of the tree' }),
    nodeCount: z.int().nonnegative(),
    counts: countsSchema.meta({ description: 'Nodes by status' }),
    cost: z.number().optional(),
    activeRunId: idSchema.optional().meta({ description: 'A run that works on it now' }),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: 'Plan' })
export type Plan = z.infer<typeof planSchema>

export const planPageSchema = z
  .object({ items: z.array(planSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'PlanPage' })
export type PlanPage = z.infer<typeof planPageSchema>

export const planTreeSchema = z
  .object({ plan: planSchema, nodes: z.array(treeNodeSchema) })
  .meta({ id: 'PlanTree', description: 'Nodes in the order of the tree, parents before their children' })
export type PlanTree = z.infer<typeof planTreeSchema>

export const planOutlineSchema = z
  .object({ version: z.int(), outline: z.string() })
  .meta({ id: 'PlanOutline' })
export type PlanOutline = z.infer<typeof planOutlineSchema>

export const planMarkdownSchema = z.object({ markdown: z.string() }).meta({ id: 'PlanMarkdown' })

export const planListQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  q: z.string().min(1).max(200).optional().meta({ description: 'A part of the title' }),
  limit: wholeNumber(1).optional(),
  cursor: z.string().max(500).optional(),
})
export type PlanListQuery = z.infer<typeof planListQuerySchema>

export const createPlanSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    title: titleSchema,
    description: descriptionSchema.optional(),
    metadata: jsonObjectSchema.optional(),
    markdown: z
      .string()
      .max(maxMarkdown)
      .optional()
      .meta({ description: 'A todo list that becomes its nodes' }),
  })
  .meta({ id: 'CreatePlan' })
export type CreatePlan = z.infer<typeof createPlanSchema>

export const updatePlanSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    title: titleSchema.optional(),
    description: descriptionSchema.optional(),
    metadata: jsonObjectSchema
      .optional()
      .meta({ description: 'Merged with what is there; null takes a key away' }),
  })
  .meta({ id: 'UpdatePlan' })
export type UpdatePlan = z.infer<typeof updatePlanSchema>

export const outlineQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  maxDepth: wholeNumber(0, 100).optional().meta({ description: 'Default 4' }),
  maxNodes: wholeNumber(1, 2_000).optional().meta({ description: 'Default 60' }),
})
export type OutlineQuery = z.infer<typeof outlineQuerySchema>

export const treeQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  node: nodeParam.optional().meta({ description: 'Only this node and what is below it' }),
  maxDepth: wholeNumber(0, 1_000).optional().meta({ description: 'Levels below it; default: all' }),
})
export type TreeQuery = z.infer<typeof treeQuerySchema>

/** Where a node goes: one of `parentId` (with or without `position`), `before` and `after`. */
const placeFields = {
  parentId: z.int().nonnegative().max(1e9).optional().meta({ description: '0 is the top' }),
  position: z
    .union([z.int().nonnegative().max(1e6), z.enum(['first_child', 'last_child'])])
    .optional()
    .meta({ description: 'Among the children of `parentId`; default last_child' }),
  before: nodeIdSchema.optional(),
  after: nodeIdSchema.optional(),
}
export type PlaceWish = { [Key in keyof typeof placeFields]?: z.infer<(typeof placeFields)[Key]> }

const baseVersion = z
  .int()
  .nonnegative()
  .optional()
  .meta({ description: 'Refused when the plan was changed since this version' })

const nodeFields = {
  instruction: instructionSchema.optional(),
  metadata: jsonObjectSchema.optional(),
  dependencies: dependenciesSchema.optional(),
  acceptance: acceptanceSchema.optional(),
}

export const createNodeSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    name: titleSchema,
    ...nodeFields,
    context: nodeContextSchema.optional(),
    ...placeFields,
    baseVersion,
  })
  .meta({ id: 'CreatePlanNode' })
export type CreateNode = z.infer<typeof createNodeSchema>

export const updateNodeSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    name: titleSchema.optional(),
    ...nodeFields,
    context: nodeContextSchema.nullable().optional(),
    baseVersion,
  })
  .meta({ id: 'UpdatePlanNode', description: 'What is not named stays; metadata are merged' })
export type UpdateNode = z.infer<typeof updateNodeSchema>

export const moveNodeSchema = z
  .strictObject({ scope: scopeSchema.optional(), ...placeFields, baseVersion })
  .meta({ id: 'MovePlanNode' })
export type MoveNode = z.infer<typeof moveNodeSchema>

export const importMarkdownSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    markdown: z.string().min(1).max(maxMarkdown),
    parentId: placeFields.parentId,
    baseVersion,
  })
  .meta({ id: 'ImportPlanMarkdown' })
export type ImportMarkdown = z.infer<typeof importMarkdownSchema>

/** What a change of the tree made. */
export const nodeChangedSchema = z
  .object({ version: z.int(), node: planNodeSchema })
  .meta({ id: 'PlanNodeChanged' })
export type NodeChanged = z.infer<typeof nodeChangedSchema>
export const planChangedSchema = z
  .object({ version: z.int(), nodeIds: z.array(nodeIdSchema) })
  .meta({ id: 'PlanChanged' })
export type PlanChanged = z.infer<typeof planChangedSchema>

export const planVersionSchema = z
  .object({
    version: z.int().positive(),
    action: z.string(),
    author: z.string(),
    sessionId: idSchema.optional(),
    undoes: z.int().optional().meta({ description: 'The version that it takes back' }),
    nodes: z
      .array(
        z.object({ id: nodeIdSchema, name: z.string(), change: z.enum(['added', 'changed', 'deleted']) }),
      )
      .meta({ description: 'The first 100 of them' }),
    createdAt: timestampSchema,
  })
  .meta({ id: 'PlanVersion' })
export type PlanVersion = z.infer<typeof planVersionSchema>

export const planVersionPageSchema = z
  .object({ items: z.array(planVersionSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'PlanVersionPage' })
export type PlanVersionPage = z.infer<typeof planVersionPageSchema>

export const planVersionListQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  limit: wholeNumber(1).optional(),
  cursor: z.string().max(500).optional(),
})
export type PlanVersionListQuery = z.infer<typeof planVersionListQuerySchema>

export const undoPlanSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    version: z.int().positive().optional().meta({ description: 'Default: the newest that is not an undo' }),
  })
  .meta({ id: 'UndoPlan' })
export type UndoPlan = z.infer<typeof undoPlanSchema>

// -- runs

export const retryPolicySchema = z.strictObject({
  max_retries: z.int().min(0).max(10).default(0),
  backoff_sec: z.number().min(0).max(3_600).default(0),
})

export const planStepSchema = z
  .object({
    number: z.int().positive(),
    type: z.enum(['action', 'node', 'expand']),
    nodeId: nodeIdSchema.optional(),
    title: z.string(),
    kind: z.enum(actionKinds).optional(),
    name: z.string().optional(),
    parameters: jsonObjectSchema.optional(),
    blocking: z.boolean().optional(),
    status: z.enum(planStepStatuses),
    attempts: z.int().nonnegative(),
    message: z.string().optional().meta({ description: 'What came of it, in a sentence' }),
    result: z.unknown().optional(),
    error: z.string().optional(),
    approvalId: idSchema.optional().meta({ description: 'The question that it waits for' }),
    sessionId: idSchema.optional(),
    runId: idSchema.optional(),
    retryAt: timestampSchema.optional(),
    startedAt: timestampSchema.optional(),
    finishedAt: timestampSchema.optional(),
  })
  .meta({ id: 'PlanStep' })
export type PlanStep = z.infer<typeof planStepSchema>

const planRunFields = {
  id: idSchema,
  scope: scopeSchema,
  type: z.enum(planRunTypes),
  planId: idSchema.optional(),
  sessionId: idSchema.meta({ description: 'The session whose tasks the nodes are' }),
  chatSessionId: idSchema.optional().meta({ description: 'The conversation that it comes from' }),
  messageId: z.string().optional().meta({ description: 'The answer whose actions it does' }),
  parentRunId: idSchema.optional(),
  status: z.enum(planRunStatuses),
  error: z.string().optional(),
  summary: z.string().optional(),
  createdAt: timestampSchema,
  startedAt: timestampSchema.optional(),
  finishedAt: timestampSchema.optional(),
}
export const planRunSummarySchema = z.object(planRunFields).meta({ id: 'PlanRunSummary' })
export type PlanRunSummary = z.infer<typeof planRunSummarySchema>

export const planRunSchema = z
  .object({ ...planRunFields, steps: z.array(planStepSchema) })
  .meta({ id: 'PlanRun' })
export type PlanRun = z.infer<typeof planRunSchema>

export const planRunPageSchema = z
  .object({ items: z.array(planRunSummarySchema), nextCursor: z.string().nullable() })
  .meta({ id: 'PlanRunPage' })
export type PlanRunPage = z.infer<typeof planRunPageSchema>

export const planRunListQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  plan: idSchema.optional(),
  session: idSchema.optional().meta({ description: 'The conversation that they come from' }),
  type: z.enum(planRunTypes).optional(),
  limit: wholeNumber(1).optional(),
  cursor: z.string().max(500).optional(),
})
export type PlanRunListQuery = z.infer<typeof planRunListQuerySchema>

const executeFields = {
  rerun: z.boolean().optional().meta({ description: 'Does again what is completed or skipped too' }),
  onFailure: z
    .enum(['continue', 'stop'])
    .optional()
    .meta({ description: 'Default continue: what does not wait for the failed one goes on' }),
  maxParallel: z.int().min(1).max(100).optional(),
  maxRetries: z.int().min(0).max(10).optional(),
  model: z.string().min(1).max(200).optional(),
}

export const executePlanSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    nodeId: nodeIdSchema
      .optional()
      .meta({ description: 'This node and all below it; default: the whole plan' }),
    ...executeFields,
  })
  .meta({ id: 'ExecutePlan' })
export type ExecutePlan = z.infer<typeof executePlanSchema>

export const runNodeSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    ...executeFields,
    subtree: z.boolean().optional().meta({ description: 'Also what is below it; default false' }),
    withDependencies: z
      .boolean()
      .optional()
      .meta({ description: 'Also what it waits for and is not done; without it, that is a conflict' }),
    cascade: z
      .boolean()
      .optional()
      .meta({ description: 'Goes on with the nodes that it had blocked; default true' }),
  })
  .meta({ id: 'RunPlanNode' })
export type RunNode = z.infer<typeof runNodeSchema>

export const skipNodeSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    subtree: z.boolean().optional().meta({ description: 'Also what is below it; default true' }),
    reason: z.string().max(2_000).optional(),
  })
  .meta({ id: 'SkipPlanNode' })
export type SkipNode = z.infer<typeof skipNodeSchema>

export const resetNodeSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    subtree: z.boolean().optional().meta({ description: 'Also what is below it; default true' }),
  })
  .meta({ id: 'ResetPlanNode', description: 'Back to pending; what came of it is forgotten' })
export type ResetNode = z.infer<typeof resetNodeSchema>

export const decomposePlanSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    nodeId: nodeIdSchema.optional().meta({ description: 'Default: the whole plan' }),
    expandDepth: z.int().min(1).max(10).optional().meta({ description: 'Levels to add; default 2' }),
    minChildren: z.int().min(1).max(20).optional().meta({ description: 'Default 2' }),
    maxChildren: z.int().min(1).max(20).optional().meta({ description: 'Default 5' }),
    nodeBudget: z.int().min(1).max(1_000).optional().meta({ description: 'Nodes in all; default 50' }),
    allowExistingChildren: z.boolean().optional(),
    model: z.string().min(1).max(200).optional(),
  })
  .meta({ id: 'DecomposePlan' })
export type DecomposePlan = z.infer<typeof decomposePlanSchema>

export const planResultsSchema = z
  .object({
    items: z.array(
      z.object({
        nodeId: nodeIdSchema,
        name: z.string(),
        status: z.enum(nodeStatuses),
        reason: z.string().optional(),
        result: nodeResultSchema.optional(),
        cost: z.number().optional(),
        sessionId: idSchema.optional(),
      }),
    ),
    counts: countsSchema,
    cost: z.number().optional(),
  })
  .meta({ id: 'PlanResults', description: 'In the order of the tree; nodes that came to something' })
export type PlanResults = z.infer<typeof planResultsSchema>

export const planResultsQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  all: flag.optional().meta({ description: 'Also nodes without a result' }),
})
export type PlanResultsQuery = z.infer<typeof planResultsQuerySchema>

/** The `data-plan` part of an answer: what is done because of it. Brought up to date when the run goes on. */
export interface PlanTurn {
  planId?: string
  runId?: string
  status: 'none' | PlanRun['status']
  actions: Pick<PlanStep, 'number' | 'kind' | 'name' | 'parameters' | 'status' | 'message'>[]
  /** One line per action. */
  summary?: string
  suggestions: string[]
  /** Of the suggestions. */
  language?: 'en' | 'zh'
}

/** Trees of work of a scope, and what is done with them. */
export interface Plans {
  /** What was changed last comes first. */
  list(query?: PlanListQuery): Promise<PlanPage>
  get(id: string, options?: InScope): Promise<Plan>
  create(input: CreatePlan): Promise<Plan>
  update(id: string, input: UpdatePlan): Promise<Plan>
  /** With its nodes and versions; sessions that were bound to it are not any more. Refused while it is worked on. */
  delete(id: string, options?: InScope): Promise<void>
  tree(id: string, query?: TreeQuery): Promise<PlanTree>
  outline(id: string, query?: OutlineQuery): Promise<PlanOutline>
  /** As a list of tasks in Markdown, which `importMarkdown` takes. */
  markdown(id: string, options?: InScope): Promise<{ markdown: string }>
  importMarkdown(id: string, input: ImportMarkdown): Promise<PlanChanged>
  results(id: string, query?: PlanResultsQuery): Promise<PlanResults>

  node(id: string, nodeId: number, options?: InScope): Promise<PlanNode>
  addNode(id: string, input: CreateNode): Promise<NodeChanged>
  updateNode(id: string, nodeId: number, input: UpdateNode): Promise<NodeChanged>
  moveNode(id: string, nodeId: number, input: MoveNode): Promise<NodeChanged>
  /** With all below it. */
  deleteNode(id: string, nodeId: number, options?: InScope & { baseVersion?: number }): Promise<PlanChanged>
  /** It counts as done for those that wait for it. */
  skipNode(id: string, nodeId: number, input?: SkipNode): Promise<PlanChanged>
  resetNode(id: string, nodeId: number, input?: ResetNode): Promise<PlanChanged>
  /** A node that failed its checks counts as done all the same. */
  acceptNode(id: string, nodeId: number, options?: InScope): Promise<PlanNode>

  /** Newest first. */
  versions(id: string, query?: PlanVersionListQuery): Promise<PlanVersionPage>
  undo(id: string, input?: UndoPlan): Promise<PlanChanged>

  execute(id: string, input?: ExecutePlan): Promise<PlanRun>
  runNode(id: string, nodeId: number, input?: RunNode): Promise<PlanRun>
  decompose(id: string, input?: DecomposePlan): Promise<PlanRun>
  /** Newest first. */
  runs(query?: PlanRunListQuery): Promise<PlanRunPage>
  getRun(id: string, options?: InScope): Promise<PlanRun>
  /** Refused with `conflict` when it is over. */
  cancelRun(id: string, options?: InScope): Promise<PlanRun>
  /** Of a run of actions that failed: those that were not done, again, as a run of its own. */
  retryRun(id: string, options?: InScope): Promise<PlanRun>
}
