import type { ModelAdapter, ModelEvent, ModelMessage, ModelRequest } from '../../src/core/models/adapter.ts'
import { createChatCompletionsAdapter } from '../../src/core/models/chat-completions.ts'
import { ModelFault } from '../../src/core/models/fault.ts'
import {
  createAnthropicAdapter,
  createCompatibleAdapter,
  createGoogleAdapter,
  createOpenAiAdapter,
} from '../../src/core/models/hosted-adapters.ts'
import { anthropicMessages } from './anthropic.ts'
import { googleGenerate } from './google.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import { startProviderServer, type Behaviour, type ProviderServer, type Wire } from './provider-server.ts'

export interface Dialect {
  name: string
  wire: Wire
  create(url: string, options: { apiKey: string; idleTimeoutMs?: number }): ModelAdapter
  /** What a stored reasoning part keeps for the provider, of a reply with the signature "sig". */
  reasoningMetadata: Record<string, unknown> | undefined
  callMetadata?(callId: string, isFirst: boolean): Record<string, unknown> | undefined
  /** True where the provider sends a tool input in one piece, as JSON of its own. */
  hasWholeInputs?: boolean
  /** The list of messages in a request body. */
  messagesOf(body: Record<string, unknown>): unknown[]
}

/** Looks like a key; must never be seen in an error. */
export const canaryKey = 'sk-canary-0123456789abcdef'

export const dialects: Dialect[] = [
  {
    name: 'Chat Completions',
    wire: openaiChat,
    create: (url, options) =>
      createChatCompletionsAdapter('openai/m', 'm', { baseUrl: `${url}/v1`, ...options }),
    reasoningMetadata: { chatCompletions: { field: 'reasoning_content' } },
    messagesOf: (body) => body.messages as unknown[],
  },
  {
    name: 'Chat Completions through the AI SDK',
    wire: openaiChat,
    create: (url, options) => createCompatibleAdapter('openai/m', 'm', { baseUrl: `${url}/v1`, ...options }),
    reasoningMetadata: undefined,
    messagesOf: (body) => body.messages as unknown[],
  },
  {
    name: 'OpenAI Responses',
    wire: openaiResponses,
    create: (url, options) => createOpenAiAdapter('gpt-6-astra', { baseUrl: `${url}/v1`, ...options }),
    reasoningMetadata: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'sig' } },
    callMetadata: (callId) => ({ openai: { itemId: `fc_${callId}` } }),
    messagesOf: (body) => body.input as unknown[],
  },
  {
    name: 'Anthropic Messages',
    wire: anthropicMessages,
    create: (url, options) => createAnthropicAdapter('claude-sonnet-5-5', { baseUrl: url, ...options }),
    reasoningMetadata: { anthropic: { signature: 'sig' } },
    messagesOf: (body) => body.messages as unknown[],
  },
  {
    name: 'Google generateContent',
    wire: googleGenerate,
    create: (url, options) => createGoogleAdapter('gemini-4-argon', { baseUrl: `${url}/v1beta`, ...options }),
    reasoningMetadata: undefined,
    callMetadata: (_, isFirst) => (isFirst ? { google: { thoughtSignature: 'sig' } } : undefined),
    hasWholeInputs: true,
    messagesOf: (body) => body.contents as unknown[],
  },
]

export const userSays = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] })

export const askFor = (text: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: 'Be brief.',
  messages: [userSays(text)],
  tools: [],
  cacheKey: 'ses_1',
  ...more,
})

export interface Outcome {
  events: ModelEvent[]
  /** What the stream threw, if it did. */
  error?: unknown
}

/** Streams one reply to its end, good or bad. */
export async function hear(
  adapter: ModelAdapter,
  request: ModelRequest,
  signal = new AbortController().signal,
  { onEvent }: { onEvent?(): void } = {},
): Promise<Outcome> {
  const events: ModelEvent[] = []
  try {
    for await (const event of adapter.stream(request, signal)) {
      events.push(event)
      onEvent?.()
    }
    return { events }
  } catch (error) {
    return { events, error }
  }
}

/** Puts an adapter before a provider that behaves so once, and hears what comes. */
export async function tryOut(
  dialect: Dialect,
  behaviour: Behaviour,
  options: { idleTimeoutMs?: number } = {},
) {
  await using server = await startProviderServer(dialect.wire)
  server.script(behaviour)
  const adapter = dialect.create(server.url, { apiKey: canaryKey, ...options })
  const { events, error } = await hear(adapter, askFor('hi'))
  if (error !== undefined && !(error instanceof ModelFault)) throw error
  return { events, fault: error, requests: server.requests }
}

export const bodyOf = (server: ProviderServer, index: number) =>
  JSON.parse(server.requests[index]!.body.toString()) as Record<string, unknown>
