import { messageText } from '../protocol/message-text.ts'
import type { Message } from '../protocol/message.ts'
import type { Session } from '../protocol/session.ts'
import { isRoom } from '../protocol/session-kinds.ts'
import type { ReadCall } from './read-call.ts'
import { asNumber, asText, isFields } from './formats/foreign/fields.ts'

/** One line of `messages.jsonl`: what tools that read such folders expect, and the message as it is. */
export function toLine(session: Session, message: Message, call?: ReadCall): string {
  const { id, seq, role, parts, metadata = {}, createdAt } = message
  const usage = isFields(metadata.usage) ? metadata.usage : {}
  const line = {
    id,
    seq,
    role,
    ...toSender(session, message),
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

/** What nobody in a room said, the room did. */
function toSender(session: Session, { role, metadata = {} }: Message) {
  const agent = asText(metadata.agent)
  if (role === 'user') return { sender: asText(metadata.from) ?? role, sender_type: 'user', cat_name: null }
  const isCat = role === 'assistant' && (agent !== undefined || !isRoom(session))
  return {
    sender: agent ?? (isCat || role === 'system' ? role : 'room'),
    sender_type: isCat ? 'cat' : 'system',
    cat_name: agent ?? null,
  }
}
