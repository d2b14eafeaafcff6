import { invalidRequest, quote } from '../../../protocol/error.ts'
import type { MessageRole } from '../../../protocol/message.ts'
import { type Block, textBlock } from '../../formats/foreign/blocks.ts'
import { asText, definedFields, type Fields, isFields } from '../../formats/foreign/fields.ts'
import { assetScheme, type Conversation, type ConversationNode } from '../conversation.ts'
import type { ImportNotes } from '../import-notes.ts'
import type { ListSource } from './source.ts'

/**
 * `conversations.json` of ChatGPT, which newer archives split into `conversations-000.json` and so on: each conversation
 * is a `mapping` of nodes with a parent; `current_node` is the end of the branch that is shown.
 */
export const chatGpt: ListSource = {
  kind: 'list',
  name: 'chatgpt',
  label: 'ChatGPT (conversations.json, or the whole archive)',
  recognises: (value) => isFields(value.mapping),
  read: toConversation,
}

function toConversation(value: Fields, notes: ImportNotes): Conversation {
  const { mapping } = value
  if (!isFields(mapping)) throw invalidRequest(`"mapping" is not an object: ${quote(mapping)}.`)
  const nodes: ConversationNode[] = []
  const instructions: string[] = []
  for (const [id, entry] of Object.entries(mapping)) {
    // a node that was deleted may be left as nothing
    const node = isFields(entry) ? entry : {}
    const message = isFields(node.message) ? node.message : undefined
    const told = message && customInstructions(message)
    if (told) instructions.push(told)
    nodes.push({
      id,
      parentId: asText(node.parent),
      message: message && !told ? toMessage(id, message, notes) : undefined,
    })
  }
  return {
    id: asText(value.conversation_id) ?? asText(value.id) ?? '',
    title: value.title,
    createdAt: value.create_time,
    updatedAt: value.update_time,
    isArchived: value.is_archived === true,
    instructions: [...new Set(instructions)].join('\n\n') || undefined,
    currentId: asText(value.current_node),
    nodes: inOrderOfChildren(withCalls(nodes), mapping),
  }
}

/** Results name no call: it is the nearest one before them, unless a result stands in between. */
function withCalls(nodes: ConversationNode[]): ConversationNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const kindOf = ({ message }: ConversationNode) => message?.blocks[0]?.kind
  for (const node of nodes) {
    const result = node.message?.blocks[0]
    if (result?.kind !== 'result') continue
    result.id = node.id
    let above = byId.get(node.parentId ?? '')
    // nodes between the two hold nothing, or thoughts; a circle ends as well
    for (let step = 0; above && step < 20 && !['call', 'result'].includes(kindOf(above) ?? ''); step++)
      above = above.message?.role === 'user' ? undefined : byId.get(above.parentId ?? '')
    if (above && kindOf(above) === 'call') result.id = above.id
  }
  return nodes
}

/** Of siblings, the one that a list of children names first comes first. */
function inOrderOfChildren(nodes: ConversationNode[], mapping: Fields): ConversationNode[] {
  const places = new Map<string, number>()
  for (const entry of Object.values(mapping))
    if (isFields(entry) && Array.isArray(entry.children))
      for (const child of entry.children) if (typeof child === 'string') places.set(child, places.size)
  const placeOf = ({ id }: ConversationNode) => places.get(id) ?? -1
  return nodes.toSorted((a, b) => placeOf(a) - placeOf(b))
}

function customInstructions({ content }: Fields): string | undefined {
  if (!isFields(content) || content.content_type !== 'user_editable_context') return undefined
  const told = [asText(content.user_profile), asText(content.user_instructions)]
  return told.filter((text) => text !== undefined && text.trim() !== '').join('\n\n') || undefined
}

function toMessage(id: string, message: Fields, notes: ImportNotes): ConversationNode['message'] {
  const author = isFields(message.author) ? message.author : {}
  const metadata = isFields(message.metadata) ? message.metadata : {}
  const blocks = toBlocks(id, message, author, metadata, notes)
  if (metadata.is_visually_hidden_from_conversation === true || message.weight === 0) {
    if (blocks.length > 0) notes.add('hidden_messages')
    return undefined
  }
  if (author.role === 'system' && blocks.length === 0) return undefined
  return {
    role: roleOf(author.role),
    blocks,
    metadata: definedFields({
      model: asText(metadata.model_slug),
      ...(author.role === 'tool' && { tool: asText(author.name) }),
    }),
    createdAt: message.create_time,
  }
}

function roleOf(role: unknown): MessageRole {
  if (role === 'user' || role === 'assistant' || role === 'system') return role
  if (role === 'tool') return 'assistant'
  throw invalidRequest(`A message has the role ${quote(role)}; known are user, assistant, system and tool.`)
}

function toBlocks(
  id: string,
  message: Fields,
  author: Fields,
  metadata: Fields,
  notes: ImportNotes,
): Block[] {
  const content = isFields(message.content) ? message.content : {}
  const blocks = [...contentBlocks(content, notes), ...attachments(content, metadata)]
  const recipient = asText(message.recipient) ?? 'all'
  if (author.role === 'assistant' && recipient !== 'all') {
    const input = inputOf(content)
    return [{ kind: 'call', id, name: recipient, input }]
  }
  if (author.role !== 'tool') return blocks
  const files = blocks.filter((block) => block.kind === 'part' && block.part.type === 'file')
  const texts = blocks.flatMap((block) =>
    block.kind === 'part' && block.part.type === 'text' ? [String(block.part.text)] : [],
  )
  const kept = blocks.filter((block) => block.kind === 'part' && block.part.type.startsWith('data-'))
  const name = asText(author.name) ?? 'tool'
  const output = outputOf(content, texts)
  return [
    { kind: 'result', id, name, output, isError: content.content_type === 'system_error' },
    ...files,
    ...kept,
  ]
}

/** What a tool was given: JSON where it is any, code otherwise. */
function inputOf(content: Fields): unknown {
  const text = asText(content.text) ?? joined(content.parts)
  try {
    const value: unknown = JSON.parse(text)
    if (isFields(value)) return value
  } catch {
    // code, or a search, as text
  }
  return { text }
}

function outputOf(content: Fields, texts: string[]): unknown {
  if (content.content_type !== 'tether_quote') return texts.join('\n')
  return (
    definedFields({ title: asText(content.title), url: asText(content.url), text: texts.join('\n') }) ?? ''
  )
}

const joined = (parts: unknown) =>
  Array.isArray(parts) ? parts.filter((part) => typeof part === 'string').join('\n') : ''

function contentBlocks(content: Fields, notes: ImportNotes): Block[] {
  const type = asText(content.content_type) ?? 'text'
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined
  if (read) return read(content, notes)
  if (Array.isArray(content.parts)) return partBlocks(content, notes)
  if (typeof content.text === 'string') return said(content.text)
  if (Object.keys(content).length <= 1) return []
  notes.add('kept_as_data')
  return [{ kind: 'part', part: { type: `data-chatgpt-${type}`.slice(0, 200), data: content } }]
}

const said = (text: unknown): Block[] => (typeof text === 'string' && text !== '' ? [textBlock(text)] : [])

const readers: Record<string, (content: Fields, notes: ImportNotes) => Block[]> = {
  text: partBlocks,
  multimodal_text: partBlocks,
  code: ({ language, text }) =>
    typeof text === 'string' && text !== '' ? [textBlock(fenced(text, language))] : [],
  execution_output: ({ text }) => said(text),
  system_error: ({ name, text }) => said([name, text].filter((one) => typeof one === 'string').join(': ')),
  tether_quote: ({ text }) => said(text),
  tether_browsing_display: ({ result, summary }) => said(asText(result) || summary),
  thoughts: ({ thoughts }) =>
    Array.isArray(thoughts)
      ? thoughts.filter(isFields).flatMap(({ summary, content }): Block[] => {
          const text = [summary, content].filter((one) => typeof one === 'string' && one !== '').join('\n\n')
          return text === '' ? [] : [{ kind: 'part', part: { type: 'reasoning', text } }]
        })
      : [],
  reasoning_recap: ({ content }) =>
    typeof content === 'string' ? [{ kind: 'part', part: { type: 'reasoning', text: content } }] : [],
}

function fenced(text: string, language: unknown): string {
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)))
  const name =
    typeof language === 'string' && /^[\w+-]+$/.test(language) && language !== 'unknown' ? language : ''
  return `${fence}${name}\n${text}\n${fence}`
}

function partBlocks({ parts }: Fields, notes: ImportNotes): Block[] {
  if (!Array.isArray(parts)) return []
  return parts.flatMap((part): Block[] => {
    if (typeof part === 'string') return said(part)
    if (!isFields(part)) return []
    const type = asText(part.content_type) ?? ''
    if (type === 'audio_transcription') return said(part.text)
    const pointer = pointerOf(part)
    if (pointer !== undefined) return [assetBlock(pointer, type.startsWith('image') ? 'image/*' : 'audio/*')]
    notes.add('kept_as_data')
    return [{ kind: 'part', part: { type: `data-chatgpt-${type || 'part'}`.slice(0, 200), data: part } }]
  })
}

/** Videos and calls hold the pointer of their sound one level down. */
function pointerOf(part: Fields): string | undefined {
  const { asset_pointer: own, audio_asset_pointer: sound } = part
  if (typeof own === 'string') return own
  return isFields(sound) ? asText(sound.asset_pointer) : undefined
}

const assetBlock = (pointer: string, mediaType: string, filename?: string): Block => ({
  kind: 'part',
  part: {
    type: 'file',
    mediaType,
    ...(filename !== undefined && { filename }),
    url: `${assetScheme}${pointer}`,
  },
})

/** Files that were sent along; images among them are in the content as well. */
function attachments(content: Fields, { attachments: list }: Fields): Block[] {
  if (!Array.isArray(list)) return []
  const parts = Array.isArray(content.parts) ? content.parts.filter(isFields) : []
  const pointers = parts.map(pointerOf).filter((pointer) => pointer !== undefined)
  return list.filter(isFields).flatMap((file): Block[] => {
    const id = asText(file.id)
    if (id === undefined || pointers.some((pointer) => pointer.endsWith(id))) return []
    const mediaType = asText(file.mime_type) ?? asText(file.mimeType) ?? 'application/octet-stream'
    return [assetBlock(id, mediaType, asText(file.name))]
  })
}
