import { z } from 'zod'
import {
  idSchema,
  scopeSchema,
  timestampSchema,
  wholeNumber,
  pageFields,
  pageQuerySchema,
} from '../../../core/protocol/names.ts'

/** Parsing YAML is slow: this much takes a tenth of a second. */
export const maxDefinitionLength = 100_000

export const workflowStepTypes = [
  'agent',
  'approve',
  'transform',
  'workflow',
  'parallel',
  'foreach',
  'branch',
  'loop',
] as const
export const workflowStepStatuses = [
  'pending',
  'running',
  'paused',
  'completed',
  'failed',
  'timeout',
  'skipped',
  'cancelled',
] as const
export const workflowRunStatuses = [
  'pending',
  'running',
  'paused',
  'completed',
  'failed',
  'timeout',
  'cancelled',
  'interrupted',
] as const
export const workflowTriggers = ['api', 'tool', 'cron', 'event', 'workflow', 'rerun'] as const

const definitionTextSchema = z
  .string()
  .min(1)
  .max(maxDefinitionLength)
  .meta({ description: 'The definition in YAML or JSON' })
const argsSchema = z.record(z.string().max(200), z.unknown())

/** Something wrong with a definition. Line and column count from 1; of a text that is no YAML at all there may be none. */
export const definitionProblemSchema = z
  .object({
    message: z.string(),
    path: z.string(),
    line: z.int().optional(),
    column: z.int().optional(),
  })
  .meta({ id: 'DefinitionProblem' })
export type DefinitionProblem = z.infer<typeof definitionProblemSchema>

export const workflowArgSchema = z.object({
  description: z.string().optional(),
  type: z.enum(['string', 'number', 'boolean', 'object', 'array']).optional(),
  default: z.unknown().optional(),
})

const summaryFields = {
  id: idSchema,
  scope: scopeSchema,
  name: z.string(),
  description: z.string().optional(),
  version: z.int().positive(),
  args: z.record(z.string(), workflowArgSchema).optional().meta({ description: 'What a run is given' }),
  tags: z.array(z.string()).optional(),
  triggers: z.array(z.string()).meta({ description: 'What starts it by itself, by type' }),
  stepCount: z.int().nonnegative(),
  file: z.string().optional().meta({ description: 'The file in the folder of the scope that it is kept in' }),
  problem: z.string().optional().meta({ description: 'Why its file does not count' }),
  managementSessionId: idSchema.optional().meta({ description: 'The session that edits it' }),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
}

export const workflowSummarySchema = z.object(summaryFields).meta({ id: 'WorkflowSummary' })
export type WorkflowSummary = z.infer<typeof workflowSummarySchema>

export const workflowSchema = z.object({ ...summaryFields, text: z.string() }).meta({ id: 'Workflow' })
export type Workflow = z.infer<typeof workflowSchema>

export const workflowPageSchema = z
  .object({ items: z.array(workflowSummarySchema), nextCursor: z.string().nullable() })
  .meta({ id: 'WorkflowPage' })
export type WorkflowPage = z.infer<typeof workflowPageSchema>

export const workflowListQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  q: z.string().min(1).max(200).optional().meta({ description: 'A part of the name or of the description' }),
  ...pageFields,
})
export type WorkflowListQuery = z.infer<typeof workflowListQuerySchema>

export const createWorkflowSchema = z
  .strictObject({ scope: scopeSchema.optional(), text: definitionTextSchema })
  .meta({ id: 'CreateWorkflow' })
export type CreateWorkflow = z.infer<typeof createWorkflowSchema>

export const updateWorkflowSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    text: definitionTextSchema,
    baseVersion: z
      .int()
      .positive()
      .optional()
      .meta({ description: 'Refused when the workflow was changed since this version' }),
  })
  .meta({ id: 'UpdateWorkflow' })
export type UpdateWorkflow = z.infer<typeof updateWorkflowSchema>

export const validateWorkflowSchema = z
  .strictObject({ scope: scopeSchema.optional(), text: z.string().max(2 * maxDefinitionLength) })
  .meta({ id: 'ValidateWorkflow' })

export const workflowVerdictSchema = z
  .object({
    valid: z.boolean(),
    problems: z.array(definitionProblemSchema),
    definition: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'What was read; every step has an id' }),
  })
  .meta({ id: 'WorkflowVerdict' })
export type WorkflowVerdict = z.infer<typeof workflowVerdictSchema>

export const workflowVersionSchema = z
  .object({
    version: z.int().positive(),
    cause: z.enum(['create', 'update', 'rollback', 'file']),
    author: z.string(),
    sessionId: idSchema.optional().meta({ description: 'The session whose model saved it' }),
    createdAt: timestampSchema,
  })
  .meta({ id: 'WorkflowVersion' })
export type WorkflowVersion = z.infer<typeof workflowVersionSchema>

export const workflowVersionPageSchema = z
  .object({ items: z.array(workflowVersionSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'WorkflowVersionPage' })
export type WorkflowVersionPage = z.infer<typeof workflowVersionPageSchema>

export const workflowVersionTextSchema = workflowVersionSchema
  .extend({ text: z.string() })
  .meta({ id: 'WorkflowVersionText' })
export type WorkflowVersionText = z.infer<typeof workflowVersionTextSchema>

export const workflowVersionListQuerySchema = pageQuerySchema
export type WorkflowVersionListQuery = z.infer<typeof workflowVersionListQuerySchema>

export const workflowDiffQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  from: wholeNumber(0).optional().meta({ description: 'Default: the version before; 0 is nothing' }),
  to: wholeNumber(1).optional().meta({ description: 'Default: the newest' }),
})
export type WorkflowDiffQuery = z.infer<typeof workflowDiffQuerySchema>

export const rollbackWorkflowSchema = z
  .strictObject({ scope: scopeSchema.optional(), version: z.int().positive() })
  .meta({ id: 'RollbackWorkflow' })

/** A definition that ships with Parley. */
export const workflowTemplateSchema = z
  .object({ name: z.string(), description: z.string().optional(), text: z.string() })
  .meta({ id: 'WorkflowTemplate' })
export type WorkflowTemplate = z.infer<typeof workflowTemplateSchema>

// -- runs

export const workflowStepSchema = z
  .object({
    path: z
      .string()
      .meta({ description: 'The way to it: `review#2/write` is in the second round of `review`' }),
    stepId: z.string(),
    type: z.string().meta({
      description: `${workflowStepTypes.join(', ')}, or one that an extension has`,
    }),
    status: z.enum(workflowStepStatuses),
    attempt: z.int().positive(),
    output: z.string().optional(),
    data: z.unknown().optional(),
    artifacts: z.array(z.string()).optional(),
    degraded: z.boolean().optional().meta({ description: 'The result was not submitted, only found' }),
    approved: z.boolean().optional(),
    question: z.string().optional().meta({ description: 'What a person is asked' }),
    comment: z.string().optional().meta({ description: 'What a person said with yes or no' }),
    token: z.string().optional().meta({ description: 'What answers the question' }),
    expiresAt: timestampSchema
      .optional()
      .meta({ description: 'When the question counts as answered with no' }),
    sessionId: idSchema.optional(),
    runId: idSchema
      .optional()
      .meta({ description: 'The run of that session, or of the workflow it started' }),
    error: z.string().optional(),
    retryAt: timestampSchema.optional(),
    linkErrors: z.array(z.string()).optional().meta({ description: 'Linked actions that could not be done' }),
    reused: z.boolean().optional().meta({ description: 'Taken from the run that this one repeats' }),
    startedAt: timestampSchema.optional(),
    finishedAt: timestampSchema.optional(),
  })
  .meta({ id: 'WorkflowStep' })
export type WorkflowStep = z.infer<typeof workflowStepSchema>

const runFields = {
  id: idSchema,
  scope: scopeSchema,
  sessionId: idSchema.meta({ description: 'The session whose tasks the steps are' }),
  workflowId: idSchema.optional().meta({ description: 'Of a definition that is kept' }),
  version: z.int().positive().optional(),
  name: z.string(),
  status: z.enum(workflowRunStatuses),
  trigger: z.enum(workflowTriggers),
  parentRunId: idSchema.optional().meta({ description: 'The run whose step it is' }),
  rerunOf: idSchema.optional(),
  error: z.string().optional(),
  failedSteps: z
    .array(z.string())
    .optional()
    .meta({ description: 'Steps that failed while the run went on' }),
  createdAt: timestampSchema,
  startedAt: timestampSchema.optional(),
  finishedAt: timestampSchema.optional(),
}

export const workflowRunSummarySchema = z.object(runFields).meta({ id: 'WorkflowRunSummary' })
export type WorkflowRunSummary = z.infer<typeof workflowRunSummarySchema>

export const workflowRunSchema = z
  .object({
    ...runFields,
    args: z.record(z.string(), z.unknown()),
    text: z.string().meta({ description: 'The definition as it was when the run began' }),
    definition: z.record(z.string(), z.unknown()),
    steps: z.array(workflowStepSchema),
    output: z.string().optional().meta({ description: 'What the last step said' }),
    data: z.unknown().optional(),
  })
  .meta({ id: 'WorkflowRun' })
export type WorkflowRun = z.infer<typeof workflowRunSchema>

export const workflowRunPageSchema = z
  .object({ items: z.array(workflowRunSummarySchema), nextCursor: z.string().nullable() })
  .meta({ id: 'WorkflowRunPage' })
export type WorkflowRunPage = z.infer<typeof workflowRunPageSchema>

export const workflowRunListQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  workflow: idSchema.optional(),
  status: z.enum(workflowRunStatuses).optional(),
  ...pageFields,
})
export type WorkflowRunListQuery = z.infer<typeof workflowRunListQuerySchema>

/** The body that runs a stored definition. */
export const runWorkflowSchema = z
  .strictObject({ scope: scopeSchema.optional(), args: argsSchema.optional() })
  .meta({ id: 'RunWorkflow' })
export type RunWorkflow = z.infer<typeof runWorkflowSchema>

/** The body that runs a stored definition by its name, or an inline one. */
export const startWorkflowSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    name: z.string().min(1).max(200).optional().meta({ description: 'Of a workflow of the scope' }),
    text: definitionTextSchema.optional().meta({ description: 'In place of a name' }),
    args: argsSchema.optional(),
  })
  .refine(({ name, text }) => (name === undefined) !== (text === undefined), {
    message: 'give either a name or a text',
    path: ['name'],
    params: { rule: 'one_of', keys: ['name', 'text'] },
  })
  .meta({ id: 'StartWorkflow' })

export const resumeWorkflowSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    token: z.string().min(1).max(200),
    approved: z.boolean(),
    comment: z.string().max(10_000).optional(),
  })
  .meta({ id: 'ResumeWorkflow' })
export type ResumeWorkflow = z.infer<typeof resumeWorkflowSchema>

export const rerunWorkflowSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    fromStep: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'Id of a step of the top level; what came before it is not done again' }),
    args: argsSchema.optional().meta({ description: 'Default: those of the run; only without fromStep' }),
  })
  .meta({ id: 'RerunWorkflow' })
export type RerunWorkflow = z.infer<typeof rerunWorkflowSchema>
