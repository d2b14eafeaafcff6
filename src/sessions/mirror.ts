import { open, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import lockfile from 'proper-lockfile'
import { messageText } from '../protocol/message-text.ts'
import type { Message } from '../protocol/message.ts'
import type { Session } from '../protocol/session.ts'
import type { Store } from '../store/store.ts'

const tellsOfSession = new Set<string>(['session-changed', 'messages-appended', 'session-deleted'])

export interface Mirror {
  /** Resolves when all that was stored so far is on disk. */
  settle(): Promise<void>
  stop(): Promise<void>
}

/** How far the files of a session have come; kept in `meta.json`. */
interface Progress {
  seq: number
  bytes: number
}

const messagesPerRead = 500
const sessionsPerRead = 200

/**
 * Keeps `threads/{scope}/sessions/{id}/meta.json` and `messages.jsonl` on disk, for people who want to grep.
 * The store stays the truth: the files follow it, catch up after a crash, and are never read back by Parley.
 */
export function startMirror(store: Store, folder: string, onError: (error: unknown) => void): Mirror {
  const waiting = new Map<string, { scope: string; sessionId: string }>()
  let working: Promise<void> | undefined
  let isStopped = false

  const work = async () => {
    for (const [key, place] of waiting) {
      if (isStopped) return
      waiting.delete(key)
      await mirrorSession(store, folder, place.scope, place.sessionId).catch(onError)
    }
  }
  const note = (scope: string, sessionId: string) => {
    waiting.set(sessionId, { scope, sessionId })
    working ??= work().finally(() => {
      working = undefined
    })
  }
  const unsubscribe = store.subscribe((change) => {
    if (tellsOfSession.has(change.type) && 'sessionId' in change) note(change.scope, change.sessionId)
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
async function catchUp(
  store: Store,
  note: (scope: string, id: string) => void,
  isStopped: () => boolean,
): Promise<void> {
  for (const { name } of await store.listScopes())
    for (let cursor: string | null | undefined; cursor !== null && !isStopped();) {
      const page = await store.listSessions(name, { archived: 'all', limit: sessionsPerRead, cursor })
      for (const { id } of page.items) note(name, id)
      cursor = page.nextCursor
    }
}

async function mirrorSession(store: Store, root: string, scope: string, id: string): Promise<void> {
  const folder = join(root, 'threads', scope, 'sessions', id)
  const session = await store.getSession(scope, id)
  if (!session) return rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const unlock = await lockfile.lock(folder, {
    lockfilePath: join(folder, '._session.lock'),
    stale: 30_000,
    retries: { retries: 200, factor: 1, minTimeout: 10, maxTimeout: 10 },
  })
  try {
    const before = await readProgress(folder)
    const after = await appendNew(store, folder, session, before)
    await writeMeta(folder, session, after)
  } finally {
    await unlock()
  }
}

async function appendNew(
  store: Store,
  folder: string,
  session: Session,
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
      const lines = Buffer.from(messages.map(toLine).join(''))
      await file.write(lines, 0, lines.length, bytes)
      bytes += lines.length
      seq = messages.at(-1)!.seq
    }
    return { seq, bytes }
  } finally {
    await file.close()
  }
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
    return nothing // missing or unreadable: written anew from the store
  }
}

async function writeMeta(folder: string, session: Session, mirrored: Progress): Promise<void> {
  const meta = {
    thread_id: session.id,
    title: session.title,
    kind: session.kind,
    mode: session.mode ?? null,
    mode_state: session.modeState ?? null,
    created_at: session.createdAt,
    updated_at: session.updatedAt,
    parent_thread: session.scope,
    mirrored,
  }
  const temporary = join(folder, '.meta.json.tmp')
  await writeFile(temporary, `${JSON.stringify(meta, undefined, 2)}\n`, { mode: 0o600 })
  await rename(temporary, join(folder, 'meta.json'))
}

function toLine(message: Message): string {
  const { id, seq, role, parts, metadata, createdAt } = message
  const senderType = role === 'user' ? 'user' : role === 'assistant' ? 'agent' : 'system'
  const line = {
    id,
    seq,
    role,
    sender: role,
    sender_type: senderType,
    text: messageText(message),
    ts: createdAt,
    parts,
    metadata,
  }
  return `${JSON.stringify(line)}\n`
}
