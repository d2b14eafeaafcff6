import { type EmbeddingServer, requestEmbeddings } from './embedding-request.ts'
import type { ReadTraceContext } from './trace-context.ts'

/** Turns texts into vectors whose nearness is that of their meaning. */
export interface Embedder {
  /** `openai/…`, as in the settings: vectors of one cannot be held against those of another. */
  readonly id: string
  embed(texts: readonly string[]): Promise<number[][]>
}

/** The server is looked up for each request: its key and its address may change. */
export const createEmbedder = (
  id: string,
  findServer: () => EmbeddingServer,
  fetch?: typeof globalThis.fetch,
  traceContext?: ReadTraceContext,
): Embedder => ({
  id,
  embed: async (texts) =>
    (await requestEmbeddings(findServer(), { texts, headers: traceContext?.() }, fetch)).vectors,
})

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
