import { isUtf8 } from 'node:buffer'
import { invalidRequest, ParleyError, quote } from '../../../core/protocol/error.ts'
import { newMessageSchema, type MessageRole } from '../../../core/protocol/message.ts'
import { parseJson } from '../../../core/sessions/formats/json.ts'
import { toAgentName } from './imported-agents.ts'
import type { Draft } from '../../../core/sessions/formats/foreign/conversation.ts'
import {
  asNumber,
  asText,
  definedFields,
  type Fields,
  isFields,
  toInstant,
} from '../../../core/sessions/formats/foreign/fields.ts'

const newline = 0x0a
// with so many lines wrong, the file is something else
const maxProblems = 1_000

/**
 * The rows of a `messages.jsonl`. A row that is torn or malformed is reported with its line and left out:
 * the writer may have died in the middle of it, and the rest is worth having.
 */
export function readThreadMessages(content: Buffer): { messages: Draft[]; problems: string[] } {
  const messages: Draft[] = []
  const problems: string[] = []
  let line = 0
  for (let start = 0; start < content.length; line++) {
    const end = content.indexOf(newline, start)
    const row = content.subarray(start, end === -1 ? content.length : end)
    start += row.length + 1
    if (problems.length === maxProblems) {
      problems.push(
        `messages.jsonl has more than ${maxProblems} such lines; from line ${line + 1} on it was left out.`,
      )
      break
    }
    if (row.length === 0) continue
    try {
      const message = readRow(row, `messages.jsonl line ${line + 1}`)
      if (message) messages.push(message)
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error
      problems.push(error.message)
    }
  }
  return { messages, problems }
}

function readRow(row: Buffer, what: string): Draft | undefined {
  if (!isUtf8(row)) throw invalidRequest(`${what} is not valid UTF-8.`)
  const text = row.toString().replace(/^\uFEFF/, '')
  if (text.trim() === '') return undefined
  return toDraft(parseJson(text, what), what)
}

function toDraft(row: unknown, what: string): Draft {
  if (!isFields(row)) throw invalidRequest(`${what} is not an object: ${quote(row)}.`)
  const role = typeof row.sender_type === 'string' ? roles.get(row.sender_type) : undefined
  if (!role)
    throw invalidRequest(
      `${what} has the sender_type ${quote(row.sender_type)}; "user", "cat", "agent" or "system" belongs there.`,
    )
  if (typeof row.text !== 'string') throw invalidRequest(`${what} has no "text": ${quote(row.text)}.`)
  return {
    // an id that does not fit is replaced, which is no reason to lose the row
    id: typeof row.id === 'string' && row.id.length > 0 && row.id.length <= 200 ? row.id : undefined,
    ...(readMirrored(row) ?? {
      role,
      parts: [{ type: 'text', text: row.text }],
      metadata: metadataOf(row, role),
    }),
    createdAt: toInstant(row.ts),
  }
}

const roles = new Map<string, MessageRole>([
  ['user', 'user'],
  ['cat', 'assistant'],
  ['agent', 'assistant'],
  ['system', 'system'],
])

/** Our own mirror writes more than the text. */
function readMirrored({
  role,
  parts,
  metadata,
}: Fields): Pick<Draft, 'role' | 'parts' | 'metadata'> | undefined {
  if (role === undefined || !Array.isArray(parts) || parts.length === 0) return undefined
  const message = newMessageSchema.safeParse({ role, parts, metadata }).data
  return message && { role: message.role, parts: message.parts ?? [], metadata: message.metadata }
}

const metadataOf = (row: Fields, role: MessageRole) =>
  definedFields({
    sender: asText(row.sender),
    catName: asText(row.cat_name),
    // as rooms have it
    agent: role === 'assistant' ? toAgentName(asText(row.cat_name)) : undefined,
    provider: asText(row.provider),
    model: asText(row.model),
    durationMs: asNumber(row.duration_ms),
    usage: definedFields({
      inputTokens: asNumber(row.input_tokens),
      outputTokens: asNumber(row.output_tokens),
    }),
    costUsd: asNumber(row.cost_usd),
  })
