import { z } from 'zod'
import type { AwaitedCall } from '../../core/protocol/awaited-call.ts'
import type { ChatAnswer } from '../../core/protocol/chat.ts'
import type { Part } from '../../core/protocol/message.ts'

const usageSchema = z.object({
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_creation_input_tokens: z.int(),
  cache_read_input_tokens: z.int(),
})
export type MessageUsage = z.infer<typeof usageSchema>

const stopReasons = ['end_turn', 'max_tokens', 'tool_use', 'refusal'] as const
export type StopReason = (typeof stopReasons)[number]

const blockSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.object({ type: z.literal('text'), text: z.string(), citations: z.null() }),
  z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown() }),
])
export type ContentBlock = z.infer<typeof blockSchema>

export const messageSchema = z
  .object({
    id: z.string(),
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: z.string(),
    content: z.array(blockSchema),
    stop_reason: z.enum(stopReasons).nullable(),
    stop_sequence: z.null(),
    usage: usageSchema,
  })
  .meta({ id: 'AnthropicMessage' })
export type MessageBody = z.infer<typeof messageSchema>

/** What a message has from its beginning on. */
export const toMessageHead = (id: string, model: string): MessageBody => ({
  id,
  type: 'message',
  role: 'assistant',
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: toUsage({}),
})

export function toMessage(
  head: MessageBody,
  { run, awaiting }: ChatAnswer,
  { parts, usage }: { parts: readonly Part[]; usage: unknown },
): MessageBody {
  const { code } = (run.outcome ?? {}) as { code?: string }
  return {
    ...head,
    content: [...parts.flatMap(toBlock), ...(awaiting ?? []).map(toToolUse)],
    stop_reason: awaiting ? 'tool_use' : toStopReason(code),
    usage: toUsage(usage),
  }
}

/** Of Parley's own tools nothing is shown. */
function toBlock({ type, text, providerMetadata }: Part): ContentBlock[] {
  if (typeof text !== 'string' || text === '') return []
  if (type === 'reasoning')
    return [{ type: 'thinking', thinking: text, signature: signatureOf(providerMetadata) }]
  return type === 'text' ? [{ type: 'text', text, citations: null }] : []
}

/** Only models of Anthropic sign what they think. */
export const signatureOf = (providerMetadata: unknown): string => {
  const { anthropic } = (providerMetadata ?? {}) as { anthropic?: { signature?: unknown } }
  return typeof anthropic?.signature === 'string' ? anthropic.signature : ''
}

/** Its id is that of the call at Parley: the one of the model may be there twice. */
export const toToolUse = ({
  id,
  toolName,
  input,
}: Pick<AwaitedCall, 'id' | 'toolName' | 'input'>): Extract<ContentBlock, { type: 'tool_use' }> => ({
  type: 'tool_use',
  id,
  name: toolName,
  input,
})

/** A turn that was stopped has only its partial text. */
export const toStopReason = (code: string | undefined): StopReason =>
  code === 'length' ? 'max_tokens' : /^content[-_]filter$/.test(code ?? '') ? 'refusal' : 'end_turn'

/** Tokens of the cache are counted apart; those that a provider did not report count as none. */
export function toUsage(usage: unknown): MessageUsage {
  const {
    inputTokens = 0,
    outputTokens = 0,
    cacheReadTokens = 0,
    cacheWriteTokens = 0,
  } = (usage ?? {}) as Record<string, number | undefined>
  return {
    input_tokens: Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
    output_tokens: outputTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
  }
}
