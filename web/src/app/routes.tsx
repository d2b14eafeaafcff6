import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router'
import { docks, type DockName } from './docks.ts'
import { ErrorPage } from './error-page.tsx'
import { NotFound } from './not-found.tsx'
import { pages } from './pages.ts'
import { Shell } from './shell.tsx'

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

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

const count = (value: unknown) => (Number.isInteger(value) && Number(value) > 0 ? Number(value) : undefined)

/** After the `#`, so that the page works behind any path prefix and no route of the server is taken for one of ours. */
export function createAppRouter() {
  const root = createRootRoute({
    component: Shell,
    validateSearch: (search: Record<string, unknown>): ShellSearch => {
      const dock = docks.find(({ name }) => name === search.dock)?.name
      return {
        scope: text(search.scope),
        dock,
        message: text(search.message),
        view: text(search.view),
        run: text(search.run),
        step: count(search.step),
        base: text(search.base),
      }
    },
  })
  const routes = pages.map(({ path, load }) =>
    createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, 'Page') }),
  )
  return createRouter({
    routeTree: root.addChildren(routes),
    history: createHashHistory(),
    defaultPreload: 'intent',
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFound,
  })
}
