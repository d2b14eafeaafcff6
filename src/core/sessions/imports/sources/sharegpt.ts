import { invalidRequest, quote } from '../../../protocol/error.ts'
import type { MessageRole } from '../../../protocol/message.ts'
import { type Block, textBlock } from '../../formats/foreign/blocks.ts'
import { asText, type Fields, isFields } from '../../formats/foreign/fields.ts'
import { toChain, type Conversation } from '../conversation.ts'
import type { ListSource } from './source.ts'

/** ShareGPT: `{ id?, conversations: [{ from, value }] }`, as lists or one per line. */
export const shareGpt: ListSource = {
  kind: 'list',
  name: 'sharegpt',
  label: 'ShareGPT (conversations of from and value)',
  recognises: ({ conversations }) =>
    Array.isArray(conversations) &&
    conversations.every((turn) => isFields(turn) && 'from' in turn && 'value' in turn),
  read: toConversation,
}

const roles: Record<string, MessageRole> = {
  human: 'user',
  user: 'user',
  gpt: 'assistant',
  chatgpt: 'assistant',
  bing: 'assistant',
  bard: 'assistant',
  assistant: 'assistant',
  model: 'assistant',
  function_call: 'assistant',
  observation: 'assistant',
  tool: 'assistant',
  function_response: 'assistant',
  system: 'system',
}

function toConversation(value: Fields): Conversation {
  const turns = value.conversations as Fields[]
  const told = asText(value.system)?.trim()
  let lastCall: string | undefined
  return {
    id: asText(value.id) ?? '',
    title: value.title,
    createdAt: value.create_time ?? value.created_at,
    instructions: told || undefined,
    nodes: toChain(
      turns.map((turn, index) => {
        const from = String(turn.from)
        const role = Object.hasOwn(roles, from) ? roles[from]! : undefined
        if (!role)
          throw invalidRequest(
            `conversations.${index}.from is ${quote(turn.from)}; known are ${Object.keys(roles).join(', ')}.`,
          )
        const text = asText(turn.value) ?? (turn.value === null ? '' : JSON.stringify(turn.value))
        const blocks = toBlocks(from, text, index)
        return { id: `message-${index + 1}`, message: { role, blocks } }
      }),
    ),
  }

  function toBlocks(from: string, text: string, index: number): Block[] {
    if (from === 'function_call') {
      lastCall = `call-${index + 1}`
      const { name, input } = readCall(text)
      return [{ kind: 'call', id: lastCall, name, input }]
    }
    if (from !== 'observation' && from !== 'tool' && from !== 'function_response')
      return text === '' ? [] : [textBlock(text)]
    const id = lastCall ?? `call-${index + 1}`
    lastCall = undefined
    return [{ kind: 'result', id, output: text, isError: false }]
  }
}

function readCall(text: string): { name: string; input: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    if (isFields(value) && typeof value.name === 'string')
      return { name: value.name, input: value.arguments ?? value.parameters ?? {} }
  } catch {
    // not every model wrote JSON
  }
  return { name: 'function', input: { text } }
}
