import { type Block, textBlock, toBlocks } from '../../formats/foreign/blocks.ts'
import { asText, definedFields, type Fields, isFields, toTitle } from '../../formats/foreign/fields.ts'
import { toChain, type Conversation, type ConversationNode } from '../conversation.ts'
import type { ImportNotes } from '../import-notes.ts'
import type { LogRow, LogSource } from './source.ts'

/**
 * A rollout of Codex, `~/.codex/sessions/…/rollout-….jsonl`: lines of `{ timestamp, type, payload }`, of which
 * `response_item` is what model and person exchanged. Older ones have the items themselves as lines.
 */
export const codex: LogSource = {
  kind: 'log',
  name: 'codex',
  label: 'Codex (rollout-*.jsonl)',
  recognises: (value) =>
    (lineTypes.has(String(value.type)) && isFields(value.payload)) ||
    ('instructions' in value && typeof value.id === 'string' && typeof value.timestamp === 'string'),
  read: toConversation,
}

const lineTypes = new Set(['session_meta', 'response_item', 'event_msg', 'turn_context', 'compacted'])
// as long as a title in a list of sessions may be without being cut again
const titleLength = 60

function toConversation(rows: readonly LogRow[], notes: ImportNotes): Conversation {
  const nodes: Omit<ConversationNode, 'parentId'>[] = []
  let meta: Fields | undefined
  let model: string | undefined
  let title: string | undefined
  for (const { line, value } of rows) {
    const item = isFields(value.payload) ? value.payload : value
    if (value.type === 'session_meta') meta ??= item
    else if (value.type === 'turn_context') model = asText(item.model) ?? model
    else if (typeof value.id === 'string' && value.type === undefined && 'instructions' in value)
      meta ??= value
    const isItem = value.type === 'response_item' || !lineTypes.has(String(value.type))
    const message = isItem ? toMessage(item, `Line ${line}`, model) : compacted(value, item)
    if (message === 'hidden') notes.add('hidden_messages')
    else if (!message) notes.add('other_lines')
    else {
      if (message.role === 'user') title ??= firstText(message.blocks)
      nodes.push({ id: `line-${line}`, message: { ...message, createdAt: value.timestamp } })
    }
  }
  return {
    id: asText(meta?.id) ?? '',
    title: toTitle(title, titleLength),
    createdAt: meta?.timestamp ?? rows[0]?.value.timestamp,
    nodes: toChain(nodes),
  }
}

type Message = NonNullable<ConversationNode['message']>

function toMessage(item: Fields, where: string, model: string | undefined): Message | 'hidden' | undefined {
  const metadata = definedFields({ model })
  const said = (blocks: Block[]): Message => ({ role: 'assistant', blocks, metadata })
  switch (item.type) {
    case 'message': {
      const blocks = toBlocks(item.content, `${where}: content`)
      if (item.role === 'assistant') return said(blocks)
      if (item.role === 'user') return isContext(blocks) ? 'hidden' : { role: 'user', blocks }
      // instructions of the program to the model
      return 'hidden'
    }
    case 'reasoning':
      return said(thoughts(item))
    case 'function_call':
    case 'custom_tool_call':
      return said([
        {
          kind: 'call',
          id: asText(item.call_id) ?? where,
          name: asText(item.name) ?? 'unknown',
          input: parsed(item.arguments ?? item.input),
        },
      ])
    case 'local_shell_call':
      return said([
        { kind: 'call', id: asText(item.call_id) ?? where, name: 'local_shell', input: item.action ?? {} },
      ])
    case 'web_search_call':
      return said([{ kind: 'call', id: asText(item.id) ?? where, name: 'search', input: item.action ?? {} }])
    case 'function_call_output':
    case 'custom_tool_call_output':
      return said([{ kind: 'result', id: asText(item.call_id) ?? where, ...outputOf(item.output) }])
    default:
      return undefined
  }
}

/** What the model got in the place of messages that were too many; those are lines of the log as well. */
function compacted({ type }: Fields, { message }: Fields): Message | undefined {
  const text = asText(message)
  return type === 'compacted' && text ? { role: 'system', blocks: [textBlock(text)] } : undefined
}

// what the program itself says in the place of a person
const contexts =
  /^\s*(<(environment_context|user_instructions|permissions instructions|turn_aborted|skill)\b|# AGENTS\.md instructions)/

const isContext = (blocks: readonly Block[]) => contexts.test(firstText(blocks) ?? '')

function firstText(blocks: readonly Block[]): string | undefined {
  for (const block of blocks)
    if (block.kind === 'part' && block.part.type === 'text') return asText(block.part.text)
  return undefined
}

function thoughts({ summary, content }: Fields): Block[] {
  return [summary, content].flatMap((list): Block[] =>
    Array.isArray(list)
      ? list.filter(isFields).flatMap(({ text }): Block[] => {
          if (typeof text !== 'string' || text === '') return []
          return [{ kind: 'part', part: { type: 'reasoning', text } }]
        })
      : [],
  )
}

function outputOf(output: unknown): { output: unknown; isError: boolean } {
  const value = parsed(output)
  if (!isFields(value)) return { output: output ?? '', isError: false }
  const metadata = isFields(value.metadata) ? value.metadata : {}
  const failed = value.success === false || (metadata.exit_code !== undefined && metadata.exit_code !== 0)
  return { output: value.output ?? value.content ?? value, isError: failed }
}

function parsed(given: unknown): unknown {
  if (typeof given !== 'string') return given ?? {}
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}
