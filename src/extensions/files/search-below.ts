import { join } from 'node:path'
import { listConfined } from '../../core/files/confined-file.ts'
import { walkFiles } from '../../core/files/walk-files.ts'
import { shownPath, type Location } from '../../core/files/workspaces.ts'
import { invalidRequest, quote } from '../../core/protocol/error.ts'
import { findGlobFault } from '../../core/shared/glob.ts'
import { requireDone } from './file-place.ts'

export interface SearchBounds {
  includesIgnored: boolean
  /** Characters of the answer. */
  maxOutput: number
  maxMs: number
  signal: AbortSignal
}

// as many as a large repository has; the result mentions what is left out
const maxEntries = 100_000

/** The names of all files below a folder, from it on and in order. */
export async function walkBelow(
  location: Location,
  { includesIgnored, maxMs, signal }: SearchBounds,
): Promise<{ names: string[]; isCut: boolean }> {
  const { root, path } = location
  requireDone(await listConfined(root, path || '.', 1, location), location)
  const from = shownPath({ ...location, workspace: 'main' }).replace(/^\.$/, '')
  const walked = await walkFiles(root, { from, includesIgnored, maxEntries, maxMs, signal, ...location })
  const names = walked.paths
    .filter(({ kind }) => kind === 'file')
    .map((file) => (from === '' ? file.path : file.path.slice(from.length + 1)))
  return { names: names.sort(), isCut: walked.isCut }
}

export const shownBelow = (location: Location, name: string) =>
  shownPath({ ...location, path: join(location.path, name) })

/** A pattern that can be matched in bounded time, or an error that explains how to write one. */
export function requireSimple(glob: string): string {
  if (glob.split('/').includes('..'))
    throw invalidRequest('A pattern cannot lead upwards: set "path" instead.')
  const fault = findGlobFault(glob)
  if (fault !== undefined)
    throw invalidRequest(`The pattern ${quote(glob)} cannot be looked for: it ${fault}.`)
  return glob
}

/** As many of the lines as there is space for. */
export function fit(lines: readonly string[], space: number): string[] {
  let left = space
  const first = lines.findIndex((line) => (left -= line.length + 1) < 0)
  return first < 0 ? [...lines] : lines.slice(0, first)
}

/** What the answer does not say by itself, a line each. */
export const toNotes = (notes: readonly (string | false | undefined)[]) =>
  notes.flatMap((note) => (note ? `[${note[0]!.toUpperCase()}${note.slice(1)}.]` : []))

export const tooLarge = 'the folder is too large to be looked through whole; set "path" to a part of it'
