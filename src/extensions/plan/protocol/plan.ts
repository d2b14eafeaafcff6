import { z } from 'zod'
import {
  flag,
  idSchema,
  scopeSchema,
  timestampSchema,
  wholeNumber,
  pageFields,
  pageQuerySchema,
} from '../../../core/protocol/names.ts'
import {
  baseVersion,
  jsonObjectSchema,
  nodeIdSchema,
  nodeParam,
  nodeResultSchema,
  nodeStatuses,
  placeFields,
  titleSchema,
  treeNodeSchema,
} from './plan-node.ts'

export const maxMarkdown = 2_000_000

const descriptionSchema = z.string().max(20_000)

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
  ...pageFields,
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

export const importMarkdownSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    markdown: z.string().min(1).max(maxMarkdown),
    parentId: placeFields.parentId,
    baseVersion,
  })
  .meta({ id: 'ImportPlanMarkdown' })
export type ImportMarkdown = z.infer<typeof importMarkdownSchema>

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

export const planVersionListQuerySchema = pageQuerySchema
export type PlanVersionListQuery = z.infer<typeof planVersionListQuerySchema>

export const undoPlanSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    version: z.int().positive().optional().meta({ description: 'Default: the newest that is not an undo' }),
  })
  .meta({ id: 'UndoPlan' })
export type UndoPlan = z.infer<typeof undoPlanSchema>

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
