import { invalidRequest, quote } from '../../../protocol/error.ts'
import { type Block, textBlock } from '../../formats/foreign/blocks.ts'
import { asNumber, asText, definedFields, type Fields, isFields } from '../../formats/foreign/fields.ts'
import { assetScheme, toChain, type Conversation, type ConversationNode } from '../conversation.ts'
import type { ImportNotes } from '../import-notes.ts'
import type { ListSource } from './source.ts'

/** A session as `opencode export` writes it: `{ info, messages: [{ info, parts }] }`. */
export const openCode: ListSource = {
  kind: 'list',
  name: 'opencode',
  label: 'OpenCode (opencode export)',
  recognises: ({ info, messages }) => isFields(info) && 'id' in info && Array.isArray(messages),
  read: toConversation,
}

function toConversation(value: Fields, notes: ImportNotes): Conversation {
  const info = value.info as Fields
  const messages = value.messages as unknown[]
  const time = isFields(info.time) ? info.time : {}
  return {
    id: asText(info.id) ?? '',
    title: info.title,
    createdAt: time.created,
    updatedAt: time.updated,
    isArchived: asNumber(time.archived) !== undefined,
    nodes: toChain(messages.map((message, index) => toNode(message, index, notes))),
  }
}

function toNode(message: unknown, index: number, notes: ImportNotes): Omit<ConversationNode, 'parentId'> {
  const where = `messages.${index}`
  if (!isFields(message) || !isFields(message.info))
    throw invalidRequest(`${where} is not {info, parts}: ${quote(message)}.`)
  const { info } = message
  if (info.role !== 'user' && info.role !== 'assistant')
    throw invalidRequest(`${where}.info.role is ${quote(info.role)}; known are user and assistant.`)
  const parts = Array.isArray(message.parts) ? message.parts.filter(isFields) : []
  const time = isFields(info.time) ? info.time : {}
  const error = isFields(info.error) ? info.error : undefined
  const problem = error && (isFields(error.data) ? asText(error.data.message) : undefined)
  return {
    id: asText(info.id) ?? `message-${index + 1}`,
    message: {
      role: info.role,
      blocks: [
        ...parts.flatMap((part) => partBlocks(part, where, notes)),
        ...(error ? [textBlock(`[Error: ${problem ?? asText(error.name) ?? 'unknown'}]`)] : []),
      ],
      metadata: definedFields({
        model: modelOf(info),
        usage: usageOf(info.tokens),
        cost: asNumber(info.cost),
      }),
      createdAt: time.created,
    },
  }
}

function modelOf(info: Fields): string | undefined {
  const named = isFields(info.model) ? info.model : info
  const [provider, model] = [asText(named.providerID), asText(named.modelID)]
  return provider !== undefined && model !== undefined ? `${provider}/${model}` : model
}

function usageOf(tokens: unknown): Fields | undefined {
  if (!isFields(tokens)) return undefined
  const cache = isFields(tokens.cache) ? tokens.cache : {}
  return definedFields({
    inputTokens: asNumber(tokens.input),
    outputTokens: asNumber(tokens.output),
    cacheReadTokens: asNumber(cache.read),
    cacheWriteTokens: asNumber(cache.write),
  })
}

// what holds for its own files and steps, and says nothing of what was said
const technical = new Set(['step-start', 'step-finish', 'snapshot', 'patch', 'retry', 'compaction', 'agent'])

function partBlocks(part: Fields, where: string, notes: ImportNotes): Block[] {
  switch (part.type) {
    case 'text':
      if (part.ignored === true) {
        notes.add('hidden_messages')
        return []
      }
      return typeof part.text === 'string' && part.text !== '' ? [textBlock(part.text)] : []
    case 'reasoning':
      return typeof part.text === 'string' && part.text !== ''
        ? [{ kind: 'part', part: { type: 'reasoning', text: part.text } }]
        : []
    case 'file':
      return [fileBlock(part)]
    case 'tool':
      return toolBlocks(part, where)
    default:
      notes.add(technical.has(String(part.type)) ? 'other_lines' : 'kept_as_data')
      return technical.has(String(part.type))
        ? []
        : [{ kind: 'part', part: { type: `data-opencode-${String(part.type)}`.slice(0, 200), data: part } }]
  }
}

function fileBlock(part: Fields): Block {
  const url = asText(part.url) ?? ''
  const filename = asText(part.filename)
  return {
    kind: 'part',
    part: {
      type: 'file',
      mediaType: asText(part.mime) ?? 'application/octet-stream',
      ...(filename !== undefined && { filename }),
      url: /^(data|https?):/i.test(url) ? url : `${assetScheme}${url}`,
    },
  }
}

function toolBlocks(part: Fields, where: string): Block[] {
  const state = isFields(part.state) ? part.state : {}
  const id = asText(part.callID) ?? asText(part.id) ?? where
  const call: Block = { kind: 'call', id, name: asText(part.tool) ?? 'unknown', input: state.input ?? {} }
  if (state.status === 'completed')
    return [call, { kind: 'result', id, output: state.output ?? '', isError: false }, ...attachmentsOf(state)]
  if (state.status === 'error')
    return [call, { kind: 'result', id, output: state.error ?? 'failed', isError: true }]
  return [call]
}

const attachmentsOf = ({ attachments }: Fields): Block[] =>
  Array.isArray(attachments) ? attachments.filter(isFields).map(fileBlock) : []
