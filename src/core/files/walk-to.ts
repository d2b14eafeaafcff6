import { mkdir, readlink } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { requireInside, type Closed } from './file-rules.ts'
import { openFolder, type OpenedFolder } from './opened-folder.ts'
import { RefusalError } from './file-refusal.ts'

/** A name in an opened folder: what a change is made at. */
export interface Place extends AsyncDisposable {
  folder: OpenedFolder
  name: string
}

export interface WalkOptions {
  /** Whether a link at the end is walked on from; else it is the place itself. */
  followsLast?: boolean
  /** Whether folders that are missing on the way are made. */
  makesFolders?: boolean
  closed?: Closed
}

// as many as Linux follows itself
const maxLinks = 40

/**
 * Walks from the root to a place below it, one opened folder at a time, so that nothing can be swapped between a look
 * and what is done after it. Links are read and walked on from, as long as they do not leave the root. A root that is
 * a file, or not there yet, is a place in its own folder.
 */
export async function walkTo(root: string, path: string, options: WalkOptions = {}): Promise<Place> {
  const way = relative(root, requireInside(root, path, options.closed))
  const { folder, names } = await openStart(root, way)
  const walk = new Walk(root, folder, names, options)
  try {
    const name = await walk.toEnd()
    requireInside(root, join(await walk.folder.real(), name), options.closed)
    return { folder: walk.folder, name, [Symbol.asyncDispose]: () => walk.folder[Symbol.asyncDispose]() }
  } catch (error) {
    await walk.folder[Symbol.asyncDispose]()
    throw error
  }
}

async function openStart(root: string, way: string): Promise<{ folder: OpenedFolder; names: string[] }> {
  if (way !== '') return { folder: await openFolder(root), names: way.split(sep) }
  const isFolder = await openFolder(root).then(
    (folder) => folder[Symbol.asyncDispose]().then(() => true),
    () => false,
  )
  if (isFolder) throw new RefusalError('folder')
  return { folder: await openFolder(dirname(root)), names: [basename(root)] }
}

class Walk {
  folder: OpenedFolder
  readonly #root: string
  readonly #names: string[]
  readonly #options: WalkOptions
  #links = 0

  constructor(root: string, folder: OpenedFolder, names: string[], options: WalkOptions) {
    this.#root = root
    this.folder = folder
    this.#names = names
    this.#options = options
  }

  /** Returns the last name, which is not checked, unless it is a link to be followed. */
  async toEnd(): Promise<string> {
    for (;;) {
      const name = this.#names.shift()
      // a link that led to a folder
      if (name === undefined || (name === '..' && this.#names.length === 0)) throw new RefusalError('folder')
      if (this.#names.length > 0) await this.#enter(name)
      else if (!this.#options.followsLast || !(await this.#followLink(name))) return name
    }
  }

  async #enter(name: string): Promise<void> {
    try {
      await this.#moveTo(await openFolder(this.folder.at(name)))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT' && this.#options.makesFolders) return this.#make(name)
      if (error instanceof RefusalError ? error.refusal !== 'absent' : !/^(ELOOP|ENOTDIR)$/.test(code ?? ''))
        throw error
      if (!(await this.#followLink(name))) throw new RefusalError('absent')
    }
    // only `..` of a link can lead here
    if (name === '..') requireInside(this.#root, await this.folder.real())
  }

  async #make(name: string): Promise<void> {
    requireInside(this.#root, join(await this.folder.real(), name), this.#options.closed)
    await mkdir(this.folder.at(name)).catch((error: NodeJS.ErrnoException) => {
      // somebody else was faster
      if (error.code !== 'EEXIST') throw error
    })
    await this.#moveTo(await openFolder(this.folder.at(name)))
  }

  async #followLink(name: string): Promise<boolean> {
    const target = await readlink(this.folder.at(name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EINVAL' || error.code === 'ENOENT') return undefined
      throw error
    })
    if (target === undefined) return false
    if (++this.#links > maxLinks) throw new RefusalError('absent')
    if (isAbsolute(target)) {
      requireInside(this.#root, target, this.#options.closed)
      await this.#moveTo(await openFolder(this.#root))
    }
    const way = isAbsolute(target) ? relative(this.#root, target) : target
    this.#names.unshift(...way.split(sep).filter((part) => part !== '' && part !== '.'))
    return true
  }

  async #moveTo(folder: OpenedFolder): Promise<void> {
    await this.folder[Symbol.asyncDispose]()
    this.folder = folder
  }
}
