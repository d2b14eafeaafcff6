import { z } from 'zod'
import type { ApprovalFacets, Facets } from './facets.ts'
import { idSchema, listOf, scopeSchema, timestampSchema, pageFields } from './names.ts'
import { placed } from './placed-fields.ts'

export const approvalKinds = [
  'file_access',
  'file_change',
  'terminal_command',
  'network_access',
  'custom',
  'question',
] as const
export const approvalStatuses = ['pending', 'approved', 'denied', 'expired', 'cancelled'] as const

/** A call of a tool that a person has to decide about before it is made, or a question that a run asks. */
export const approvalFields = {
  id: idSchema,
  scope: scopeSchema,
  sessionId: idSchema,
  parentSessionId: idSchema.optional().meta({ description: 'Of a task: the session that started it' }),
  runId: idSchema,
  toolCallId: z.string(),
  toolName: z.string(),
  action: z.string(),
  kind: z.enum(approvalKinds),
  input: z.unknown(),
  resources: z.array(z.string()).meta({ description: 'Files, a command or an address' }),
  outside: z.array(z.string()).meta({ description: 'Those of them that the session may not reach yet' }),
  reason: z.string().meta({ description: 'Why somebody has to be asked' }),
  status: z.enum(approvalStatuses),
  fallback: z.enum(['allow', 'deny']).meta({ description: 'What counts when nobody answers in time' }),
  expiresAt: timestampSchema,
  createdAt: timestampSchema,
  decidedAt: timestampSchema.optional(),
  decidedBy: z.string().optional(),
  message: z.string().optional().meta({ description: 'The reason that the model sees with a denial' }),
  refuses: z
    .array(z.enum(['approve', 'remember']))
    .optional()
    .meta({
      description:
        'Answers that whoever reads this may not give: a key that is bound to scopes grants no files, and has no yes remembered',
    }),
}
export interface Approval extends z.infer<z.ZodObject<typeof approvalFields>>, ApprovalFacets {}
export interface ApprovalPage {
  items: Approval[]
  nextCursor: string | null
}

/** What operations on asks answer in one Parley. */
export interface ApprovalSchemas {
  approval: z.ZodType<Approval, Approval>
  page: z.ZodType<ApprovalPage, ApprovalPage>
}

export function approvalSchemasOf(all: readonly Facets[]): ApprovalSchemas {
  const blocks = all.flatMap(({ approval }) => approval ?? [])
  const approval = z.object(placed(approvalFields, blocks)).meta({ id: 'Approval' })
  const page = z
    .object({ items: z.array(approval), nextCursor: z.string().nullable() })
    .meta({ id: 'ApprovalPage' })
  // the types of the fields are joined by declaration merging, which a list of them cannot show
  return { approval, page } as unknown as ApprovalSchemas
}

export const approvalListQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  status: z.enum(approvalStatuses).optional().meta({ description: 'Default pending' }),
  session: idSchema.optional().meta({ description: 'Those of a session and of its tasks' }),
  ...pageFields,
})
export type ApprovalListQuery = z.infer<typeof approvalListQuerySchema>

export const decideApprovalSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    decision: z.enum(['approve', 'deny']),
    remember: z
      .enum(['session', 'scope'])
      .optional()
      .meta({ description: 'Writes a rule, so that exactly this is not asked again' }),
    widen: z.enum(['host', 'tool']).optional().meta({
      description:
        'With remember: the rule is about the whole host of an address, or about every call of a tool that names no file, command or address',
    }),
    paths: listOf(z.string().min(1).max(4_096), 100, { type: 'string' })
      .optional()
      .meta({ description: 'With file_access: what is granted instead of the requested paths' }),
    input: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'The call is made with this instead, after another check' }),
    message: z
      .string()
      .min(1)
      .max(2_000)
      .optional()
      .meta({ description: 'With deny: the reason that the model sees' }),
  })
  .meta({ id: 'DecideApproval' })
export type DecideApproval = z.infer<typeof decideApprovalSchema>
