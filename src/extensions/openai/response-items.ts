/** What comes out of a turn, as the items of a response. */
import { z } from 'zod'
import type { Part } from '../../core/protocol/message.ts'
import type { AwaitedCall } from '../../core/protocol/awaited-call.ts'
import { toCallItemId, toItemId } from './response-ids.ts'

const itemStatus = z.enum(['in_progress', 'completed', 'incomplete'])
export type ItemStatus = z.infer<typeof itemStatus>

const outputText = z.object({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.unknown()).max(0),
  logprobs: z.array(z.unknown()).max(0),
})
const summaryText = z.object({ type: z.literal('summary_text'), text: z.string() })

const messageItem = z.object({
  id: z.string(),
  type: z.literal('message'),
  status: itemStatus,
  role: z.literal('assistant'),
  content: z.array(outputText),
})
const reasoningItem = z.object({
  id: z.string(),
  type: z.literal('reasoning'),
  summary: z.array(summaryText),
})
const callItem = z.object({
  id: z.string(),
  type: z.literal('function_call'),
  status: itemStatus,
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
})

export const outputItemSchema = z
  .discriminatedUnion('type', [messageItem, reasoningItem, callItem])
  .meta({ id: 'ResponseOutputItem' })
export type OutputItem = z.infer<typeof outputItemSchema>
export type MessageItem = z.infer<typeof messageItem>
export type ReasoningItem = z.infer<typeof reasoningItem>
export type CallItem = z.infer<typeof callItem>

export const toTextPart = (text: string): z.infer<typeof outputText> => ({
  type: 'output_text',
  text,
  annotations: [],
  logprobs: [],
})

export const toMessageItem = (id: string, text: string, status: ItemStatus = 'completed'): MessageItem => ({
  id,
  type: 'message',
  status,
  role: 'assistant',
  content: [toTextPart(text)],
})

export const toReasoningItem = (id: string, text: string): ReasoningItem => ({
  id,
  type: 'reasoning',
  summary: [{ type: 'summary_text', text }],
})

/** Its `call_id` is that of the call at Parley: the one of the model may be there twice. */
export const toCallItem = ({
  id,
  toolName,
  input,
}: Pick<AwaitedCall, 'id' | 'toolName' | 'input'>): CallItem => ({
  id: toCallItemId(id),
  type: 'function_call',
  status: 'completed',
  call_id: id,
  name: toolName,
  arguments: JSON.stringify(input),
})

export const isCallOfCaller = ({ awaited }: Part): boolean => awaited !== undefined

/** Of Parley's own tools nothing is shown; calls of the caller come last, since the response ends with them. */
export function toItems(responseId: string, parts: readonly Part[]): OutputItem[] {
  const items: OutputItem[] = []
  for (const { type, text } of parts) {
    if (typeof text !== 'string' || text === '') continue
    if (type === 'text') items.push(toMessageItem(toItemId('msg', responseId, items.length), text))
    if (type === 'reasoning') items.push(toReasoningItem(toItemId('rs', responseId, items.length), text))
  }
  return [...items, ...parts.filter(isCallOfCaller).map(toCallOfPart)]
}

const toCallOfPart = ({ awaited, toolName, input }: Part) =>
  toCallItem({ id: (awaited as { id: string }).id, toolName: toolName as string, input })
