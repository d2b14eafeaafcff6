import { join } from 'node:path'
import { listConfined, readConfined } from '../../core/files/confined-file.ts'
import { decodeText } from '../../core/files/decode-text.ts'
import { createMatcher } from '../../core/files/globs.ts'
import type { Location } from '../../core/files/workspaces.ts'
import { invalidRequest } from '../../core/protocol/error.ts'
import { requireDone } from './file-place.ts'
import { createLineSearch, type LinePattern, type ShownLine } from './line-search.ts'
import {
  fit,
  requireSimple,
  shownBelow,
  tooLarge,
  toNotes,
  walkBelow,
  type SearchBounds,
} from './search-below.ts'

export interface GrepOptions {
  pattern: string
  /** Whether the pattern is plain text rather than a regular expression. */
  isFixed: boolean
  isCaseSensitive: boolean
  /** Of the files to search; a pattern without `/` counts in every folder. */
  files?: string
  /** Lines before and after a match. */
  context: number
  maxMatches: number
}

interface Found {
  /** A file and its lines each. */
  blocks: string[]
  matches: number
  searched: number
  /** Files that are not text, or too large. */
  skipped: number
  /** Whether there may be more matches than are shown. */
  isFull: boolean
  /** The file that the time ran out in. */
  stoppedAt?: string
}

const maxGreppedBytes = 5 * 1024 * 1024
const readsAtOnce = 16

/** Lines that match, under the file they are in. */
export async function grepFiles(
  location: Location,
  options: GrepOptions,
  bounds: SearchBounds,
): Promise<string> {
  const pattern = toPattern(options)
  const isMeant = options.files === undefined ? () => true : createMatcher([requireSimple(options.files)])
  const timeout = AbortSignal.timeout(bounds.maxMs)
  const { names, isCut } = await findTargets(location, bounds)
  const found = await searchFiles(location, names.filter(isMeant), pattern, options.maxMatches, {
    ...bounds,
    signal: AbortSignal.any([bounds.signal, timeout]),
  })
  bounds.signal.throwIfAborted()
  const { blocks, searched, matches, skipped, isFull, stoppedAt } = found
  const notes = toNotes([
    isFull && `stopped after ${matches} matches; make the pattern, "files" or "path" narrower`,
    stoppedAt !== undefined &&
      `stopped after ${bounds.maxMs / 1_000} s in ${stoppedAt}; a simpler pattern, or "fixed", is faster`,
    skipped > 0 && `${skipped} files were left out: not text, or over ${maxGreppedBytes / 1024 / 1024} MiB`,
    isCut && tooLarge,
  ])
  return [blocks.length > 0 ? blocks.join('\n\n') : `No matches in ${searched} files.`, ...notes].join('\n')
}

function toPattern({ pattern, isFixed, isCaseSensitive, context }: GrepOptions): LinePattern {
  const source = isFixed ? pattern.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&') : pattern
  const flags = isCaseSensitive ? '' : 'i'
  try {
    // only checks the syntax; matching is done elsewhere
    void new RegExp(source, flags)
  } catch (error) {
    throw invalidRequest(
      `${(error as Error).message}. Mend the pattern, or set "fixed" to look for it as it is.`,
    )
  }
  return { source, flags, context }
}

/** The files of a folder, or the one that the place itself is. */
async function findTargets(location: Location, bounds: SearchBounds) {
  const { root, path } = location
  const listed = await listConfined(root, path || '.', 1, location)
  if (listed !== 'absent') return walkBelow(location, bounds)
  requireDone(await readConfined(root, path, 0, location), location)
  return { names: [''], isCut: false }
}

async function searchFiles(
  location: Location,
  names: readonly string[],
  pattern: LinePattern,
  maxMatches: number,
  { signal, maxOutput }: SearchBounds,
): Promise<Found> {
  const found: Found = { blocks: [], matches: 0, searched: 0, skipped: 0, isFull: false }
  let space = maxOutput
  await using search = await createLineSearch(pattern, signal)
  for (let from = 0; from < names.length; from += readsAtOnce) {
    const group = names.slice(from, from + readsAtOnce)
    const texts = await Promise.all(group.map((name) => readText(location, name)))
    for (const [index, text] of texts.entries()) {
      found.searched++
      if (text === undefined) found.skipped++
      if (text === undefined) continue
      const shown = shownBelow(location, group[index]!)
      const answer = await search.find(text, maxMatches - found.matches)
      if (!answer) return { ...found, stoppedAt: shown }
      if (answer.matches === 0) continue
      const block = [shown, ...fit(toLines(answer.lines), space)].join('\n')
      space -= block.length + 2
      found.blocks.push(block)
      found.matches += answer.matches
      if (found.matches >= maxMatches || space <= 0) return { ...found, isFull: true }
    }
  }
  return found
}

async function readText(location: Location, name: string): Promise<string | undefined> {
  const file = await readConfined(location.root, join(location.path, name), maxGreppedBytes, location)
  return typeof file === 'string' || file.isCut ? undefined : decodeText(file.content)
}

/** As other greps write it: `:` after the number of a match, `-` after that of a line around it. */
const toLines = (lines: readonly ShownLine[]) =>
  lines.flatMap(({ number, text, isMatch }, index) => {
    const isAfterGap = index > 0 && lines[index - 1]!.number < number - 1
    const gap = isAfterGap && lines.some((line) => !line.isMatch) ? ['--'] : []
    return [...gap, `${number}${isMatch ? ':' : '-'} ${text}`]
  })
