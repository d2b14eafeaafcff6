import { split, type Wire, type WireReply } from './provider-server.ts'

/** Chat Completions, as OpenAI and the servers that copy it stream them. */
export const openaiChat: Wire = {
  path: /^\/v1\/chat\/completions$/,
  frames: (reply) => [
    chunk({ role: 'assistant', content: '' }),
    ...deltas(reply).map((delta) => chunk(delta)),
    chunk({}, finishReason(reply)),
    ...(reply.usage ? [usageChunk(reply.usage)] : []),
    'data: [DONE]\n\n',
  ],
  errorFrame: (error) => frame({ error: { message: error.message, type: error.type, code: error.code } }),
  errorBody: ({ message, type, code = null }) =>
    JSON.stringify({ error: { message, type, param: null, code } }),
}

const frame = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`

const base = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'test-model',
}

const chunk = (delta: object, finish_reason: string | null = null) =>
  frame({ ...base, choices: [{ index: 0, delta, finish_reason }] })

function deltas(reply: WireReply): object[] {
  const { chunks = 3, reasoning = '', text = '', toolCalls = [] } = reply
  const field = reply.finish === 'refusal' ? 'refusal' : 'content'
  return [
    ...split(reasoning, chunks).map((piece) => ({ reasoning_content: piece })),
    ...split(text, chunks).map((piece) => ({ [field]: piece })),
    ...toolCalls.flatMap(({ id, name, input }, index) => [
      { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
      ...split(input, chunks).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
  ]
}

function finishReason({ finish, toolCalls }: WireReply): string {
  if (finish === 'content-filter') return 'content_filter'
  if (finish === 'length') return 'length'
  return toolCalls && finish !== 'stop' ? 'tool_calls' : 'stop'
}

const usageChunk = (usage: NonNullable<WireReply['usage']>) =>
  frame({
    ...base,
    choices: [],
    usage: {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
      completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    },
  })
