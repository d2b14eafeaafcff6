import { split, type Wire, type WireReply } from './provider-server.ts'

/** OpenAI's Responses. */
export const openaiResponses: Wire = {
  path: /^\/v1\/responses$/,
  frames: (reply) =>
    [
      event('response.created', { response: response('in_progress') }),
      event('response.in_progress', { response: response('in_progress') }),
      ...items(reply).flatMap((item, index) => item(index)),
      closing(reply),
    ].map(toFrame),
  errorFrame: ({ type, message, code = type }) => toFrame(event('error', { code, message, param: null }), 99),
  errorBody: ({ message, type, code = null }) =>
    JSON.stringify({ error: { message, type, param: null, code } }),
}

interface Event {
  type: string
}

const event = (type: string, fields: object): Event => ({ type, ...fields })

const toFrame = ({ type, ...fields }: Event, sequence_number: number) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...fields })}\n\n`

const response = (status: string) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1_700_000_000,
  model: 'test-model',
  status,
  output: [],
})

type Item = (output_index: number) => Event[]

function items(reply: WireReply): Item[] {
  const { reasoning, text, toolCalls = [], chunks = 3 } = reply
  return [
    ...(reasoning === undefined ? [] : [reasoningItem(reply, reasoning, chunks)]),
    ...(text === undefined ? [] : [messageItem(reply, text, chunks)]),
    ...toolCalls.map((call) => callItem(call, chunks)),
  ]
}

const reasoningItem =
  ({ signature = null }: { signature?: string | null }, text: string, chunks: number): Item =>
  (output_index) => {
    const at = { item_id: 'rs_1', output_index, summary_index: 0 }
    const item = (summary: object[], encrypted_content: string | null) => ({
      output_index,
      item: { id: 'rs_1', type: 'reasoning', summary, encrypted_content },
    })
    const part = { type: 'summary_text', text }
    return [
      event('response.output_item.added', item([], null)),
      event('response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } }),
      ...split(text, chunks).map((delta) => event('response.reasoning_summary_text.delta', { ...at, delta })),
      event('response.reasoning_summary_text.done', { ...at, text }),
      event('response.reasoning_summary_part.done', { ...at, part }),
      event('response.output_item.done', item([part], signature)),
    ]
  }

const messageItem =
  ({ finish }: WireReply, text: string, chunks: number): Item =>
  (output_index) => {
    const [kind, field] = finish === 'refusal' ? ['refusal', 'refusal'] : ['output_text', 'text']
    const at = { item_id: 'msg_1', output_index, content_index: 0 }
    const part = (value: string) => ({ type: kind, [field]: value, annotations: [] })
    const item = (status: string, content: object[]) => ({
      output_index,
      item: { id: 'msg_1', type: 'message', status, role: 'assistant', content },
    })
    return [
      event('response.output_item.added', item('in_progress', [])),
      event('response.content_part.added', { ...at, part: part('') }),
      ...split(text, chunks).map((delta) => event(`response.${kind}.delta`, { ...at, delta })),
      event(`response.${kind}.done`, { ...at, [field]: text }),
      event('response.content_part.done', { ...at, part: part(text) }),
      event('response.output_item.done', item('completed', [part(text)])),
    ]
  }

const callItem =
  ({ id, name, input }: { id: string; name: string; input: string }, chunks: number): Item =>
  (output_index) => {
    const at = { item_id: `fc_${id}`, output_index }
    const item = (status: string, value: string) => ({
      output_index,
      item: { id: `fc_${id}`, type: 'function_call', status, call_id: id, name, arguments: value },
    })
    return [
      event('response.output_item.added', item('in_progress', '')),
      ...split(input, chunks).map((delta) =>
        event('response.function_call_arguments.delta', { ...at, delta }),
      ),
      event('response.function_call_arguments.done', { ...at, arguments: input }),
      event('response.output_item.done', item('completed', input)),
    ]
  }

function closing({ finish, usage = { input: 10, output: 5 } }: WireReply): Event {
  const reasons: Record<string, string> = { length: 'max_output_tokens', 'content-filter': 'content_filter' }
  const reason = finish && reasons[finish]
  const kind = reason ? 'incomplete' : 'completed'
  return event(`response.${kind}`, {
    response: {
      ...response(kind),
      incomplete_details: reason ? { reason } : null,
      usage: {
        input_tokens: usage.input,
        input_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
        output_tokens: usage.output,
        output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
        total_tokens: usage.input + usage.output,
      },
    },
  })
}
