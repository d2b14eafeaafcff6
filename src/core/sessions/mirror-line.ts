import { messageText } from '../protocol/message-text.ts'
import type { Message } from '../protocol/message.ts'
import type { ReadCall } from './answering-model.ts'
import { asNumber, asText, isFields } from './formats/foreign/fields.ts'

/** One line of `messages.jsonl`: what tools that read such folders expect, and the message as it is. */
export function toLine(message: Message, speaker: string | undefined, call?: ReadCall): string {
  const { id, seq, role, parts, metadata = {}, createdAt } = message
  const usage = isFields(metadata.usage) ? metadata.usage : {}
  const line = {
    id,
    seq,
    role,
    ...toSender(message, speaker),
    text: messageText(message),
    ts: createdAt,
    provider: asText(metadata.provider) ?? call?.provider ?? null,
    model: asText(metadata.model) ?? call?.model ?? null,
    duration_ms: asNumber(metadata.durationMs) ?? call?.duration_ms ?? null,
    input_tokens: asNumber(usage.inputTokens) ?? null,
    output_tokens: asNumber(usage.outputTokens) ?? null,
    cost_usd: asNumber(metadata.costUsd) ?? null,
    parts,
    metadata: message.metadata,
  }
  return `${JSON.stringify(line)}\n`
}

/** Where several agents answer, messages without an agent are those of the session. */
function toSender({ role, metadata = {} }: Message, speaker: string | undefined) {
  const agent = asText(metadata.agent)
  if (role === 'user') return { sender: asText(metadata.from) ?? role, sender_type: 'user', cat_name: null }
  const isCat = role === 'assistant' && (agent !== undefined || speaker === undefined)
  return {
    sender: agent ?? (isCat || role === 'system' ? role : speaker),
    sender_type: isCat ? 'cat' : 'system',
    cat_name: agent ?? null,
  }
}
