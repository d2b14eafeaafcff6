/**
 * The adapters that the AI SDK's own packages speak. A package takes some 100 ms to load and is loaded by the first
 * request that needs it. Keys and addresses are always given: left out, the packages would read the environment.
 */
import type { ModelAdapter } from './adapter.ts'
import { createAiSdkAdapter } from './ai-sdk.ts'
import { withVersion } from './base-url.ts'
import { boundFetch } from './bounded-fetch.ts'
import { createFaults } from './provider-faults.ts'

export interface HostedOptions {
  apiKey: string
  /** Default: the provider's own address. */
  baseUrl?: string
  /** Default: the global one. */
  fetch?: typeof fetch
  /** Default 60,000. */
  idleTimeoutMs?: number
}

/** OpenAI through its Responses API. Nothing is stored there: what a session holds is sent with every request. */
export function createOpenAiAdapter(model: string, options: HostedOptions): ModelAdapter {
  const { id, settings, common } = prepare(`openai/${model}`, options, 'https://api.openai.com/v1')
  return createAiSdkAdapter(
    id,
    async () => (await import('@ai-sdk/openai')).createOpenAI(settings).responses(model),
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
  const { id, settings, common } = prepare(`anthropic/${model}`, { ...options, baseUrl }, own)
  return createAiSdkAdapter(
    id,
    async () => (await import('@ai-sdk/anthropic')).createAnthropic(settings)(model),
    {
      ...common,
      cachePoint: { anthropic: { cacheControl: { type: 'ephemeral' } } },
      providerOptions: () => ({ anthropic: { includePings: true } }),
      // an open schema becomes a tool that must be called, which a model that thinks cannot be held to
      responseFormat: ({ replyFormat, thinking }) =>
        thinking ? undefined : { type: 'json', ...replyFormat },
    },
  )
}

export function createGoogleAdapter(model: string, options: HostedOptions): ModelAdapter {
  const base = 'https://generativelanguage.googleapis.com/v1beta'
  const { id, settings, common } = prepare(`google/${model}`, options, base)
  return createAiSdkAdapter(id, async () => (await import('@ai-sdk/google')).createGoogle(settings)(model), {
    ...common,
    // without it Gemini thinks, but does not show it
    providerOptions: ({ thinking }) => ({
      google: { ...(thinking && { thinkingConfig: { includeThoughts: true } }) },
    }),
    // by a schema that is open in places Gemini would leave these empty
    responseFormat: () => ({ type: 'json' }),
  })
}

/** Any server that copies Chat Completions, for callers whose requests must pass through their own `fetch`. */
export function createCompatibleAdapter(id: string, model: string, options: HostedOptions): ModelAdapter {
  const { settings, common } = prepare(id, options, '')
  return createAiSdkAdapter(
    id,
    async () =>
      (await import('@ai-sdk/openai-compatible')).createOpenAICompatible({
        ...settings,
        name: 'compatible',
        includeUsage: true,
      })(model),
    {
      ...common,
      // many servers hold the whole reply to it: a tool could not be called any more
      responseFormat: ({ tools }) => (tools.length > 0 ? undefined : { type: 'json' }),
    },
  )
}

function prepare(id: string, options: HostedOptions, ownAddress: string) {
  const { apiKey, baseUrl = ownAddress, fetch = globalThis.fetch, idleTimeoutMs } = options
  const secrets = [apiKey]
  return {
    id,
    settings: { apiKey, baseURL: baseUrl, fetch: boundFetch(createFaults(id, secrets), fetch) },
    common: { secrets, idleTimeoutMs },
  }
}
