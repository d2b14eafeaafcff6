import { isAbsolute, normalize, relative, resolve, sep } from 'node:path'
import { forbiddenBelow, isForbidden, isInside, type Closed } from './file-rules.ts'

/** Those that any session may have; extensions give theirs further ones. */
export const workspaceNames: readonly string[] = ['main', 'session']

/** A workspace beside these. */
export interface FurtherWorkspace {
  name: string
  folder: string
  /** Relative paths start there. */
  isStart?: boolean
}

/** The folders that a session may work in, as real paths. */
export interface Workspaces extends Closed {
  /** That of the scope. */
  main?: string
  /** Of the session alone; gone with it. */
  session?: string
  /** What extensions gave it, the nearest first. */
  further?: readonly FurtherWorkspace[]
  /** Files and folders elsewhere that a person allowed. */
  granted: readonly string[]
}

/** Where a path leads: within `root`, which nothing that is done there may leave. */
export interface Location extends Closed {
  root: string
  /** From the root on; empty is the root itself. */
  path: string
  /** Its name, or `granted`. */
  workspace: string
}

/** The folders of a session by their names, the nearest one first. */
export function foldersIn({ main, session, further = [] }: Workspaces): FurtherWorkspace[] {
  const own = [
    { name: 'session', folder: session },
    { name: 'main', folder: main },
  ]
  return [...further, ...own.flatMap(({ name, folder }) => (folder === undefined ? [] : { name, folder }))]
}

/**
 * Finds the workspace that a path is in, by its text alone; undefined when it is in none. A relative path starts from
 * the requested workspace, else from one where relative paths start, else from the main one.
 */
export function locate(workspaces: Workspaces, path: string, asked?: string): Location | undefined {
  if (path.includes('\0')) return undefined
  if (isAbsolute(path)) return findAbsolute(workspaces, normalize(path))
  const start = startOf(workspaces, asked)
  if (start === undefined) return undefined
  const { name: workspace, folder: root } = start
  const target = resolve(root, path)
  if (!isInside(root, target)) return undefined
  // on a way through a forbidden folder the workspace within it is still the one that is meant
  return toLocation(workspaces, workspace, root, target) ?? findAbsolute(workspaces, target)
}

/** The absolute path that is meant, whether it is in a workspace or not. */
export function toAbsolute(workspaces: Workspaces, path: string, asked?: string): string {
  if (isAbsolute(path)) return normalize(path)
  const start = startOf(workspaces, asked)
  return start === undefined ? path : resolve(start.folder, path)
}

/** A requested workspace that does not exist gives way to the default one. */
function startOf(workspaces: Workspaces, asked: string | undefined): FurtherWorkspace | undefined {
  const folders = foldersIn(workspaces)
  const named = (name: string | undefined) => folders.find((one) => one.name === name)
  return named(asked) ?? folders.find(({ isStart }) => isStart) ?? named('main') ?? named('session')
}

function findAbsolute(workspaces: Workspaces, path: string): Location | undefined {
  for (const { name, folder } of foldersIn(workspaces)) {
    const location = toLocation(workspaces, name, folder, path)
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
  workspace: string,
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
