import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Workspaces } from '../files/workspaces.ts'
import type { Session } from '../protocol/session.ts'
import type { StoreOperations } from '../store/store.ts'

export type ReadWorkspaces = (session: Session) => Promise<Workspaces>

export interface WorkspacePlaces {
  /** Where sessions have folders of their own; without it they have none. */
  dir?: string
  /** Real paths that no session may look into, though a workspace may lie within one. */
  forbidden?: readonly string[]
}

/** The folders of a session, looked up at each use: a root may be set anew and a grant taken back between two calls. */
export function createWorkspaceReader(
  store: StoreOperations,
  { dir, forbidden = [] }: WorkspacePlaces = {},
): ReadWorkspaces {
  return async ({ id, scope, grantedPaths = [], bgMeta, toolMeta }) => {
    const root = (await store.getScope(scope))?.root
    const [main, run, workflow] = await Promise.all([
      root === undefined ? undefined : realpath(root).catch(() => undefined),
      toReal(bgMeta?.workspaceDir ?? toolMeta?.runWorkspaceDir),
      toReal(bgMeta?.persistentWorkspaceDir ?? toolMeta?.persistentWorkspaceDir),
    ])
    const session = dir && (await ownFolder(dir, id))
    return { main, session, run, workflow, granted: grantedPaths, forbidden }
  }
}

// nobody else on this machine needs to look into it
const ownFolder = async (dir: string, id: string) => {
  const folder = join(dir, id)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return realpath(folder)
}

const toReal = async (path: string | undefined) => path && realpath(path).catch(() => undefined)
