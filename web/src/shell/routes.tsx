import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type AnyRoute,
  type ErrorRouteComponent,
  type NotFoundRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router'
import type { WebFeature } from './define-web.ts'
import { ErrorPage } from './error-page.tsx'
import { loadWithWords } from './lazy-view.tsx'
import { NotFound } from './not-found.tsx'
import type { Page, PageOf, PagePath, SearchOf } from './pages.ts'
import { readSearch, readShellSearch, type ShellSearch } from './shell-search.ts'

/** What a link may lead to, with which parameters and search: from the pages that features declare. */
declare module '@tanstack/react-router' {
  interface Register {
    router: AppRouter
  }
}

const extensionPage: Page = {
  path: '/x/$extension/$',
  load: async () => (await import('./extensions/page.tsx')).Page,
}

type Search = Record<string, unknown>

const typedRoot = (validateSearch: (search: Search) => ShellSearch, component: RouteComponent) =>
  createRootRoute({ validateSearch, component })
type RootRoute = ReturnType<typeof typedRoot>

const typedRoute = <Path extends PagePath>(root: RootRoute, { path, search = [], load }: PageOf<Path>) =>
  createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: (given: Search) => readSearch(given, search) as SearchOf<Path>,
    component: lazyRouteComponent(async () => ({ default: await loadWithWords(load) })),
  })
type RouteOf<Path extends PagePath> = ReturnType<typeof typedRoute<Path>>

const typedTree = (root: RootRoute, routes: readonly AnyRoute[]) =>
  root.addChildren(routes as unknown as { [Path in PagePath]: RouteOf<Path> })

const typedRouter = (routeTree: ReturnType<typeof typedTree>) =>
  createRouter({
    routeTree,
    history: createHashHistory(),
    defaultPreload: 'intent',
    defaultErrorComponent: ErrorPage as ErrorRouteComponent,
    defaultNotFoundComponent: NotFound as NotFoundRouteComponent,
  })
export type AppRouter = ReturnType<typeof typedRouter>

/** After the `#`, so that the page works behind any path prefix and no route of the server is taken for one of ours. */
export function createAppRouter(features: readonly WebFeature[], shell: RouteComponent): AppRouter {
  const root = typedRoot(readShellSearch(features.flatMap(({ docks = [] }) => docks)), shell)
  const pages: readonly Page[] = [...features.flatMap((feature) => feature.pages ?? []), extensionPage]
  return typedRouter(
    typedTree(
      root,
      pages.map((page) => typedRoute(root, page as PageOf<PagePath>) as AnyRoute),
    ),
  )
}
