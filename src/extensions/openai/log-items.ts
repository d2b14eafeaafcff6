/** Messages of a log as the items of OpenAI. */
import { isToolPart, toText } from '../../core/chat/model-history.ts'
import type { Message, Part } from '../../core/protocol/message.ts'
import type { LogItem } from './item-page.ts'
import { isCallOfCaller, toMessageItem, toReasoningItem } from './response-items.ts'

export function toLogItems({ id, role, parts }: Pick<Message, 'id' | 'role' | 'parts'>): LogItem[] {
  if (role === 'assistant') return toAnswerItems(id, parts)
  const content = parts.flatMap(toInputPart)
  return content.length === 0 ? [] : [{ id: `${id}_p0`, type: 'message', status: 'completed', role, content }]
}

/** What was said and called, in order; a result follows its call. */
export function toAnswerItems(id: string, parts: readonly Part[]): LogItem[] {
  const items: LogItem[] = []
  for (const part of parts) {
    const { type, text } = part
    if (type === 'text' && text !== '') items.push(toMessageItem('', text as string))
    else if (type === 'reasoning' && text !== '') items.push(toReasoningItem('', text as string))
    else if (isToolPart(part)) items.push(toCall(part), ...toOutputItem(part))
  }
  return items.map((item, index) => ({ ...item, id: `${id}_p${index}` }))
}

/** The message that an item is a part of. */
export const messageOfItem = (itemId: string): string | undefined => /^(.+)_p\d+$/.exec(itemId)?.[1]

const toCall = (part: Part): LogItem => ({
  id: '',
  type: 'function_call',
  status: 'completed',
  call_id: callIdOf(part),
  name: part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length),
  arguments: JSON.stringify(part.input ?? {}),
})

/** None while the result is missing. */
export function toOutputItem(part: Part): LogItem[] {
  const callId = callIdOf(part)
  const output =
    part.state === 'output-available'
      ? toText(part.output)
      : part.state === 'output-error'
        ? String(part.errorText)
        : undefined
  if (output === undefined) return []
  const id = callId.replace(/^call_/, 'fco_')
  return [{ id, type: 'function_call_output', status: 'completed', call_id: callId, output }]
}

const callIdOf = (part: Part): string =>
  isCallOfCaller(part) ? (part.awaited as { id: string }).id : String(part.toolCallId)

function toInputPart(part: Part): object[] {
  if (part.type === 'text') return [{ type: 'input_text', text: part.text }]
  if (part.type !== 'file') return []
  const { mediaType, url, filename } = part as Part & { mediaType: string; url: string; filename?: string }
  return mediaType.startsWith('image/')
    ? [{ type: 'input_image', image_url: url, detail: 'auto' }]
    : [{ type: 'input_file', file_data: url, ...(filename !== undefined && { filename }) }]
}
