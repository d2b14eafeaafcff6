import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { invalidRequest, quote } from '../../core/protocol/error.ts'
import { idSchema, scopeSchema } from '../../core/protocol/names.ts'
import type { SessionSchemas } from '../../core/protocol/session-schemas.ts'
import { exportFormats } from '../../core/protocol/session.ts'
import { exportText } from '../../core/sessions/export-text.ts'
import { readSession } from '../../core/sessions/export.ts'
import { requireFormat } from '../../core/sessions/formats/format.ts'
import { createImportReader } from '../../core/sessions/formats/import-reader.ts'
import { importFrom } from '../../core/sessions/import.ts'
import { type AppEnv, callerIn } from '../../core/http/request-environment.ts'
import { defaultJsonValues, takesImport } from '../../core/http/body-class.ts'
import { importTypes, isJson } from '../../core/http/body.ts'
import type { ServerDeps } from '../server-deps.ts'
import { once } from '../../core/http/idempotency.ts'
import { sendPieces } from '../../core/http/send-pieces.ts'
import { conflicts, json, refusals } from '../../core/http/responses.ts'

const tags = ['documents']

const exportRoute = createRoute({
  method: 'get',
  path: '/api/sessions/{id}/export',
  summary: 'Export a session',
  tags,
  request: {
    params: z.object({ id: idSchema }),
    query: z.strictObject({ scope: scopeSchema.optional(), format: z.enum(exportFormats).optional() }),
  },
  responses: { 200: { description: 'The document, in the requested format (default json)' }, ...refusals },
})

const importRouteOf = ({ document, session }: SessionSchemas) =>
  createRoute({
    method: 'post',
    path: '/api/sessions/import',
    ...takesImport,
    summary: 'Import a session: an exported document, {id?, title?, messages}, or a log of another tool',
    tags,
    request: {
      query: z.strictObject({ scope: scopeSchema.optional() }),
      body: {
        required: true,
        content: {
          'application/json': {
            schema: z.union([
              document,
              z.looseObject({ messages: z.array(z.unknown()) }),
              z.array(z.unknown()),
            ]),
          },
          ...Object.fromEntries(importTypes.map((type) => [type, { schema: z.string() }])),
        },
      },
    },
    responses: { 201: json(session, 'The session'), ...conflicts },
  })

/** Sessions as files, and from files of ours and of other tools. */
export function exportImportRoutes(app: OpenAPIHono<AppEnv>, { store, windows, limits }: ServerDeps): void {
  const importRoute = importRouteOf(store.facets.schemas)
  const openImport = createImportReader(store.facets.documents)

  app.openapi(exportRoute, async (c) => {
    const { scope, format: name = 'json' } = c.req.valid('query')
    const { id } = c.req.valid('param')
    const format = requireFormat(name)
    const reading = await readSession(store, windows, callerIn(c, scope), id)
    // before the headers: what cannot be written is refused as everywhere
    const body = await sendPieces(exportText(reading, format), format.isWhole)
    c.header('Content-Type', `${format.mediaType}; charset=utf-8`)
    c.header('Content-Disposition', `attachment; filename="${id}.${format.extension}"`)
    return c.body(body, 200)
  })

  // read by content rather than validated by the route: third-party logs have their own shapes
  app.openAPIRegistry.registerPath(importRoute)
  app.post(importRoute.path, async (c) => {
    const { jsonDepth, jsonValues = defaultJsonValues } = limits
    const isJsonBody = isJson(c.req.header('content-type') ?? '')
    await using source = await openImport({
      text: await c.req.text(),
      isJson: isJsonBody,
      jsonDepth,
      maxValues: jsonValues,
    })
    const caller = callerIn(c, readScope(source.scope ?? c.req.query('scope')))
    return c.json(await once(c, store, caller, (tx) => importFrom(tx, windows, caller, source)), 201)
  })
}

export function readScope(scope: unknown): string | undefined {
  const result = scopeSchema.optional().safeParse(scope)
  if (!result.success) throw invalidRequest(`scope: ${result.error.issues[0]?.message}, not ${quote(scope)}`)
  return result.data
}
