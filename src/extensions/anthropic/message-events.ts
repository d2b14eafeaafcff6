/** The events of a turn as those of a message, in Anthropic's order. */
import type { StreamFormat } from '../../core/http/sse.ts'
import type { Usage } from '../../core/models/adapter.ts'
import type { AwaitingChunk, Chunk, RunEvent } from '../../core/protocol/chunk.ts'
import { turnFailed } from '../openai/error.ts'
import { usageSince } from '../openai/take-turn.ts'
import { toAnthropicError } from './error.ts'
import {
  signatureOf,
  toStopReason,
  toToolUse,
  toUsage,
  type MessageBody,
  type StopReason,
} from './message.ts'

/** Made for one answer, whose blocks it counts. */
export function createMessageFormat(
  head: MessageBody,
  { usageBefore }: { usageBefore: Usage },
): StreamFormat {
  let hasBegun = false
  let blocks = 0
  /** What is being written, by the id of its part: blocks follow one another. */
  let open: { key: string; kind: 'text' | 'thinking'; index: number } | undefined
  const announced = new Map<string, 'text' | 'thinking'>()

  const event = (type: string, fields: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
  const begin = () => {
    if (hasBegun) return ''
    hasBegun = true
    return event('message_start', { message: head }) + event('ping', {})
  }

  const close = (signature = '') => {
    if (!open) return ''
    const { kind, index } = open
    open = undefined
    const signed =
      kind === 'thinking' && signature !== ''
        ? event('content_block_delta', { index, delta: { type: 'signature_delta', signature } })
        : ''
    return signed + event('content_block_stop', { index })
  }

  /** A block begins when something is said in it. */
  const addText = (key: string, text: string): string => {
    const kind = open?.key === key ? open.kind : announced.get(key)
    if (!kind || text === '') return ''
    let begun = ''
    if (open?.key !== key) {
      begun = close()
      open = { key, kind, index: blocks++ }
      const block =
        kind === 'text'
          ? { type: 'text', text: '', citations: null }
          : { type: 'thinking', thinking: '', signature: '' }
      begun += event('content_block_start', { index: open.index, content_block: block })
    }
    const delta = kind === 'text' ? { type: 'text_delta', text } : { type: 'thinking_delta', thinking: text }
    return begun + event('content_block_delta', { index: open!.index, delta })
  }

  const addCall = (call: AwaitingChunk['data']['calls'][number]): string => {
    const { input, ...block } = toToolUse(call)
    const index = blocks++
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input) }
    return (
      event('content_block_start', { index, content_block: { ...block, input: {} } }) +
      event('content_block_delta', { index, delta }) +
      event('content_block_stop', { index })
    )
  }

  const conclude = (reason: StopReason, usage: unknown): string =>
    close() +
    event('message_delta', {
      delta: { stop_reason: reason, stop_sequence: null },
      usage: toUsage(usageSince((usage ?? {}) as Usage, usageBefore)),
    }) +
    event('message_stop', {})

  const finish = ({ finishReason, messageMetadata = {} }: Extract<Chunk, { type: 'finish' }>) => {
    const { error, usage } = messageMetadata as {
      error?: { code: string; message?: string }
      usage?: unknown
    }
    if (!error || error.code === 'content_filter') return conclude(toStopReason(finishReason), usage)
    const { type: _, ...body } = toAnthropicError(turnFailed(error.code, error.message ?? error.code))
    return close() + event('error', body)
  }

  const toText = (chunk: Chunk): string => {
    switch (chunk.type) {
      case 'text-start':
        announced.set(chunk.id, 'text')
        return ''
      case 'reasoning-start':
        announced.set(chunk.id, 'thinking')
        return ''
      case 'text-delta':
      case 'reasoning-delta':
        return addText(chunk.id, chunk.delta)
      case 'text-end':
        return open?.key === chunk.id ? close() : ''
      case 'reasoning-end':
        return open?.key === chunk.id ? close(signatureOf(chunk.providerMetadata)) : ''
      case 'finish':
        return finish(chunk)
      case 'data-awaiting': {
        const { calls, usage } = (chunk as AwaitingChunk).data
        return close() + calls.map(addCall).join('') + conclude('tool_use', usage)
      }
      default:
        return ''
    }
  }

  return {
    headers: {},
    encode: (events: readonly RunEvent[]) => begin() + events.map(({ chunk }) => toText(chunk)).join(''),
    end: '',
  }
}
