/**
 * The adapters that the AI SDK's own packages speak. A package takes some 100 ms to load and is loaded by the first
 * request that needs it. Keys and addresses are always given: left out, the packages would read the environment.
 */
import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { ParameterName } from '../protocol/parameters.ts'
import type { ModelAdapter, ModelRequest } from './adapter.ts'
import { createAiSdkAdapter } from './ai-sdk.ts'
import { toServer, withVersion } from './base-url.ts'
import { boundFetch } from './bounded-fetch.ts'
import { setParameters } from './parameters.ts'
import { createFaults } from './provider-faults.ts'
import { isClosed } from './reply-format.ts'
import { fetchWithParameters, type ParameterPlaces } from './sent-parameters.ts'
import type { ReadTraceContext } from './trace-context.ts'

export interface HostedOptions {
  /** Of a server with a name of its own; default: that of the provider. */
  name?: string
  apiKey: string
  /** Default: the provider's own address. */
  baseUrl?: string
  /** Default: the global one. */
  fetch?: typeof fetch
  /** Default 60,000. */
  idleTimeoutMs?: number
  /** Sent along with each request. */
  traceContext?: ReadTraceContext
}

/** OpenAI through its Responses API. Nothing is stored there: what a session holds is sent with every request. */
export function createOpenAiAdapter(model: string, options: HostedOptions): ModelAdapter {
  const own = 'https://api.openai.com/v1'
  const { id, settings, common, forRequests } = prepare(`openai/${model}`, options, own, responsesPlaces)
  return createAiSdkAdapter(
    id,
    async () => {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return forRequests((fetch) => createOpenAI({ ...settings, fetch }).responses(model))
    },
    {
      ...common,
      providerOptions: ({ cacheKey }) => ({
        // strict schemas are closed ones
        openai: { promptCacheKey: cacheKey, store: false, strictJsonSchema: false },
      }),
    },
  )
}

/** Pings count as signs of life: Claude may think for minutes without showing it. */
export function createAnthropicAdapter(model: string, options: HostedOptions): ModelAdapter {
  const own = 'https://api.anthropic.com/v1'
  // ANTHROPIC_BASE_URL is commonly given without the version that the package expects
  const baseUrl = options.baseUrl && withVersion(options.baseUrl)
  const { id, settings, common, forRequests } = prepare(
    `${options.name ?? 'anthropic'}/${model}`,
    { ...options, baseUrl },
    own,
    anthropicPlaces,
  )
  return createAiSdkAdapter(
    id,
    async () => {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return forRequests((fetch) => createAnthropic({ ...settings, fetch })(model))
    },
    {
      ...common,
      cachePoint: { anthropic: { cacheControl: { type: 'ephemeral' } } },
      providerOptions: () => ({ anthropic: { includePings: true } }),
      // an open schema becomes a tool that must be called, which a model that thinks cannot be held to
      responseFormat: ({ replyFormat, thinking }) =>
        thinking && !isClosed(replyFormat?.schema) ? undefined : { type: 'json', ...replyFormat },
    },
  )
}

export function createGoogleAdapter(model: string, options: HostedOptions): ModelAdapter {
  const base = 'https://generativelanguage.googleapis.com/v1beta'
  const { id, settings, common, forRequests } = prepare(`google/${model}`, options, base, googlePlaces)
  const load = async () => {
    const { createGoogle } = await import('@ai-sdk/google')
    return forRequests((fetch) => createGoogle({ ...settings, fetch })(model))
  }
  return createAiSdkAdapter(id, load, {
    ...common,
    // without it Gemini thinks, but does not show it
    providerOptions: ({ thinking }) => ({
      google: { ...(thinking && { thinkingConfig: { includeThoughts: true } }) },
    }),
    // by a schema that is open in places Gemini would leave these empty
    responseFormat: ({ replyFormat, tools }) =>
      isClosed(replyFormat?.schema)
        ? { type: 'json', ...replyFormat }
        : tools.length > 0
          ? undefined
          : { type: 'json' },
  })
}

/** Any server that copies Chat Completions, for callers whose requests must pass through their own `fetch`. */
export function createCompatibleAdapter(id: string, model: string, options: HostedOptions): ModelAdapter {
  const { settings, common, forRequests } = prepare(id, options, '', chatPlaces)
  return createAiSdkAdapter(
    id,
    async () => {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const more = { name: 'compatible', includeUsage: true, supportsStructuredOutputs: true }
      return forRequests((fetch) => createOpenAICompatible({ ...settings, ...more, fetch })(model))
    },
    {
      ...common,
      providerOptions: () => ({ compatible: { strictJsonSchema: false } }),
      // many servers hold the whole reply to it: a tool could not be called any more
      responseFormat: ({ replyFormat, tools }) =>
        tools.length > 0
          ? undefined
          : isClosed(replyFormat?.schema)
            ? { type: 'json', ...replyFormat }
            : { type: 'json' },
    },
  )
}

function prepare(id: string, options: HostedOptions, ownAddress: string, places: ParameterPlaces) {
  const { apiKey, baseUrl = ownAddress, fetch = globalThis.fetch, idleTimeoutMs, traceContext } = options
  const secrets = [apiKey]
  const faults = createFaults(id, secrets)
  const bounded = boundFetch(faults, fetch)
  const takes = [...(Object.keys(places) as ParameterName[]), 'providerOptions' as const]
  return {
    id,
    settings: { apiKey, baseURL: baseUrl },
    common: { secrets, idleTimeoutMs, takes, traceContext, server: toServer(baseUrl) },
    /** One model for all requests without parameters; any other request has its own, which checks what it sends. */
    forRequests(make: (fetch: typeof globalThis.fetch) => LanguageModelV4) {
      const plain = make(bounded)
      return (request: ModelRequest) =>
        setParameters(request).length === 0
          ? plain
          : make(fetchWithParameters(bounded, { id, faults, places }, request))
    },
  }
}

const responsesPlaces: ParameterPlaces = {
  temperature: [['temperature']],
  topP: [['top_p']],
  maxOutputTokens: [['max_output_tokens']],
  reasoningEffort: [['reasoning', 'effort']],
}
const chatPlaces: ParameterPlaces = {
  temperature: [['temperature']],
  topP: [['top_p']],
  maxOutputTokens: [['max_tokens']],
  stop: [['stop']],
  seed: [['seed']],
  presencePenalty: [['presence_penalty']],
  frequencyPenalty: [['frequency_penalty']],
  reasoningEffort: [['reasoning_effort']],
}
const anthropicPlaces: ParameterPlaces = {
  temperature: [['temperature']],
  topP: [['top_p']],
  maxOutputTokens: [['max_tokens']],
  stop: [['stop_sequences']],
  reasoningEffort: [
    ['output_config', 'effort'],
    ['thinking', 'budget_tokens'],
    ['thinking', 'type'],
  ],
}
const googlePlaces: ParameterPlaces = {
  temperature: [['generationConfig', 'temperature']],
  topP: [['generationConfig', 'topP']],
  maxOutputTokens: [['generationConfig', 'maxOutputTokens']],
  stop: [['generationConfig', 'stopSequences']],
  seed: [['generationConfig', 'seed']],
  presencePenalty: [['generationConfig', 'presencePenalty']],
  frequencyPenalty: [['generationConfig', 'frequencyPenalty']],
  reasoningEffort: [
    ['generationConfig', 'thinkingConfig', 'thinkingLevel'],
    ['generationConfig', 'thinkingConfig', 'thinkingBudget'],
  ],
}
