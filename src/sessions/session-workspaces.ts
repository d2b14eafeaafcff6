import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Workspaces } from '../files/workspaces.ts'
import type { Session } from '../protocol/session.ts'
import type { StoreOperations } from '../store/store.ts'

export type ReadWorkspaces = (session: Session) => Promise<Workspaces>

/**
 * The folders of a session, looked up at each use: a root may be set anew and a grant taken back between two calls.
 * `dir` is where sessions have folders of their own; without it they have none.
 */
export function createWorkspaceReader(store: StoreOperations, dir?: string): ReadWorkspaces {
  return async ({ id, scope, grantedPaths = [], bgMeta, toolMeta }) => {
    const root = (await store.getScope(scope))?.root
    const [main, run, workflow] = await Promise.all([
      root === undefined ? undefined : realpath(root).catch(() => undefined),
      toReal(bgMeta?.workspaceDir ?? toolMeta?.runWorkspaceDir),
      toReal(bgMeta?.persistentWorkspaceDir ?? toolMeta?.persistentWorkspaceDir),
    ])
    return { main, session: dir && (await ownFolder(dir, id)), run, workflow, granted: grantedPaths }
  }
}

// nobody else on this machine needs to look into it
const ownFolder = async (dir: string, id: string) => {
  const folder = join(dir, id)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return realpath(folder)
}

const toReal = async (path: string | undefined) => path && realpath(path).catch(() => undefined)
