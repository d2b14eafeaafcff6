import { describe, expect, it } from 'vitest'
import type { ModelRequest } from '../src/core/models/adapter.ts'
import { createChatCompletionsAdapter } from '../src/core/models/chat-completions.ts'
import { ModelFault } from '../src/core/models/fault.ts'
import {
  createAnthropicAdapter,
  createCompatibleAdapter,
  createGoogleAdapter,
  createOpenAiAdapter,
} from '../src/core/models/hosted-adapters.ts'
import { setParameters } from '../src/core/models/parameters.ts'
import type { ModelParameters, ParameterName } from '../src/core/protocol/parameters.ts'
import { anthropicMessages } from './providers/anthropic.ts'
import { askFor, bodyOf, hear } from './providers/dialects.ts'
import { googleGenerate } from './providers/google.ts'
import { openaiChat } from './providers/openai-chat.ts'
import { openaiResponses } from './providers/openai-responses.ts'
import { startProviderServer, type Wire } from './providers/provider-server.ts'

type Create = (url: string, model?: string) => ReturnType<typeof createOpenAiAdapter>

const apiKey = 'key'
const all: ModelParameters = {
  temperature: 0.3,
  topP: 0.9,
  maxOutputTokens: 77,
  stop: ['END', '\n\n'],
  seed: 42,
  presencePenalty: 0.5,
  frequencyPenalty: -0.5,
  reasoningEffort: 'high',
}
const chatBody = {
  temperature: 0.3,
  top_p: 0.9,
  max_tokens: 77,
  stop: ['END', '\n\n'],
  seed: 42,
  presence_penalty: 0.5,
  frequency_penalty: -0.5,
  reasoning_effort: 'high',
}

interface Provider {
  name: string
  wire: Wire
  create: Create
  /** All that its models can take in one request, where that is not all there is. */
  taken: ModelParameters
  body: object
  refused: ParameterName[]
  /** A field of its own that Parley does not set, and one that it does. */
  options: { adapter: string; own: object; set: object; setPath: string }
}

const pick = (...names: ParameterName[]): ModelParameters =>
  Object.fromEntries(names.map((name) => [name, all[name]]))

const providers: Provider[] = [
  {
    name: 'Chat Completions',
    wire: openaiChat,
    create: (url, model = 'm') =>
      createChatCompletionsAdapter(`openai/${model}`, model, { baseUrl: `${url}/v1`, apiKey }),
    taken: all,
    body: chatBody,
    refused: [],
    options: {
      adapter: 'openai',
      own: { min_p: 0.1, logit_bias: { 1: -100 } },
      set: { max_tokens: 5 },
      setPath: 'max_tokens',
    },
  },
  {
    name: 'Chat Completions through the AI SDK',
    wire: openaiChat,
    create: (url, model = 'm') =>
      createCompatibleAdapter(`openai/${model}`, model, { baseUrl: `${url}/v1`, apiKey }),
    taken: all,
    body: chatBody,
    refused: [],
    options: { adapter: 'openai', own: { min_p: 0.1 }, set: { max_tokens: 5 }, setPath: 'max_tokens' },
  },
  {
    name: 'OpenAI Responses, a model that reasons',
    wire: openaiResponses,
    create: (url, model = 'gpt-6-astra') => createOpenAiAdapter(model, { baseUrl: `${url}/v1`, apiKey }),
    taken: pick('maxOutputTokens', 'reasoningEffort'),
    body: { max_output_tokens: 77, reasoning: { effort: 'high', summary: 'detailed' } },
    refused: ['temperature', 'topP', 'stop', 'seed', 'presencePenalty', 'frequencyPenalty'],
    options: {
      adapter: 'openai',
      own: { service_tier: 'flex', reasoning: { mode: 'x' } },
      set: { max_output_tokens: 5 },
      setPath: 'max_output_tokens',
    },
  },
  {
    name: 'OpenAI Responses, a model that does not reason',
    wire: openaiResponses,
    create: (url, model = 'gpt-4o') => createOpenAiAdapter(model, { baseUrl: `${url}/v1`, apiKey }),
    taken: pick('temperature', 'topP', 'maxOutputTokens'),
    body: { temperature: 0.3, top_p: 0.9, max_output_tokens: 77 },
    refused: ['reasoningEffort', 'stop', 'seed', 'presencePenalty', 'frequencyPenalty'],
    options: { adapter: 'openai', own: { top_logprobs: 3 }, set: { temperature: 1 }, setPath: 'temperature' },
  },
  {
    name: 'Anthropic Messages',
    wire: anthropicMessages,
    create: (url, model = 'claude-sonnet-4-5') => createAnthropicAdapter(model, { baseUrl: url, apiKey }),
    taken: pick('temperature', 'maxOutputTokens', 'stop'),
    body: { temperature: 0.3, max_tokens: 77, stop_sequences: ['END', '\n\n'] },
    refused: ['seed', 'presencePenalty', 'frequencyPenalty'],
    options: {
      adapter: 'anthropic',
      own: { top_k: 5, metadata: { user_id: 'u' } },
      set: { max_tokens: 5 },
      setPath: 'max_tokens',
    },
  },
  {
    name: 'Google generateContent',
    wire: googleGenerate,
    create: (url, model = 'gemini-4-argon') =>
      createGoogleAdapter(model, { baseUrl: `${url}/v1beta`, apiKey }),
    taken: all,
    body: {
      generationConfig: expect.objectContaining({
        temperature: 0.3,
        topP: 0.9,
        maxOutputTokens: 77,
        stopSequences: ['END', '\n\n'],
        seed: 42,
        presencePenalty: 0.5,
        frequencyPenalty: -0.5,
        thinkingConfig: { includeThoughts: true, thinkingLevel: 'high' },
      }),
    },
    refused: [],
    options: {
      adapter: 'google',
      own: { generationConfig: { topK: 4 }, labels: { a: 'b' } },
      set: { generationConfig: { maxOutputTokens: 5 } },
      setPath: 'generationConfig.maxOutputTokens',
    },
  },
]

describe.each(providers)('$name', ({ wire, create, taken, body, refused, options }) => {
  async function send(more: Partial<ModelRequest>, model?: string) {
    await using server = await startProviderServer(wire)
    const adapter = create(server.url, model)
    const { error } = await hear(adapter, askFor('hi', more))
    return { error, adapter, bodies: server.requests.map((_, index) => bodyOf(server, index)) }
  }

  it('sends what it takes in the words of the provider', async () => {
    const { error, bodies, adapter } = await send({ ...taken, thinking: taken.reasoningEffort && true })
    expect(error).toBeUndefined()
    expect(bodies).toEqual([expect.objectContaining(body)])
    expect(adapter.takes).toEqual(expect.arrayContaining(setParameters(taken)))
  })

  it('says nothing of what was not asked for', async () => {
    const { bodies } = await send({})
    const words = ['temperature', 'top_p', 'topP', 'stop', 'stop_sequences', 'seed', 'presence_penalty']
    const sent = { ...bodies[0], ...(bodies[0]!.generationConfig as object) }
    expect(Object.keys(sent).filter((key) => words.includes(key))).toEqual([])
  })

  it.each(refused)('refuses %s by name, and asks nobody', async (name) => {
    const { error, bodies } = await send({ [name]: all[name] })
    expect(error).toBeInstanceOf(ModelFault)
    expect(error).toMatchObject({
      kind: 'bad-request',
      message: expect.stringContaining(`the parameter ${name}`),
    })
    expect(bodies).toEqual([])
  })

  it('adds the options of its own provider to the body, and leaves those of others away', async () => {
    const providerOptions = { [options.adapter]: { ...options.own }, other: { canary: 1 } }
    const { error, bodies } = await send({ providerOptions })
    expect(error).toBeUndefined()
    expect(bodies).toEqual([expect.objectContaining(deepMatch(options.own))])
    expect(JSON.stringify(bodies)).not.toContain('canary')
  })

  it('refuses an option that would replace what was set', async () => {
    const providerOptions = { [options.adapter]: { ...options.set } }
    const set = Object.keys(options.set)[0] === 'temperature' ? { temperature: 0.5 } : { maxOutputTokens: 9 }
    const { error, bodies } = await send({ ...set, providerOptions })
    expect(error).toMatchObject({
      kind: 'bad-request',
      message: expect.stringContaining(`providerOptions.${options.setPath}, which Parley has set already`),
    })
    expect(bodies).toEqual([])
  })
})

const deepMatch = (value: object): object =>
  Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      typeof inner === 'object' && inner !== null ? expect.objectContaining(inner) : inner,
    ]),
  )

describe('efforts and ranges that a model lacks', () => {
  it.each([
    [{ temperature: 1.5 }, 'the parameter temperature: 1.5'],
    [{ temperature: 0.3, topP: 0.9 }, 'the parameter topP: 0.9'],
    [{ maxOutputTokens: 9_000_000 }, 'the parameter maxOutputTokens: 9000000'],
  ])('Claude refuses %j', async (parameters, words) => {
    await using server = await startProviderServer(anthropicMessages)
    const adapter = createAnthropicAdapter('claude-sonnet-4-5', { baseUrl: server.url, apiKey })
    const { error } = await hear(adapter, askFor('hi', parameters))
    expect(error).toMatchObject({ kind: 'bad-request', message: expect.stringContaining(words) })
    expect(server.requests).toEqual([])
  })

  it.each(['low', 'medium', 'high', 'none'] as const)('Claude has the effort %s', async (reasoningEffort) => {
    await using server = await startProviderServer(anthropicMessages)
    const adapter = createAnthropicAdapter('claude-sonnet-4-5', { baseUrl: server.url, apiKey })
    const { error } = await hear(adapter, askFor('hi', { reasoningEffort }))
    expect(error).toBeUndefined()
    const { thinking } = bodyOf(server, 0) as { thinking: { type: string } }
    expect(thinking.type).toBe(reasoningEffort === 'none' ? 'disabled' : 'enabled')
  })

  it('the wording of a provider that refuses a parameter itself reaches the caller', async () => {
    await using server = await startProviderServer(openaiChat)
    const message = "Unsupported parameter: 'temperature' is not supported with this model."
    server.script({
      status: 400,
      body: JSON.stringify({ error: { message, type: 'invalid_request_error' } }),
    })
    const adapter = createChatCompletionsAdapter('openai/m', 'm', { baseUrl: `${server.url}/v1` })
    const { error } = await hear(adapter, askFor('hi', { temperature: 0 }))
    expect(error).toMatchObject({ kind: 'bad-request', message: expect.stringContaining(message) })
    expect(server.requests).toHaveLength(1)
  })
})
