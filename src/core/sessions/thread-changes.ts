import { conflict, invalidRequest, quote } from '../protocol/error.ts'
import { toTimestamp } from '../protocol/names.ts'
import type { CreateThread, Thread, ThreadListQuery, ThreadPage, UpdateThread } from '../protocol/thread.ts'
import type { Caller } from './caller.ts'
import { requireLimit, type PageLimits } from './list.ts'
import { addThread, auditThread, recordThreadEvent } from './threads.ts'
import type { Clock } from '../shared/clock.ts'
import type { ThreadPatch, ThreadRecord } from '../store/queries/threads.ts'
import type { StoreOperations } from '../store/store.ts'

/** What was changed last comes first. */
export async function listThreads(
  store: StoreOperations,
  pages: PageLimits,
  { scope }: Pick<Caller, 'scope'>,
  { archived, limit, cursor }: Omit<ThreadListQuery, 'scope'>,
): Promise<ThreadPage> {
  const page = await store.listThreads(scope, {
    archived: archived === 'all' ? 'all' : archived === 'true',
    limit: requireLimit(pages, limit),
    cursor,
  })
  return { ...page, items: await toThreads(store, scope, page.items) }
}

export async function getThread(
  store: StoreOperations,
  { scope }: Pick<Caller, 'scope'>,
  slug: string,
): Promise<Thread> {
  return toThread(store, await store.requireThread(scope, slug))
}

export function createThread(
  store: StoreOperations,
  caller: Caller,
  { slug, title }: Omit<CreateThread, 'scope'>,
): Promise<Thread> {
  return store.transaction(async (tx) => {
    await tx.ensureScope(caller.scope)
    const thread = await addThread(tx, caller, { slug, title: title || slug })
    if (!thread) throw conflict(`There is a thread ${quote(slug)} already.`, { slug })
    return toThread(tx, thread)
  })
}

/** Archiving records a reason; unarchiving removes it. */
export function updateThread(
  store: StoreOperations,
  clock: Clock,
  caller: Caller,
  slug: string,
  { title, archived, reason }: Omit<UpdateThread, 'scope'>,
): Promise<Thread> {
  if (archived && reason === undefined)
    throw invalidRequest('reason is missing: archiving a thread needs one, so that others learn why.')
  if (!archived && reason !== undefined) throw invalidRequest('reason goes with "archived": true.')
  return store.transaction(async (tx) => {
    const before = await tx.lockThread(caller.scope, slug)
    const archive: Omit<ThreadPatch, 'title'> = archived
      ? { archivedAt: clock.now(), archivedBy: caller.actor.id, archiveReason: reason }
      : archived === undefined
        ? before
        : {}
    const after = await tx.updateThread(before, { ...archive, title: title || before.title })
    const action = archived === undefined ? 'update' : archived ? 'archive' : 'unarchive'
    await auditThread(tx, caller, action, after, reason === undefined ? {} : { reason })
    const thread = await toThread(tx, after)
    await recordThreadEvent(tx, caller, 'updated', after)
    return thread
  })
}

/** Its sessions stay, without a thread. */
export function deleteThread(store: StoreOperations, caller: Caller, slug: string): Promise<void> {
  return store.transaction(async (tx) => {
    const thread = await tx.lockThread(caller.scope, slug)
    if (thread.archivedAt === undefined)
      throw conflict(`The thread ${quote(slug)} is not archived; archive it before you delete it.`, { slug })
    const sessions = await tx.deleteThread(caller.scope, slug)
    await auditThread(tx, caller, 'delete', thread, { sessions })
    await recordThreadEvent(tx, caller, 'deleted', thread)
  })
}

const toThread = async (store: StoreOperations, thread: ThreadRecord): Promise<Thread> =>
  (await toThreads(store, thread.scope, [thread]))[0]!

async function toThreads(
  store: StoreOperations,
  scope: string,
  threads: readonly ThreadRecord[],
): Promise<Thread[]> {
  const counts = await store.countSessionsOfThreads(
    scope,
    threads.map(({ slug }) => slug),
  )
  return threads.map(
    ({ scope: _, archivedAt, archivedBy, archiveReason, createdAt, updatedAt, ...rest }) => ({
      ...rest,
      sessionCount: counts.get(rest.slug) ?? 0,
      ...(archivedAt !== undefined && { archivedAt: toTimestamp(archivedAt) }),
      ...(archivedBy !== undefined && { archivedBy }),
      ...(archiveReason !== undefined && { archiveReason }),
      createdAt: toTimestamp(createdAt),
      updatedAt: toTimestamp(updatedAt),
    }),
  )
}
