import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serveStatic } from '@hono/node-server/serve-static'
import type { OpenAPIHono } from '@hono/zod-openapi'
import { ParleyError } from '../../core/protocol/error.ts'
import { findPackageFolder } from '../../core/shared/package-folder.ts'
import type { AppEnv } from '../../core/http/request-environment.ts'
import type { ServerDeps } from '../server-deps.ts'

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>Parley API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

const missing =
  'The page of the API takes files of the package "parley", which is not installed beside this program. The API itself is described at /openapi.json.'

const start = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null })\n`

/** The API as a document and as a page; the page's files come from this server, not from elsewhere. */
export function docsRoutes(app: OpenAPIHono<AppEnv>, { version }: ServerDeps): void {
  const toDocument = () =>
    app.getOpenAPI31Document({
      openapi: '3.1.0',
      info: {
        title: 'Parley',
        version,
        description:
          'A self-hosted runtime for LLM conversations. `scope` is a field or a query parameter, default `default`.',
        license: { name: 'Apache-2.0' },
      },
      security: [{}, { bearer: [] }],
    })
  app.get('/openapi.json', (c) =>
    c.body(JSON.stringify(toDocument(), allowNull), 200, { 'Content-Type': 'application/json' }),
  )
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' })

  const root = swaggerFolder()
  app.get('/docs', (c) => {
    if (root === undefined) throw new ParleyError('not_found', missing)
    return c.html(page)
  })
  if (root === undefined) return
  app.get('/docs/start.js', (c) => c.body(start, 200, { 'Content-Type': 'text/javascript' }))
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js'])
    app.get(`/docs/${file}`, serveStatic({ root, rewriteRequestPath: () => file }))
}

/** A named schema that may be null: the generator requires something that is both it and null. */
function allowNull(_key: string, value: unknown): unknown {
  const { allOf } = (value ?? {}) as { allOf?: { $ref?: string; type?: unknown }[] }
  const [named, other] = Array.isArray(allOf) ? allOf : []
  if (!named?.$ref || !Array.isArray(other?.type) || !other.type.includes('null')) return value
  return { anyOf: [{ $ref: named.$ref }, { type: 'null' }] }
}

/**
 * The build copies Swagger UI, so that nobody who installs Parley gets its package, which reports installations. Undefined
 * in a bundle without the package next to it.
 */
function swaggerFolder(): string | undefined {
  const folder = findPackageFolder()
  if (folder === undefined) return undefined
  const copied = join(folder, 'dist', 'swagger-ui')
  if (existsSync(copied)) return copied
  return join(dirname(fileURLToPath(import.meta.resolve('@fastify/swagger-ui/package.json'))), 'static')
}
