import type { StoreChange } from '../store/query-context.ts'
import type { Page } from '../store/queries/cursor.ts'
import type { Store } from '../store/store.ts'
import { mirrorSession, mirrorThread, type MirroredType } from './mirror-files.ts'
import type { Session } from '../protocol/session.ts'

const mirroredChanges = new Set<string>(['session-changed', 'messages-appended', 'session-deleted'])

export interface Mirror {
  /** Resolves when all that was stored so far is on disk. */
  settle(): Promise<void>
  stop(): Promise<void>
}

const itemsPerRead = 200

/** Something whose files may be behind. */
type Place = { scope: string; sessionId: string } | { scope: string; slug: string }

/**
 * Keeps `meta.json` and `messages.jsonl` of every session on disk, and `thread.json` of every thread, for people who
 * want to grep and for tools that read such folders; `folderOf` decides where. The store stays the truth: the files follow
 * it, catch up after a crash, and are never read back by Parley.
 */
export function startMirror(
  store: Store,
  folder: string,
  onError: (error: unknown) => void,
  typeOf: (session: Session) => MirroredType = () => ({}),
): Mirror {
  const waiting = new Map<string, Place>()
  let working: Promise<void> | undefined
  let isStopped = false

  const work = async () => {
    for (const [key, place] of waiting) {
      if (isStopped) return
      waiting.delete(key)
      const done =
        'slug' in place ? mirrorThread(store, folder, place) : mirrorSession(store, folder, place, typeOf)
      await done.catch(onError)
    }
  }
  const note = (place: Place) => {
    waiting.set('slug' in place ? `${place.scope} ${place.slug}` : place.sessionId, place)
    working ??= work().finally(() => {
      working = undefined
    })
  }
  const unsubscribe = store.subscribe((change: StoreChange) => {
    if (change.type === 'thread-changed') note({ scope: change.scope, slug: change.slug })
    else if (mirroredChanges.has(change.type) && 'sessionId' in change)
      note({ scope: change.scope, sessionId: change.sessionId })
  })
  const caughtUp = catchUp(store, note, () => isStopped).catch(onError)

  return {
    async settle() {
      await caughtUp
      while (working) await working
    },
    async stop() {
      isStopped = true
      unsubscribe()
      await caughtUp
      await working
    },
  }
}

/** Everything that was stored while no mirror ran. */
async function catchUp(store: Store, note: (place: Place) => void, isStopped: () => boolean): Promise<void> {
  const all = { archived: 'all', limit: itemsPerRead } as const
  for (const { name: scope } of await store.listScopes()) {
    await readAll((cursor) => store.listThreads(scope, { ...all, cursor }), note, isStopped)
    await readAll(
      async (cursor) => {
        const page = await store.listSessions(scope, { ...all, cursor })
        return { ...page, items: page.items.map(({ id }) => ({ scope, sessionId: id })) }
      },
      note,
      isStopped,
    )
  }
}

async function readAll(
  readPage: (cursor: string | undefined) => Promise<Page<Place>>,
  note: (place: Place) => void,
  isStopped: () => boolean,
): Promise<void> {
  for (let cursor: string | null | undefined; cursor !== null && !isStopped();) {
    const page: Page<Place> = await readPage(cursor)
    for (const place of page.items) note(place)
    cursor = page.nextCursor
  }
}
