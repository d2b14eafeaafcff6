import { z } from 'zod'
import { idSchema, scopeSchema, timestampSchema, pageFields } from './names.ts'

export const auditQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  session: idSchema.optional(),
  action: z.string().min(1).max(100).optional().meta({ example: 'delete' }),
  actor: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'The id of who did it: the name of a key, for one' }),
  resource: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'The kind of thing: session, or the name of a tool', example: 'file' }),
  touching: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: 'A part of what it was about: of a path, a command, an address or an id' }),
  result: z.enum(['success', 'error', 'denied']).optional(),
  decidedBy: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'Who was asked and answered, or the hook that decided' }),
  from: timestampSchema.optional().meta({ description: 'Not before this' }),
  to: timestampSchema.optional().meta({ description: 'Before this, and not at it' }),
  ...pageFields,
})
export type AuditQuery = z.infer<typeof auditQuerySchema>

export const auditRecordSchema = z
  .object({
    id: z.string(),
    actor: z.object({ type: z.enum(['user', 'agent', 'system']), id: z.string() }),
    action: z.string(),
    resourceType: z.string(),
    resourceId: z.string(),
    sessionId: z.string().optional(),
    result: z.enum(['success', 'error', 'denied']),
    detail: z.record(z.string(), z.unknown()),
    createdAt: timestampSchema,
  })
  .meta({ id: 'AuditRecord' })
export type AuditRecord = z.infer<typeof auditRecordSchema>

export const auditPageSchema = z
  .object({ items: z.array(auditRecordSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'AuditPage' })
export type AuditPage = z.infer<typeof auditPageSchema>
