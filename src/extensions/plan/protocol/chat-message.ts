import { z } from 'zod'
import { idSchema, scopeSchema } from '../../../core/protocol/names.ts'
import { actionKinds, planRunStatuses, planStepStatuses } from './plan-run.ts'

const jsonObjectSchema = z.record(z.string().max(200), z.unknown())

/** What clients of the earlier interface send. */
export const chatMessageSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    message: z.string().min(1).max(200_000),
    session_id: idSchema.optional().meta({ description: 'Made when there is no such session' }),
    history: z
      .array(z.looseObject({ role: z.string().max(100) }))
      .max(1_000)
      .optional()
      .meta({ description: 'Taken and not used: what was said is in the session' }),
    context: jsonObjectSchema.optional().meta({
      description: 'Added to the message for the model; `plan_id` binds a session that has no plan',
    }),
    mode: z.string().max(100).optional().meta({ description: 'Taken and not used' }),
  })
  .meta({ id: 'ChatMessage' })
export type ChatMessage = z.infer<typeof chatMessageSchema>

const actionSchema = z.object({
  order: z.int(),
  kind: z.enum(actionKinds).optional(),
  name: z.string().optional(),
  parameters: jsonObjectSchema.optional(),
  status: z.enum(planStepStatuses),
  message: z.string().optional(),
  result: z.unknown().optional(),
})

export const chatMessageAnswerSchema = z
  .object({
    response: z.string(),
    suggestions: z.array(z.string()),
    actions: z.array(actionSchema),
    metadata: z.object({
      session_id: idSchema,
      status: z.enum(['failed', ...planRunStatuses]),
      success: z.boolean(),
      tracking_id: idSchema.optional().meta({ description: 'Of the actions, for GET /chat/actions/{id}' }),
      plan_id: idSchema.optional(),
      plan_outline: z.string().optional(),
      errors: z.array(z.string()),
    }),
  })
  .meta({ id: 'ChatMessageAnswer' })
export type ChatMessageAnswer = z.infer<typeof chatMessageAnswerSchema>

export const chatActionsSchema = z
  .object({
    tracking_id: idSchema,
    session_id: idSchema.optional(),
    plan_id: idSchema.optional(),
    status: z.enum(planRunStatuses),
    actions: z.array(actionSchema),
    errors: z.array(z.string()),
    summary: z.string().optional(),
  })
  .meta({ id: 'ChatActions' })
export type ChatActions = z.infer<typeof chatActionsSchema>
