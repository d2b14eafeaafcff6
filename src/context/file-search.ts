import type { Dirent } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { setImmediate as pause } from 'node:timers/promises'
import { listConfined, readConfined } from '../files/confined-file.ts'
import { isIgnored, parseIgnoreRules, type IgnoreRules } from './ignore-rules.ts'
import { decodeText, toCaption } from './text.ts'

export interface FoundPath {
  /** From the root, with `/`. */
  path: string
  kind: 'file' | 'folder'
}

export interface FileSearch {
  /** The paths that match, the best first. Nothing outside the root is looked at, and no link is followed. */
  find(root: string, query: string, limit: number): Promise<{ items: FoundPath[]; isCut: boolean }>
}

interface Walked {
  paths: (FoundPath & { lowered: string })[]
  /** Whether there is more than was looked at. */
  isCut: boolean
}

// a person types a few letters a second, and expects a file that was just made
const keptMs = 5_000
// a folder that takes longer is on a slow disk, or was made to take long
const maxWalkMs = 2_000
const entriesBetweenPauses = 500
// the disk works on several at a time
const foldersAtOnce = 16
const maxIgnoreBytes = 64 * 1024
const skipped = new Set(['.git', 'node_modules'])

export interface FileSearchOptions {
  now?: () => number
  /** Default 20,000. */
  maxEntries?: number
}

export function createFileSearch({
  now = () => performance.now(),
  maxEntries = 20_000,
}: FileSearchOptions = {}): FileSearch {
  const walks = new Map<string, { at: number; walked: Promise<Walked> }>()

  function walkOnce(root: string): Promise<Walked> {
    for (const [known, { at }] of walks) if (now() - at >= keptMs) walks.delete(known)
    const walk = walks.get(root) ?? { at: now(), walked: walkFiles(root, maxEntries) }
    walks.set(root, walk)
    return walk.walked
  }

  return {
    async find(root, query, limit) {
      const { paths, isCut } = await walkOnce(root)
      return { items: rankPaths(paths, query).slice(0, limit), isCut }
    },
  }
}

interface Folder {
  path: string
  rules: IgnoreRules[]
}

/** Folder by folder, those near the root first, so that what a bound leaves out lies deep. */
async function walkFiles(root: string, maxEntries: number): Promise<Walked> {
  const walked: Walked = { paths: [], isCut: false }
  const base = await realpath(root).catch(() => undefined)
  if (base === undefined) return walked
  const endsAt = performance.now() + maxWalkMs
  let left = maxEntries
  const waiting: Folder[] = [{ path: '', rules: [] }]
  while (waiting.length > 0) {
    const listings = await Promise.all(waiting.splice(0, foldersAtOnce).map((one) => list(base, one, left)))
    for (const { entries, isCut, folder } of listings) {
      walked.isCut ||= isCut || entries.length > left
      for (const [index, entry] of entries.slice(0, left).entries()) {
        if (index % entriesBetweenPauses === 0) await pause()
        if (performance.now() > endsAt) return { ...walked, isCut: true }
        const found = toFound(folder, entry)
        if (!found) continue
        walked.paths.push(found)
        if (found.kind === 'folder') waiting.push({ path: found.path, rules: folder.rules })
      }
      left = Math.max(0, left - entries.length)
    }
    if (left === 0 && waiting.length > 0) return { ...walked, isCut: true }
  }
  return walked
}

/** The folder comes back with its own rules; one that is gone, or not to be read, has nothing to offer. */
async function list(base: string, { path, rules }: Folder, maxEntries: number) {
  const listed = await listConfined(base, path || '.', maxEntries)
  if (typeof listed === 'string') return { entries: [], isCut: false, folder: { path, rules } }
  const { entries, isCut } = listed
  const hasRules = entries.some((entry) => entry.name === '.gitignore' && entry.isFile())
  const folder = { path, rules: hasRules ? [...rules, await readRules(base, path)] : rules }
  return { entries, isCut, folder }
}

function toFound({ path: folder, rules }: Folder, entry: Dirent): Walked['paths'][number] | undefined {
  const isFolder = entry.isDirectory()
  if ((!isFolder && !entry.isFile()) || skipped.has(entry.name) || !isTypable(entry.name)) return undefined
  const path = folder === '' ? entry.name : `${folder}/${entry.name}`
  if (isIgnored(rules, path, isFolder)) return undefined
  return { path, kind: isFolder ? 'folder' : 'file', lowered: path.toLowerCase() }
}

async function readRules(base: string, folder: string): Promise<IgnoreRules> {
  const file = await readConfined(base, folder === '' ? '.gitignore' : `${folder}/.gitignore`, maxIgnoreBytes)
  const text = typeof file === 'string' ? undefined : decodeText(file.content)
  return parseIgnoreRules(text ?? '', folder)
}

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
