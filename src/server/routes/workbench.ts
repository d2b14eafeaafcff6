import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { serveStatic } from '@hono/node-server/serve-static'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from '../../core/http/request-environment.ts'

/** A separate page for diagrams, in a frame: their renderer creates styles, which the workbench itself forbids. */
export const diagramPath = '/diagram.html'

/** The built web pages; without them the server still works, and explains how to build them. */
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

/** Only a document marked this way requests the pages of extensions. */
const withPages = (folder: string) =>
  readFileSync(join(folder, 'index.html'), 'utf8').replace(
    '</head>',
    '<meta name="parley-extensions" content="pages"></head>',
  )
