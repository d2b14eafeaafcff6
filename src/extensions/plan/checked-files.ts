import { listConfined, readConfined } from '../../core/files/confined-file.ts'
import { decodeText } from '../../core/files/decode-text.ts'
import { createPathMatcher } from '../../core/files/globs.ts'
import type { Refusal } from '../../core/files/file-refusal.ts'
import { walkFiles } from '../../core/files/walk-files.ts'
import { locate, shownPath, type Location, type Workspaces } from '../../core/files/workspaces.ts'
import { invalidRequest, quote } from '../../core/protocol/error.ts'
import { findGlobFault } from '../../core/shared/glob.ts'

/** Why a check has not passed, as a sentence. */
export class Unmet extends Error {}

const maxBytes = 10_000_000

/** How many bytes the file has. */
export async function requireFile(workspaces: Workspaces, path: string): Promise<bigint> {
  const { stats } = await readStart(workspaces, path, 0)
  return stats.size
}

export async function readText(
  workspaces: Workspaces,
  path: string,
): Promise<{ content: string; isCut: boolean }> {
  const { content, isCut } = await readStart(workspaces, path, maxBytes)
  const text = decodeText(content)
  if (text === undefined) throw new Unmet(`${quote(path)} is no text.`)
  return { content: text, isCut }
}

export async function readJson(workspaces: Workspaces, path: string): Promise<unknown> {
  const { content, isCut } = await readText(workspaces, path)
  if (isCut)
    throw new Unmet(`${quote(path)} has more than ${maxBytes} bytes, which is the most that is read.`)
  try {
    return JSON.parse(content)
  } catch {
    throw new Unmet(`${quote(path)} is no JSON.`)
  }
}

/** A pattern that can be matched in bounded time and stays below the folder that it starts from. */
export function requirePattern(pattern: string): void {
  const fault = pattern.split(/[\\/]/).includes('..') ? 'leads upwards' : findGlobFault(pattern)
  if (fault !== undefined)
    throw invalidRequest(`The pattern ${quote(pattern)} cannot be looked for: it ${fault}.`)
}

/** How many files match, including those that Git ignores: a node often creates such files. */
export async function countFiles(
  workspaces: Workspaces,
  pattern: string,
  { maxEntries, maxMs }: { maxEntries: number; maxMs: number },
): Promise<{ count: number; isCut: boolean }> {
  const { folder, rest } = splitPattern(pattern)
  const location = requirePlace(workspaces, folder)
  const { root, path } = location
  const listed = await listConfined(root, path || '.', 1, location)
  if (listed === 'absent') return { count: 0, isCut: false }
  if (typeof listed === 'string') throw new Unmet(`${quote(folder)} ${reasons[listed]}.`)
  const from = shownPath({ ...location, workspace: 'main' }).replace(/^\.$/, '')
  const bounds = { from, includesIgnored: true, maxEntries, maxMs }
  const { paths, isCut } = await walkFiles(root, { ...location, ...bounds })
  const isMeant = createPathMatcher(rest)
  const start = from === '' ? 0 : from.length + 1
  return {
    count: paths.filter((found) => found.kind === 'file' && isMeant(found.path.slice(start))).length,
    isCut,
  }
}

/** The folder that it starts from, and what is left of it from there on. */
function splitPattern(pattern: string): { folder: string; rest: string } {
  const parts = pattern.split('/')
  const first = parts.findIndex((part) => /[*?[{]/.test(part))
  const at = first < 0 ? parts.length - 1 : first
  return {
    folder: parts.slice(0, at).join('/') || (at > 0 ? '/' : '.'),
    rest: parts.slice(at).join('/'),
  }
}

async function readStart(workspaces: Workspaces, path: string, bytes: number) {
  const location = requirePlace(workspaces, path)
  const file = await readConfined(location.root, location.path || '.', bytes, location)
  if (typeof file === 'string') throw new Unmet(`${quote(path)} ${reasons[file]}.`)
  return file
}

function requirePlace(workspaces: Workspaces, path: string): Location {
  const location = locate(workspaces, path)
  if (!location) throw new Unmet(`${quote(path)} is in no workspace of the task.`)
  return location
}

const reasons: Record<Refusal, string> = {
  absent: 'is not there',
  outside: 'leads out of its workspace',
  denied: 'is closed by a rule',
  folder: 'is a folder',
  special: 'is no regular file',
  linked: 'has a second name, which may lie elsewhere; it is not read',
  unreadable: 'cannot be read',
}
