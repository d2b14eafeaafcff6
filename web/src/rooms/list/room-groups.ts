import type { SessionListItem } from '../../../../src/client/index.ts'
import type { Thread } from '../../../../src/core/protocol/thread.ts'

export interface RoomGroup {
  /** Undefined: rooms of no thread. */
  slug?: string
  /** Undefined when it is not among those that were listed. */
  thread?: Thread
  rooms: readonly SessionListItem[]
}

/**
 * Rooms by thread: the thread in which something changed last comes first, those without a thread last. Threads that have
 * no room are shown too, unless something is searched for.
 */
export function groupRooms(
  rooms: readonly SessionListItem[],
  threads: readonly Thread[],
  { withEmpty }: { withEmpty: boolean },
): RoomGroup[] {
  const groups = new Map<string | undefined, SessionListItem[]>()
  for (const room of rooms) {
    const known = groups.get(room.thread)
    if (known) known.push(room)
    else groups.set(room.thread, [room])
  }
  if (withEmpty) for (const { slug } of threads) if (!groups.has(slug)) groups.set(slug, [])
  const named = [...groups].filter(([slug]) => slug !== undefined)
  const loose = groups.get(undefined)
  return [
    ...named.map(([slug, some]) => {
      const thread = threads.find((one) => one.slug === slug)
      return { slug, ...(thread && { thread }), rooms: some }
    }),
    ...(loose ? [{ rooms: loose }] : []),
  ]
}
