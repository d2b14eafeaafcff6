import { z } from 'zod'
import {
  idSchema,
  labelSchema,
  listOf,
  scopeSchema,
  timestampSchema,
  wholeNumber,
} from '../../../core/protocol/names.ts'
import { wordings } from '../../../core/protocol/wordings.ts'

export const nodeStatuses = [
  'pending',
  'running',
  'completed',
  'partial',
  'refused',
  'failed',
  'skipped',
  'blocked',
] as const

export const maxInstruction = 50_000
export const maxDependencies = 100

export const jsonObjectSchema = z.record(z.string().max(200), z.unknown())
export const nodeIdSchema = z.int().min(1).max(1e9)
/** A node in a path or a query. */
export const nodeParam = wholeNumber(1, 1e9)

export const titleSchema = labelSchema.refine((text) => text.trim() !== '', wordings.not_blank)

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

/** Evidence of the work, independent of what the model claims. */
export const nodeEvidenceSchema = z
  .object({
    files: z.array(z.string()).meta({
      description: 'Changed by its session with the tool "file"; what commands changed is not seen',
    }),
    moreFiles: z.int().optional().meta({ description: 'So many changed files are not listed' }),
    calls: z.record(z.string(), z.int()).meta({ description: 'Calls of tools that succeeded, by name' }),
    failedCalls: z.int().optional(),
    lastWords: z.string().optional().meta({ description: 'What was said last, where it is not the output' }),
  })
  .meta({ id: 'PlanNodeEvidence' })
export type NodeEvidence = z.infer<typeof nodeEvidenceSchema>

/** The result of a node. */
export const nodeResultSchema = z
  .object({
    status: z
      .string()
      .meta({ description: 'success, partial, refused, failed, timeout, cancelled or interrupted' }),
    output: z.string(),
    structuredData: z.unknown().optional(),
    artifacts: z.array(z.string()).optional(),
    source: z.string().optional(),
    degraded: z.boolean().optional(),
    error: z.string().optional(),
    checks: z.array(nodeCheckSchema).optional(),
    evidence: nodeEvidenceSchema.optional(),
    accepted: z.boolean().optional().meta({ description: 'A person said that it will do' }),
    stale: z.array(nodeIdSchema).optional().meta({
      description: 'It rests on results of these nodes, which were replaced since or are stale themselves',
    }),
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
  reason: z
    .string()
    .optional()
    .meta({ description: 'Why it is partial, refused, failed, skipped or blocked' }),
  dependencies: z.array(nodeIdSchema).meta({ description: 'Nodes that have to be done before' }),
  acceptance: z.array(z.string()).optional(),
  metadata: jsonObjectSchema,
  hasResult: z.boolean(),
  stale: z.array(nodeIdSchema).optional().meta({
    description: 'Its result rests on these nodes, whose results were replaced since or are stale themselves',
  }),
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

/** Where a node goes: one of `parentId` (with or without `position`), `before` and `after`. */
export const placeFields = {
  parentId: z.int().nonnegative().max(1e9).optional().meta({ description: '0 is the top' }),
  position: z
    .union([z.int().nonnegative().max(1e6), z.enum(['first_child', 'last_child'])])
    .optional()
    .meta({ description: 'Among the children of `parentId`; default last_child' }),
  before: nodeIdSchema.optional(),
  after: nodeIdSchema.optional(),
}
export type PlaceWish = { [Key in keyof typeof placeFields]?: z.infer<(typeof placeFields)[Key]> }

export const baseVersion = z
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

/** What a change of the tree made. */
export const nodeChangedSchema = z
  .object({ version: z.int(), node: planNodeSchema })
  .meta({ id: 'PlanNodeChanged' })
export type NodeChanged = z.infer<typeof nodeChangedSchema>

export const skipNodeSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    subtree: z.boolean().optional().meta({ description: 'Also what is below it; default true' }),
    reason: z.string().max(2_000).optional(),
  })
  .meta({ id: 'SkipPlanNode' })
export type SkipNode = z.infer<typeof skipNodeSchema>

export const stopNodeSchema = z.strictObject({ scope: scopeSchema.optional() }).meta({ id: 'StopPlanNode' })

export const messageNodeSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    content: z
      .string()
      .min(1)
      .max(maxInstruction)
      .refine((text) => text.trim() !== '', wordings.not_blank),
  })
  .meta({ id: 'MessagePlanNode', description: 'Read by the model between two steps' })
export type MessageNode = z.infer<typeof messageNodeSchema>

export const doneNodeSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    note: z
      .string()
      .min(1)
      .max(maxInstruction)
      .refine((text) => text.trim() !== '', wordings.not_blank)
      .meta({ description: 'Its result, which other nodes build on' }),
  })
  .meta({ id: 'DonePlanNode' })
export type DoneNode = z.infer<typeof doneNodeSchema>

export const resetNodeSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    subtree: z.boolean().optional().meta({ description: 'Also what is below it; default true' }),
  })
  .meta({ id: 'ResetPlanNode', description: 'Back to pending; what came of it is forgotten' })
export type ResetNode = z.infer<typeof resetNodeSchema>
