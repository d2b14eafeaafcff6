import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { z } from 'zod'
import { invalidRequest } from '../core/protocol/error.ts'

/** In a backup as in a data folder. Locks and the mirror are left out: Parley recreates both. */
export const databaseName = 'parley.db'
export const credentialsName = 'credentials.json'
export const workspacesName = 'workspaces'
export const keptNames = [credentialsName, workspacesName] as const

export const manifestName = 'manifest.json'

// a later Parley that writes something else counts on; ours is refused there, or understood
const format = 1

// two million files; what is larger was not made by a backup, and would be held in memory as a whole
const maxManifestBytes = 400 * 1024 * 1024

/** Relative, with `/`, a known file or below `workspaces`: a manifest from a stranger must not name anything else. */
export function isSafePath(path: string): boolean {
  const [top, ...rest] = path.split('/')
  if (/[\\\0]/.test(path) || rest.some((name) => ['', '.', '..'].includes(name))) return false
  return top === workspacesName
    ? rest.length > 0
    : rest.length === 0 && [databaseName, credentialsName].includes(top!)
}

/**
 * Whether a link stays in the folder of the session that it is in. No `..` may follow a name: that name could be another
 * link, and then the path would lead elsewhere than it reads.
 */
export function isInnerLink({ path, target }: KeptLink): boolean {
  const [top, session, ...rest] = path.split('/')
  if (top !== workspacesName || rest.length === 0 || /[\\\0]/.test(target) || target === '') return false
  const names = target.split('/').filter((name) => name !== '' && name !== '.')
  const firstName = names.findIndex((name) => name !== '..')
  if (posix.isAbsolute(target) || (firstName >= 0 && names.lastIndexOf('..') > firstName)) return false
  return `${posix.join(posix.dirname(path), target)}/`.startsWith(`${top}/${session}/`)
}

const safePath = z.string().refine(isSafePath, 'is no path in a backup')

const manifestSchema = z.strictObject({
  format: z.number(),
  /** The version that made it. */
  parley: z.string(),
  /** Of the database. */
  schema: z.int().positive(),
  createdAt: z.iso.datetime(),
  files: z.array(
    z.strictObject({ path: safePath, bytes: z.int().nonnegative(), sha256: z.string().length(64) }),
  ),
  /** Symbolic links in workspaces; they are made last, so that nothing is written through one. */
  links: z.array(z.strictObject({ path: safePath, target: z.string() })),
})

/** What is in a backup. It is written last: a folder without it is no backup, whatever else is there. */
export type Manifest = z.infer<typeof manifestSchema>
export type KeptFile = Manifest['files'][number]
export type KeptLink = Manifest['links'][number]

export const toManifest = (about: Omit<Manifest, 'format'>): string =>
  `${JSON.stringify({ format, ...about }, undefined, 2)}\n`

/** Rejects what is not a backup, incomplete, or of an unknown format. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readWhole(join(folder, manifestName)).catch((error: NodeJS.ErrnoException) => {
    throw invalidRequest(
      `${folder} is no backup: its ${manifestName} cannot be read (${error.code ?? error.message}). Name a folder that "parley backup" made.`,
    )
  })
  const json = parseJson(text)
  const made = z.object({ format: z.number(), parley: z.string() }).safeParse(json)
  if (made.success && made.data.format > format)
    throw invalidRequest(
      `${folder} was made by Parley ${made.data.parley}, in a form that this Parley does not know. Restore it with that version or a newer one.`,
    )
  const manifest = manifestSchema.safeParse(json)
  if (!manifest.success)
    throw invalidRequest(
      `${join(folder, manifestName)} is damaged or not of Parley. Use another backup.`,
      manifest.error.issues,
    )
  if (!manifest.data.files.some(({ path }) => path === databaseName))
    throw invalidRequest(`${folder} is no backup: it has no ${databaseName}. Use another one.`)
  requireDistinct(folder, manifest.data)
  return manifest.data
}

async function readWhole(file: string): Promise<string> {
  await using handle = await open(
    file,
    constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  )
  const stats = await handle.stat()
  if (!stats.isFile()) throw new Error('it is not a file')
  if (stats.size > maxManifestBytes)
    throw new Error(`it has ${stats.size} bytes, at most ${maxManifestBytes} are read`)
  return handle.readFile('utf8')
}

/** No path twice, and none below a file or a link, also on a disk that takes two spellings of a name for one. */
function requireDistinct(folder: string, { files, links }: Manifest): void {
  const fold = (path: string) => path.normalize('NFC').toLowerCase()
  const exact = new Set<string>()
  const linked = new Set(links.map(({ path }) => fold(path)))
  for (const { path } of [...files, ...links]) {
    if (exact.has(path)) throw twice(folder, path)
    exact.add(path)
  }
  const foldedFiles = new Set(files.map(({ path }) => fold(path)))
  for (const { path } of [...files, ...links]) {
    const isFile = foldedFiles.has(fold(path))
    if (isFile && linked.has(fold(path))) throw twice(folder, path)
    for (let above = posix.dirname(path); above !== '.'; above = posix.dirname(above))
      if (linked.has(fold(above)) || exact.has(above)) throw twice(folder, above)
  }
}

const twice = (folder: string, path: string) =>
  invalidRequest(
    `${folder} is no backup of Parley: its ${manifestName} has ${path} more than once. Use another backup.`,
  )

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
