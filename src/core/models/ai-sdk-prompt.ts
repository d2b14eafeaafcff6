import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import type { FileContent, ModelMessage, ModelRequest, TextContent } from './adapter.ts'
import { readAttachment } from './attachment.ts'
import { toInputObject, toSendable, toToolName } from './sendable-text.ts'

/**
 * A request in the words of the AI SDK. `cachePoint`, where a provider has such, goes on the system message, on the
 * last message, and on the message that was the last one in the request before: there the provider wrote its cache.
 */
export function toPrompt(request: ModelRequest, cachePoint?: SharedV4ProviderOptions): LanguageModelV4Prompt {
  const messages = toSendable(request.messages)
  const prompt = messages.map(toMessage)
  if (cachePoint) for (const index of cachePointsOf(messages)) prompt[index]!.providerOptions = cachePoint
  if (request.system)
    prompt.unshift({
      role: 'system',
      content: request.system,
      ...(cachePoint && { providerOptions: cachePoint }),
    })
  return prompt
}

export const toTools = (request: ModelRequest): LanguageModelV4CallOptions['tools'] =>
  request.tools.length === 0 ? undefined : request.tools.map((tool) => ({ type: 'function', ...tool }))

function cachePointsOf(messages: readonly ModelMessage[]): number[] {
  const lastReply = messages.findLastIndex(({ role }) => role === 'assistant')
  return [lastReply - 1, messages.length - 1].filter((index) => index >= 0)
}

function toMessage(message: ModelMessage): LanguageModelV4Message {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.content.map(toUserPart) }
    case 'assistant':
      return {
        role: 'assistant',
        content: message.content.map((part) => {
          if (part.type === 'text') return part
          const providerOptions = toOptions(part.providerMetadata)
          if (part.type === 'reasoning') return { type: 'reasoning', text: part.text, ...providerOptions }
          const { type, toolCallId, toolName, input } = part
          return {
            type,
            toolCallId,
            toolName: toToolName(toolName),
            input: toInputObject(input),
            ...providerOptions,
          }
        }),
      }
    case 'tool':
      return {
        role: 'tool',
        content: message.content.map(({ type, toolCallId, toolName, output, isError }) => ({
          type,
          toolCallId,
          toolName: toToolName(toolName),
          output: { type: isError ? 'error-text' : 'text', value: output },
        })),
      }
  }
}

function toUserPart(part: TextContent | FileContent): LanguageModelV4TextPart | LanguageModelV4FilePart {
  if (part.type === 'text') return part
  const { mediaType, filename, source } = readAttachment(part)
  if ('text' in source) return { type: 'text', text: source.text }
  return {
    type: 'file',
    mediaType,
    ...(filename && { filename }),
    data: 'url' in source ? { type: 'url', url: new URL(source.url) } : { type: 'data', data: source.base64 },
  }
}

/** The metadata of a provider about a part has to be sent back with it; it came from JSON and is JSON. */
const toOptions = (metadata: Record<string, unknown> | undefined) =>
  metadata && { providerOptions: metadata as SharedV4ProviderOptions }
