import { invalidRequest, quote } from '../../../protocol/error.ts'
import { type Block, textBlock, toBlocks } from '../../formats/foreign/blocks.ts'
import { asText, definedFields, type Fields, isFields } from '../../formats/foreign/fields.ts'
import { assetScheme, type Conversation, type ConversationNode } from '../conversation.ts'
import type { ImportNotes } from '../import-notes.ts'
import type { ListSource } from './source.ts'

/** `conversations.json` of Claude: lists of messages, in newer exports with the message that each one follows. */
export const claude: ListSource = {
  kind: 'list',
  name: 'claude',
  label: 'Claude (conversations.json, or the whole archive)',
  recognises: (value) => Array.isArray(value.chat_messages),
  read: toConversation,
}

// of the first message
const noParent = '00000000-0000-4000-8000-000000000000'

function toConversation(value: Fields, notes: ImportNotes): Conversation {
  const { chat_messages: messages } = value
  if (!Array.isArray(messages)) throw invalidRequest(`"chat_messages" is not a list: ${quote(messages)}.`)
  const isTree = messages.some((message) => isFields(message) && asText(message.parent_message_uuid))
  const nodes: ConversationNode[] = []
  const taken = new Set<string>()
  for (const [index, message] of messages.entries()) {
    if (!isFields(message))
      throw invalidRequest(`chat_messages.${index} is not an object: ${quote(message)}.`)
    const parent = asText(message.parent_message_uuid)
    const id = asText(message.uuid) ?? `message-${index + 1}`
    const isTaken = !isTree && taken.has(id)
    if (isTaken) notes.add('duplicate_ids')
    taken.add(id)
    nodes.push({
      id: isTaken ? `${id}~${index + 1}` : id,
      parentId: isTree ? (parent === noParent ? undefined : parent) : nodes[index - 1]?.id,
      message: toMessage(message, `chat_messages.${index}`, notes),
    })
  }
  return {
    id: asText(value.uuid) ?? '',
    title: value.name,
    createdAt: value.created_at,
    updatedAt: value.updated_at,
    currentId: asText(value.current_leaf_message_uuid),
    nodes,
  }
}

function toMessage(message: Fields, where: string, notes: ImportNotes): ConversationNode['message'] {
  const { sender } = message
  if (sender !== 'human' && sender !== 'assistant')
    throw invalidRequest(`${where}.sender is ${quote(sender)}; known are human and assistant.`)
  const content = Array.isArray(message.content) ? message.content : []
  const blocks = contentBlocks(content, where, notes)
  // what was said is in both places, and older exports have the text alone
  const said = blocks.length === 0 && typeof message.text === 'string' && message.text !== ''
  return {
    role: sender === 'human' ? 'user' : 'assistant',
    blocks: [...(said ? [textBlock(message.text as string)] : blocks), ...filesOf(message)],
    metadata: definedFields({ model: asText(message.model) }),
    createdAt: message.created_at,
  }
}

function contentBlocks(content: readonly unknown[], where: string, notes: ImportNotes): Block[] {
  const blocks: Block[] = []
  // older exports leave out the ids by which results name their calls
  const unanswered: string[] = []
  for (const [index, item] of content.entries()) {
    if (!isFields(item)) continue
    const id = `${where}.content.${index}`
    if (item.type === 'text' && item.text === '') continue
    if (item.type === 'tool_use') {
      const callId = asText(item.id) ?? id
      unanswered.push(callId)
      blocks.push(...toBlocks([{ ...item, id: callId, name: asText(item.name) ?? 'unknown' }], id))
    } else if (item.type === 'tool_result') {
      const callId = asText(item.tool_use_id) ?? unanswered.at(-1) ?? id
      if (unanswered.includes(callId)) unanswered.splice(unanswered.indexOf(callId), 1)
      blocks.push(...withName(toBlocks([{ ...item, tool_use_id: callId }], id), asText(item.name)))
    } else if (['text', 'thinking', 'redacted_thinking', 'image', 'document'].includes(String(item.type)))
      blocks.push(...toBlocks([item], id))
    else {
      notes.add('kept_as_data')
      blocks.push({
        kind: 'part',
        part: { type: `data-claude-${String(item.type)}`.slice(0, 200), data: item },
      })
    }
  }
  return blocks
}

const withName = (blocks: Block[], name: string | undefined): Block[] =>
  blocks.map((block) => (block.kind === 'result' ? { ...block, name: block.name ?? name } : block))

/** The text of attachments is in the export; of other files only their names, unless the archive has them too. */
function filesOf({ attachments, files }: Fields): Block[] {
  const blocks: Block[] = []
  const seen = new Set<string>()
  if (Array.isArray(attachments))
    for (const file of attachments.filter(isFields)) {
      const filename = asText(file.file_name) || 'attachment.txt'
      const text = asText(file.extracted_content)
      seen.add(filename)
      blocks.push(
        text === undefined || text === ''
          ? assetBlock(asText(file.id) ?? filename, filename)
          : {
              kind: 'part',
              part: {
                type: 'file',
                mediaType: 'text/plain',
                filename,
                url: `data:text/plain;base64,${Buffer.from(text).toString('base64')}`,
              },
            },
      )
    }
  if (Array.isArray(files))
    for (const file of files.filter(isFields)) {
      const filename = asText(file.file_name) ?? asText(file.file_uuid) ?? 'file'
      if (seen.has(filename)) continue
      seen.add(filename)
      blocks.push(assetBlock(asText(file.file_uuid) ?? filename, filename))
    }
  return blocks
}

const assetBlock = (pointer: string, filename: string): Block => ({
  kind: 'part',
  part: {
    type: 'file',
    mediaType: /\.(png|jpe?g|gif|webp)$/i.test(filename) ? 'image/*' : 'application/octet-stream',
    filename,
    url: `${assetScheme}${pointer}`,
  },
})
