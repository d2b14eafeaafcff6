import { z } from 'zod'
import type { TurnInput } from '../../core/chat/turn-input.ts'
import { invalidRequest, quote } from '../../core/protocol/error.ts'
import { describeIssues } from '../../core/protocol/issues.ts'
import { toParts, type Part } from '../../core/protocol/message.ts'
import { callerToolSchema } from '../../core/protocol/awaited-call.ts'
import { listOf } from '../../core/protocol/names.ts'
import { parameterFields } from '../../core/protocol/parameters.ts'
import { fromUiMessages } from '../../core/sessions/formats/foreign/ui-messages.ts'
import type { MessageToAppend } from '../../core/store/queries/messages.ts'
import { hashRequest, type Asked } from './take-turn.ts'

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

const givenMessage = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z
    .union([z.string(), listOf(part, maxPartsPerMessage, { type: 'object' })])
    .nullish()
    .meta({ description: 'Text, or parts of the types text, image_url and file' }),
  tool_calls: z
    .array(z.looseObject({ id: z.string().min(1).max(1_000) }))
    .max(1_000)
    .nullish(),
  tool_call_id: z.string().max(1_000).nullish(),
})
export type GivenMessage = z.infer<typeof givenMessage>

const functionTool = z.looseObject({
  type: z.literal('function', { error: 'only tools of the type "function" are supported' }),
  function: z.looseObject({
    name: callerToolSchema.shape.name,
    description: callerToolSchema.shape.description.nullish(),
    parameters: callerToolSchema.shape.inputSchema.nullish(),
  }),
})

const givenChoice = z.union(
  [
    z.enum(['none', 'auto', 'required']),
    z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }),
  ],
  { error: 'expected "none", "auto", "required" or {"type": "function", "function": {"name": …}}' },
)

const responseFormat = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal('text') }),
    z.looseObject({ type: z.literal('json_object') }),
    z.looseObject({
      type: z.literal('json_schema'),
      json_schema: z.looseObject({
        name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
        schema: z.record(z.string(), z.unknown()),
      }),
    }),
  ],
  { error: 'expected the type "text", "json_object" or "json_schema"' },
)

const { temperature, topP, maxOutputTokens, seed, presencePenalty, frequencyPenalty, reasoningEffort } =
  parameterFields
const stops = z.array(z.string().min(1).max(500)).max(16)

/** Whatever changes the answer is done, or refused by name; what is about the account of a caller is ignored. */
export const completionRequestSchema = z
  .looseObject({
    model: z.string().min(1).max(200).meta({ example: 'default' }),
    messages: listOf(givenMessage, maxMessages, { type: 'object' }).refine((list) => list.length > 0, {
      message: 'must hold at least one message',
    }),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
    tools: z.array(functionTool).max(128).nullish(),
    tool_choice: givenChoice.nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    response_format: responseFormat.nullish(),
    temperature,
    top_p: topP,
    max_tokens: maxOutputTokens,
    max_completion_tokens: maxOutputTokens,
    stop: z.union([z.string().max(500), stops]).nullish(),
    seed,
    presence_penalty: presencePenalty,
    frequency_penalty: frequencyPenalty,
    reasoning_effort: reasoningEffort,
    n: z.literal(1, { error: 'only one answer per request is supported' }).nullish(),
    functions: none('the older functions are not supported; use "tools"'),
    function_call: none('the older functions are not supported; use "tool_choice"'),
    logprobs: z.literal(false, { error: 'log probabilities are not supported' }).nullish(),
    top_logprobs: z.literal(0, { error: 'log probabilities are not supported' }).nullish(),
    logit_bias: none('biases of tokens are not supported'),
    modalities: z.array(z.literal('text', { error: 'only "text" is supported' })).nullish(),
    audio: none('only text is supported'),
    verbosity: z.literal('medium', { error: 'only "medium" is supported' }).nullish(),
    web_search_options: none('a search of the web by the provider is not supported'),
  })
  .meta({ id: 'ChatCompletionRequest', description: 'As OpenAI has it; docs/openai.md says what is ignored' })
export type CompletionRequest = z.infer<typeof completionRequestSchema>

export function none(sentence: string) {
  return z
    .unknown()
    .refine((value) => value == null || value === 'none' || isEmpty(value), { message: sentence })
    .optional()
}

const isEmpty = (value: unknown) => typeof value === 'object' && Object.keys(value as object).length === 0

/** Accepts one value, which is what happens anyway. */
export function only(value: unknown, sentence: string) {
  return z
    .unknown()
    .refine((given) => given == null || given === value, { message: sentence })
    .optional()
}

/** The place of the first thing that is wrong goes along: OpenAI's errors name it. */
export function refuseMisfit(result: { success: boolean; error?: unknown; data?: unknown }): undefined {
  if (result.success) return undefined
  const error = result.error as z.ZodError
  throw invalidRequest(describeIssues(error, result.data), { param: error.issues[0]?.path.join('.') || null })
}

export function readCompletion(request: CompletionRequest): Asked {
  const { messages } = request
  const last = messages.at(-1)!
  if (last.role !== 'user' && last.role !== 'tool')
    throw invalidRequest(
      `The last message is what is answered; its role must be "user" or "tool", not ${quote(last.role)}.`,
      { param: `messages.${messages.length - 1}.role` },
    )
  const { inputAt, orders, parts, priorParts, ...read } = readMessages(messages, 'messages')
  return {
    ...read,
    turn: {
      message: { parts },
      ...toTools(request),
      ...toOutput(request),
      ...toParameters(request),
      ...(priorParts && { priorParts }),
    },
    ...(orders.length > 0 && { persona: orders.join('\n\n') }),
    hash: hashRequest({ ...request, ...notCompared, messages: messages.slice(0, inputAt + 1) }),
  }
}

/** A message as OpenAI has it, or as Anthropic does with a result alone in a message of the role `tool`. */
export interface ConversationMessage {
  role: GivenMessage['role']
  content?: unknown
  tool_calls?: readonly { id: string }[] | null
  tool_call_id?: string | null
}

const blocksOf = ({ content }: ConversationMessage, type: string): Record<string, unknown>[] =>
  Array.isArray(content) ? content.filter((block: { type?: unknown }) => block.type === type) : []

const callIdsOf = (message: ConversationMessage): string[] => [
  ...(message.tool_calls ?? []).map(({ id }) => id),
  ...blocksOf(message, 'tool_use').map(({ id }) => id as string),
]

function resultOf(message: ConversationMessage): Asked['results'][number] {
  const [block] = blocksOf(message, 'tool_result')
  if (!block) return { callId: message.tool_call_id ?? '', output: textOf(message) }
  const { tool_use_id: callId, content, is_error: isError } = block
  return { callId: callId as string, output: textOf({ content }), isError: isError === true }
}

/** What a conversation says that a request sends along. */
export interface ReadMessages extends Pick<Asked, 'history' | 'results' | 'callIds' | 'lastCallId'> {
  /** Where the input stands among the messages. */
  inputAt: number
  /** Who the assistant is. */
  orders: string[]
  /** Of the input. */
  parts: Part[]
  priorParts?: Part[]
}

/** The last message of the user is the input; what comes after it was answered to it, with the calls of its tools. */
export function readMessages(messages: readonly ConversationMessage[], field: string): ReadMessages {
  const inputAt = messages.findLastIndex(({ role }) => role === 'user')
  if (inputAt === -1) throw invalidRequest('No message has the role "user".', { param: field })
  const [input] = toStoredMessages([messages[inputAt]!])
  if (!input?.parts.length)
    throw invalidRequest('The last message of the user says nothing.', { param: `${field}.${inputAt}` })
  const after = messages.slice(inputAt + 1).filter((given) => !isOrder(given))
  checkCallsAnswered(after, field)
  const lastCalls = after.findLastIndex(({ role }) => role === 'assistant')
  const lastCallId = messages.slice(0, inputAt).flatMap(callIdsOf).at(-1)
  return {
    inputAt,
    ...(lastCallId !== undefined && { lastCallId }),
    history: toStoredMessages(messages.slice(0, inputAt).filter((given) => !isOrder(given))),
    orders: messages.filter(isOrder).map(textOf),
    parts: input.parts,
    ...(after.length > 0 && { priorParts: toPriorParts(after) }),
    results: after.slice(lastCalls + 1).map(resultOf),
    callIds: after.flatMap(callIdsOf),
  }
}

// how the answer is sent, and what is about the account of the caller
const notCompared = { stream: 0, stream_options: 0, user: 0, metadata: 0, store: 0, prompt_cache_key: 0 }

const isOrder = ({ role }: ConversationMessage) => role === 'system' || role === 'developer'

const textOf = (message: Pick<ConversationMessage, 'content'>): string =>
  typeof message.content === 'string'
    ? message.content
    : blocksOf({ role: 'user', ...message }, 'text')
        .map(({ text }) => text as string)
        .join('\n')

/** Read as an import is: answers of tools complete the calls they belong to. */
export const toStoredMessages = (messages: readonly ConversationMessage[]): MessageToAppend[] =>
  fromUiMessages({ messages }).messages.map(({ id: _, content, parts, ...rest }) => ({
    ...rest,
    parts: toParts({ parts, content }),
  }))

/** A model cannot continue after a call without its result, and no provider takes a result without its call. */
function checkCallsAnswered(after: readonly ConversationMessage[], field: string): void {
  const open = new Set<string>()
  for (const one of after) {
    const isResult = one.role === 'tool'
    const { callId } = resultOf(one)
    if (isResult && !open.delete(callId))
      throw invalidRequest(`No call before the result has the id ${quote(callId)}.`, { param: field })
    if (!isResult && open.size > 0) break
    for (const id of callIdsOf(one)) open.add(id)
  }
  const [first] = open
  if (first !== undefined) throw invalidRequest(`The call ${quote(first)} has no result.`, { param: field })
}

const toPriorParts = (after: readonly ConversationMessage[]): Part[] =>
  toStoredMessages(after).flatMap(({ parts }) => [{ type: 'step-start' }, ...parts])

export function toTools({
  tools,
  tool_choice: choice,
  parallel_tool_calls: isParallel,
}: Pick<CompletionRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'>): Partial<TurnInput> {
  const callerTools = (tools ?? []).map(({ function: { name, description, parameters } }) => ({
    name,
    ...(description != null && { description }),
    ...(parameters != null && { inputSchema: withType(parameters) }),
  }))
  const toolChoice = typeof choice === 'object' && choice ? { name: choice.function.name } : choice
  if (
    typeof toolChoice === 'object' &&
    toolChoice &&
    !callerTools.some(({ name }) => name === toolChoice.name)
  )
    throw invalidRequest(`"tool_choice" names ${quote(toolChoice.name)}, which is not in "tools".`, {
      param: 'tool_choice',
    })
  if (toolChoice === 'required' && callerTools.length === 0)
    throw invalidRequest('"tool_choice" is "required", and there are no "tools".', { param: 'tool_choice' })
  return {
    ...(callerTools.length > 0 && { callerTools }),
    ...(toolChoice && toolChoice !== 'auto' && { toolChoice }),
    ...(isParallel === false && { hasParallelCalls: false }),
  }
}

// a function without parameters may come as an empty schema
const withType = (schema: Record<string, unknown>) => ({ type: 'object', ...schema })

function toOutput({ response_format: format }: CompletionRequest): Partial<TurnInput> {
  if (format?.type === 'json_object') return { output: { schema: { type: 'object' } } }
  if (format?.type !== 'json_schema') return {}
  const { name, schema } = format.json_schema
  return { output: { name, schema } }
}

function toParameters(request: CompletionRequest): Partial<TurnInput> {
  const { stop } = request
  const stopAt = typeof stop === 'string' ? [stop].filter((text) => text !== '') : (stop ?? [])
  const parameters = {
    temperature: request.temperature,
    topP: request.top_p,
    maxOutputTokens: request.max_completion_tokens ?? request.max_tokens,
    stop: stopAt.length > 0 ? stopAt : undefined,
    seed: request.seed,
    presencePenalty: request.presence_penalty,
    frequencyPenalty: request.frequency_penalty,
    reasoningEffort: request.reasoning_effort,
  }
  const given = Object.entries(parameters).filter(([, value]) => value != null)
  return given.length > 0 ? { parameters: Object.fromEntries(given) } : {}
}
