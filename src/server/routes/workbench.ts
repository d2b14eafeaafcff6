import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { serveStatic } from '@hono/node-server/serve-static'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from '../../core/http/request-environment.ts'

/** A page of its own for diagrams, in a frame: what draws them makes styles, which the workbench itself forbids. */
export const diagramPath = '/diagram.html'

/** The built web pages; without them the server works all the same, and says how to build them. */
export function workbenchRoutes(
  app: OpenAPIHono<AppEnv>,
  folder: string | undefined,
  { hasPages = false } = {},
): void {
  if (folder === undefined || !existsSync(join(folder, 'index.html'))) {
    app.get('/', (c) => c.text('The workbench is not built. "npm start" builds it; the API is at /docs.\n'))
    return
  }
  const cached =
    (control: string): MiddlewareHandler<AppEnv> =>
    async (c, next) => {
      c.header('Cache-Control', control)
      await next()
    }
  // named by their content, so they never change
  app.get('/assets/*', cached('public, max-age=31536000, immutable'), serveStatic({ root: folder }))
  if (hasPages) app.get('/', cached('no-cache'), (c) => c.html(withPages(folder)))
  else app.get('/', cached('no-cache'), serveStatic({ root: folder, path: 'index.html' }))
  for (const path of ['/theme.js', diagramPath])
    app.get(path, cached('no-cache'), serveStatic({ root: folder, path }))
}

/** Only a document that says so asks which pages extensions have. */
const withPages = (folder: string) =>
  readFileSync(join(folder, 'index.html'), 'utf8').replace(
    '</head>',
    '<meta name="parley-extensions" content="pages"></head>',
  )
