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

/** The messages of a request in the words of Chat Completions. */
export function toChatMessages(faults: Faults, request: ModelRequest): object[] {
  const messages: object[] = request.system ? [{ role: 'system', content: request.system }] : []
  for (const message of toSendable(request.messages)) {
    if (message.role === 'user') messages.push({ role: 'user', content: toContent(faults, message.content) })
    else if (message.role === 'assistant') messages.push(toReply(message.content))
    else
      for (const { toolCallId, output } of message.content)
        messages.push({ role: 'tool', tool_call_id: toolCallId, content: output })
  }
  return messages
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
