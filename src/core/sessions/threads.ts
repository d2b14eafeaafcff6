import { conflict, quote } from '../protocol/error.ts'
import type { ThreadRecord } from '../store/queries/threads.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Caller } from './caller.ts'

/** A thread that sessions can join, kept as it is until the transaction ends. Before any session is locked. */
export async function requireOpenThread(
  tx: StoreOperations,
  { scope }: Caller,
  slug: string,
): Promise<ThreadRecord> {
  const thread = await tx.lockThread(scope, slug)
  if (thread.archivedAt !== undefined)
    throw conflict(`The thread ${quote(slug)} is archived; take it out of the archive first.`, { slug })
  return thread
}

/** The same for sessions from elsewhere, whose thread comes along. */
export async function ensureOpenThread(tx: StoreOperations, caller: Caller, slug: string): Promise<void> {
  if (!(await addThread(tx, caller, { slug, title: slug }))) await requireOpenThread(tx, caller, slug)
}

/** Undefined when there is one already. */
export async function addThread(
  tx: StoreOperations,
  caller: Caller,
  input: { slug: string; title: string },
): Promise<ThreadRecord | undefined> {
  const thread = await tx.createThread(caller.scope, input)
  if (!thread) return undefined
  await auditThread(tx, caller, 'create', thread)
  await recordThreadEvent(tx, caller, 'created', thread)
  return thread
}

export const auditThread = (
  tx: StoreOperations,
  { scope, actor }: Caller,
  action: string,
  { slug, title }: ThreadRecord,
  detail: Record<string, unknown> = {},
): Promise<void> =>
  tx.recordAudit(scope, {
    actor,
    action,
    resourceType: 'thread',
    resourceId: slug,
    detail: { title, ...detail },
  })

/** Last in its transaction: others wait for the row of the scope. */
export async function recordThreadEvent(
  tx: StoreOperations,
  { scope }: Caller,
  verb: 'created' | 'updated' | 'deleted',
  { slug, title }: ThreadRecord,
): Promise<void> {
  await tx.recordEvent(scope, { type: `thread-${verb}`, data: { slug, title } })
}
