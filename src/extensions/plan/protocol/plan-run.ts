import { z } from 'zod'
import { idSchema, scopeSchema, timestampSchema, pageFields } from '../../../core/protocol/names.ts'
import { jsonObjectSchema, nodeIdSchema } from './plan-node.ts'

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
  'partial',
  'refused',
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
  reason: z
    .enum(['budget'])
    .optional()
    .meta({ description: 'What stopped it: it used what it was allowed to' }),
  createdAt: timestampSchema,
  startedAt: timestampSchema.optional(),
  finishedAt: timestampSchema.optional(),
}

export const planRunSummarySchema = z.object(planRunFields).meta({ id: 'PlanRunSummary' })
export type PlanRunSummary = z.infer<typeof planRunSummarySchema>

export const planRunSchema = z
  .object({
    ...planRunFields,
    report: z
      .string()
      .optional()
      .meta({ description: 'Of an execution that has ended: its results, in Markdown' }),
    budget: z
      .object({
        tokens: z.number().optional(),
        cost: z.number().optional(),
        usedTokens: z.number(),
        usedCost: z.number(),
      })
      .optional()
      .meta({
        description: 'What it may use, and has used so far; missing where it has no limit of its own',
      }),
    steps: z.array(planStepSchema),
  })
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
  ...pageFields,
})
export type PlanRunListQuery = z.infer<typeof planRunListQuerySchema>

const limitFields = {
  maxTokens: z
    .int()
    .positive()
    .max(1e12)
    .optional()
    .meta({ description: 'Where the run stops; never more than plans.maxRunTokens' }),
  maxCost: z
    .number()
    .positive()
    .max(1e9)
    .optional()
    .meta({ description: 'The same in the currency of the prices; never more than plans.maxRunCost' }),
}

const executeFields = {
  rerun: z.boolean().optional().meta({ description: 'Does again what is completed or skipped too' }),
  onFailure: z
    .enum(['continue', 'stop'])
    .optional()
    .meta({ description: 'Default continue: what does not wait for the failed one continues' }),
  maxParallel: z.int().min(1).max(100).optional(),
  maxRetries: z.int().min(0).max(10).optional(),
  model: z.string().min(1).max(200).optional(),
  ...limitFields,
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
      .meta({ description: 'Continues with the nodes that it had blocked; default true' }),
  })
  .meta({ id: 'RunPlanNode' })
export type RunNode = z.infer<typeof runNodeSchema>

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
    ...limitFields,
  })
  .meta({ id: 'DecomposePlan' })
export type DecomposePlan = z.infer<typeof decomposePlanSchema>

/** The `data-plan` part of an answer: its actions and their state. Updated while the run continues. */
export interface PlanTurn {
  planId?: string
  runId?: string
  status: 'none' | PlanRun['status']
  /** The version of the plan that the actions are based on: what others changed since is not replaced. */
  version?: number
  actions: Pick<PlanStep, 'number' | 'kind' | 'name' | 'parameters' | 'status' | 'message'>[]
  /** One line per action. */
  summary?: string
  suggestions: string[]
  /** Of the suggestions. */
  language?: 'en' | 'zh'
}
