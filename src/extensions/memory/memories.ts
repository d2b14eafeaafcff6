import { conflict, invalidRequest, notFound } from '../../core/protocol/error.ts'
import type {
  CreateMemory,
  Memory,
  MemoryListQuery,
  MemoryPage,
  MemoryType,
  UpdateMemory,
} from './protocol/memory.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import { requireLimit, type PageLimits } from '../../core/sessions/list.ts'
import type { MemoryPlace } from './store/memories.ts'
import type { MemoryVersion, StoredMemory } from './store/memory-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { toVersion } from './store-learned.ts'
import { hashText } from './similarity.ts'
import { searchPlace } from './search-memories.ts'
import type { VectorSearch } from './vectors.ts'

/** Who reads and changes memories: a person at the API, or a session by its tool. */
export type MemoryCaller = Pick<Caller, 'scope' | 'actor'>

export interface MemoryListing {
  pages: PageLimits
  vectors?: VectorSearch
}

const usualTypes: Record<CreateMemory['layer'], MemoryType> = {
  user: 'profile',
  scope: 'narrative',
  session: 'event_log',
}

/** Newest first; with `q` the best match first, and with `message` in the order of its prompt. */
export async function listMemories(
  store: StoreOperations,
  { pages, vectors }: MemoryListing,
  { scope }: MemoryCaller,
  { layer, type, session, status = 'active', q, message, limit, cursor }: Omit<MemoryListQuery, 'scope'>,
): Promise<MemoryPage> {
  const count = requireLimit(pages, limit)
  if (message !== undefined) return listOfMessage(store, scope, message)
  if (q === undefined) {
    const page = await store.listMemories(scope, {
      layer,
      type,
      sessionId: session,
      status,
      limit: count,
      cursor,
    })
    return { ...page, items: page.items.map(toPublic) }
  }
  if (status === 'deleted') throw invalidRequest('"q" looks among active memories only.')
  const found: StoredMemory[] = []
  for (const place of placesOf(scope, layer, session))
    found.push(...(await searchPlace({ store, vectors }, place, q, count)))
  const items = found.filter((memory) => type === undefined || memory.type === type).slice(0, count)
  return { items: items.map(toPublic), nextCursor: null }
}

/** Of sessions only the one that is named: there may be any number. */
function placesOf(scope: string, layer?: Memory['layer'], sessionId?: string): MemoryPlace[] {
  if (layer === 'session' && sessionId === undefined)
    throw invalidRequest('With layer "session", "q" needs a "session".')
  const places: MemoryPlace[] = [
    { scope, layer: 'user' },
    { scope, layer: 'scope' },
    ...(sessionId === undefined ? [] : [{ scope, layer: 'session' as const, sessionId }]),
  ]
  return layer === undefined ? places : places.filter((place) => place.layer === layer)
}

async function listOfMessage(store: StoreOperations, scope: string, messageId: string): Promise<MemoryPage> {
  const used = await store.listUsed({ messageId, scope })
  const made = await store.listMade(scope, messageId)
  return {
    items: [
      ...used.map((memory) => ({ ...toPublic(memory), inMessage: 'used' as const })),
      ...made.map((memory) => ({ ...toPublic(memory), inMessage: 'made' as const })),
    ],
    nextCursor: null,
  }
}

export async function getMemory(
  store: StoreOperations,
  { scope }: MemoryCaller,
  id: string,
): Promise<Memory> {
  return toPublic(await requireMemory(store, scope, id))
}

/** What a person writes counts, whatever was deleted before. */
export function createMemory(
  store: StoreOperations,
  caller: MemoryCaller,
  { layer, type = usualTypes[layer], text, sessionId }: Omit<CreateMemory, 'scope'>,
): Promise<Memory> {
  const { scope } = caller
  return store.transaction(async (tx) => {
    await tx.ensureScope(scope)
    if (sessionId !== undefined) await tx.requireSession(scope, sessionId)
    const version: MemoryVersion = {
      text: text.trim(),
      hash: hashText(text),
      author: 'user',
      origin: 'user',
      isEdited: false,
      source: {},
    }
    const made = await tx.createMemory({ scope, layer, type, sessionId, ...version })
    if (made) return recordChange(tx, caller, 'created', made)
    const known = await tx.findMemory({ scope, layer, sessionId }, version.hash)
    if (known?.status !== 'deleted') throw isThere(known?.id)
    return recordChange(tx, caller, 'created', await tx.changeMemory(known.id, { version, status: 'active' }))
  })
}

/** No model changes it after that. */
export function updateMemory(
  store: StoreOperations,
  caller: MemoryCaller,
  id: string,
  { text }: Omit<UpdateMemory, 'scope'>,
): Promise<Memory> {
  return store.transaction(async (tx) => {
    const memory = await requireMemory(tx, caller.scope, id)
    if (memory.status === 'deleted') throw conflict('The memory is deleted; restore it first.')
    const version = { ...toVersion(memory), text: text.trim(), hash: hashText(text), isEdited: true }
    if (version.text === memory.text) return toPublic(memory)
    await requireFree(tx, memory, version.hash)
    const history = [...memory.history, toVersion(memory)]
    return recordChange(tx, caller, 'updated', await tx.changeMemory(id, { version, history }))
  })
}

export function deleteMemory(store: StoreOperations, caller: MemoryCaller, id: string): Promise<void> {
  return store.transaction(async (tx) => {
    const memory = await requireMemory(tx, caller.scope, id)
    if (memory.status === 'deleted') return
    await recordChange(tx, caller, 'deleted', await tx.changeMemory(id, { status: 'deleted' }))
  })
}

/** What a person brought back is that person's wish as well. */
export function restoreMemory(store: StoreOperations, caller: MemoryCaller, id: string): Promise<Memory> {
  return store.transaction(async (tx) => {
    const memory = await requireMemory(tx, caller.scope, id)
    if (memory.status === 'deleted')
      return recordChange(tx, caller, 'updated', await tx.changeMemory(id, { status: 'active' }))
    const history = [...memory.history]
    const earlier = history.pop()
    if (!earlier) throw conflict('There is nothing to undo: the memory was neither deleted nor changed.')
    await requireFree(tx, memory, earlier.hash)
    const version = { ...earlier, isEdited: true }
    return recordChange(tx, caller, 'updated', await tx.changeMemory(id, { version, history }))
  })
}

/** A text is there once. One that was deleted makes room for it. */
async function requireFree(
  tx: StoreOperations,
  { id, scope, layer, sessionId }: StoredMemory,
  hash: string,
): Promise<void> {
  const other = await tx.findMemory({ scope, layer, sessionId }, hash)
  if (!other || other.id === id) return
  if (other.status === 'active') throw isThere(other.id)
  await tx.removeMemories([other.id])
}

const isThere = (id: string | undefined) =>
  conflict('A memory that says the same is there already.', id === undefined ? undefined : { id })

async function requireMemory(store: StoreOperations, scope: string, id: string): Promise<StoredMemory> {
  const memory = await store.getMemory(scope, id)
  if (!memory) throw notFound('memory', id)
  return memory
}

const actions = { created: 'create', updated: 'update', deleted: 'delete' } as const

async function recordChange(
  tx: StoreOperations,
  { scope, actor }: MemoryCaller,
  what: keyof typeof actions,
  memory: StoredMemory,
): Promise<Memory> {
  const { id, layer, type, sessionId } = memory
  await tx.recordAudit(scope, {
    actor,
    action: actions[what],
    resourceType: 'memory',
    resourceId: id,
    sessionId,
    detail: { layer, type },
  })
  await tx.recordEvent(scope, { type: `memory-${what}`, sessionId, data: { id, layer, type } })
  return toPublic(memory)
}

export const toPublic = ({ hash: _, history, ...memory }: StoredMemory): Memory => ({
  ...memory,
  canRestore: memory.status === 'deleted' || history.length > 0,
})
