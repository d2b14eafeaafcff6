import { constants } from 'node:fs'
import { type FileHandle, open, readdir, realpath } from 'node:fs/promises'
import { basename, isAbsolute, join, relative, sep } from 'node:path'
import { invalidRequest } from '../../../core/protocol/error.ts'

/** A session on disk; both paths are real ones that lie within the root. */
export type SessionFiles = {
  name: string
  source: string
  /** The folder of the thread that it lies in. */
  thread?: string
  metaPath?: string
  messagesPath?: string
}

/** By real folder, so that a session that is also linked to counts once. */
export type FoundFiles = { sessions: Map<string, SessionFiles>; problems: string[] }

// one session is held in memory as a whole; real ones are a thousand times smaller
const maxBytes = 64 * 1024 * 1024

/**
 * The sessions below a real path: of `threads/{slug}/sessions/{id}` and of the older `threads/{id}`. The path may
 * hold `threads`, be `threads`, be one thread or be one session. Links that lead out of it are reported, not followed.
 */
export async function findSessionFiles(base: string): Promise<FoundFiles> {
  const found: FoundFiles = { sessions: new Map(), problems: [] }
  await addThread(base, base, found)
  if (found.sessions.size > 0) return found
  const threads = (await findThreads(base, found.problems)) ?? base
  for (const name of await namesIn(threads, found.problems)) await addThread(base, join(threads, name), found)
  return found
}

/** The folder may be that of a whole project, which has its threads among its logs. */
async function findThreads(base: string, problems: string[]): Promise<string | undefined> {
  for (const path of ['threads', 'logs/threads']) {
    const threads = await resolveInside(base, join(base, path), problems)
    if (threads !== undefined) return threads
  }
  return undefined
}

/** The file with the roles of a project, when there is one; `problems` gets the reason why it cannot be read. */
export async function findRoles(base: string, problems: string[]): Promise<string | undefined> {
  for (const path of ['config/role-config.json', 'role-config.json']) {
    const file = await resolveInside(base, join(base, path), problems)
    const refusal = file && (await refusalOf(file))
    if (refusal) problems.push(`${path} ${refusal}.`)
    else if (file !== undefined) return file
  }
  return undefined
}

/** A thread holds sessions; in the older layout it is one. */
async function addThread(base: string, path: string, found: FoundFiles): Promise<void> {
  const folder = await resolveInside(base, path, found.problems)
  if (folder === undefined) return
  const sessions = await resolveInside(base, join(folder, 'sessions'), found.problems)
  if (sessions !== undefined)
    for (const name of await namesIn(sessions, found.problems))
      await addSession(base, join(sessions, name), found, basename(folder))
  await addSession(base, folder, found)
}

async function addSession(
  base: string,
  path: string,
  { sessions, problems }: FoundFiles,
  thread?: string,
): Promise<void> {
  const folder = await resolveInside(base, path, problems)
  if (folder === undefined || sessions.has(folder)) return
  const earlier = problems.length
  const metaPath = await resolveInside(base, join(folder, 'meta.json'), problems)
  const messagesPath = await resolveInside(base, join(folder, 'messages.jsonl'), problems)
  const source = relative(base, path) || '.'
  for (const file of [metaPath, messagesPath]) {
    const refusal = file && (await refusalOf(file))
    if (refusal) problems.push(`${join(source, basename(file))} ${refusal}.`)
  }
  // half a session would stand in the way of a later, whole import
  if (problems.length > earlier) return
  if (metaPath ?? messagesPath)
    sessions.set(folder, { name: basename(folder), source, thread, metaPath, messagesPath })
}

/** The real path, when there is one and it lies within the root. */
async function resolveInside(base: string, path: string, problems: string[]): Promise<string | undefined> {
  const real = await realpath(path).catch((error: unknown) => reportUnlessAbsent(error, problems))
  if (real === undefined) return undefined
  const way = relative(base, real)
  if (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)) return real
  problems.push(`${relative(base, path)} is a link that leads out of the folder; it was not followed.`)
  return undefined
}

async function namesIn(folder: string, problems: string[]): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => reportUnlessAbsent(error, problems))
  return names?.sort() ?? []
}

/** Nothing there, a link to nothing and a file among the folders are nothing to talk about. */
function reportUnlessAbsent(error: unknown, problems: string[]): undefined {
  const { code, message } = error as NodeJS.ErrnoException
  if (code !== 'ENOENT' && code !== 'ENOTDIR') problems.push(`${message}.`)
}

async function refusalOf(path: string): Promise<string | undefined> {
  try {
    await using _handle = await openBounded(path)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** The content of a file that `findSessionFiles` found. */
export async function readBounded(path: string): Promise<Buffer> {
  await using handle = await openBounded(path)
  return await handle.readFile()
}

async function openBounded(path: string): Promise<FileHandle> {
  // without O_NONBLOCK a named pipe would keep us waiting for ever
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const status = await handle.stat()
  if (status.isFile() && status.size <= maxBytes) return handle
  await handle.close()
  throw invalidRequest(status.isFile() ? `is larger than ${maxBytes} bytes` : 'is not a regular file')
}
