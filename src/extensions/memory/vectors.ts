import type { Logger } from 'pino'
import { closeTo, type Embedder } from '../../core/models/embedding.ts'
import type { MemoryPlace } from './store/memories.ts'
import type { StoreOperations } from '../../core/store/store.ts'

/** Finds by meaning. */
export interface VectorSearch {
  /** The ids of active memories, nearest first; none when the embedding model cannot be had. */
  rank(place: MemoryPlace, text: string): Promise<string[]>
}

// a search embeds what is new; a backlog is caught up with over several
const maxEmbedded = 64
const maxCompared = 5_000

export function createVectorSearch(store: StoreOperations, embedder: Embedder, logger: Logger): VectorSearch {
  return {
    async rank(place, text) {
      try {
        const known = await readVectors(store, embedder, place)
        if (known.length === 0) return []
        const [query] = await embedder.embed([text])
        return closeTo(query!, known)
          .sort((one, other) => other.closeness - one.closeness)
          .map(({ id }) => id)
      } catch (error) {
        logger.warn({ err: error }, 'memories could not be searched by meaning; words alone count')
        return []
      }
    },
  }
}

async function readVectors(store: StoreOperations, embedder: Embedder, place: MemoryPlace) {
  const memories = await store.listPlace(place, { status: 'active', limit: maxCompared })
  const stored = new Map(
    (await store.listVectors(place, embedder.id)).map(({ memoryId, hash, vector }) => [
      `${memoryId} ${hash}`,
      vector,
    ]),
  )
  const known: { id: string; vector: Float32Array }[] = []
  const missing: typeof memories = []
  for (const memory of memories) {
    const vector = stored.get(`${memory.id} ${memory.hash}`)
    if (vector !== undefined) known.push({ id: memory.id, vector: fromText(vector) })
    else missing.push(memory)
  }
  const next = missing.slice(0, maxEmbedded)
  if (next.length === 0) return known
  const vectors = await embedder.embed(next.map(({ text }) => text))
  for (const [index, { id, hash }] of next.entries()) {
    const vector = Float32Array.from(vectors[index]!)
    await store.putVector(embedder.id, { memoryId: id, hash, vector: toText(vector) })
    known.push({ id, vector })
  }
  return known
}

const toText = (vector: Float32Array) => Buffer.from(vector.buffer).toString('base64')

function fromText(text: string): Float32Array {
  const bytes = new Uint8Array(Buffer.from(text, 'base64'))
  return new Float32Array(bytes.buffer)
}
