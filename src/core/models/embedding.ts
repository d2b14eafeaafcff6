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

// what is further away has nothing to do with it
const minCloseness = 0.3

/** What has to do with a text, by vectors of the same model, in the order in which it was given. */
export const closeTo = (
  query: ArrayLike<number>,
  known: readonly { id: string; vector: ArrayLike<number> }[],
): { id: string; closeness: number }[] =>
  known
    .map(({ id, vector }) => ({ id, closeness: cosine(query, vector) }))
    .filter(({ closeness }) => closeness >= minCloseness)

/** Vectors of two lengths are of two models and cannot be compared. */
function cosine(one: ArrayLike<number>, other: ArrayLike<number>): number {
  if (one.length !== other.length) return 0
  let [dot, lengthOne, lengthOther] = [0, 0, 0]
  for (let index = 0; index < one.length; index++) {
    dot += one[index]! * other[index]!
    lengthOne += one[index]! ** 2
    lengthOther += other[index]! ** 2
  }
  return dot === 0 ? 0 : dot / Math.sqrt(lengthOne * lengthOther)
}
