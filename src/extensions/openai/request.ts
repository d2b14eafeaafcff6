import { z } from 'zod'
import type { TurnInput } from '../../core/chat/turn-input.ts'
import { invalidRequest, quote } from '../../core/protocol/error.ts'
import { describeIssues } from '../../core/protocol/issues.ts'
import { toParts, type Part } from '../../core/protocol/message.ts'
import { listOf } from '../../core/protocol/names.ts'
import { fromUiMessages } from '../../core/sessions/formats/foreign/ui-messages.ts'
import type { MessageToAppend } from '../../core/store/queries/messages.ts'

const maxMessages = 10_000
const maxPartsPerMessage = 1_000

const textPart = z.looseObject({ type: z.literal('text'), text: z.string() })
const refusalPart = z.looseObject({ type: z.literal('refusal'), refusal: z.string() })
const imagePart = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({ url: z.string().regex(/^(data:|https:)/i, 'must be a data: or https: URL') }),
})
const filePart = z.looseObject({
  type: z.literal('file'),
  file: z.looseObject({
    file_data: z.string({ error: 'give the file itself: ids of uploaded files are not known here' }),
    filename: z.string().max(255).optional(),
  }),
})
const part = z.discriminatedUnion('type', [textPart, refusalPart, imagePart, filePart], {
  error: ({ code }) => (code === 'invalid_union' ? 'expected "text", "image_url" or "file"' : undefined),
})

const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z
    .union([z.string(), listOf(part, maxPartsPerMessage, { type: 'object' })])
    .nullish()
    .meta({ description: 'Text, or parts of the types text, image_url and file' }),
  tool_calls: z.array(z.looseObject({})).max(1_000).nullish(),
  tool_call_id: z.string().max(1_000).nullish(),
})
type GivenMessage = z.infer<typeof message>

/** What would change the answer and cannot be done is refused; what only fine-tunes a model is taken and ignored. */
export const completionRequestSchema = z
  .looseObject({
    model: z.string().min(1).max(200).meta({ example: 'default' }),
    messages: listOf(message, maxMessages, { type: 'object' }).refine((list) => list.length > 0, {
      message: 'must hold at least one message',
    }),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
    reasoning_effort: z.string().max(20).nullish().meta({ description: '"none" asks for no reasoning' }),
    tools: emptyList('runs its own tools; those of the caller are not supported'),
    functions: emptyList('runs its own tools; functions of the caller are not supported'),
    n: z.literal(1, { error: 'only one answer per request is supported' }).nullish(),
    stop: z
      .unknown()
      .refine((value) => value == null || value === '' || (Array.isArray(value) && value.length === 0), {
        message: 'stop sequences are not supported',
      })
      .optional(),
    response_format: z
      .looseObject({ type: z.literal('text', { error: 'only "text" is supported' }) })
      .nullish(),
    logprobs: z.literal(false, { error: 'log probabilities are not supported' }).nullish(),
    modalities: z.array(z.literal('text', { error: 'only "text" is supported' })).nullish(),
  })
  .meta({ id: 'ChatCompletionRequest', description: 'As OpenAI has it; docs/openai.md says what is ignored' })
export type CompletionRequest = z.infer<typeof completionRequestSchema>

function emptyList(sentence: string) {
  return z
    .unknown()
    .refine((value) => value == null || (Array.isArray(value) && value.length === 0), {
      message: `Parley ${sentence}`,
    })
    .optional()
}

/** The place of the first thing that is wrong goes along: OpenAI's errors name it. */
export function refuseInvalidCompletion(result: {
  success: boolean
  error?: unknown
  data?: unknown
}): undefined {
  if (result.success) return undefined
  const error = result.error as z.ZodError
  throw invalidRequest(describeIssues(error, result.data), { param: error.issues[0]?.path.join('.') || null })
}

/** A request as Parley understands it: the earlier messages, and the turn to take. */
export interface Conversation {
  history: MessageToAppend[]
  input: Pick<TurnInput, 'thinking' | 'persona'> & { parts: Part[] }
}

/** The last message is the input, and those of the system say who the assistant is. */
export function readConversation({ messages, reasoning_effort: effort }: CompletionRequest): Conversation {
  const last = messages.at(-1)!
  if (last.role !== 'user')
    throw invalidRequest(`The last message is the input; its role must be "user", not ${quote(last.role)}.`, {
      param: `messages.${messages.length - 1}.role`,
    })
  const orders = messages.filter(isOrder).map(textOf)
  const history = toMessages(messages.slice(0, -1).filter((given) => !isOrder(given)))
  const [input] = toMessages([last])
  if (!input?.parts.length)
    throw invalidRequest('The last message says nothing.', { param: `messages.${messages.length - 1}` })
  return {
    history,
    input: {
      parts: input.parts,
      ...(orders.length > 0 && { persona: orders.join('\n\n') }),
      ...(effort != null && { thinking: effort !== 'none' && effort !== 'minimal' }),
    },
  }
}

const isOrder = ({ role }: GivenMessage) => role === 'system' || role === 'developer'

const textOf = ({ content }: GivenMessage) =>
  typeof content === 'string'
    ? content
    : (content ?? []).flatMap((given) => (given.type === 'text' ? given.text : [])).join('\n')

/** Read as an import is: answers of tools complete the calls they belong to. */
const toMessages = (messages: GivenMessage[]): MessageToAppend[] =>
  fromUiMessages({ messages }).messages.map(({ id: _, content, parts, ...rest }) => ({
    ...rest,
    parts: toParts({ parts, content }),
  }))
