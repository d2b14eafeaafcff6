import type { Dock } from './define-web.ts'
import type { SearchValue } from './pages.ts'

/** What the URL says beside the page: a link shows the same to whoever opens it. */
export interface ShellSearch {
  scope?: string
  /** The tab of the dock that is open. */
  dock?: string
  /** A message to go to. */
  message?: string
}

type Search = Readonly<Record<string, unknown>>

/** Reads what the shell and its docks keep in the URL; what makes no sense is as if it were not there. */
export const readShellSearch =
  (docks: readonly Dock[]) =>
  (search: Search): ShellSearch => ({
    scope: text(search.scope),
    dock: docks.find(({ name }) => name === search.dock)?.name,
    message: text(search.message),
    ...Object.fromEntries(
      docks
        .flatMap((dock) => Object.entries(dock.search ?? {}))
        .map(([name, kind]) => [name, kind === 'text' ? text(search[name]) : count(search[name])]),
    ),
  })

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

const count = (value: unknown) => (Number.isInteger(value) && Number(value) > 0 ? Number(value) : undefined)

/** What a page keeps in the URL, as it stands there. */
export const readSearch = (search: Search, names: readonly string[]): Record<string, SearchValue> =>
  Object.fromEntries(names.flatMap((name) => (isValue(search[name]) ? [[name, search[name]]] : [])))

const isValue = (value: unknown): value is SearchValue =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
