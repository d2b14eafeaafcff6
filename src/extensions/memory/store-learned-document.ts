import type { StoredMemory } from './store/memory-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { maxCompared, reword, versionOf, wasTakenAway, type Kept, type Learned } from './store-learned.ts'
import { isSameStatement } from './similarity.ts'

/**
 * Replaces the memories of a document by those of its current text. What still holds keeps its id, the rest is removed;
 * what a person wrote, put right or took away stays as that person left it.
 */
export async function keepDocument(
  tx: StoreOperations,
  { scope, documentId }: { scope: string; documentId: string },
  learned: readonly Learned[],
  maxPerPlace: number,
): Promise<Kept> {
  const place = { scope, layer: 'scope' as const }
  const ofDocument = await tx.listOfDocument(scope, documentId)
  const known = [...(await tx.listPlace(place, { limit: maxCompared })), ...ofDocument]
  const own = ofDocument.filter(({ status }) => status === 'active')
  const held = new Set<string>()
  const kept = { made: [] as string[], changed: [] as string[], removed: [] as string[] }
  for (const { source, text, evidence, origin, ...rest } of learned) {
    const version = versionOf({ text, evidence, origin, source })
    const same = own.find(({ hash }) => hash === version.hash)
    const like = same ?? own.find((memory) => isSameStatement(memory.text, text))
    if (like && (same || isPersons(like) || held.has(like.id))) held.add(like.id)
    else if (known.some((memory) => wasTakenAway(memory, version))) continue
    // a text is there once; this one is known from elsewhere
    else if (await tx.findMemory(place, version.hash)) continue
    else if (like) {
      held.add(like.id)
      own[own.indexOf(like)] = await reword(tx, like, version)
      kept.changed.push(like.id)
    } else {
      const made = await tx.createMemory({ ...rest, ...version })
      // another turn may have stored the same in this moment
      if (!made) continue
      held.add(made.id)
      own.push(made)
      kept.made.push(made.id)
    }
  }
  kept.removed = own.flatMap((memory) => (held.has(memory.id) || isPersons(memory) ? [] : memory.id))
  await tx.removeMemories(kept.removed)
  if (kept.made.length > 0) await tx.trimPlace(place, maxPerPlace)
  return kept
}

const isPersons = ({ author, isEdited }: StoredMemory) => author === 'user' || isEdited
