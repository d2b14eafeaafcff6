import { realpath } from 'node:fs/promises'
import { walkFiles, type WalkedPath } from '../files/walk-files.ts'
import { toCaption } from './cut-to-tokens.ts'

export interface FoundPath {
  /** From the root, with `/`. */
  path: string
  kind: 'file' | 'folder'
}

export interface FileSearch {
  /** The paths that match, the best first. Nothing outside the root is read, and no link is followed. */
  find(root: string, query: string, limit: number): Promise<{ items: FoundPath[]; isCut: boolean }>
}

interface Walked {
  paths: (FoundPath & { lowered: string })[]
  /** Whether there is more than was searched. */
  isCut: boolean
}

// a person types a few letters a second, and expects a file that was just made
const keptMs = 5_000
// a folder that takes longer is on a slow disk, or was made to take long
const maxWalkMs = 2_000

export interface FileSearchOptions {
  now?: () => number
  /** Default 20,000. */
  maxEntries?: number
  /** Real paths of folders that are not entered. */
  forbidden?: readonly string[]
}

export function createFileSearch({
  now = () => performance.now(),
  maxEntries = 20_000,
  forbidden,
}: FileSearchOptions = {}): FileSearch {
  const walks = new Map<string, { at: number; walked: Promise<Walked> }>()

  function walkOnce(root: string): Promise<Walked> {
    for (const [known, { at }] of walks) if (now() - at >= keptMs) walks.delete(known)
    const walk = walks.get(root) ?? { at: now(), walked: walkRoot(root) }
    walks.set(root, walk)
    return walk.walked
  }

  async function walkRoot(root: string): Promise<Walked> {
    const base = await realpath(root).catch(() => undefined)
    if (base === undefined) return { paths: [], isCut: false }
    const { paths, isCut } = await walkFiles(base, { maxEntries, maxMs: maxWalkMs, forbidden })
    return { paths: paths.filter(({ path }) => isTypable(path)).map(withLowered), isCut }
  }

  return {
    async find(root, query, limit) {
      const { paths, isCut } = await walkOnce(root)
      return { items: rankPaths(paths, query).slice(0, limit), isCut }
    },
  }
}

const withLowered = ({ path, kind }: WalkedPath) => ({ path, kind, lowered: path.toLowerCase() })

/** A name that cannot be shown as it is would be another one when it is typed. */
const isTypable = (name: string) => toCaption(name) === name && !name.includes('\uFFFD')

/** Without a query the paths near the root come first. */
export function rankPaths(paths: Walked['paths'], query: string): FoundPath[] {
  const wanted = query
    .trim()
    .toLowerCase()
    .replaceAll('\\', '/')
    .replace(/^\.?\//, '')
  const ranked = paths.flatMap((found) => {
    const rank = rankPath(found.lowered, wanted)
    return rank === undefined ? [] : { found, rank }
  })
  ranked.sort(
    (one, two) =>
      one.rank - two.rank ||
      one.found.path.length - two.found.path.length ||
      (one.found.path < two.found.path ? -1 : 1),
  )
  return ranked.map(({ found: { path, kind } }) => ({ path, kind }))
}

/** The smaller, the better; undefined does not match. Both in lower case. */
export function rankPath(path: string, query: string): number | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (query === '') return path.split('/').length
  if (name === query) return 0
  if (name.startsWith(query)) return 1
  if (name.includes(query)) return 2
  if (path.includes(query)) return 3
  if (isSubsequence(name, query)) return 4
  return isSubsequence(path, query) ? 5 : undefined
}

function isSubsequence(text: string, letters: string): boolean {
  let at = 0
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return true
}
