import type { ProviderSettings } from './registry.ts'

/** Turns texts into vectors whose nearness is that of their meaning. */
export interface Embedder {
  /** `openai/…`, as in the settings: vectors of one cannot be held against those of another. */
  readonly id: string
  embed(texts: readonly string[]): Promise<number[][]>
}

const timeoutMs = 20_000

/** An embedding model of OpenAI, or of any server that copies its `/embeddings`. */
export function createEmbedder(
  id: string,
  readSettings: () => ProviderSettings,
  fetch?: typeof globalThis.fetch,
): Embedder {
  const name = id.slice(id.indexOf('/') + 1)
  return {
    id,
    async embed(texts) {
      const { apiKey, baseUrl = 'https://api.openai.com/v1' } = readSettings()
      // each takes some 100 ms to load, and most never need it
      const [{ embedMany }, { createOpenAICompatible }] = await Promise.all([
        import('ai'),
        import('@ai-sdk/openai-compatible'),
      ])
      const provider = createOpenAICompatible({ name: 'compatible', baseURL: baseUrl, apiKey, fetch })
      const { embeddings } = await embedMany({
        model: provider.embeddingModel(name),
        values: [...texts],
        maxRetries: 1,
        abortSignal: AbortSignal.timeout(timeoutMs),
      })
      return embeddings
    },
  }
}
