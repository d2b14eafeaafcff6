import { invalidRequest, quote } from '../../../protocol/error.ts'
import { type Block, textBlock, toBlocks } from '../../formats/foreign/blocks.ts'
import { asText, definedFields, type Fields, isFields } from '../../formats/foreign/fields.ts'
import { assetScheme, type Conversation, type ConversationNode } from '../conversation.ts'
import type { ImportNotes } from '../import-notes.ts'
import { readDetails } from './open-webui-details.ts'
import type { ListSource } from './source.ts'

/** Chats of Open WebUI: `chat.history` is a tree by `parentId`; before that there was only the list `chat.messages`. */
export const openWebUi: ListSource = {
  kind: 'list',
  name: 'open-webui',
  label: 'Open WebUI (export of chats)',
  recognises: ({ chat }) => isFields(chat) && (isFields(chat.history) || Array.isArray(chat.messages)),
  read: toConversation,
}

function toConversation(value: Fields, notes: ImportNotes): Conversation {
  const chat = value.chat as Fields
  const history = isFields(chat.history) ? chat.history : {}
  const tree = isFields(history.messages) ? history.messages : undefined
  const params = isFields(chat.params) ? chat.params : {}
  return {
    id: asText(value.id) ?? asText(chat.id) ?? '',
    title: asText(value.title) ?? chat.title,
    createdAt: value.created_at ?? chat.timestamp,
    updatedAt: value.updated_at,
    isArchived: value.archived === true,
    instructions: (asText(chat.system) ?? asText(params.system))?.trim() || undefined,
    currentId: asText(history.currentId),
    nodes: tree && Object.keys(tree).length > 0 ? fromTree(tree, notes) : fromList(chat.messages, notes),
  }
}

function fromTree(tree: Fields, notes: ImportNotes): ConversationNode[] {
  const nodes = Object.entries(tree).map(([id, message]): ConversationNode => {
    if (!isFields(message))
      throw invalidRequest(`history.messages.${id} is not an object: ${quote(message)}.`)
    return {
      id,
      parentId: asText(message.parentId),
      message: toMessage(message, `history.messages.${id}`, notes),
    }
  })
  const places = new Map<string, number>()
  for (const message of Object.values(tree))
    if (isFields(message) && Array.isArray(message.childrenIds))
      for (const child of message.childrenIds) if (typeof child === 'string') places.set(child, places.size)
  return nodes.toSorted((a, b) => (places.get(a.id) ?? -1) - (places.get(b.id) ?? -1))
}

function fromList(messages: unknown, notes: ImportNotes): ConversationNode[] {
  if (!Array.isArray(messages)) return []
  const nodes: ConversationNode[] = []
  for (const [index, message] of messages.entries()) {
    if (!isFields(message)) throw invalidRequest(`messages.${index} is not an object: ${quote(message)}.`)
    nodes.push({
      id: asText(message.id) ?? `message-${index + 1}`,
      parentId: nodes[index - 1]?.id,
      message: toMessage(message, `messages.${index}`, notes),
    })
  }
  return nodes
}

function toMessage(message: Fields, where: string, notes: ImportNotes): ConversationNode['message'] {
  const { role, content } = message
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    throw invalidRequest(`${where}.role is ${quote(role)}; known are user, assistant and system.`)
  const said =
    typeof content === 'string'
      ? role === 'assistant'
        ? readDetails(content)
        : content === ''
          ? []
          : [textBlock(content)]
      : toBlocks(content, `${where}.content`)
  const failed = isFields(message.error) ? asText(message.error.content) : undefined
  return {
    role,
    blocks: [
      ...said,
      ...(failed === undefined ? [] : [textBlock(`[Error: ${failed}]`)]),
      ...filesOf(message.files, notes),
    ],
    metadata: definedFields({ model: asText(message.model) ?? asText(message.modelName) }),
    createdAt: message.timestamp,
  }
}

function filesOf(files: unknown, notes: ImportNotes): Block[] {
  if (!Array.isArray(files)) return []
  return files.filter(isFields).map((item): Block => {
    const file = isFields(item.file) ? item.file : {}
    const filename = asText(item.name) ?? asText(file.filename)
    const meta = isFields(file.meta) ? file.meta : {}
    const mediaType =
      item.type === 'image' ? 'image/*' : (asText(meta.content_type) ?? 'application/octet-stream')
    const url = asText(item.url) ?? asText(item.id) ?? filename ?? 'file'
    const data = isFields(file.data) ? asText(file.data.content) : undefined
    const stated = /^data:([^;,]+)/i.exec(url)?.[1]
    if (stated !== undefined) return fileBlock(stated, url, filename)
    // the text of a document is in the export, its bytes stay on the server
    if (data !== undefined && data !== '')
      return fileBlock(
        'text/plain',
        `data:text/plain;base64,${Buffer.from(data).toString('base64')}`,
        filename,
      )
    if (item.type === 'collection' || item.type === 'note') {
      notes.add('kept_as_data')
      return { kind: 'part', part: { type: `data-open-webui-${item.type}`, data: item } }
    }
    return fileBlock(mediaType, `${assetScheme}${url}`, filename)
  })
}

const fileBlock = (mediaType: string, url: string, filename?: string): Block => ({
  kind: 'part',
  part: { type: 'file', mediaType, ...(filename !== undefined && { filename }), url },
})
