import type { Dirent } from 'node:fs'
import { relative, sep } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import type { Closed } from './file-rules.ts'
import { listConfined, readConfined } from './confined-file.ts'
import { decodeText } from './decode-text.ts'
import { isIgnored, parseIgnoreRules, type IgnoreRules } from './ignore-rules.ts'

export interface WalkedPath {
  /** From the root, with `/`. */
  path: string
  kind: 'file' | 'folder'
}

export interface WalkBounds extends Closed {
  /** The folder to begin at, from the root; default the root itself. */
  from?: string
  /** How many levels of folders are looked into, counted from the root; default all. */
  depth?: number
  /** Whether what ignore files name, `.git` and `node_modules` are walked too. Default false. */
  includesIgnored?: boolean
  maxEntries: number
  /** Default: as long as it takes. */
  maxMs?: number
  signal?: AbortSignal
}

export interface Walked {
  paths: WalkedPath[]
  /** Whether there is more than was searched. */
  isCut: boolean
}

interface Folder {
  path: string
  rules: IgnoreRules[]
}

const entriesBetweenPauses = 500
// the disk works on several at a time
const foldersAtOnce = 16
const maxIgnoreBytes = 64 * 1024
const skipped = new Set(['.git', 'node_modules'])
// a later one overrules an earlier one
const ignoreFiles = ['.gitignore', '.ignore']

/**
 * All files and folders below a real path that are not ignored, those near it first, so that what a bound leaves out
 * lies deep. No link is followed. Ignore files count from the root on, also when the walk begins deeper.
 */
export async function walkFiles(root: string, bounds: WalkBounds): Promise<Walked> {
  const walked: Walked = { paths: [], isCut: false }
  const endsAt = performance.now() + (bounds.maxMs ?? Infinity)
  const closed = new Set(bounds.forbidden?.map((folder) => relative(root, folder).split(sep).join('/')))
  let left = bounds.maxEntries
  const waiting: Folder[] = [await startOf(root, bounds)]
  while (waiting.length > 0) {
    const listings = await Promise.all(
      waiting.splice(0, foldersAtOnce).map((folder) => list(root, folder, left, bounds)),
    )
    for (const { entries, isCut, folder } of listings) {
      walked.isCut ||= isCut || entries.length > left
      for (const [index, entry] of entries.slice(0, left).entries()) {
        if (index % entriesBetweenPauses === 0) await pause()
        bounds.signal?.throwIfAborted()
        if (performance.now() > endsAt) return { ...walked, isCut: true }
        const found = toWalked(folder, entry, bounds)
        if (!found || closed.has(found.path)) continue
        walked.paths.push(found)
        if (found.kind === 'folder' && isWithin(found.path, bounds.depth))
          waiting.push({ path: found.path, rules: folder.rules })
      }
      left = Math.max(0, left - entries.length)
    }
    if (left === 0 && waiting.length > 0) return { ...walked, isCut: true }
  }
  return walked
}

const isWithin = (folder: string, depth = Infinity) => folder.split('/').length < depth

/** With the rules of the folders above it. */
async function startOf(root: string, bounds: WalkBounds): Promise<Folder> {
  const names = (bounds.from ?? '').split('/').filter((name) => name !== '' && name !== '.')
  const rules: IgnoreRules[] = []
  for (const depth of names.keys()) rules.push(await readRules(root, names.slice(0, depth).join('/'), bounds))
  return { path: names.join('/'), rules }
}

/** The folder comes back with its own rules; one that is gone, or not to be read, has nothing to offer. */
async function list(root: string, { path, rules }: Folder, maxEntries: number, closed: Closed) {
  const listed = await listConfined(root, path || '.', maxEntries, closed)
  if (typeof listed === 'string') return { entries: [], isCut: false, folder: { path, rules } }
  const { entries, isCut } = listed
  const hasRules = entries.some((entry) => ignoreFiles.includes(entry.name) && entry.isFile())
  const folder = { path, rules: hasRules ? [...rules, await readRules(root, path, closed)] : rules }
  return { entries, isCut, folder }
}

function toWalked(
  { path: folder, rules }: Folder,
  entry: Dirent,
  { includesIgnored }: WalkBounds,
): WalkedPath | undefined {
  const isFolder = entry.isDirectory()
  if (!isFolder && !entry.isFile()) return undefined
  const path = folder === '' ? entry.name : `${folder}/${entry.name}`
  if (!includesIgnored && (skipped.has(entry.name) || isIgnored(rules, path, isFolder))) return undefined
  return { path, kind: isFolder ? 'folder' : 'file' }
}

async function readRules(root: string, folder: string, closed: Closed): Promise<IgnoreRules> {
  const texts = ignoreFiles.map(async (name) => {
    const path = folder === '' ? name : `${folder}/${name}`
    const file = await readConfined(root, path, maxIgnoreBytes, closed)
    return typeof file === 'string' ? '' : (decodeText(file.content) ?? '')
  })
  return parseIgnoreRules((await Promise.all(texts)).join('\n'), folder)
}
