import { mkdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { FileRules } from '../files/file-rules.ts'
import type { Workspaces } from '../files/workspaces.ts'
import type { Session } from '../protocol/session.ts'
import type { StoreOperations } from '../store/store.ts'

export type ReadWorkspaces = (session: Session) => Promise<Workspaces>

export interface WorkspacePlaces {
  /** Where sessions have folders of their own; without it they have none. */
  dir?: string
  /** Real paths that no session may read, though a workspace may lie within one. */
  forbidden?: readonly string[]
  /** The rules about the files of a session, with relative patterns from the folder of its scope on. */
  readFileRules?: (session: Session, root: string | undefined) => Promise<FileRules>
}

/** The folders of a session, looked up at each use: a root may be changed and a grant revoked between two calls. */
export function createWorkspaceReader(
  store: StoreOperations,
  { dir, forbidden = [], readFileRules }: WorkspacePlaces = {},
): ReadWorkspaces {
  return async (of) => {
    const { id, scope, grantedPaths = [] } = of
    const root = (await store.getScope(scope))?.root
    const [main, ...found] = await Promise.all([
      root === undefined ? undefined : realpath(root).catch(() => undefined),
      ...store.facets.folders.map((facet) => toReal(dir, facet.of(of))),
    ])
    const further = store.facets.folders.flatMap(({ name, isStart }, index) => {
      const folder = found[index]
      return folder === undefined ? [] : { name, folder, ...(isStart && { isStart }) }
    })
    const session = dir && (await ownFolder(dir, id))
    return {
      main,
      session,
      further,
      granted: grantedPaths,
      forbidden,
      ...(readFileRules && { readFileRules: once(() => readFileRules(of, main)) }),
    }
  }
}

/** Most calls touch no file and ask for nothing. */
function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let reading: Promise<Value> | undefined
  return () => (reading ??= read())
}

// nobody else on this machine needs to read it
const ownFolder = async (dir: string, id: string) => {
  const folder = join(dir, id)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return realpath(folder)
}

/** One of ours is made on whichever node it is first needed. */
async function toReal(dir: string | undefined, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined
  if (dir !== undefined && path.startsWith(join(dir, sep)))
    await mkdir(path, { recursive: true, mode: 0o700 })
  return realpath(path).catch(() => undefined)
}
