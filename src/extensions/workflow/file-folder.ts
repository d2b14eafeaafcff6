import { hash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { listConfined, readConfined } from '../../core/files/confined-file.ts'
import { statConfined } from '../../core/files/stat-confined.ts'
import { decodeText } from '../../core/files/decode-text.ts'
import type { Refusal } from '../../core/files/file-refusal.ts'
import { maxDefinitionLength } from './protocol/workflow.ts'
import { cut } from '../../core/shared/text.ts'
import type { DefinitionReader } from './definition-reader.ts'

/** Where the definitions of a scope lie in its folder. */
export const workflowFolder = join('.parley', 'workflows')

/** A file as it was found: its definition, or why it is ignored. */
export type FoundFile = { file: string; hash: string; text: string } & (
  | { name: string }
  | { problem: string }
)

export interface FolderScan {
  /** The folder of the scope, without links. */
  root: string
  files: FoundFile[]
  /** There are more files than are read; a known file that is missing may be among the rest. */
  isCut: boolean
  /** The same for two scans without a change between them; undefined where that is not known. */
  stamp?: string
}

/** What was read earlier, by file; reused as long as size and times of the file are the same. */
export type ReadFiles = Map<string, { stamp?: string; found: FoundFile }>

const maxFiles = 200
const maxEntries = 1_000
// as many characters as a definition may have, each as long as it can be
const maxBytes = 4 * maxDefinitionLength
const endings = ['.yaml', '.yml', '.json']

export const hashOf = (text: string): string => hash('sha256', text)

interface FolderDeps {
  forbidden: readonly string[]
  definitions: DefinitionReader
}

/** Undefined when the folder of the scope, or the one in it, cannot be read: then nothing is known about the files. */
export async function scanFolder(
  scopeRoot: string,
  { forbidden, definitions }: FolderDeps,
  read: ReadFiles,
): Promise<FolderScan | undefined> {
  const root = await realpath(scopeRoot).catch(() => undefined)
  if (root === undefined) return undefined
  const folder = await listConfined(root, workflowFolder, maxEntries, { forbidden })
  if (folder === 'absent') return { root, files: [], isCut: false, stamp: '' }
  if (typeof folder === 'string') return undefined
  const all = folder.entries.filter(({ name }) => !name.startsWith('.') && endings.includes(extname(name)))
  const files: FoundFile[] = []
  const stamps: (string | undefined)[] = []
  for (const { name } of all.slice(0, maxFiles)) {
    const file = join(workflowFolder, name)
    const stamp = await stampOf(root, file, forbidden)
    const earlier = read.get(file)
    const isSame = stamp !== undefined && earlier?.stamp === stamp
    const found = isSame
      ? earlier!.found
      : await readFound(root, file, { forbidden, definitions }, earlier?.found)
    if (found) read.set(file, { stamp, found })
    if (found) files.push(found)
    stamps.push(stamp === undefined ? undefined : JSON.stringify([name, stamp]))
  }
  for (const file of read.keys()) if (!files.some((found) => found.file === file)) read.delete(file)
  const isCut = folder.isCut || all.length > maxFiles
  return { root, files, isCut, stamp: stamps.includes(undefined) ? undefined : stamps.join('\n') }
}

/** Of a link undefined: what it leads to may change without it. */
async function stampOf(
  root: string,
  file: string,
  forbidden: readonly string[],
): Promise<string | undefined> {
  const stats = await statConfined(root, file, { forbidden })
  if (typeof stats === 'string') return stats
  if (stats.isSymbolicLink()) return undefined
  return [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':')
}

const refusals: Record<Exclude<Refusal, 'absent'>, string> = {
  denied: 'is closed by a rule and was not read',
  outside: 'leads out of the folder of the scope and was not followed',
  folder: 'is a folder, not a file',
  special: 'is not a regular file',
  linked: 'has a second name (a hard link) and was not read',
  unreadable: 'could not be read',
}

/** Undefined when it is gone. The same text as that of `earlier` is not parsed again. */
export async function readFound(
  root: string,
  file: string,
  { forbidden, definitions }: FolderDeps,
  earlier?: FoundFile,
): Promise<FoundFile | undefined> {
  const read = await readConfined(root, file, maxBytes, { forbidden })
  if (read === 'absent') return undefined
  const none = { file, text: '', hash: '' }
  if (typeof read === 'string') return { ...none, problem: `${file} ${refusals[read]}.` }
  const text = decodeText(read.content)
  if (text === undefined || read.isCut)
    return { ...none, problem: `${file} ${read.isCut ? 'is too long' : 'is not text'}.` }
  if (earlier?.hash === hashOf(text)) return earlier
  const parsed = definitions.parse(text)
  const found = { file, text, hash: hashOf(text) }
  if ('definition' in parsed) return { ...found, name: parsed.definition.name }
  const [{ message, line, column } = { message: 'is not valid' }] = parsed.problems
  const place = line === undefined ? file : `${file}:${line}:${column}`
  const more = parsed.problems.length > 1 ? ` (and ${parsed.problems.length - 1} more)` : ''
  return { ...found, problem: cut(`${place}: ${message}${more}`, 1_000) }
}
