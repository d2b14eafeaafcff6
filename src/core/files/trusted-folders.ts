/**
 * The folders that a person has trusted. What lies in a folder may come from a stranger: its skills and commands, and
 * what extensions read there, count only once somebody has said that they may. The list is kept beside the person's own settings, never
 * in such a folder, and names real paths: a link that is put in its place later is another folder. Code that a folder names is
 * trusted as it was: what is new or has changed since is a question of its own.
 */
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { isInside } from './file-rules.ts'
import { invalidRequest } from '../protocol/error.ts'

export interface TrustedCode {
  /** As the file of the folder names it, paths absolute. */
  module: string
  digest: string
}

export interface TrustedFolder {
  /** Real and absolute; whatever lies below it is trusted as well. */
  path: string
  trustedAt: number
  /** What the configuration of this very folder may run. */
  code?: TrustedCode[]
}

export interface TrustedFolders {
  /** Whether this folder, or one that it lies in, is trusted. One that does not exist is not. */
  has(folder: string): boolean
  /** What this very folder may run; what one above it may says nothing of it. */
  codeOf(folder: string): TrustedCode[]
  list(): TrustedFolder[]
  /** Refuses what is no folder. Without a word on code, what was trusted before stays. */
  add(folder: string, now: number, code?: TrustedCode[]): TrustedFolder
  /** Those that made it trusted; none when it was not. */
  remove(folder: string): TrustedFolder[]
}

const folderSchema = z.object({
  path: z.string(),
  trustedAt: z.number(),
  code: z.array(z.object({ module: z.string(), digest: z.string() })).optional(),
})
const listSchema = z.object({ folders: z.array(folderSchema) })
const fileName = 'trusted-folders.json'

export function openTrustedFolders(userDir: string): TrustedFolders {
  const file = join(userDir, fileName)
  let known: { stamp: string; folders: TrustedFolder[] } | undefined

  /** A list that cannot be read trusts nothing. */
  const read = (): TrustedFolder[] => {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (!stats) return []
    const stamp = [stats.ino, stats.size, stats.mtimeMs].join(':')
    if (known?.stamp !== stamp) known = { stamp, folders: readList(file) ?? [] }
    return known.folders
  }

  const write = (folders: TrustedFolder[]): void => {
    mkdirSync(userDir, { recursive: true, mode: 0o700 })
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, `${JSON.stringify({ folders }, undefined, 2)}\n`, { mode: 0o600 })
    chmodSync(draft, 0o600)
    renameSync(draft, file)
    known = undefined
  }

  const covering = (folder: string): TrustedFolder[] => {
    const real = realPathOf(folder)
    return real === undefined ? [] : read().filter(({ path }) => isInside(path, real))
  }

  const codeOf = (folder: string): TrustedCode[] => {
    const real = realPathOf(folder)
    return read().find(({ path }) => path === real)?.code ?? []
  }

  return {
    has: (folder) => covering(folder).length > 0,
    codeOf,
    list: read,

    add(folder, now, code = codeOf(folder)) {
      const path = realPathOf(folder)
      if (path === undefined || !statSync(path).isDirectory())
        throw invalidRequest(`${folder} is not a folder, so it cannot be trusted.`)
      // the root of the disk, and what holds the list itself, would trust everything that comes later
      if (dirname(path) === path || isInside(path, realPathOf(dirname(userDir)) ?? userDir))
        throw invalidRequest(
          `${path} holds too much to be trusted as a whole. Name a folder of your own work.`,
        )
      if (readList(file) === undefined && statSync(file, { throwIfNoEntry: false }))
        throw invalidRequest(
          `${file} is not a list of trusted folders. Look at it, and delete it if it is of no use.`,
        )
      const others = read().filter((other) => other.path !== path)
      const added = { path, trustedAt: now, ...(code.length > 0 && { code }) }
      write([...others, added])
      return added
    },

    remove(folder) {
      // also of one that is gone meanwhile
      const path = realPathOf(folder) ?? folder
      const removed = read().filter((one) => isInside(one.path, path))
      if (removed.length > 0) write(read().filter((one) => !removed.includes(one)))
      return removed
    },
  }
}

function readList(file: string): TrustedFolder[] | undefined {
  try {
    return listSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).folders
  } catch {
    return undefined
  }
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
