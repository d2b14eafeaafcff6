import { z } from 'zod'
import { builtInApprovalFields } from '../../extensions/built-in-fields.ts'
import { idSchema, listOf, scopeSchema, timestampSchema, pageFields } from './names.ts'

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
export const approvalSchema = z
  .object({
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
    ...builtInApprovalFields,
    status: z.enum(approvalStatuses),
    fallback: z.enum(['allow', 'deny']).meta({ description: 'What counts when nobody answers in time' }),
    expiresAt: timestampSchema,
    createdAt: timestampSchema,
    decidedAt: timestampSchema.optional(),
    decidedBy: z.string().optional(),
    message: z.string().optional().meta({ description: 'What the model is told with a no' }),
    refuses: z
      .array(z.enum(['approve', 'remember']))
      .optional()
      .meta({
        description:
          'Answers that whoever reads this may not give: a key that is bound to scopes grants no files, and has no yes remembered',
      }),
  })
  .meta({ id: 'Approval' })
export type Approval = z.infer<typeof approvalSchema>

const previewFields = Object.keys(builtInApprovalFields) as (keyof typeof builtInApprovalFields)[]
/** What a call would do, as its tool shows it to the person who is asked. */
export type ApprovalPreview = Pick<Approval, (typeof previewFields)[number]>

/** What a person was shown of a call beside its input; undefined when there was nothing. */
export function previewOf(approval: Approval): ApprovalPreview | undefined {
  const shown = previewFields.filter((field) => approval[field] !== undefined)
  return shown.length > 0 ? Object.fromEntries(shown.map((field) => [field, approval[field]])) : undefined
}

export const approvalPageSchema = z
  .object({ items: z.array(approvalSchema), nextCursor: z.string().nullable() })
  .meta({ id: 'ApprovalPage' })
export type ApprovalPage = z.infer<typeof approvalPageSchema>

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
      .meta({ description: 'With file_access: what is granted, in place of what was asked for' }),
    input: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'The call is made with this instead; it is looked at again' }),
    message: z.string().min(1).max(2_000).optional().meta({ description: 'With deny: told to the model' }),
  })
  .meta({ id: 'DecideApproval' })
export type DecideApproval = z.infer<typeof decideApprovalSchema>
