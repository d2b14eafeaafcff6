import { split, type Wire, type WireReply } from './provider-server.ts'

/** Anthropic's Messages. */
export const anthropicMessages: Wire = {
  path: /^\/v1\/messages$/,
  frames(reply) {
    const { usage = { input: 10, output: 5 } } = reply
    return [
      frame('message_start', { message: message(usage) }),
      frame('ping', {}),
      ...blocks(reply).flatMap(({ start, deltas }, index) => [
        frame('content_block_start', { index, content_block: start }),
        ...deltas.map((delta) => frame('content_block_delta', { index, delta })),
        frame('content_block_stop', { index }),
      ]),
      frame('message_delta', {
        delta: { stop_reason: stopReason(reply), stop_sequence: null },
        usage: {
          output_tokens: usage.output,
          ...(usage.reasoning !== undefined && {
            output_tokens_details: { thinking_tokens: usage.reasoning },
          }),
        },
      }),
      frame('message_stop', {}),
    ]
  },
  errorFrame: ({ type, message }) => frame('error', { error: { type, message } }),
  errorBody: ({ type, message }) => JSON.stringify({ type: 'error', error: { type, message } }),
}

const frame = (type: string, fields: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`

const message = (usage: NonNullable<WireReply['usage']>) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'test-model',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: {
    // Anthropic counts what came from the cache apart
    input_tokens: usage.input - (usage.cacheRead ?? 0) - (usage.cacheWrite ?? 0),
    output_tokens: 1,
    cache_read_input_tokens: usage.cacheRead ?? 0,
    cache_creation_input_tokens: usage.cacheWrite ?? 0,
  },
})

function blocks(reply: WireReply): { start: object; deltas: object[] }[] {
  const { chunks = 3, reasoning, signature, text, toolCalls = [] } = reply
  return [
    ...(reasoning === undefined
      ? []
      : [
          {
            start: { type: 'thinking', thinking: '', signature: '' },
            deltas: [
              ...split(reasoning, chunks).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
              { type: 'signature_delta', signature: signature ?? 'sig' },
            ],
          },
        ]),
    ...(text === undefined
      ? []
      : [
          {
            start: { type: 'text', text: '' },
            deltas: split(text, chunks).map((piece) => ({ type: 'text_delta', text: piece })),
          },
        ]),
    ...toolCalls.map(({ id, name, input }) => ({
      start: { type: 'tool_use', id, name, input: {} },
      deltas: split(input, chunks).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    })),
  ]
}

function stopReason({ finish, toolCalls }: WireReply): string {
  if (finish === 'length') return 'max_tokens'
  if (finish === 'refusal' || finish === 'content-filter') return 'refusal'
  return toolCalls && finish !== 'stop' ? 'tool_use' : 'end_turn'
}
