import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import { closeTo, type Embedder } from '../../core/models/embedding.ts'
import type { EntityRecord } from './store/knowledge-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'

/** Finds entities by meaning. */
export interface EntityVectors {
  /** Nearest first; none when the embedding model cannot be had. */
  rank(scope: string, text: string): Promise<{ id: string; closeness: number }[]>
}

// each question embeds what has no vector yet; a backlog is caught up with over several
export const maxEmbedded = 512
export const maxCompared = 5_000

export function createEntityVectors(
  store: StoreOperations,
  embedder: Embedder,
  logger: Logger,
): EntityVectors {
  return {
    async rank(scope, text) {
      try {
        const known = await readVectors(store, embedder, scope)
        if (known.length === 0) return []
        const [query] = await embedder.embed([text])
        return closeTo(query!, known).sort(
          (one, other) => other.closeness - one.closeness || (one.id < other.id ? -1 : 1),
        )
      } catch (error) {
        logger.warn({ err: error }, 'entities could not be searched by meaning; words alone count')
        return []
      }
    },
  }
}

async function readVectors(
  store: StoreOperations,
  embedder: Embedder,
  scope: string,
): Promise<{ id: string; vector: Int8Array }[]> {
  const stored = await store.listEntityVectors(scope, embedder.id, maxCompared)
  const isCurrent = (entity: (typeof stored)[number]) => entity.hash === hashOf(toText(entity))
  const known = stored.filter(isCurrent).map(({ id, vector }) => ({ id, vector: fromBase64(vector) }))
  const outdated = stored.filter((entity) => !isCurrent(entity))
  const most = Math.min(maxEmbedded, maxCompared - stored.length)
  const missing = most > 0 ? await store.listUnembedded(scope, embedder.id, most) : []
  const next: EntityRecord[] = [...outdated, ...missing].slice(0, maxEmbedded)
  if (next.length === 0) return known
  const vectors = (await embedder.embed(next.map(toText))).map(toBytes)
  await store.putEntityVectors(
    embedder.id,
    next.map((entity, index) => ({
      entityId: entity.id,
      hash: hashOf(toText(entity)),
      vector: toBase64(vectors[index]!),
    })),
  )
  return [...known, ...next.map(({ id }, index) => ({ id, vector: vectors[index]! }))]
}

const toText = ({ name, description }: EntityRecord) =>
  description === '' ? name : `${name}: ${description}`
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url')

/** A byte for each number: a quarter of the size, and directions hardly change. */
function toBytes(vector: readonly number[]): Int8Array {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  return Int8Array.from(vector, (value) => Math.round((value / (largest || 1)) * 127))
}

const toBase64 = (vector: Int8Array) => Buffer.from(vector.buffer).toString('base64')
const fromBase64 = (text: string) => new Int8Array(Buffer.from(text, 'base64'))
