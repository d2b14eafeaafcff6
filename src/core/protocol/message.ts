import { z } from 'zod'
import { listOf, scopeSchema, timestampSchema, wholeNumber } from './names.ts'

export const messageRoles = ['user', 'assistant', 'system'] as const
export type MessageRole = (typeof messageRoles)[number]

/**
 * A part in the AI SDK's `UIMessage` shape. The kinds that Parley itself reads are checked;
 * the rest (`tool-*`, `source-*`, `data-*`, …) pass through untouched.
 */
export const partSchema = z
  .looseObject({ type: z.string().min(1).max(200) })
  .superRefine((part, context) => {
    const missing = requiredPartFields.get(part.type)?.find((field) => typeof part[field] !== 'string')
    if (missing)
      context.addIssue({
        code: 'custom',
        path: [missing],
        message: `a ${part.type} part needs a string "${missing}"`,
      })
  })
  .meta({ id: 'Part', description: 'A message part in the AI SDK UIMessage shape' })
export type Part = z.infer<typeof partSchema>

const requiredPartFields = new Map([
  ['text', ['text']],
  ['reasoning', ['text']],
  ['file', ['mediaType', 'url']],
])

export const metadataSchema = z.record(z.string(), z.unknown())

const messageIdSchema = z.string().min(1).max(200)

/** A message as it is stored and sent: the AI SDK shape plus its place in the log. */
export const messageSchema = z
  .object({
    id: messageIdSchema,
    role: z.enum(messageRoles),
    parts: z.array(partSchema),
    metadata: metadataSchema.optional(),
    seq: z.int().positive().meta({ description: 'Place in the log of its session, from 1, without gaps' }),
    createdAt: timestampSchema,
  })
  .meta({ id: 'Message' })
export type Message = z.infer<typeof messageSchema>

export const maxPartsPerMessage = 10_000

/** A message handed in from outside; either `parts` or plain `content`. */
export const newMessageSchema = z
  .strictObject({
    id: messageIdSchema.optional(),
    role: z.enum(messageRoles),
    parts: listOf(partSchema, maxPartsPerMessage, { $ref: '#/components/schemas/Part' }).optional(),
    content: z.string().optional().meta({ description: 'Plain text, in place of parts' }),
    metadata: metadataSchema.optional(),
    createdAt: timestampSchema.optional(),
  })
  .superRefine((message, context) => {
    if ((message.parts === undefined) === (message.content === undefined))
      context.addIssue({
        code: 'custom',
        path: ['parts'],
        message: 'give either "parts" or "content"',
        params: { rule: 'one_of', keys: ['parts', 'content'] },
      })
  })
  .meta({ id: 'NewMessage' })
export type NewMessage = z.infer<typeof newMessageSchema>

/**
 * Adds to the log without a turn: for what was said elsewhere. A `system` role is not offered here:
 * what a caller writes never gains the rank of the system prompt.
 */
export const appendMessageSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    id: messageIdSchema.optional(),
    role: z.enum(['user', 'assistant']),
    parts: listOf(partSchema, maxPartsPerMessage, { $ref: '#/components/schemas/Part' }).optional(),
    content: z.string().optional(),
    metadata: metadataSchema.optional(),
  })
  .superRefine((message, context) => {
    if ((message.parts === undefined) === (message.content === undefined))
      context.addIssue({
        code: 'custom',
        path: ['parts'],
        message: 'give either "parts" or "content"',
        params: { rule: 'one_of', keys: ['parts', 'content'] },
      })
  })
  .meta({ id: 'AppendMessage' })
export type AppendMessage = z.infer<typeof appendMessageSchema>

export const messageListQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  before: wholeNumber(1).optional().meta({ description: 'Only messages with a smaller seq' }),
  after: wholeNumber(0).optional().meta({ description: 'Only messages with a larger seq' }),
  limit: wholeNumber(1).optional(),
})

export const messagePageSchema = z
  .object({ items: z.array(messageSchema), nextCursor: z.string().nullable() })
  .meta({
    id: 'MessagePage',
    description: 'Oldest first; nextCursor is the `before` (or `after`) of the next page',
  })
export type MessagePage = z.infer<typeof messagePageSchema>

/** Both forms of a handed-in message as parts. */
export function toParts(message: { parts?: Part[]; content?: string }): Part[] {
  return message.parts?.map(withoutRules) ?? [{ type: 'text', text: message.content ?? '' }]
}

/** Rules of a workspace are read there; a caller cannot send them. */
function withoutRules(part: Part): Part {
  if (!('matchingRules' in part)) return part
  const { matchingRules: _, ...rest } = part
  return rest
}
