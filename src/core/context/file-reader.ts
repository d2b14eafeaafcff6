import { hash } from 'node:crypto'
import type { BigIntStats, Dirent } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, extname, join, relative, sep } from 'node:path'
import { isInside } from '../files/file-rules.ts'
import { listConfined, readConfined } from '../files/confined-file.ts'
import { decodeText } from '../files/decode-text.ts'
import type { Refusal } from '../files/file-refusal.ts'
import type { Base, Problem } from './context-places.ts'
import { toCaption } from './cut-to-tokens.ts'

export interface TextFile {
  /** The path as it is shown: from the root, or after `user:` or `home:`. */
  caption: string
  /** The path on disk, without links. */
  real: string
  text: string
  /** The size on disk. */
  bytes: number
  /** How much of it was read. */
  bytesRead: number
  isCut: boolean
  hash: string
}

/** What was found at each place that was read; enough to see later whether anything changed. */
export interface Traces {
  stamps: Map<string, string>
  /** Folders whose entries matter, with whether all of them were seen. */
  folders: Map<string, { isCut: boolean }>
}

/** Reads for one refresh: records what went wrong, and where it read. */
export interface Reader {
  readonly problems: Problem[]
  readonly traces: Traces
  /** A text file, or `undefined`; a refusal other than absence becomes a problem. */
  read(base: Base, path: string, maxBytes: number): Promise<TextFile | undefined>
  /** The entries of a folder by name; none if there is no such folder. */
  list(base: Base, path: string): Promise<Dirent[]>
  /** The paths of the files in a folder whose names end so; the first 200 by name. */
  listFiles(base: Base, path: string, ending: string): Promise<string[]>
}

// far more than people write; each entry may cost a read and a watch
const maxFolderEntries = 1_000
const maxFiles = 200

interface Found {
  real: string
  stats: BigIntStats
}

const refusals: Record<Exclude<Refusal, 'absent'>, string> = {
  denied: 'is closed by a rule and was not read',
  outside: 'leads out of its folder and was not followed',
  folder: 'is a folder, not a file',
  special: 'is not a regular file',
  linked: 'has a second name (a hard link) and was not read',
  unreadable: 'could not be read',
}

export function createReader(): Reader {
  const problems: Problem[] = []
  const traces: Traces = { stamps: new Map(), folders: new Map() }

  const note = async (base: Base, path: string, found: Found | Refusal): Promise<string> => {
    const caption = captionOf(base, path)
    const target = join(base.folder, path)
    if (typeof found === 'string') {
      if (isInside(base.folder, target)) traces.stamps.set(target, await stampOf(target))
      if (found !== 'absent') problems.push({ path: caption, message: refusals[found] })
    } else for (const place of [target, found.real]) traces.stamps.set(place, toStamp(found.stats))
    return caption
  }

  const list = async (base: Base, path: string): Promise<Dirent[]> => {
    const folder = await listConfined(base.folder, path, maxFolderEntries, base)
    const caption = await note(base, path, folder)
    const isCut = typeof folder !== 'string' && folder.isCut
    traces.folders.set(join(base.folder, path), { isCut })
    if (typeof folder === 'string') return []
    traces.folders.set(folder.real, { isCut })
    if (isCut)
      problems.push({
        path: caption,
        message: `has more than ${maxFolderEntries} entries; some were not read`,
      })
    return folder.entries
  }

  return {
    problems,
    traces,
    list,
    async listFiles(base, path, ending) {
      const names = (await list(base, path)).map(({ name }) => name).filter((name) => name.endsWith(ending))
      if (names.length > maxFiles)
        problems.push({
          path: captionOf(base, path),
          message: `has ${names.length} files; only the first ${maxFiles} were read`,
        })
      return names.slice(0, maxFiles).map((name) => join(path, name))
    },
    async read(base, path, maxBytes) {
      const file = await readConfined(base.folder, path, maxBytes, base)
      const caption = await note(base, path, file)
      if (typeof file === 'string') return undefined
      if (!isWords(path, file.real)) {
        problems.push({ path: caption, message: 'is a link to a file of another kind and was not followed' })
        return undefined
      }
      const text = decodeText(file.content)
      if (text === undefined) problems.push({ path: caption, message: 'is not text' })
      if (text === undefined) return undefined
      const bytes = Number(file.stats.size)
      const { real, content, isCut } = file
      return { caption, real, text, bytes, bytesRead: content.length, isCut, hash: toHash(text) }
    },
  }
}

const wordEndings = new Set(['.md', '.mdc', '.markdown', '.txt'])

/** What a link leads to is judged by its own name: a stranger can call one `AGENTS.md` that leads to your `.env`. */
function isWords(path: string, real: string): boolean {
  const [asked, found] = [extname(path), extname(real)]
  return basename(path) === basename(real) || wordEndings.has(found) || (found !== '' && found === asked)
}

/** Whether all the places are unchanged; `places` restricts the check. */
export async function isUnchanged(
  { stamps }: Traces,
  places: Iterable<string> = stamps.keys(),
): Promise<boolean> {
  const looks = Array.from(places, async (path) => (await stampOf(path)) === stamps.get(path))
  return (await Promise.all(looks)).every(Boolean)
}

/** `absent`, or what changes when a file is written, replaced, or its folder gains or loses an entry. */
async function stampOf(path: string): Promise<string> {
  try {
    return toStamp(await stat(path, { bigint: true }))
  } catch {
    return 'absent' // also what cannot be read: it was not read before either
  }
}

const toStamp = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  [dev, ino, size, mtimeNs, ctimeNs].join(':')

export const captionOf = (base: Base, path: string): string =>
  base.prefix + toCaption(relative(base.folder, join(base.folder, path)).replaceAll(sep, '/'))

export const toHash = (text: string): string => hash('sha256', text)
