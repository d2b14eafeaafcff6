import { readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { z } from 'zod'
import { invalidRequest } from '../protocol/error.ts'

/** In a backup as in a data folder. Locks and the mirror are not kept: both are made anew. */
export const databaseName = 'parley.db'
export const keptNames = ['credentials.json', 'workspaces'] as const

export const manifestName = 'manifest.json'

// a later Parley that writes something else counts on; ours is refused there, or understood
const format = 1

/** Relative, with `/`, below what a backup holds: what a stranger wrote must not name anything else. */
const safePath = z
  .string()
  .refine(
    (path) =>
      posix.normalize(path) === path &&
      !path.includes('\\') &&
      [databaseName, ...keptNames].includes(path.split('/')[0]!),
    'is no path in a backup',
  )

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

export const toManifest = (about: Omit<Manifest, 'format'>): string =>
  `${JSON.stringify({ format, ...about }, undefined, 2)}\n`

/** Refuses what is no backup, only a part of one, or one that is not understood. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, manifestName), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw invalidRequest(
      `${folder} is no backup: its ${manifestName} cannot be read (${error.code}). Name a folder that "parley backup" made.`,
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
  return manifest.data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
