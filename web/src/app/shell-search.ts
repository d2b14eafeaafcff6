import type { DockName } from './docks.ts'

/** What the URL says beside the page: a link shows the same to whoever opens it. */
export interface ShellSearch {
  scope?: string
  /** The tab of the dock that is open. */
  dock?: DockName
  /** A message to go to. */
  message?: string
  /** Of the context inspector: what is looked at, which model call, and which one it is compared with. */
  view?: string
  run?: string
  step?: number
  base?: string
}

/** What the shell keeps in the URL, whichever page is open: the lists beside it stay as they are when one goes on. */
const kept = ['scope', 'dock', 'list', 'find', 'archived', 'tasks', 'taskState', 'taskFind'] as const

export type ShellSearchName = (typeof kept)[number]

/**
 * For `search` of a link to another page or session: what belongs to the page that is left goes. Cast, since the router
 * cannot know which page it will be.
 */
export const shellSearchWith = (more: { message?: string; dock?: undefined }) =>
  ((before: Record<string, unknown>) => ({
    ...Object.fromEntries(kept.map((name) => [name, before[name]])),
    ...more,
  })) as never

export const keepShellSearch = shellSearchWith({})
