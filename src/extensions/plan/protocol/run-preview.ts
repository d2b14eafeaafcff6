import { z } from 'zod'
import { idSchema } from '../../../core/protocol/names.ts'

const amountFields = {
  tokens: z.number().nonnegative().optional(),
  cost: z.number().nonnegative().optional().meta({ description: 'In the currency of the prices' }),
}

/** What a run of a plan would do, for the approval. */
const runPreviewSchema = z
  .object({
    planId: idSchema,
    title: z.string(),
    version: z.int().nonnegative(),
    nodeCount: z.int().nonnegative().meta({ description: 'How many nodes would be run' }),
    nodes: z
      .array(z.object({ id: z.int().min(1).max(1e9), name: z.string(), instruction: z.string() }))
      .meta({ description: 'The first 100 of them; an instruction is cut after 500 characters' }),
    lastNode: z
      .int()
      .nonnegative()
      .meta({ description: 'Nodes with a higher number were added later: a yes does not run them' }),
    estimate: z
      .object({ ...amountFields, basedOn: z.int().positive() })
      .optional()
      .meta({ description: 'From as many nodes that were completed before; missing while there are none' }),
    limit: z.object(amountFields).meta({ description: 'Where the run stops; empty: nowhere' }),
  })
  .meta({ id: 'PlanRunPreview' })
export type RunPreview = z.infer<typeof runPreviewSchema>

/** As an ask has it. */
export const runPreviewField = runPreviewSchema
  .optional()
  .meta({ description: 'Of a call that runs nodes of a plan: which' })
