import { z } from 'zod'
import { eventSchema, filterSchema } from '../../schedule/protocol/event-hook.ts'
import {
  idSchema,
  labelSchema,
  scopeSchema,
  timestampSchema,
  pageFields,
  pageQuerySchema,
} from '../../../core/protocol/names.ts'
import { named } from '../../../core/protocol/wordings.ts'

const urlSchema = z.string().max(2_000).meta({
  description: 'http or https, without a user name or password',
  example: 'https://example.com/hooks',
})

const secretSchema = z
  .string()
  .regex(
    /^whsec_[A-Za-z0-9+/]{32,100}={0,2}$/,
    named('webhook_secret', 'must be "whsec_" and at least 24 bytes in Base64'),
  )
  .meta({ description: 'What calls are signed with, as Standard Webhooks writes it; default: a new one' })

export const webhookSchema = z
  .object({
    id: idSchema,
    scope: scopeSchema,
    name: labelSchema,
    url: z.string(),
    event: eventSchema,
    filter: filterSchema,
    secret: z.string().optional().meta({ description: 'Only in the answer to the request that set it' }),
    status: z.enum(['active', 'paused']),
    reason: z.string().optional().meta({ description: 'Why it is paused' }),
    failures: z.int().nonnegative().meta({ description: 'Deliveries in a row that were given up' }),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: 'Webhook' })
export type Webhook = z.infer<typeof webhookSchema>

export const createWebhookSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    name: labelSchema.min(1).optional().meta({ description: 'Default: the host of the URL' }),
    url: urlSchema,
    event: eventSchema,
    filter: filterSchema.optional(),
    secret: secretSchema.optional(),
  })
  .meta({ id: 'CreateWebhook' })
export type CreateWebhook = z.infer<typeof createWebhookSchema>

export const updateWebhookSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    name: labelSchema.min(1).optional(),
    url: urlSchema.optional(),
    event: eventSchema.optional(),
    filter: filterSchema.optional(),
    secret: secretSchema.optional(),
    status: z
      .enum(['active', 'paused'])
      .optional()
      .meta({ description: 'Active again, it sends what is still waiting and what happens from then on' }),
  })
  .meta({ id: 'UpdateWebhook' })
export type UpdateWebhook = z.infer<typeof updateWebhookSchema>

export const webhookDeliverySchema = z
  .object({
    id: idSchema.meta({ description: 'The header webhook-id of each attempt' }),
    seq: z.int().positive().optional().meta({ description: 'Number of the event; missing for a test' }),
    type: z.string(),
    status: z.enum(['waiting', 'delivered', 'failed']).meta({
      description: 'waiting: not delivered yet, or to be retried. failed: given up',
    }),
    attempts: z.int().nonnegative(),
    nextAttemptAt: timestampSchema.optional(),
    answerStatus: z.int().optional().meta({ description: 'HTTP status of the last answer' }),
    error: z.string().optional().meta({ description: 'Why the last attempt failed' }),
    createdAt: timestampSchema,
    endedAt: timestampSchema.optional(),
  })
  .meta({ id: 'WebhookDelivery' })
export type WebhookDelivery = z.infer<typeof webhookDeliverySchema>

export const webhookListQuerySchema = pageQuerySchema
export type WebhookListQuery = z.infer<typeof webhookListQuerySchema>

export const deliveryListQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  ...pageFields,
  status: webhookDeliverySchema.shape.status.optional(),
})
export type DeliveryListQuery = z.infer<typeof deliveryListQuerySchema>

export const webhookPageSchema = z
  .object({ items: z.array(webhookSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'WebhookPage' })
export type WebhookPage = z.infer<typeof webhookPageSchema>

export const webhookDeliveryPageSchema = z
  .object({ items: z.array(webhookDeliverySchema), nextCursor: z.string().nullable() })
  .meta({ id: 'WebhookDeliveryPage' })
export type WebhookDeliveryPage = z.infer<typeof webhookDeliveryPageSchema>

declare module '../../../core/protocol/facets.ts' {
  interface Wordings {
    webhook_secret: true
  }
}
