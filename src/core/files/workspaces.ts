import { isAbsolute, normalize, relative, resolve, sep } from 'node:path'
import { forbiddenBelow, isForbidden, isInside, type Closed } from './bounds.ts'

export const workspaceNames = ['main', 'session', 'run', 'workflow'] as const
export type WorkspaceName = (typeof workspaceNames)[number]

/** The folders that a session may work in, as real paths. */
export interface Workspaces extends Closed {
  /** That of the scope. */
  main?: string
  /** Of the session alone; gone with it. */
  session?: string
  /** Of one run of a workflow, and of the workflow over all its runs. */
  run?: string
  workflow?: string
  /** Files and folders elsewhere that a person allowed. */
  granted: readonly string[]
}

/** Where a path leads: within `root`, which nothing that is done there may leave. */
export interface Location extends Closed {
  root: string
  /** From the root on; empty is the root itself. */
  path: string
  workspace: WorkspaceName | 'granted'
}

// the nearest one first
const byNearness = ['run', 'workflow', 'session', 'main'] as const

/**
 * Finds the workspace that a path is in, by its text alone; undefined when it is in none. A relative path starts from
 * the workspace that is asked for, else from that of the run, else from the main one.
 */
export function locate(workspaces: Workspaces, path: string, asked?: WorkspaceName): Location | undefined {
  if (path.includes('\0')) return undefined
  if (isAbsolute(path)) return findAbsolute(workspaces, normalize(path))
  const workspace = startOf(workspaces, asked)
  if (workspace === undefined) return undefined
  const root = workspaces[workspace]!
  const target = resolve(root, path)
  if (!isInside(root, target)) return undefined
  // on a way through a forbidden folder the workspace within it is still the one that is meant
  return toLocation(workspaces, workspace, root, target) ?? findAbsolute(workspaces, target)
}

/** The absolute path that is meant, whether it is in a workspace or not. */
export function toAbsolute(workspaces: Workspaces, path: string, asked?: WorkspaceName): string {
  const workspace = startOf(workspaces, asked)
  if (isAbsolute(path)) return normalize(path)
  return workspace === undefined ? path : resolve(workspaces[workspace]!, path)
}

/** One that is asked for and not there gives way to the one that would have been taken. */
function startOf(workspaces: Workspaces, asked: WorkspaceName | undefined): WorkspaceName | undefined {
  if (asked !== undefined && workspaces[asked] !== undefined) return asked
  return (['run', 'main', 'session'] as const).find((name) => workspaces[name] !== undefined)
}

function findAbsolute(workspaces: Workspaces, path: string): Location | undefined {
  for (const workspace of byNearness) {
    const root = workspaces[workspace]
    const location = root !== undefined && toLocation(workspaces, workspace, root, path)
    if (location) return location
  }
  for (const root of workspaces.granted.filter((granted) => isAbsolute(granted))) {
    const location = toLocation(workspaces, 'granted', root, path)
    if (location) return location
  }
  return undefined
}

function toLocation(
  { forbidden = [], readFileRules, decided }: Workspaces,
  workspace: Location['workspace'],
  root: string,
  target: string,
): Location | undefined {
  const closed = workspace === 'granted' ? forbidden : forbiddenBelow(root, forbidden)
  if (!isInside(root, target) || isForbidden(closed, target)) return undefined
  return {
    root,
    path: relative(root, target),
    workspace,
    ...(closed.length > 0 && { forbidden: closed }),
    ...(readFileRules && { readFileRules, decided }),
  }
}

/** How a place is called in what a model reads: from its workspace on, with `/` on every system. */
export const shownPath = ({ path, workspace, root }: Location): string =>
  (workspace === 'granted' ? resolve(root, path) : path || '.').split(sep).join('/')
