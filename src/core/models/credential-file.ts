import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { conflict, ParleyError } from '../protocol/error.ts'
import { isBuiltInProvider, isNewProviderName, namedProviderKinds } from '../protocol/models.ts'
import type { StoredProvider, StoredProviders } from './registry.ts'

/** Keys and addresses of providers in a file that only its owner can read; nowhere else are they kept. */
export interface CredentialFile {
  /** Nothing when there is no file yet. Refuses a file that is none of this kind, without a word of what is in it. */
  read(): Promise<StoredProviders>
  /** Replaces what is kept for one provider, or takes it away; on disk when it resolves. Answers all there is. */
  put(name: string, settings: StoredProvider | undefined): Promise<StoredProviders>
}

const fileSchema = z
  .record(
    z.string(),
    z.strictObject({
      kind: z.enum(namedProviderKinds).optional(),
      apiKey: z.string().optional(),
      baseUrl: z.string().optional(),
    }),
  )
  .refine((stored) => Object.entries(stored).every(isProvider))

/** A server with a name of its own has an address. */
const isProvider = ([name, { kind, baseUrl }]: [string, StoredProvider]) =>
  isBuiltInProvider(name)
    ? kind === undefined
    : isNewProviderName(name) && kind !== undefined && baseUrl !== undefined

export function createCredentialFile(dataDir: string): CredentialFile {
  const file = join(dataDir, 'credentials.json')
  /** Changes follow one another, so that none is lost. */
  let last: Promise<unknown> = Promise.resolve()

  async function read(): Promise<StoredProviders> {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{}'
      throw error
    })
    const parsed = fileSchema.safeParse(parseJson(text))
    if (!parsed.success)
      throw conflict(`The file ${file} does not hold the keys of providers. Mend it, or remove it.`)
    return parsed.data
  }

  return {
    read,
    put(name, settings) {
      const change = last.then(async () => {
        const { [name]: _, ...others } = await read()
        const stored: StoredProviders = settings ? { ...others, [name]: settings } : others
        await writeWhole(file, `${JSON.stringify(stored, undefined, 2)}\n`)
        return stored
      })
      last = change.catch(() => {}) // the caller receives it
      return change
    },
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // the parser's own words would quote a key
  }
}

/** The old content or the new one, whatever happens in between. */
async function writeWhole(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeSynced(temporary, text)
    await rename(temporary, file)
    await syncFolder(dirname(file))
  } catch (error) {
    await rm(temporary, { force: true })
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
      throw new ParleyError('storage_full', 'The disk is full; nothing was stored.', { cause: error })
    throw error
  }
}

async function writeSynced(file: string, text: string): Promise<void> {
  await using handle = await open(file, 'wx', 0o600)
  await handle.writeFile(text)
  await handle.sync()
}

/** Without it a power cut may bring the old name back; Windows has no such thing. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(folder, 'r')
  await handle.sync()
}
