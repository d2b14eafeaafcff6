import type { Usage } from '../../core/models/adapter.ts'
import type { AwaitingChunk, Chunk, RunEvent } from '../../core/protocol/chunk.ts'
import type { StreamFormat } from '../../core/http/sse.ts'
import { toFinishReason, toToolCall, toUsage, type CompletionHead, type FinishReason } from './completion.ts'
import { usageSince } from './take-turn.ts'
import { toOpenAiError, turnFailed } from './error.ts'

/** The events of a turn as `chat.completion.chunk`s; made for one answer, since it begins with the role. */
export function createChunkFormat(
  head: CompletionHead,
  { includeUsage, usageBefore }: { includeUsage: boolean; usageBefore: Usage },
): StreamFormat {
  let hasBegun = false
  const texts = { content: 0, reasoning_content: 0 }

  const frame = (choices: unknown[], usage: unknown = null) =>
    toFrame({
      id: head.id,
      object: 'chat.completion.chunk',
      created: head.created,
      model: head.model,
      choices,
      ...(includeUsage && { usage }),
    })
  const choice = (delta: object, finishReason: string | null = null) =>
    frame([{ index: 0, delta, logprobs: null, finish_reason: finishReason }])
  const begin = () => {
    if (hasBegun) return ''
    hasBegun = true
    return choice({ role: 'assistant', content: '' })
  }
  /** A text after the first stands on a line of its own, as in the whole answer. */
  const startText = (field: keyof typeof texts) => (texts[field]++ === 0 ? '' : choice({ [field]: '\n' }))

  const toText = (chunk: Chunk): string => {
    switch (chunk.type) {
      case 'text-start':
        return startText('content')
      case 'text-delta':
        return choice({ content: chunk.delta })
      case 'reasoning-start':
        return startText('reasoning_content')
      case 'reasoning-delta':
        return choice({ reasoning_content: chunk.delta })
      case 'finish':
        return finish(chunk)
      case 'data-awaiting':
        return awaiting((chunk as AwaitingChunk).data)
      default:
        return ''
    }
  }

  const finish = ({ finishReason, messageMetadata = {} }: Extract<Chunk, { type: 'finish' }>) => {
    const { error, usage } = messageMetadata as Metadata
    if (error && error.code !== 'content_filter')
      return toFrame(toOpenAiError(turnFailed(error.code, error.message ?? error.code)))
    return conclude(toFinishReason(finishReason), usage)
  }

  const awaiting = ({ calls, usage }: AwaitingChunk['data']) =>
    calls.map((call, index) => choice({ tool_calls: [{ index, ...toToolCall(call) }] })).join('') +
    conclude('tool_calls', usage)

  const conclude = (reason: FinishReason, usage: unknown) => {
    const last = choice({}, reason)
    return includeUsage ? last + frame([], toUsage(usageSince((usage ?? {}) as Usage, usageBefore))) : last
  }

  return {
    headers: {},
    encode: (events: readonly RunEvent[]) => begin() + events.map(({ chunk }) => toText(chunk)).join(''),
    end: 'data: [DONE]\n\n',
  }
}

interface Metadata {
  error?: { code: string; message?: string }
  usage?: unknown
}

const toFrame = (value: object) => `data: ${JSON.stringify(value)}\n\n`
