import { opendir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { isInside } from '../files/file-rules.ts'
import type { Traces } from './file-reader.ts'

/** How to notice that something changed, without ever watching a whole tree. */
export interface WatchTargets {
  /** Folders to hand to the watcher; most of what is in them does not concern it. */
  folders: string[]
  /** Whether the watcher should know this path: it was read, leads to what was read, or would be read if it were there. */
  isWatched(path: string): boolean
  /** What has to be polled instead, because it is missing or too large to watch. */
  checked: string[]
  /** Equal for those that a running watcher can take over. */
  key: string
}

// reading 10,000 names takes the watcher 0.1 s; it does so for each folder it watches
const maxWatchedEntries = 10_000

/** What to watch of folders that nothing was read outside of, and the traces of what was read. */
export async function findWatchTargets(
  bases: readonly string[],
  { stamps, folders }: Traces,
): Promise<WatchTargets> {
  const paths = [...stamps.keys()]
  const ways = findWays(bases, paths)
  const closed: string[] = []
  for (const folder of new Set([...bases, ...ways]))
    if (folders.get(folder)?.isCut ?? !(await isSmallFolder(folder, bases))) closed.push(folder)
  const isClosed = (path: string) => closed.some((folder) => isInside(folder, path))

  const open = bases.filter((base) => !isClosed(base))
  const isWatched = (path: string) =>
    !isClosed(path) &&
    (bases.includes(path) || ways.has(path) || stamps.has(path) || wouldBeRead(folders, path))
  return {
    folders: open,
    isWatched,
    checked: paths.filter(isClosed),
    key: [...open, '', ...[...ways].sort(), '', ...closed.sort()].join('\n'),
  }
}

/** The folders between a base and the path that was searched in it. */
function findWays(bases: readonly string[], paths: string[]): Set<string> {
  const ways = new Set<string>()
  for (const path of paths) {
    const base = bases
      .filter((folder) => isInside(folder, path))
      .toSorted((one, two) => two.length - one.length)[0]
    if (base === undefined) continue
    for (let way = dirname(path); way !== base && isInside(base, way); way = dirname(way)) ways.add(way)
  }
  return ways
}

/** A way that does not exist is small, but a base has to be there: the watcher would sit in the folders above it. */
async function isSmallFolder(folder: string, bases: readonly string[]): Promise<boolean> {
  let count = 0
  try {
    for await (const _ of await opendir(folder, { bufferSize: 256 }))
      if (++count > maxWatchedEntries) return false
    return true
  } catch {
    return !bases.includes(folder)
  }
}

function wouldBeRead(folders: Traces['folders'], path: string): boolean {
  const name = basename(path)
  if (name === 'SKILL.md' && folders.has(dirname(dirname(path)))) return true
  return folders.has(dirname(path)) && /\.mdc?$|^[^.]+$/.test(name)
}
