import { invalidRequest, quote } from '../../../protocol/error.ts'
import { type Block, textBlock, toBlocks } from '../../formats/foreign/blocks.ts'
import { asText, definedFields, type Fields, isFields } from '../../formats/foreign/fields.ts'
import { assetScheme, type Conversation, type ConversationNode } from '../conversation.ts'
import type { ImportNotes } from '../import-notes.ts'
import type { ListSource } from './source.ts'

/**
 * A conversation of LibreChat: a list of messages with the one that each follows, or, exported recursively, messages
 * inside the `children` of messages.
 */
export const libreChat: ListSource = {
  kind: 'list',
  name: 'librechat',
  label: 'LibreChat (export of a conversation as JSON)',
  recognises: (value) =>
    'conversationId' in value && (Array.isArray(value.messages) || Array.isArray(value.messagesTree)),
  read: toConversation,
}

// of the first message
const noParent = '00000000-0000-0000-0000-000000000000'

function toConversation(value: Fields, notes: ImportNotes): Conversation {
  const list = Array.isArray(value.messagesTree) ? value.messagesTree : value.messages
  if (!Array.isArray(list)) throw invalidRequest(`"messages" is not a list: ${quote(list)}.`)
  const options = isFields(value.options) ? value.options : {}
  const told = [options.promptPrefix, options.system, value.promptPrefix, value.system].map(asText)
  return {
    id: asText(value.conversationId) ?? '',
    title: value.title,
    createdAt: value.createdAt,
    updatedAt: value.updatedAt,
    instructions: told.find((text) => text !== undefined && text.trim() !== ''),
    nodes: toNodes(list, notes),
  }
}

/** Depth first and without recursion: children are as deep as the conversation is long. */
function toNodes(list: readonly unknown[], notes: ImportNotes): ConversationNode[] {
  const nodes: ConversationNode[] = []
  const open = list.map((message) => ({ message, parentId: undefined as string | undefined })).toReversed()
  for (let next = open.pop(); next; next = open.pop()) {
    const { message, parentId } = next
    const where = `messages.${nodes.length}`
    if (!isFields(message)) throw invalidRequest(`${where} is not an object: ${quote(message)}.`)
    const id = asText(message.messageId) ?? `message-${nodes.length + 1}`
    const stated = asText(message.parentMessageId)
    nodes.push({
      id,
      // a list without any parents is in its order
      parentId:
        parentId ?? (stated === undefined ? nodes.at(-1)?.id : stated === noParent ? undefined : stated),
      message: toMessage(message, where, notes),
    })
    if (Array.isArray(message.children))
      for (const child of message.children.toReversed()) open.push({ message: child, parentId: id })
  }
  return nodes
}

function toMessage(message: Fields, where: string, notes: ImportNotes): ConversationNode['message'] {
  const isUser =
    typeof message.isCreatedByUser === 'boolean' ? message.isCreatedByUser : message.sender === 'User'
  const content = Array.isArray(message.content) ? message.content : []
  const blocks = content.flatMap((item, index) => contentBlocks(item, `${where}.content.${index}`, notes))
  const text = asText(message.text)
  const said = blocks.length === 0 && text ? [textBlock(text)] : blocks
  return {
    role: isUser ? 'user' : 'assistant',
    blocks: [...said, ...filesOf(message.files), ...filesOf(message.attachments)],
    metadata: definedFields({ model: asText(message.model) }),
    createdAt: message.createdAt,
  }
}

function contentBlocks(item: unknown, where: string, notes: ImportNotes): Block[] {
  if (!isFields(item)) return typeof item === 'string' && item !== '' ? [textBlock(item)] : []
  switch (item.type) {
    case 'text': {
      const text = isFields(item.text) ? item.text.value : item.text
      return typeof text === 'string' && text !== '' ? [textBlock(text)] : []
    }
    case 'think':
      return typeof item.think === 'string'
        ? [{ kind: 'part', part: { type: 'reasoning', text: item.think } }]
        : []
    case 'error':
      return typeof item.error === 'string' ? [textBlock(`[Error: ${item.error}]`)] : []
    case 'tool_call':
      return toolBlocks(isFields(item.tool_call) ? item.tool_call : {}, where)
    case 'image_file':
      return filesOf([{ ...(isFields(item.image_file) ? item.image_file : {}), type: 'image/*' }])
    case 'image_url':
      return toBlocks([item], where)
    default:
      notes.add('kept_as_data')
      return [
        { kind: 'part', part: { type: `data-librechat-${String(item.type)}`.slice(0, 200), data: item } },
      ]
  }
}

function toolBlocks(call: Fields, where: string): Block[] {
  const given = isFields(call.function) ? call.function : call
  const id = asText(call.id) || where
  const name = asText(given.name) || 'unknown'
  const input = parsed(given.args ?? given.arguments ?? {})
  const made: Block = { kind: 'call', id, name, input }
  const output = given.output ?? call.output
  return output === undefined || output === null
    ? [made]
    : [made, { kind: 'result', id, output, isError: false }]
}

function parsed(given: unknown): unknown {
  if (typeof given !== 'string') return given
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}

function filesOf(files: unknown): Block[] {
  if (!Array.isArray(files)) return []
  return files.filter(isFields).map((file): Block => {
    const filename = asText(file.filename)
    const path = asText(file.filepath) ?? asText(file.file_id) ?? filename ?? 'file'
    const isWithin = /^(data:|https?:)/i.test(path)
    const stated = /^data:([^;,]+)/i.exec(path)?.[1]
    return {
      kind: 'part',
      part: {
        type: 'file',
        mediaType: stated ?? asText(file.type) ?? 'application/octet-stream',
        ...(filename !== undefined && { filename }),
        url: isWithin ? path : `${assetScheme}${path}`,
      },
    }
  })
}
