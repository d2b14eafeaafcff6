import { z } from 'zod'
import type { ChatFacets, Facets } from './facets.ts'
import { placed } from './placed-fields.ts'
import { awaitedCallSchema, callerToolsSchema } from './awaited-call.ts'
import { maxPartsPerMessage, messageSchema, metadataSchema, partSchema } from './message.ts'
import { idSchema, listOf, scopeSchema, timestampSchema } from './names.ts'
import { parameterSettingsSchema } from './parameters.ts'
import { windowSettingsSchema } from './window.ts'

export const busyPolicySchema = z.enum(['enqueue', 'steer', 'interrupt', 'reject'])

const maxSchemaLength = 50_000

const fileRefSchema = z.union([
  z.string().min(1).max(4_096),
  z.strictObject({ path: z.string().min(1).max(4_096) }),
])
const attachmentSchema = z.strictObject({
  type: z.literal('file').optional(),
  mediaType: z.string().min(1).max(200),
  url: z.string().min(1),
  filename: z.string().max(255).optional(),
})

export const chatFields = {
  scope: scopeSchema.optional(),
  content: z.string().min(1).optional(),
  messages: z
    .array(z.looseObject({ role: z.string() }))
    .min(1)
    .optional(),
  attachments: z.array(attachmentSchema).max(50).optional(),
  metadata: metadataSchema.optional(),
  model: z.string().min(1).max(200).optional(),
  thinking: z.boolean().optional(),
  parameters: parameterSettingsSchema
    .optional()
    .meta({ description: 'Of this turn; goes before what session and scope say' }),
  output: z
    .strictObject({
      schema: z
        .record(z.string(), z.unknown())
        .refine((schema) => JSON.stringify(schema).length <= maxSchemaLength, {
          error: `must have at most ${maxSchemaLength} characters as JSON`,
          params: { rule: 'too_long' },
        })
        .meta({ description: 'JSON Schema of an object; at most 50,000 characters' }),
      name: z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,64}$/)
        .optional()
        .meta({ description: 'What providers call it; default "output"' }),
    })
    .optional()
    .meta({
      description: 'The form of the answer; one that does not fit goes back to the model, twice at most',
    }),
  fileRefs: z.array(fileRefSchema).max(100).optional(),
  runRefs: z.array(idSchema).max(100).optional(),
  headless: z
    .boolean()
    .optional()
    .meta({ description: 'Nobody is there to be asked: what would be asked is refused' }),
  includeScopeContext: z.boolean().optional(),
  window: windowSettingsSchema.optional().meta({ description: 'Goes before what the session says' }),
  tools: callerToolsSchema.optional().meta({
    description:
      'Tools that the caller executes: a call of one is answered with POST /api/tool-calls/{id}, and the turn waits for it',
  }),
  builtInTools: z
    .boolean()
    .optional()
    .meta({ description: 'False: the turn has no tools but those in "tools"; default true' }),
  policy: busyPolicySchema.optional().meta({ description: 'When the session is busy; default enqueue' }),
  // what a stock AI SDK transport sends along
  id: z.string().max(200).optional(),
  trigger: z.string().max(100).optional(),
  messageId: z.string().max(200).optional(),
}

/** The body of a chat request: plain `content`, or the AI SDK's `messages`, of which the last user message counts. */
export interface ChatBody extends z.infer<z.ZodObject<typeof chatFields>>, ChatFacets {}

/** The message a chat body stands for, as parts. */
export const givenMessageSchema = z.looseObject({
  id: z.string().min(1).max(200).optional(),
  role: z.literal('user'),
  parts: listOf(partSchema, maxPartsPerMessage, { $ref: '#/components/schemas/Part' }).optional(),
  content: z.string().optional(),
  metadata: metadataSchema.optional(),
})

export const runSchema = z
  .object({
    id: z.string(),
    scope: scopeSchema,
    sessionId: z.string(),
    kind: z.string(),
    status: z.enum(['queued', 'running', 'completed', 'failed', 'timeout', 'cancelled', 'interrupted']),
    parentId: z.string().optional(),
    depth: z.int(),
    attempt: z.int(),
    input: z.unknown().optional(),
    outcome: z.unknown().optional(),
    usage: z.unknown().optional(),
    createdAt: timestampSchema,
    startedAt: timestampSchema.optional(),
    finishedAt: timestampSchema.optional(),
  })
  .meta({ id: 'Run' })
export type RunRecord = z.infer<typeof runSchema>

const chatAnswerSchema = z.object({
  message: messageSchema.optional(),
  messages: z.array(messageSchema).optional(),
  awaiting: z
    .array(awaitedCallSchema)
    .optional()
    .meta({ description: 'Calls of tools of the caller that the turn waits for; there is no message yet' }),
  output: z
    .unknown()
    .optional()
    .meta({ description: 'The value of an answer with a requested form; missing where the turn failed' }),
  usage: z.unknown().optional(),
  run: runSchema,
})
export type ChatAnswer = z.infer<typeof chatAnswerSchema>

/** What a chat takes and answers in one Parley. */
export interface ChatSchemas {
  /** The names of what a body may have. */
  fields: readonly string[]
  body: z.ZodType<ChatBody, ChatBody>
  answer: z.ZodType<ChatAnswer>
}

export function chatSchemasOf(facets: readonly Facets[]): ChatSchemas {
  const blocks = facets.flatMap(({ chat }) => chat ?? [])
  const fields = placed(chatFields, blocks)
  const body = z
    .strictObject(fields)
    .superRefine(({ content, messages }, context) => {
      if ((content === undefined) === (messages === undefined))
        context.addIssue({
          code: 'custom',
          path: ['content'],
          message: 'give either "content" or "messages"',
          params: { rule: 'one_of', keys: ['content', 'messages'] },
        })
    })
    .meta({ id: 'Chat' })
  const several = blocks.flatMap(({ answers = [] }) => answers).join('; ')
  const answer = chatAnswerSchema.extend({
    messages: chatAnswerSchema.shape.messages.meta({
      description: several || 'Where several answer: all, in order',
    }),
  })
  // the types of the fields are joined by declaration merging, which a list of them cannot show
  return {
    fields: Object.keys(fields),
    body: body as unknown as ChatSchemas['body'],
    answer: answer.meta({ id: 'ChatAnswer' }),
  }
}
