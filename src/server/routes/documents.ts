import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { invalidRequest, quote } from '../../protocol/error.ts'
import { idSchema, scopeSchema } from '../../protocol/names.ts'
import { exportFormats, sessionDocumentSchema, sessionSchema } from '../../protocol/session.ts'
import { exportSession } from '../../sessions/export.ts'
import { requireFormat } from '../../sessions/formats/format.ts'
import { readDocuments } from '../../sessions/formats/read-documents.ts'
import { importSession } from '../../sessions/import.ts'
import { callerIn } from '../auth.ts'
import { documentTypes } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once } from '../idempotency.ts'
import { conflicts, json, refusals } from './responses.ts'

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
  responses: { 200: { description: 'The document, in the format asked for (default json)' }, ...refusals },
})

const importRoute = createRoute({
  method: 'post',
  path: '/api/sessions/import',
  summary: 'Import a session: an exported document, {id?, title?, messages}, or a log of another tool',
  tags,
  request: {
    query: z.strictObject({ scope: scopeSchema.optional() }),
    body: {
      required: true,
      content: {
        'application/json': {
          schema: z.union([
            sessionDocumentSchema,
            z.looseObject({ messages: z.array(z.unknown()) }),
            z.array(z.unknown()),
          ]),
        },
        ...Object.fromEntries(documentTypes.map((type) => [type, { schema: z.string() }])),
      },
    },
  },
  responses: { 201: json(sessionSchema, 'The session'), ...conflicts },
})

export function documentRoutes(app: OpenAPIHono<AppEnv>, { store }: ServerDeps): void {
  app.openapi(exportRoute, async (c) => {
    const { scope, format: name = 'json' } = c.req.valid('query')
    const { id } = c.req.valid('param')
    const format = requireFormat(name)
    const document = await exportSession(store, callerIn(c, scope), id)
    c.header('Content-Type', `${format.mediaType}; charset=utf-8`)
    c.header('Content-Disposition', `attachment; filename="${id}.${format.extension}"`)
    return c.body(format.write(document), 200)
  })

  // read by content rather than validated by the route: foreign logs have shapes of their own
  app.openAPIRegistry.registerPath(importRoute)
  app.post(importRoute.path, async (c) => {
    const { scope, text } = readImport(await c.req.text(), c.req.query('scope'))
    const caller = callerIn(c, scope)
    const documents = readDocuments(text)
    const [document] = documents
    if (!document || documents.length > 1)
      throw invalidRequest(
        `The body holds ${documents.length} conversations, one is expected. "parley sessions import" takes several.`,
      )
    return c.json(await once(c, store, caller, (tx) => importSession(tx, caller, document)), 201)
  })
}

/** `scope` may stand in a JSON body too, as everywhere; it is no part of the document. */
function readImport(text: string, query: string | undefined): { scope: string | undefined; text: string } {
  const body = parseOrUndefined(text)
  const hasScope = typeof body === 'object' && body !== null && Object.hasOwn(body, 'scope')
  const { scope = query, ...rest } = hasScope ? (body as { scope?: unknown }) : {}
  const result = scopeSchema.optional().safeParse(scope)
  if (!result.success) throw invalidRequest(`scope: ${result.error.issues[0]?.message}, not ${quote(scope)}`)
  return { scope: result.data, text: hasScope ? JSON.stringify(rest) : text }
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // several lines of JSON; whoever reads the document says what is wrong with it
  }
}
