/** The events of a turn as those of a response, in OpenAI's order. */
import type { StreamFormat } from '../../core/http/sse.ts'
import type { Usage } from '../../core/models/adapter.ts'
import type { AwaitingChunk, Chunk, RunEvent } from '../../core/protocol/chunk.ts'
import { toItemId } from './response-ids.ts'
import {
  toCallItem,
  toMessageItem,
  toReasoningItem,
  toTextPart,
  type ItemStatus,
  type OutputItem,
} from './response-items.ts'
import {
  toEnding,
  toEndingOf,
  toResponseUsage,
  type ResponseBody,
  type ResponseEnding,
  type ResponseStatus,
} from './response.ts'
import { usageSince } from './take-turn.ts'

export interface ResponseFormatOptions {
  usageBefore: Usage
  /** Events up to this number were received before. Default: none. */
  startingAfter?: number
  now(): number
}

/** A text that is being written. */
interface OpenItem {
  kind: 'msg' | 'rs'
  id: string
  index: number
  text: string
}

/** Made for one answer, whose events it numbers; `head` is the response as it begins. */
export function createResponseFormat(
  head: ResponseBody,
  { usageBefore, startingAfter = -1, now }: ResponseFormatOptions,
): StreamFormat {
  let sequence = 0
  let hasBegun = false
  const output: OutputItem[] = []
  const open = new Map<string, OpenItem>()
  /** Texts get a place when something is said in them. */
  const announced = new Map<string, OpenItem['kind']>()

  const event = (type: string, fields: object): string => {
    const number = sequence++
    if (number <= startingAfter) return ''
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number, ...fields })}\n\n`
  }
  const ofResponse = (name: string, response: ResponseBody) => event(`response.${name}`, { response })

  const begin = () => {
    if (hasBegun) return ''
    hasBegun = true
    const isQueued = head.status === 'queued'
    return (
      ofResponse('created', head) +
      (isQueued ? ofResponse('queued', head) : '') +
      ofResponse('in_progress', { ...head, status: 'in_progress' })
    )
  }

  const place = ({ id, index }: OpenItem) => ({ item_id: id, output_index: index })

  const openItem = (key: string, kind: OpenItem['kind']): [OpenItem, string] => {
    const index = output.length
    const item = { kind, id: toItemId(kind, head.id, index), index, text: '' }
    open.set(key, item)
    announced.delete(key)
    output.push(kind === 'msg' ? toMessageItem(item.id, '', 'incomplete') : toReasoningItem(item.id, ''))
    const { id } = item
    return kind === 'msg'
      ? [
          item,
          event('response.output_item.added', {
            output_index: index,
            item: { ...toMessageItem(id, '', 'in_progress'), content: [] },
          }) +
            event('response.content_part.added', { ...place(item), content_index: 0, part: toTextPart('') }),
        ]
      : [
          item,
          event('response.output_item.added', {
            output_index: index,
            item: { ...toReasoningItem(id, ''), summary: [] },
          }) +
            event('response.reasoning_summary_part.added', {
              ...place(item),
              summary_index: 0,
              part: { type: 'summary_text', text: '' },
            }),
        ]
  }

  const addText = (key: string, delta: string): string => {
    const known = open.get(key)
    const kind = known?.kind ?? announced.get(key)
    if (!kind || delta === '') return ''
    const [item, added] = known ? [known, ''] : openItem(key, kind)
    item.text += delta
    return (
      added +
      (kind === 'msg'
        ? event('response.output_text.delta', { ...place(item), content_index: 0, delta, logprobs: [] })
        : event('response.reasoning_summary_text.delta', { ...place(item), summary_index: 0, delta }))
    )
  }

  const closeItem = (key: string, status: ItemStatus = 'completed'): string => {
    announced.delete(key)
    const item = open.get(key)
    if (!item) return ''
    open.delete(key)
    const { kind, id, index, text } = item
    const done = kind === 'msg' ? toMessageItem(id, text, status) : toReasoningItem(id, text)
    output[index] = done
    const texts =
      kind === 'msg'
        ? event('response.output_text.done', { ...place(item), content_index: 0, text, logprobs: [] }) +
          event('response.content_part.done', { ...place(item), content_index: 0, part: toTextPart(text) })
        : event('response.reasoning_summary_text.done', { ...place(item), summary_index: 0, text }) +
          event('response.reasoning_summary_part.done', {
            ...place(item),
            summary_index: 0,
            part: { type: 'summary_text', text },
          })
    return texts + event('response.output_item.done', { output_index: index, item: done })
  }
  const closeAll = (status: ItemStatus) => [...open.keys()].map((key) => closeItem(key, status)).join('')

  const addCall = (call: AwaitingChunk['data']['calls'][number]): string => {
    const item = toCallItem(call)
    const index = output.length
    output.push(item)
    const at = { item_id: item.id, output_index: index }
    return (
      event('response.output_item.added', {
        output_index: index,
        item: { ...item, status: 'in_progress', arguments: '' },
      }) +
      event('response.function_call_arguments.delta', { ...at, delta: item.arguments }) +
      event('response.function_call_arguments.done', { ...at, name: item.name, arguments: item.arguments }) +
      event('response.output_item.done', { output_index: index, item })
    )
  }

  const conclude = (ending: ResponseEnding, usage: unknown): string => {
    const response: ResponseBody = {
      ...head,
      ...toEnding(ending),
      completed_at: ending.status === 'completed' ? Math.floor(now() / 1_000) : null,
      output,
      usage: toResponseUsage(usageSince((usage ?? {}) as Usage, usageBefore)),
    }
    return closeAll('incomplete') + ofResponse(lastEvents[ending.status] ?? 'completed', response)
  }

  const finish = ({ finishReason, messageMetadata = {} }: Extract<Chunk, { type: 'finish' }>) => {
    const { error, usage, stopped } = messageMetadata as Metadata
    if (stopped) return conclude({ status: 'cancelled' }, usage)
    return conclude(toEndingOf(error?.code ?? finishReason ?? 'stop', !error, error?.message), usage)
  }

  const toText = (chunk: Chunk): string => {
    switch (chunk.type) {
      case 'text-start':
        announced.set(chunk.id, 'msg')
        return ''
      case 'reasoning-start':
        announced.set(chunk.id, 'rs')
        return ''
      case 'text-delta':
      case 'reasoning-delta':
        return addText(chunk.id, chunk.delta)
      case 'text-end':
      case 'reasoning-end':
        return closeItem(chunk.id)
      case 'finish':
        return finish(chunk)
      case 'data-awaiting': {
        const { calls, usage } = (chunk as AwaitingChunk).data
        return closeAll('completed') + calls.map(addCall).join('') + conclude({ status: 'completed' }, usage)
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

/** OpenAI has no event of its own for one that was cancelled. */
const lastEvents: Partial<Record<ResponseStatus, string>> = {
  completed: 'completed',
  incomplete: 'incomplete',
  cancelled: 'incomplete',
  failed: 'failed',
}

interface Metadata {
  error?: { code: string; message?: string }
  usage?: unknown
  stopped?: boolean
}
