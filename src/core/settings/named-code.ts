/**
 * The code that a configuration file names, file by file. Trust of a folder is about what a person could look at when they gave
 * it: what a `git pull`, a model or anybody else puts there later is other code, and is found by its digest.
 */
import { createHash } from 'node:crypto'
import { lstatSync, opendirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, isAbsolute, join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'

export interface NamedCode {
  /** As the file names it, paths absolute. */
  module: string
  /** Of all that is loaded with it; left out when there is too much to look at. */
  digest?: string
  /** Why there is no digest, as the end of a sentence. */
  problem?: string
  /** Digests of its files by their real paths: nothing else of the disk is loaded with it. */
  files: ReadonlyMap<string, string>
}

interface Entry {
  module: string
  settings?: unknown
  from: string
}

const maxFiles = 10_000
const maxBytes = 64 * 1_024 * 1_024

class TooMuch extends Error {}

/** Runs nothing, follows no link out of a folder, and ends with a folder of any size. */
export function readNamedCode({ module, settings, from }: Entry): NamedCode {
  const reader = createReader()
  try {
    if (isAbsolute(module)) reader.addPath(module)
    else reader.addPackage(module, from)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (!(error instanceof TooMuch) && code === undefined) throw error
    const problem = error instanceof TooMuch ? error.message : `cannot be read (${code})`
    return { module, problem, files: new Map() }
  }
  const digest = hash(JSON.stringify([module, settings ?? {}, reader.seen.toSorted()]))
  return { module, digest, files: reader.files }
}

function createReader() {
  const files = new Map<string, string>()
  /** Whatever decides what is loaded: files, links, and where packages were found. */
  const seen: string[] = []
  const folders = new Set<string>()
  let bytes = 0

  const addFile = (path: string): void => {
    bytes += lstatSync(path).size
    if (files.size >= maxFiles || bytes > maxBytes)
      throw new TooMuch(
        `is more than can be checked: at most ${maxFiles} files and ${maxBytes / 1_048_576} MiB, with all packages that it needs`,
      )
    const digest = hash(readFileSync(path))
    files.set(path, digest)
    seen.push(`file ${path} ${digest}`)
  }

  const addFiles = (folder: string): void => {
    const directory = opendirSync(folder)
    try {
      for (let entry = directory.readSync(); entry; entry = directory.readSync()) {
        const path = join(folder, entry.name)
        if (entry.isFile()) addFile(path)
        // not followed: its target is loaded only when it was checked itself
        else if (entry.isSymbolicLink()) seen.push(`link ${path} ${readlinkSync(path)}`)
        else if (entry.isDirectory() && entry.name !== '.git') addFiles(path)
      }
    } finally {
      directory.closeSync()
    }
  }

  const addFolder = (folder: string): void => {
    if (folders.has(folder)) return
    folders.add(folder)
    if (![...folders].some((other) => other !== folder && folder.startsWith(other + sep))) addFiles(folder)
    for (const name of packagesOf(folder)) addPackage(name, folder)
  }

  const addPath = (path: string): void => {
    const real = realPathOf(path)
    seen.push(`path ${path} ${real ?? ''}`)
    if (real === undefined) return
    const stats = lstatSync(real)
    if (stats.isDirectory()) addFolder(real)
    else if (stats.isFile()) addFile(real)
  }

  const addPackage = (name: string, from: string): void => {
    const folder = findPackage(name, from)
    seen.push(`package ${name} ${folder ?? ''}`)
    if (folder !== undefined) addFolder(folder)
  }

  return { files, seen, addPath, addPackage }
}

/** What a package says that it needs. Parley itself is always the one that runs. */
function packagesOf(folder: string): string[] {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, object>
    const { dependencies, optionalDependencies, peerDependencies } = manifest
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
    return names.filter((name) => name !== 'parley').toSorted()
  } catch {
    // then it can load no package either
    return []
  }
}

function findPackage(name: string, from: string): string | undefined {
  try {
    const manifest = findPackageJSON(name, pathToFileURL(join(from, 'parley.yaml')))
    return manifest && realPathOf(dirname(manifest))
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

export const hash = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')
