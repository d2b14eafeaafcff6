import { invalidRequest, quote } from '../../../protocol/error.ts'
import type { MessageRole } from '../../../protocol/message.ts'
import type { SessionDocument } from '../../../protocol/session.ts'
import { type Block, joinTexts, toBlocks } from './blocks.ts'
import { createConversation, type ForeignMessage } from './conversation.ts'
import { asText, type Fields, isFields } from './fields.ts'

const roles: Record<string, MessageRole> = {
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  system: 'system',
  developer: 'system',
  // answers of tools: they end up inside the assistant's message
  tool: 'assistant',
  function: 'assistant',
}

/**
 * AI SDK `UIMessage[]`, AI SDK `ModelMessage[]` or plain `{role, content}` messages, alone or as
 * `{id?, title?, messages}`.
 */
export function fromUiMessages(value: unknown): SessionDocument {
  const session: Fields = isFields(value) ? value : { messages: value }
  const { messages } = session
  if ('scope' in session) throw invalidRequest('"scope" is no part of a document; give it with the request.')
  if (!Array.isArray(messages)) throw invalidRequest(`"messages" is not a list: ${quote(messages)}.`)
  const conversation = createConversation()
  for (const [index, message] of messages.entries()) conversation.add(toMessage(message, `messages.${index}`))
  const { id, title, createdAt } = session
  return conversation.toDocument({ id, title, createdAt })
}

/** `where` names the message in a refusal. */
export function toMessage(message: unknown, where: string): ForeignMessage {
  if (!isFields(message))
    throw invalidRequest(`${where} is not a message, which is an object: ${quote(message)}.`)
  const name = message.role
  const role = typeof name === 'string' && Object.hasOwn(roles, name) ? roles[name] : undefined
  if (!role)
    throw invalidRequest(`${where}.role is ${quote(name)}; understood are ${Object.keys(roles).join(', ')}.`)
  return {
    id: message.id,
    role,
    blocks: messageBlocks(message, where),
    metadata: isFields(message.metadata) ? message.metadata : undefined,
    createdAt: message.createdAt ?? message.timestamp,
  }
}

function messageBlocks(message: Fields, where: string): Block[] {
  if (message.parts !== undefined) return uiParts(message.parts, where)
  if (isAnswer(message)) return [toAnswer(message)]
  const calls = toolCalls(message, where)
  const said = calls.length > 0 && message.content === '' ? [] : toBlocks(message.content, `${where}.content`)
  const thoughts = typeof message.reasoning_content === 'string' ? [thought(message.reasoning_content)] : []
  return [...thoughts, ...said, ...calls]
}

/** Parts of a `UIMessage` have our shape already, but for the older forms of reasoning and files. */
function uiParts(parts: unknown, where: string): Block[] {
  if (!Array.isArray(parts)) throw invalidRequest(`${where}.parts is not a list: ${quote(parts)}.`)
  return parts.flatMap((part, index) => {
    const isOlder =
      isFields(part) &&
      (part.type === 'reasoning' ? !('text' in part) : part.type === 'file' && !('url' in part))
    if (isOlder) return toBlocks([part], `${where}.parts.${index}`)
    if (!isFields(part) || typeof part.type !== 'string')
      throw invalidRequest(
        `${where}.parts.${index} is not a part, which is an object with a "type": ${quote(part)}.`,
      )
    return { kind: 'part' as const, part: { ...part, type: part.type } }
  })
}

const thought = (text: string): Block => ({ kind: 'part', part: { type: 'reasoning', text } })

/** The AI SDK writes answers of tools as parts, OpenAI as the content of the message. */
function isAnswer({ role, content, tool_call_id: id }: Fields): boolean {
  return role === 'function' || (role === 'tool' && (id !== undefined || !Array.isArray(content)))
}

const toAnswer = (message: Fields): Block => ({
  kind: 'result',
  // the older function calls have no id: the name connects call and answer
  id: asText(message.tool_call_id) ?? asText(message.name) ?? 'unknown',
  name: asText(message.name),
  output: joinTexts(message.content) ?? null,
  isError: false,
})

function toolCalls(message: Fields, where: string): Block[] {
  const { tool_calls: calls = [], function_call: single } = message
  if (isFields(single)) return [functionCall(single.name, single)]
  if (calls === null) return []
  if (!Array.isArray(calls)) throw invalidRequest(`${where}.tool_calls is not a list: ${quote(calls)}.`)
  return calls.map((call, index) => {
    if (!isFields(call))
      throw invalidRequest(`${where}.tool_calls.${index} is not an object: ${quote(call)}.`)
    return functionCall(call.id, isFields(call.function) ? call.function : call)
  })
}

function functionCall(id: unknown, { name, arguments: given }: Fields): Block {
  const toolName = asText(name) ?? 'unknown'
  return { kind: 'call', id: asText(id) ?? toolName, name: toolName, input: toInput(given) }
}

/** Arguments are JSON as text; text that a model failed to finish is kept as it is. */
function toInput(given: unknown): unknown {
  if (typeof given !== 'string') return given ?? {}
  if (given === '') return {}
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}
