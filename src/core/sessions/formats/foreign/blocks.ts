import { invalidRequest, quote } from '../../../protocol/error.ts'
import type { Part } from '../../../protocol/message.ts'
import { asText, type Fields, isFields } from './fields.ts'

/** A piece of a foreign message: a text, a tool call, or the result of a tool. */
export type Block =
  | { kind: 'part'; part: Part }
  | { kind: 'call'; id: string; name: string; input: unknown }
  | { kind: 'result'; id: string; name?: string; output: unknown; isError: boolean }

/** `content` of a message in the shapes of OpenAI, Anthropic and the AI SDK. `where` names it in a refusal. */
export function toBlocks(content: unknown, where: string): Block[] {
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return [textBlock(content)]
  if (!Array.isArray(content))
    throw invalidRequest(`${where} is neither text nor a list of parts: ${quote(content)}.`)
  return content.map((item, index) => toBlock(item, `${where}.${index}`))
}

export const textBlock = (text: string): Block => ({ kind: 'part', part: { type: 'text', text } })

function toBlock(item: unknown, where: string): Block {
  if (typeof item === 'string') return textBlock(item)
  if (!isFields(item) || typeof item.type !== 'string')
    throw invalidRequest(`${where} is not a part, which is an object with a "type": ${quote(item)}.`)
  const read = Object.hasOwn(readers, item.type) ? readers[item.type] : undefined
  // kinds that only their own tool understands are kept as they are
  return read?.(item) ?? { kind: 'part', part: { ...item, type: item.type } }
}

/** By the type of the item; `undefined` when it lacks what that type needs. */
const readers: Record<string, (item: Fields) => Block | undefined> = {
  text: (item) => said(item.text),
  input_text: (item) => said(item.text),
  output_text: (item) => said(item.text),
  refusal: (item) => said(item.refusal),
  reasoning: (item) => thought(item.text ?? item.reasoning),
  thinking: (item) => thought(item.thinking, 'signature', item.signature),
  redacted_thinking: (item) => thought('', 'redactedData', item.data),
  image_url: (item) => file(isFields(item.image_url) ? item.image_url.url : item.image_url, 'image/*'),
  input_image: (item) => file(item.image_url, 'image/*'),
  image: (item) =>
    isFields(item.source) ? sourceFile(item.source) : file(item.image, mediaTypeOf(item) ?? 'image/*'),
  document: (item) => (isFields(item.source) ? sourceFile(item.source) : undefined),
  file: (item) =>
    isFields(item.file)
      ? file(item.file.file_data, 'application/octet-stream', item.file.filename)
      : file(item.url ?? item.data, mediaTypeOf(item) ?? 'application/octet-stream', item.filename),
  tool_use: (item) => call(item.id, item.name, item.input),
  server_tool_use: (item) => call(item.id, item.name, item.input),
  'tool-call': (item) => call(item.toolCallId, item.toolName, item.input ?? item.args),
  tool_result: (item) => result(item.tool_use_id, undefined, joinTexts(item.content), item.is_error === true),
  'tool-result': (item) => toolResult(item),
}

const said = (text: unknown) => (typeof text === 'string' ? textBlock(text) : undefined)

/** `detail` is what Anthropic wants back unchanged, in the place where the AI SDK expects it. */
function thought(text: unknown, detailName = '', detail?: unknown): Block | undefined {
  if (typeof text !== 'string') return undefined
  const kept =
    typeof detail === 'string' && detail !== ''
      ? { providerMetadata: { anthropic: { [detailName]: detail } } }
      : {}
  return { kind: 'part', part: { type: 'reasoning', text, ...kept } }
}

const mediaTypeOf = (item: Fields) => asText(item.mediaType) ?? asText(item.mimeType)

function sourceFile(source: Fields): Block | undefined {
  return file(source.type === 'url' ? source.url : source.data, asText(source.media_type) ?? 'image/*')
}

function file(address: unknown, mediaType: string, filename?: unknown): Block | undefined {
  if (typeof address !== 'string') return undefined
  const isAddress = /^[a-z][a-z0-9+.-]*:/i.test(address)
  const url = isAddress ? address : `data:${mediaType};base64,${address}`
  const stated = /^data:([^;,]+)/i.exec(url)?.[1] ?? mediaType
  const named = typeof filename === 'string' ? { filename } : {}
  return { kind: 'part', part: { type: 'file', mediaType: stated, ...named, url } }
}

function call(id: unknown, name: unknown, input: unknown): Block | undefined {
  if (typeof id !== 'string' || typeof name !== 'string') return undefined
  return { kind: 'call', id, name, input: input ?? {} }
}

function result(id: unknown, name: unknown, output: unknown, isError: boolean): Block | undefined {
  if (typeof id !== 'string') return undefined
  return { kind: 'result', id, name: asText(name), output: output ?? null, isError }
}

/** The AI SDK wraps an output as `{type, value}`; before version 5 it was a plain `result`. */
function toolResult({ toolCallId, toolName, output, result: plain, isError }: Fields): Block | undefined {
  if (!isFields(output) || !('value' in output))
    return result(toolCallId, toolName, output ?? plain, isError === true)
  const type = asText(output.type) ?? ''
  return result(toolCallId, toolName, joinTexts(output.value), type.startsWith('error'))
}

/** A list that holds only text parts is equivalent to its text. */
export function joinTexts(content: unknown): unknown {
  if (!Array.isArray(content) || content.length === 0) return content
  const texts = content.map((item) => (isFields(item) && item.type === 'text' ? item.text : undefined))
  return texts.every((text) => typeof text === 'string') ? texts.join('\n') : content
}
