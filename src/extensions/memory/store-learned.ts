import type { MemoryLayer, MemorySource, MemoryType } from './protocol/memory.ts'
import type { MemoryPlace } from './store/memories.ts'
import type { MemoryVersion, StoredMemory } from './store/memory-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { hashText, recallsSame, isSameStatement } from './similarity.ts'
import { plain } from './turn-words.ts'

/** What a model has learned and may keep. */
export interface Learned {
  scope: string
  layer: MemoryLayer
  type: MemoryType
  sessionId?: string
  text: string
  evidence?: string
  origin: 'user' | 'assistant'
  source: MemorySource
}

export interface Kept {
  made: string[]
  changed: string[]
  /** Memories that the document does not support any more. */
  removed?: string[]
}

// as many as a person could ever read through
export const maxCompared = 5_000
const maxHistory = 20

/**
 * Stores what is new. What is known counts as said once more; the newer wording takes the place of an older one of a
 * model, and never that of a person. What a person took away or put right does not come back.
 */
export async function keepLearned(
  tx: StoreOperations,
  learned: readonly Learned[],
  maxPerPlace: number,
): Promise<Kept> {
  const kept: Kept = { made: [], changed: [] }
  const places = new Map<MemoryLayer, { place: MemoryPlace; known: StoredMemory[] }>()
  for (const item of learned) {
    const { scope, layer } = item
    const place = { scope, layer, sessionId: layer === 'session' ? item.sessionId : undefined }
    const { known } = places.get(layer) ?? { known: await tx.listPlace(place, { limit: maxCompared }) }
    places.set(layer, { place, known })
    await keepOne(tx, known, item, kept)
  }
  if (kept.made.length > 0) for (const { place } of places.values()) await tx.trimPlace(place, maxPerPlace)
  return kept
}

async function keepOne(
  tx: StoreOperations,
  known: StoredMemory[],
  { text, evidence, origin, source, ...place }: Learned,
  kept: Kept,
): Promise<void> {
  const version = versionOf({ text, evidence, origin, source })
  const { hash } = version
  const active = known.filter(({ status }) => status === 'active')
  const same = active.find((memory) => memory.hash === hash)
  if (same) return tx.countMention(same.id)
  if (known.some((memory) => wasTakenAway(memory, version))) return
  const like = active.find((memory) => memory.type === place.type && isSameStatement(memory.text, text))
  if (like && (like.isEdited || like.author === 'user')) return tx.countMention(like.id)
  if (like) {
    known[known.indexOf(like)] = await reword(tx, like, version)
    kept.changed.push(like.id)
    return
  }
  const made = await tx.createMemory({ ...place, ...version })
  // another turn may have stored the same in this moment
  if (!made) return
  known.push(made)
  kept.made.push(made.id)
}

/** Gives a memory the newer wording, and keeps the older one. */
export const reword = (
  tx: StoreOperations,
  memory: StoredMemory,
  version: MemoryVersion,
): Promise<StoredMemory> =>
  tx.changeMemory(memory.id, {
    version,
    history: [...memory.history, toVersion(memory)].slice(-maxHistory),
  })

/** Whether a person deleted it or put it right, in these or in other words. */
export function wasTakenAway(memory: StoredMemory, { text, hash, evidence }: MemoryVersion): boolean {
  const isGone = (gone: MemoryVersion) =>
    gone.hash === hash ||
    recallsSame(gone.text, text) ||
    (evidence !== undefined && isSentence(evidence) && plain(gone.evidence ?? '') === plain(evidence))
  if (memory.status === 'deleted' && isGone(memory)) return true
  return memory.isEdited && memory.history.some(isGone)
}

// a "yes" may answer anything
const isSentence = (evidence: string) => evidence.length >= 10

export const versionOf = ({
  text,
  evidence,
  origin,
  source,
}: Pick<Learned, 'text' | 'evidence' | 'origin' | 'source'>): MemoryVersion => ({
  text,
  hash: hashText(text),
  evidence,
  author: 'model',
  origin,
  isEdited: false,
  source,
})

export const toVersion = ({
  text,
  hash,
  evidence,
  author,
  origin,
  isEdited,
  source,
}: StoredMemory): MemoryVersion => ({ text, hash, evidence, author, origin, isEdited, source })
