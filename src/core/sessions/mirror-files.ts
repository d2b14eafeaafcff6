import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Message } from '../protocol/message.ts'
import { defaultScope, toTimestamp } from '../protocol/names.ts'
import type { Session } from '../protocol/session.ts'
import type { Store } from '../store/store.ts'
import { toLine } from './mirror-line.ts'
import { readCall } from './answering-model.ts'

/** How far the files of a session have come; kept in `meta.json`. */
interface Progress {
  seq: number
  bytes: number
}

const messagesPerRead = 500

/**
 * Where a session lies: `threads/{thread}/sessions/{id}`, without a thread `threads/{scope}/sessions/{id}`. Threads of
 * other scopes than the default one are `threads/{scope}.{thread}`: neither name can hold a dot, so no two threads share
 * a folder. Ids of sessions are never the same in two scopes.
 */
export function folderOf(root: string, { scope, thread }: { scope: string; thread?: string }): string {
  const name = thread === undefined ? scope : scope === defaultScope ? thread : `${scope}.${thread}`
  return join(root, 'threads', name)
}

/** What copies depend on, of the type of a session. */
export interface MirroredType {
  isPart?: boolean
  speaker?: string
  mirror?(session: Session): object
}

/** Of a session that is gone nothing stays, and what is a part of another is never written. */
export async function mirrorSession(
  store: Store,
  root: string,
  { scope, sessionId }: { scope: string; sessionId: string },
  typeOf: (session: Session) => MirroredType,
): Promise<void> {
  const session = await store.getSession(scope, sessionId)
  if (!session || typeOf(session).isPart) return removeSession(root, sessionId)
  const folder = join(folderOf(root, session), 'sessions', sessionId)
  // new here, so it may have been elsewhere
  if ((await readProgress(folder)).bytes === 0) await removeSession(root, sessionId, folder)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { default: lockfile } = await import('proper-lockfile')
  const unlock = await lockfile.lock(folder, {
    lockfilePath: join(folder, '._session.lock'),
    stale: 30_000,
    retries: { retries: 200, factor: 1, minTimeout: 10, maxTimeout: 10 },
  })
  try {
    const before = await readProgress(folder)
    const after = await appendNew(store, folder, { session, speaker: typeOf(session).speaker }, before)
    await writeWhole(join(folder, 'meta.json'), toMeta(session, typeOf(session).mirror?.(session), after))
  } finally {
    await unlock()
  }
}

export async function mirrorThread(
  store: Store,
  root: string,
  { scope, slug }: { scope: string; slug: string },
): Promise<void> {
  const folder = folderOf(root, { scope, thread: slug })
  const file = join(folder, 'thread.json')
  const thread = await store.getThread(scope, slug)
  if (!thread) {
    await rm(file, { force: true })
    for (const empty of [join(folder, 'sessions'), folder]) await rmdir(empty).catch(refuseUnlessInUse)
    return
  }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const when = (ms: number | undefined) => (ms === undefined ? null : toTimestamp(ms))
  await writeWhole(file, {
    slug,
    title: thread.title,
    scope,
    created_at: when(thread.createdAt),
    updated_at: when(thread.updatedAt),
    archived_at: when(thread.archivedAt),
    archived_by: thread.archivedBy ?? null,
    archive_reason: thread.archiveReason ?? null,
  })
}

/** Sessions of a scope may lie in the same folder, and others may have cleared it away. */
function refuseUnlessInUse(error: NodeJS.ErrnoException): void {
  if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(error.code ?? '')) throw error
}

async function removeSession(root: string, id: string, kept?: string): Promise<void> {
  const names = await readdir(join(root, 'threads')).catch(() => [])
  for (const name of names) {
    const folder = join(root, 'threads', name, 'sessions', id)
    if (folder !== kept) await rm(folder, { recursive: true, force: true })
  }
}

async function appendNew(
  store: Store,
  folder: string,
  { session, speaker }: { session: Session; speaker?: string },
  progress: Progress,
): Promise<Progress> {
  const file = await open(join(folder, 'messages.jsonl'), progress.bytes === 0 ? 'w' : 'r+', 0o600)
  try {
    // whatever stands after the last recorded byte is the half line of a crash
    await file.truncate(progress.bytes)
    let { seq, bytes } = progress
    while (seq < session.messageCount) {
      const messages = await store.listMessages(session.scope, session.id, {
        after: seq,
        limit: messagesPerRead,
      })
      if (messages.length === 0) break
      const texts: string[] = []
      for (const message of messages)
        texts.push(toLine(message, speaker, await callOf(store, session, message)))
      const lines = Buffer.from(texts.join(''))
      await file.write(lines, 0, lines.length, bytes)
      bytes += lines.length
      seq = messages.at(-1)!.seq
    }
    return { seq, bytes }
  } finally {
    await file.close()
  }
}

/** An imported message itself records what made it. */
async function callOf(store: Store, { scope }: Session, { role, metadata = {} }: Message) {
  const { runId } = metadata
  return role === 'assistant' && typeof runId === 'string' && metadata.model === undefined
    ? readCall(store, scope, runId)
    : undefined
}

async function readProgress(folder: string): Promise<Progress> {
  const nothing = { seq: 0, bytes: 0 }
  try {
    const { mirrored } = JSON.parse(await readFile(join(folder, 'meta.json'), 'utf8')) as {
      mirrored: Progress
    }
    const { size } = await stat(join(folder, 'messages.jsonl'))
    return size >= mirrored.bytes ? { seq: mirrored.seq, bytes: mirrored.bytes } : nothing
  } catch {
    return nothing // missing or unreadable: written again from the store
  }
}

const toMeta = (session: Session, more: object | undefined, mirrored: Progress) => ({
  thread_id: session.id,
  title: session.title,
  kind: session.kind,
  mode: session.mode ?? null,
  mode_state: session.modeState ?? null,
  ...more,
  created_at: session.createdAt,
  updated_at: session.updatedAt,
  scope: session.scope,
  thread: session.thread,
  parent_thread: session.thread ?? session.scope,
  mirrored,
})

async function writeWhole(path: string, value: object): Promise<void> {
  const temporary = `${path}.tmp`
  await writeFile(temporary, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 })
  await rename(temporary, path)
}
