import type { FileContent, ModelMessage, ModelRequest, TextContent, ToolSpec } from './adapter.ts'
import { readAttachment } from './attachment.ts'
import type { Faults } from './provider-faults.ts'
import { toInputObject, toSendable, toToolName } from './sendable-text.ts'

/** What this adapter keeps with a part to send it back the way it came. */
export interface ChatMetadata {
  /** The field in which the server streamed its reasoning. */
  field?: string
  /** What a server attached to a tool call: Gemini its signature. */
  extra?: unknown
}

export const metadataKey = 'chatCompletions'

type Content = Extract<ModelMessage, { role: 'assistant' }>['content']

/** The messages of a request in the words of Chat Completions, as JSON. */
export function writeChatMessages(faults: Faults, { system, messages }: ModelRequest): string {
  const texts = toSendable(messages).map((message) => writeOnce(faults, message))
  if (system) texts.unshift(JSON.stringify({ role: 'system', content: system }))
  // results of no call are no message
  return `[${texts.filter(Boolean).join()}]`
}

/** Of messages that stay in the window from turn to turn. */
const written = new WeakMap<ModelMessage, string>()
// what is longer is held once and written each time
const longest = 20_000

function writeOnce(faults: Faults, message: ModelMessage): string {
  let text = written.get(message)
  if (text !== undefined) return text
  text = toChatMessages(faults, message)
    .map((one) => JSON.stringify(one))
    .join()
  if (text.length <= longest) written.set(message, text)
  return text
}

function toChatMessages(faults: Faults, message: ModelMessage): object[] {
  if (message.role === 'user') return [{ role: 'user', content: toContent(faults, message.content) }]
  if (message.role === 'assistant') return [toReply(message.content)]
  return message.content.map(({ toolCallId, output }) => ({
    role: 'tool',
    tool_call_id: toolCallId,
    content: output,
  }))
}

export const toChatTools = (tools: readonly ToolSpec[]): object[] =>
  tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }))

function toContent(faults: Faults, content: readonly (TextContent | FileContent)[]): string | object[] {
  // a plain text is what every server takes
  return content.length === 1 && content[0]!.type === 'text'
    ? content[0]!.text
    : content.map((part) => (part.type === 'text' ? part : toFilePart(faults, part)))
}

function toFilePart(faults: Faults, file: FileContent): object {
  const { mediaType, filename = 'file', source } = readAttachment(file)
  if ('text' in source) return { type: 'text', text: source.text }
  const url = 'url' in source ? source.url : `data:${mediaType};base64,${source.base64}`
  if (mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url } }
  if ('url' in source) throw faults.unsupported(`${filename}, a file of type ${mediaType} by its address`)
  if (mediaType.startsWith('audio/'))
    return { type: 'input_audio', input_audio: { data: source.base64, format: toFormat(mediaType) } }
  return { type: 'file', file: { filename, file_data: url } }
}

const toFormat = (mediaType: string) => (/wav/.test(mediaType) ? 'wav' : 'mp3')

function toReply(content: Content): object {
  let text = ''
  const reasoning: Record<string, string> = {}
  const tool_calls: object[] = []
  for (const part of content) {
    const metadata = 'providerMetadata' in part ? part.providerMetadata?.[metadataKey] : undefined
    const { field, extra } = (metadata ?? {}) as ChatMetadata
    if (part.type === 'text') text += part.text
    // servers disagree about the name of this field and some refuse the others' names
    else if (part.type === 'reasoning') {
      if (field) reasoning[field] = (reasoning[field] ?? '') + part.text
    } else
      tool_calls.push({
        id: part.toolCallId,
        type: 'function',
        function: { name: toToolName(part.toolName), arguments: JSON.stringify(toInputObject(part.input)) },
        ...(extra !== undefined && { extra_content: extra }),
      })
  }
  return {
    role: 'assistant',
    content: text || (tool_calls.length > 0 ? null : ''),
    ...reasoning,
    ...(tool_calls.length > 0 && { tool_calls }),
  }
}
