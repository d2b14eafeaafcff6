import type { FinishReason, ModelEvent, Usage } from './adapter.ts'
import { metadataKey } from './chat-messages.ts'
import { createToolCalls, type ToolCallDelta } from './chat-tool-calls.ts'
import type { Faults } from './provider-faults.ts'

/** The fields that are read. A server may leave out each of them, or send something else in its place. */
interface Chunk {
  choices?: ({ delta?: Delta | null; finish_reason?: string | null } | null)[] | null
  usage?: ChatUsage | null
  model?: unknown
  id?: unknown
  error?: unknown
}
interface Delta {
  content?: unknown
  refusal?: unknown
  reasoning?: unknown
  reasoning_content?: unknown
  tool_calls?: ToolCallDelta[] | null
}
interface ChatUsage {
  prompt_tokens?: unknown
  completion_tokens?: unknown
  prompt_tokens_details?: { cached_tokens?: unknown; cache_write_tokens?: unknown } | null
  completion_tokens_details?: { reasoning_tokens?: unknown } | null
}

/** Reads one reply from the chunks it is streamed in. */
export function createChatReader(faults: Faults) {
  const calls = createToolCalls()
  let finish: string | undefined
  let usage: ChatUsage = {}
  let answered: Pick<Chunk, 'model' | 'id'> = {}
  let isRefusal = false
  let reasoningField: 'reasoning' | 'reasoning_content' | undefined

  function* endReasoning(): Generator<ModelEvent> {
    if (!reasoningField) return
    yield { type: 'reasoning-end', providerMetadata: { [metadataKey]: { field: reasoningField } } }
    reasoningField = undefined
  }

  return {
    /** True once the model has ended its answer; what may follow is its usage. */
    get isFinished() {
      return finish !== undefined
    },
    *read(data: string): Generator<ModelEvent> {
      const chunk = parse(faults, data)
      if (chunk.error) throw faults.failed(chunk.error)
      if (chunk.usage) usage = chunk.usage
      if (chunk.model) answered = chunk
      const choice = chunk.choices?.[0]
      if (choice?.finish_reason) finish = choice.finish_reason
      const delta = choice?.delta
      if (!delta) return

      const thought = toText(delta.reasoning_content) || toText(delta.reasoning)
      if (thought) {
        reasoningField = delta.reasoning_content ? 'reasoning_content' : 'reasoning'
        yield { type: 'reasoning-delta', text: thought }
      }
      const refusal = toText(delta.refusal)
      if (refusal) isRefusal = true
      const text = refusal || toText(delta.content)
      if (text) {
        yield* endReasoning()
        yield { type: 'text-delta', text }
      }
      if (!Array.isArray(delta.tool_calls)) return
      for (const [position, call] of delta.tool_calls.entries()) {
        yield* endReasoning()
        yield* calls.take(call, position)
      }
    },
    *end(): Generator<ModelEvent> {
      if (finish === undefined) throw faults.cut()
      yield* endReasoning()
      yield* calls.end()
      yield {
        type: 'finish',
        reason: toReason(finish, isRefusal, calls.count > 0),
        usage: toUsage(usage),
        model: toName(answered.model),
        id: toName(answered.id),
      }
    },
  }
}

function parse(faults: Faults, data: string): Chunk {
  try {
    const chunk: unknown = JSON.parse(data)
    // what is no object has none of the fields, and is passed over like any event that is not known
    return typeof chunk === 'object' && chunk !== null ? chunk : {}
  } catch (error) {
    throw faults.malformed((error as Error).message)
  }
}

/** Text, or the parts of text that some servers send in its place. */
function toText(content: unknown): string {
  if (typeof content === 'string') return content
  return Array.isArray(content)
    ? content.map((part) => toText((part as { text?: unknown })?.text)).join('')
    : ''
}

function toReason(finish: string, isRefusal: boolean, hasCalls: boolean): FinishReason {
  if (finish === 'length') return 'length'
  if (finish === 'content_filter' || isRefusal) return 'content-filter'
  if (finish === 'tool_calls' || finish === 'function_call' || hasCalls) return 'tool-calls'
  return finish === 'stop' ? 'stop' : 'other'
}

const toUsage = (usage: ChatUsage): Usage => ({
  inputTokens: toCount(usage.prompt_tokens),
  outputTokens: toCount(usage.completion_tokens),
  reasoningTokens: toCount(usage.completion_tokens_details?.reasoning_tokens),
  cacheReadTokens: toCount(usage.prompt_tokens_details?.cached_tokens),
  cacheWriteTokens: toCount(usage.prompt_tokens_details?.cache_write_tokens),
})

const toName = (value: unknown) => (typeof value === 'string' ? value : undefined)
const toCount = (value: unknown) => (typeof value === 'number' ? value : undefined)
