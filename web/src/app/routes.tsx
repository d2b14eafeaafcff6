import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router'
import { docks, type DockName } from './docks.ts'
import { pages } from './pages.ts'
import { Shell } from './shell.tsx'

/** What the URL says beside the page: a link shows the same to whoever opens it. */
export interface ShellSearch {
  scope?: string
  /** The tab of the dock that is open. */
  dock?: DockName
  /** A message to go to. */
  message?: string
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

/** After the `#`, so that the page works behind any path prefix and no route of the server is taken for one of ours. */
export function createAppRouter() {
  const root = createRootRoute({
    component: Shell,
    validateSearch: (search: Record<string, unknown>): ShellSearch => {
      const dock = docks.find(({ name }) => name === search.dock)?.name
      return { scope: text(search.scope), dock, message: text(search.message) }
    },
  })
  const routes = pages.map(({ path, load }) =>
    createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, 'Page') }),
  )
  return createRouter({
    routeTree: root.addChildren(routes),
    history: createHashHistory(),
    defaultPreload: 'intent',
  })
}
