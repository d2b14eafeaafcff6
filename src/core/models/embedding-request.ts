import { invalidRequest, ParleyError, quote } from '../protocol/error.ts'
import { withVersion } from './base-url.ts'
import { ModelFault } from './fault.ts'
import { createFaults, type Faults } from './provider-faults.ts'
import type { ConfiguredProvider, ModelRegistry, ProviderSettings } from './registry.ts'

/** An embedding model, and where it is asked. */
export interface EmbeddingServer {
  /** `provider/model` */
  id: string
  model: string
  settings: ProviderSettings
}

export interface EmbeddingRequest {
  texts: readonly string[]
  /** Of the vectors; default: as the model has them. */
  dimensions?: number
  /** Of whom the request is, for the provider. */
  user?: string
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal
}

export interface Embeddings {
  /** In the order of the texts. */
  vectors: number[][]
  /** Of all texts, where the provider counts them. */
  tokens?: number
}

const timeoutMs = 20_000

/** The server behind an id. Throws where there is none, or none that speaks OpenAI's `/embeddings`. */
export function findEmbeddingServer(registry: Pick<ModelRegistry, 'providers'>, id: string): EmbeddingServer {
  const slash = id.indexOf('/')
  const [name, model] = [id.slice(0, Math.max(0, slash)), id.slice(slash + 1)]
  const provider = registry.providers().find((known) => known.name === name)
  if (!provider || model === '')
    throw invalidRequest(
      `There is no provider for the embedding model ${quote(id)}; name it as provider/model.`,
    )
  return { id, model, settings: addressOf(provider, id) }
}

function addressOf({ name, kind, settings, isConfigured }: ConfiguredProvider, id: string): ProviderSettings {
  if (kind !== 'openai' && kind !== 'ollama')
    throw invalidRequest(
      `The embedding model ${quote(id)} cannot be used: Parley asks servers that speak OpenAI's API for embeddings, which ${name} does not.`,
    )
  if (!isConfigured)
    throw new ParleyError(
      'adapter_unavailable',
      `The embedding model ${quote(id)} cannot be used: the provider ${name} is not set up.`,
    )
  return kind === 'ollama' ? { ...settings, baseUrl: withVersion(settings.baseUrl!) } : settings
}

/** Throws a `ModelFault` for whatever the provider does wrong. */
export async function requestEmbeddings(
  { id, model, settings }: EmbeddingServer,
  { texts, dimensions, user, headers, signal }: EmbeddingRequest,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<Embeddings> {
  const { apiKey, baseUrl = 'https://api.openai.com/v1' } = settings
  // each takes some 100 ms to load, and most never need it
  const [{ embedMany }, { createOpenAICompatible }] = await Promise.all([
    import('ai'),
    import('@ai-sdk/openai-compatible'),
  ])
  const provider = createOpenAICompatible({
    name: 'compatible',
    baseURL: baseUrl,
    apiKey,
    // a redirect would take the key along
    fetch: (url, init) => fetch(url, { ...init, redirect: 'manual' }),
  })
  const faults = createFaults(id, apiKey ? [apiKey] : [])
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const { embeddings, usage } = await embedMany({
      model: provider.embeddingModel(model),
      values: [...texts],
      maxRetries: 1,
      headers: { ...headers },
      providerOptions: { compatible: { ...(dimensions && { dimensions }), ...(user && { user }) } },
      abortSignal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
    if (embeddings.length !== texts.length)
      throw faults.malformed(`${embeddings.length} vectors for ${texts.length} texts`)
    return { vectors: embeddings, ...(Number.isFinite(usage.tokens) && { tokens: usage.tokens }) }
  } catch (error) {
    if (error instanceof ModelFault || signal?.aborted) throw error
    throw timeout.aborted ? faults.idle(timeoutMs) : await toFault(faults, error)
  }
}

async function toFault(faults: Faults, error: unknown): Promise<ModelFault> {
  const { APICallError, RetryError } = await import('ai')
  const last = RetryError.isInstance(error) ? error.lastError : error
  if (!APICallError.isInstance(last)) return faults.malformed('an answer that holds no vectors')
  const { statusCode, responseHeaders = {}, responseBody = '', cause } = last
  if (statusCode === undefined) return faults.unreachable(cause)
  if (statusCode < 300) return faults.malformed('an answer that holds no vectors')
  return faults.refused({ status: statusCode, headers: responseHeaders, body: responseBody })
}
