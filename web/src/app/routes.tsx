import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router'
import { docks } from './docks.ts'
import { ErrorPage } from './error-page.tsx'
import { NotFound } from './not-found.tsx'
import { pages } from './pages.ts'
import type { ShellSearch } from './shell-search.ts'
import { Shell } from './shell.tsx'

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
