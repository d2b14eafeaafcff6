import { z } from 'zod'
import type { TurnInput } from '../../core/chat/turn-input.ts'
import { callerToolSchema } from '../../core/protocol/awaited-call.ts'
import { invalidRequest, quote } from '../../core/protocol/error.ts'
import { idSchema, listOf } from '../../core/protocol/names.ts'
import { parameterFields } from '../../core/protocol/parameters.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import type { MessageToAppend } from '../../core/store/queries/messages.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import {
  none,
  only,
  readMessages,
  toStoredMessages,
  toTools,
  type CompletionRequest,
  type GivenMessage,
} from './request.ts'
import { readCallItemId, readItemId } from './response-ids.ts'
import { toCallItem, toItems, type OutputItem } from './response-items.ts'
import { readSegmentOf, requireResponse, type AskedResponse } from './response.ts'
import { hashRequest, type Asked } from './take-turn.ts'

const maxItems = 10_000
const maxPartsPerItem = 1_000

const url = z.string().regex(/^(data:|https:)/i, 'must be a data: or https: URL')
const noUploads = none('ids of uploaded files are not known here; give the file itself')
const textPart = z.looseObject({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string() })
const refusalPart = z.looseObject({ type: z.literal('refusal'), refusal: z.string() })
const imagePart = z.looseObject({ type: z.literal('input_image'), image_url: url, file_id: noUploads })
const filePart = z
  .looseObject({
    type: z.literal('input_file'),
    file_data: z.string().optional(),
    filename: z.string().max(255).nullish(),
    file_id: noUploads,
    file_url: none('URLs of files are not supported; give the file itself'),
  })
  .refine((file) => file.file_data !== undefined, { path: ['file_data'], message: 'give the file itself' })
const part = z.discriminatedUnion('type', [textPart, refusalPart, imagePart, filePart], {
  error: ({ code }) =>
    code === 'invalid_union'
      ? 'expected "input_text", "input_image", "input_file" or "output_text"'
      : undefined,
})
const content = z.union([z.string(), listOf(part, maxPartsPerItem, { type: 'object' })])

const messageItem = z.looseObject({
  type: z.literal('message'),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content,
})
const id = z.string().min(1).max(1_000)
const callItem = z.looseObject({
  type: z.literal('function_call'),
  call_id: id,
  name: z.string().min(1).max(200),
  arguments: z.string(),
})
const resultItem = z.looseObject({
  type: z.literal('function_call_output'),
  call_id: id,
  output: z.union([z.string(), listOf(textPart, maxPartsPerItem, { type: 'object' })], {
    error: 'expected text, or a list of parts of the type "input_text"',
  }),
})
const reasoningItem = z.looseObject({
  type: z.literal('reasoning'),
  summary: z
    .array(z.looseObject({ type: z.string(), text: z.string() }))
    .max(1_000)
    .nullish(),
})
const referenceItem = z.looseObject({ type: z.literal('item_reference'), id })

const anyItem = z.discriminatedUnion(
  'type',
  [messageItem, callItem, resultItem, reasoningItem, referenceItem],
  {
    error: ({ code, input }) =>
      code === 'invalid_union'
        ? `items of the type ${quote((input as { type?: unknown }).type)} are not supported; "message", "function_call", "function_call_output", "reasoning" and "item_reference" are`
        : undefined,
  },
)
// a message may come without its type
const typedItem = z.preprocess(
  (given) =>
    typeof given === 'object' && given !== null && 'role' in given ? { type: 'message', ...given } : given,
  anyItem,
)
export const itemsSchema = listOf(typedItem, maxItems, { type: 'object' })
export type GivenItem = z.infer<typeof anyItem>

const functionTool = z.looseObject({
  type: z.literal('function', {
    error: ({ input }) => `tools of the type ${quote(input)} are not supported; only "function" is`,
  }),
  name: callerToolSchema.shape.name,
  description: callerToolSchema.shape.description.nullish(),
  parameters: callerToolSchema.shape.inputSchema.nullish(),
})

const toolChoice = z.union(
  [
    z.enum(['none', 'auto', 'required']),
    z.looseObject({ type: z.literal('function'), name: z.string().max(200) }),
  ],
  { error: 'expected "none", "auto", "required" or {"type": "function", "name": …}' },
)

const format = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal('text') }),
    z.looseObject({ type: z.literal('json_object') }),
    z.looseObject({
      type: z.literal('json_schema'),
      name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
      schema: z.record(z.string(), z.unknown()),
    }),
  ],
  { error: 'expected the type "text", "json_object" or "json_schema"' },
)

export const metadataSchema = z
  .record(z.string().max(64), z.string().max(512))
  .refine((metadata) => Object.keys(metadata).length <= 16, { error: 'must have at most 16 keys' })
  .meta({ description: 'At most 16 keys of 64 characters, with values of 512' })

const { temperature, topP, maxOutputTokens, reasoningEffort } = parameterFields

/** Whatever changes the answer is done, or refused by name; what is about the account of a caller is ignored. */
export const responseRequestSchema = z
  .looseObject({
    model: z.string().min(1).max(200).default('default').meta({ example: 'default' }),
    input: z.union([z.string().min(1), itemsSchema]),
    instructions: z.string().max(1_000_000).nullish(),
    previous_response_id: z.string().max(200).nullish(),
    conversation: z.union([idSchema, z.looseObject({ id: idSchema })]).nullish(),
    store: z.boolean().nullish(),
    background: z.boolean().nullish(),
    stream: z.boolean().nullish(),
    tools: z.array(functionTool).max(128).nullish(),
    tool_choice: toolChoice.nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    text: z
      .looseObject({
        format: format.nullish(),
        verbosity: only('medium', 'only "medium" is supported'),
      })
      .nullish(),
    reasoning: z.looseObject({ effort: reasoningEffort }).nullish(),
    temperature,
    top_p: topP,
    max_output_tokens: maxOutputTokens,
    metadata: metadataSchema.nullish(),
    include: z
      .array(
        only(
          'reasoning.encrypted_content',
          'cannot be included; only "reasoning.encrypted_content" is accepted',
        ),
      )
      .max(20)
      .nullish(),
    truncation: z.enum(['auto', 'disabled']).nullish(),
    prompt: none('stored prompts are not supported; give "instructions" and "input"'),
    max_tool_calls: none('a limit of tool calls is not supported'),
    top_logprobs: only(0, 'log probabilities are not supported'),
    context_management: none('windows are set for the session, not here'),
    moderation: none('moderation is not supported'),
  })
  .meta({ id: 'ResponseRequest', description: 'As OpenAI has it; docs/openai.md says what is ignored' })
export type ResponseRequest = z.infer<typeof responseRequestSchema>

/** A request whose references were looked up. */
export interface ReadResponseRequest {
  asked: Asked
  /** Of messages of the roles system and developer. */
  orders: string[]
  /** It has the results of calls, and nothing else. */
  isResultsOnly: boolean
}

export async function readResponseRequest(
  store: StoreOperations,
  caller: Caller,
  request: ResponseRequest,
): Promise<ReadResponseRequest> {
  const { input } = request
  const given: GivenItem[] =
    typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input
  if (given.length === 0) throw invalidRequest('"input" has no items.', { param: 'input' })
  const items = await lookUp(store, caller, given)
  const results = items.flatMap((one) => (one.type === 'function_call_output' ? [one] : []))
  const turn = { ...toTools(toCompletionTools(request)), ...toOutput(request), ...toParameters(request) }
  const hash = (through: number) =>
    hashRequest({ ...request, ...notCompared, input: given.slice(0, through + 1) })
  if (results.length === items.length)
    return {
      isResultsOnly: true,
      orders: [],
      asked: {
        history: [],
        turn: { message: { parts: [] }, ...turn },
        results: results.map(({ call_id: callId, output }) => ({ callId, output: textOf(output) })),
        hash: hash(-1),
      },
    }
  requireAnswerable(items)
  const { messages, itemOf } = toMessages(items)
  const { inputAt, orders, parts, priorParts, ...read } = readMessages(messages, 'input')
  return {
    isResultsOnly: false,
    orders,
    asked: {
      ...read,
      turn: { message: { parts }, ...turn, ...(priorParts && { priorParts }) },
      hash: hash(itemOf[inputAt]!),
    },
  }
}

// how the answer is sent and kept, and what is about the account of the caller
const notCompared = {
  stream: 0,
  stream_options: 0,
  background: 0,
  store: 0,
  include: 0,
  user: 0,
  metadata: 0,
  prompt_cache_key: 0,
  safety_identifier: 0,
}

function requireAnswerable(items: readonly GivenItem[]): void {
  const last = items.findLast((one) => one.type !== 'message' || !isOrder(one.role))
  const isAnswerable =
    last?.type === 'function_call_output' || (last?.type === 'message' && last.role === 'user')
  if (!isAnswerable)
    throw invalidRequest(
      'The last item of "input" is what is answered: a message of the role "user", or the result of a call.',
      { param: `input.${items.length - 1}` },
    )
}

const isOrder = (role: string) => role === 'system' || role === 'developer'

/** Clients that leave the keeping of items to the server send back their ids alone. */
async function lookUp(
  store: StoreOperations,
  caller: Caller,
  items: readonly GivenItem[],
): Promise<Exclude<GivenItem, { type: 'item_reference' }>[]> {
  const outputs = new Map<string, OutputItem[]>()
  const readOutput = async (responseId: string) => {
    const known = outputs.get(responseId)
    if (known) return known
    const found = await requireResponse(store, caller, responseId).catch(() => undefined)
    const read = found ? toItems(responseId, readSegmentOf(found).parts) : []
    outputs.set(responseId, read)
    return read
  }
  const found: Exclude<GivenItem, { type: 'item_reference' }>[] = []
  for (const [index, one] of items.entries()) {
    if (one.type !== 'item_reference') {
      found.push(one)
      continue
    }
    const callId = readCallItemId(one.id)
    const call = callId === undefined ? undefined : await store.getAwaitedCall(caller.scope, callId)
    const place = readItemId(one.id)
    const item = call ? toCallItem(call) : place && (await readOutput(place.responseId))[place.index]
    if (!item)
      throw invalidRequest(`There is no item ${quote(one.id)}: send the item itself.`, {
        param: `input.${index}.id`,
      })
    found.push(item)
  }
  return found
}

/** As messages of a chat, each with the place of its last item: what an assistant says and calls at once is one message. */
function toMessages(items: readonly Exclude<GivenItem, { type: 'item_reference' }>[]): {
  messages: GivenMessage[]
  itemOf: number[]
} {
  const messages: GivenMessage[] = []
  const itemOf: number[] = []
  let open: (GivenMessage & { reasoning_content?: string }) | undefined
  const push = (message: GivenMessage, index: number) => {
    messages.push(message)
    itemOf.push(index)
  }
  /** What follows a call belongs to the next step. */
  const openMessage = (index: number, isNext: boolean) => {
    if (!open || (isNext && open.tool_calls)) {
      open = { role: 'assistant' }
      push(open, index)
    }
    itemOf[itemOf.length - 1] = index
    return open
  }
  for (const [index, one] of items.entries()) {
    if (one.type === 'function_call') {
      const message = openMessage(index, false)
      const { call_id: callId, name, arguments: input } = one
      const call = { id: callId, type: 'function', function: { name, arguments: input } }
      message.tool_calls = [...(message.tool_calls ?? []), call]
    } else if (one.type === 'reasoning') {
      const text = (one.summary ?? []).map((summary) => summary.text).join('\n')
      if (text !== '') openMessage(index, true).reasoning_content = text
    } else if (one.type === 'function_call_output') {
      open = undefined
      push({ role: 'tool', tool_call_id: one.call_id, content: textOf(one.output) }, index)
    } else if (one.role === 'assistant') {
      const message = openMessage(index, true)
      const text = textOf(one.content)
      message.content = typeof message.content === 'string' ? `${message.content}\n${text}` : text
    } else {
      open = undefined
      push({ role: one.role, content: toContent(one.content) }, index)
    }
  }
  return { messages, itemOf }
}

type Content = z.infer<typeof content>

const toContent = (given: Content): GivenMessage['content'] =>
  typeof given === 'string' ? given : given.map(toChatPart)

const toChatPart = (
  given: z.infer<typeof part>,
): Exclude<GivenMessage['content'], string | null | undefined>[0] => {
  if (given.type === 'input_image') return { type: 'image_url', image_url: { url: given.image_url } }
  if (given.type === 'input_file') {
    const { file_data: data = '', filename } = given
    return { type: 'file', file: { file_data: data, ...(filename != null && { filename }) } }
  }
  return { type: 'text', text: given.type === 'refusal' ? given.refusal : given.text }
}

const textOf = (given: Content): string =>
  typeof given === 'string'
    ? given
    : given
        .flatMap((one) => ('text' in one ? (one.text as string) : one.type === 'refusal' ? one.refusal : []))
        .join('\n')

/** The same in the words of `/v1/chat/completions`. */
function toCompletionTools({
  tools,
  tool_choice: choice,
  parallel_tool_calls: isParallel,
}: ResponseRequest): Parameters<typeof toTools>[0] {
  return {
    tools: (tools ?? []).map(({ type, name, description, parameters }) => ({
      type,
      function: { name, description, parameters },
    })) as CompletionRequest['tools'],
    tool_choice:
      typeof choice === 'object' && choice ? { type: 'function', function: { name: choice.name } } : choice,
    parallel_tool_calls: isParallel,
  }
}

function toOutput({ text }: ResponseRequest): Partial<TurnInput> {
  const wanted = text?.format
  if (wanted?.type === 'json_object') return { output: { schema: { type: 'object' } } }
  return wanted?.type === 'json_schema' ? { output: { name: wanted.name, schema: wanted.schema } } : {}
}

function toParameters(request: ResponseRequest): Partial<TurnInput> {
  const parameters = {
    temperature: request.temperature,
    topP: request.top_p,
    maxOutputTokens: request.max_output_tokens,
    reasoningEffort: request.reasoning?.effort,
  }
  const given = Object.entries(parameters).filter(([, value]) => value != null)
  return given.length > 0 ? { parameters: Object.fromEntries(given) } : {}
}

/** What of a request is stored beside its turn. */
export function toAskedResponse(
  request: ResponseRequest,
  { orders, isInConversation }: { orders: string[]; isInConversation: boolean },
): AskedResponse {
  const { model, metadata, previous_response_id: previous, background, store, instructions } = request
  return {
    model,
    ...(metadata && { metadata }),
    ...(previous != null && { previousResponseId: previous }),
    ...(isInConversation && { isInConversation }),
    ...(background && { isBackground: true }),
    ...(store === false && { isKept: false }),
    ...(instructions != null && instructions !== '' && { instructions }),
    ...(orders.length > 0 && { orders }),
  }
}

/** Items as messages of a log. */
export async function readLogMessages(
  store: StoreOperations,
  caller: Caller,
  items: readonly GivenItem[],
): Promise<MessageToAppend[]> {
  return toStoredMessages(toMessages(await lookUp(store, caller, items)).messages)
}
