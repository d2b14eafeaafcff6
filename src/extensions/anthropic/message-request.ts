import { z } from 'zod'
import type { TurnInput } from '../../core/chat/turn-input.ts'
import { callerToolSchema } from '../../core/protocol/awaited-call.ts'
import { invalidRequest, quote } from '../../core/protocol/error.ts'
import { listOf } from '../../core/protocol/names.ts'
import { parameterFields } from '../../core/protocol/parameters.ts'
import { estimateTokens } from '../../core/shared/estimate-tokens.ts'
import { none, readMessages, toTools, type ConversationMessage } from '../openai/request.ts'
import { hashRequest, type Asked } from '../openai/take-turn.ts'

const maxMessages = 10_000
const maxBlocks = 1_000

const source = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal('base64'), media_type: z.string().min(1).max(200), data: z.string() }),
    z.looseObject({ type: z.literal('url'), url: z.string().regex(/^https:/i, 'must be an https: URL') }),
    z.looseObject({ type: z.literal('text'), data: z.string() }),
  ],
  { error: 'expected a source of the type "base64", "url" or "text"' },
)
const textBlock = z.looseObject({ type: z.literal('text'), text: z.string() })
const id = z.string().min(1).max(1_000)
const block = z.discriminatedUnion(
  'type',
  [
    textBlock,
    z.looseObject({ type: z.literal('image'), source }),
    z.looseObject({ type: z.literal('document'), source, title: z.string().max(500).nullish() }),
    z.looseObject({ type: z.literal('thinking'), thinking: z.string() }),
    z.looseObject({ type: z.literal('redacted_thinking'), data: z.string() }),
    z.looseObject({ type: z.literal('tool_use'), id, name: z.string().min(1).max(200), input: z.unknown() }),
    z.looseObject({
      type: z.literal('tool_result'),
      tool_use_id: id,
      content: z
        .union([z.string(), listOf(textBlock, maxBlocks, { type: 'object' })], {
          error: 'expected text, or a list of blocks of the type "text"',
        })
        .nullish(),
      is_error: z.boolean().nullish(),
    }),
  ],
  {
    error: ({ code, input }) =>
      code === 'invalid_union'
        ? `blocks of the type ${quote((input as { type?: unknown }).type)} are not supported`
        : undefined,
  },
)
type Block = z.infer<typeof block>

const message = z.looseObject({
  role: z.enum(['user', 'assistant']),
  content: z.union([z.string(), listOf(block, maxBlocks, { type: 'object' })]),
})

const tool = z.looseObject({
  type: z
    .literal('custom', { error: ({ input }) => `tools of the type ${quote(input)} are not supported` })
    .nullish(),
  name: callerToolSchema.shape.name,
  description: callerToolSchema.shape.description.nullish(),
  input_schema: callerToolSchema.shape.inputSchema,
})

const isSingle = z.boolean().nullish()
const toolChoice = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.enum(['auto', 'any']), disable_parallel_tool_use: isSingle }),
    z.looseObject({ type: z.literal('none') }),
    z.looseObject({
      type: z.literal('tool'),
      name: z.string().max(200),
      disable_parallel_tool_use: isSingle,
    }),
  ],
  { error: 'expected the type "auto", "any", "tool" or "none"' },
)

const thinking = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1).max(10_000_000) }),
    z.looseObject({ type: z.enum(['adaptive', 'disabled']) }),
  ],
  { error: 'expected the type "enabled", "adaptive" or "disabled"' },
)

const { temperature, topP, reasoningEffort } = parameterFields

const conversation = {
  model: z.string().min(1).max(200).meta({ example: 'default' }),
  messages: listOf(message, maxMessages, { type: 'object' }).refine((list) => list.length > 0, {
    message: 'must hold at least one message',
  }),
  system: z.union([z.string(), listOf(textBlock, maxBlocks, { type: 'object' })]).nullish(),
  tools: z.array(tool).max(128).nullish(),
  tool_choice: toolChoice.nullish(),
  thinking: thinking.nullish(),
}

/** Whatever changes the answer is done, or refused by name; what is about the account of a caller is ignored. */
export const messageRequestSchema = z
  .looseObject({
    ...conversation,
    max_tokens: z.int().min(1).max(10_000_000),
    stream: z.boolean().nullish(),
    stop_sequences: z.array(z.string().min(1).max(500)).max(16).nullish(),
    temperature,
    top_p: topP,
    top_k: none('"top_k" is not supported; use "top_p"'),
    output_config: z
      .looseObject({
        effort: reasoningEffort,
        format: z
          .looseObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) })
          .nullish(),
      })
      .nullish(),
    container: none('containers are not supported'),
    mcp_servers: none('MCP servers belong to the configuration of Parley'),
    context_management: none('windows are set for the session, not here'),
  })
  .meta({
    id: 'AnthropicMessageRequest',
    description: 'As Anthropic has it; docs/anthropic.md says what is ignored',
  })
export type MessageRequest = z.infer<typeof messageRequestSchema>

export const countRequestSchema = z.looseObject(conversation).meta({ id: 'AnthropicCountRequest' })

export function readMessageRequest(request: MessageRequest): Asked {
  const given = request.messages
  if (given.at(-1)!.role !== 'user')
    throw invalidRequest(
      `The last message must have the role "user": a beginning of the answer cannot be given (messages.${given.length - 1}).`,
    )
  const messages = given.flatMap(toMessages)
  const { inputAt, orders: _, parts, priorParts, ...read } = readMessages(messages, 'messages')
  const persona = textOf(request.system)
  return {
    ...read,
    turn: {
      message: { parts },
      ...toCallerTools(request),
      ...toOutput(request),
      ...toParameters(request),
      ...(priorParts && { priorParts }),
    },
    ...(persona !== '' && { persona }),
    source: 'anthropic',
    hash: hashRequest(withoutCache({ ...request, ...notCompared, messages: messages.slice(0, inputAt + 1) })),
  }
}

// how the answer is sent, and what is about the account of the caller
const notCompared = { stream: 0, metadata: 0, service_tier: 0 }

/** Clients move their marks for the cache from message to message. */
const withoutCache = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner)))

/** Results stand in messages of the user; what the user says beside them comes after them. */
function toMessages({ role, content }: MessageRequest['messages'][number]): ConversationMessage[] {
  if (typeof content === 'string') return [{ role, content }]
  if (role === 'assistant') return [{ role, content }]
  const results = content.filter(({ type }) => type === 'tool_result')
  const others = content.filter(({ type }) => type !== 'tool_result')
  return [
    ...results.map((result) => ({ role: 'tool' as const, content: [result] })),
    ...(others.length > 0 ? [{ role, content: others.map(toReadable) }] : []),
  ]
}

/** A document that is a text is read as one. */
function toReadable(given: Block): unknown {
  if (given.type !== 'document' || given.source.type !== 'text') return given
  const { title, source: text } = given
  return { type: 'text', text: title == null ? text.data : `${title}\n\n${text.data}` }
}

const textOf = (system: MessageRequest['system']): string =>
  typeof system === 'string' ? system : (system ?? []).map(({ text }) => text).join('\n\n')

/** The same in the words of OpenAI. */
function toCallerTools({ tools, tool_choice: choice }: MessageRequest): Partial<TurnInput> {
  const given = (tools ?? []).map(({ name, description, input_schema: parameters }) => ({
    type: 'function' as const,
    function: { name, description, parameters },
  }))
  const isSingleCall =
    choice != null && 'disable_parallel_tool_use' in choice && choice.disable_parallel_tool_use === true
  return toTools({
    tools: given,
    tool_choice:
      choice?.type === 'tool'
        ? { type: 'function', function: { name: choice.name } }
        : choice?.type === 'any'
          ? 'required'
          : choice?.type,
    ...(isSingleCall && { parallel_tool_calls: false }),
  })
}

function toOutput({ output_config: config }: MessageRequest): Partial<TurnInput> {
  return config?.format ? { output: { schema: config.format.schema } } : {}
}

function toParameters(request: MessageRequest): Partial<TurnInput> {
  const { thinking: wanted, output_config: config, stop_sequences: stop } = request
  const budget = wanted?.type === 'enabled' ? effortOf(wanted.budget_tokens) : undefined
  const parameters = {
    maxOutputTokens: request.max_tokens,
    temperature: request.temperature,
    topP: request.top_p,
    stop: stop?.length ? stop : undefined,
    reasoningEffort: config?.effort ?? budget,
  }
  const given = Object.entries(parameters).filter(([, value]) => value != null)
  return { parameters: Object.fromEntries(given), ...(wanted && { thinking: wanted.type !== 'disabled' }) }
}

/** Not every provider counts tokens; all have these words. */
const effortOf = (budgetTokens: number) =>
  budgetTokens <= 4_096 ? 'low' : budgetTokens <= 16_384 ? 'medium' : 'high'

// what an image costs at most with the models of Anthropic
const tokensPerFile = 1_600

/** An estimate: providers count in their own ways, and some only what they answer. */
export function countTokens({ system, messages, tools }: z.infer<typeof countRequestSchema>): number {
  let files = 0
  const texts = JSON.stringify([textOf(system), messages, tools ?? []], (key, value: unknown) => {
    if (key !== 'source') return value
    files++
    return (value as { type?: unknown }).type === 'text' ? value : undefined
  })
  return estimateTokens(texts) + files * tokensPerFile
}
