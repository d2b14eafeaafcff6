import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import type { DocumentLimits } from '../../src/extensions/documents/document-caller.ts'
import { createDocument, getDocument } from '../../src/extensions/documents/documents.ts'
import {
  createDocumentSchema,
  documentQuerySchema,
  documentSchema,
} from '../../src/extensions/documents/protocol/document.ts'
import { idSchema, scopeSchema } from '../../src/core/protocol/names.ts'
import { type AppEnv, callerIn } from '../../src/core/http/request-environment.ts'
import { takesLarge } from '../../src/core/http/body-class.ts'
import { requireBody } from '../../src/core/http/body.ts'
import { once } from '../../src/core/http/idempotency.ts'
import { conflicts, json, jsonBody, refusals } from '../../src/core/http/responses.ts'
import type { Store } from '../../src/core/store/store.ts'

const tags = ['scope documents']
const params = z.object({ id: idSchema })
const query = z.strictObject({ scope: scopeSchema.optional() })

const create = createRoute({
  method: 'post',
  path: '/api/documents',
  ...takesLarge,
  summary: 'Create a document',
  tags,
  request: { query, body: jsonBody(createDocumentSchema) },
  middleware: requireBody,
  responses: { 201: json(documentSchema, 'The document'), ...conflicts },
})

const get = createRoute({
  method: 'get',
  path: '/api/documents/{id}',
  summary: 'A document, as it is or as it was',
  tags,
  request: { params, query: documentQuerySchema },
  responses: { 200: json(documentSchema, 'The document'), ...refusals },
})

/** The yardstick: two routes as they were written before there were operations. */
export function routesByHand(
  app: OpenAPIHono<AppEnv>,
  { store, documentLimits }: { store: Store; documentLimits: DocumentLimits },
): void {
  app.openapi(create, async (c) => {
    const { scope, ...input } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    return c.json(
      await once(c, store, caller, (tx) => createDocument(documentLimits, tx, caller, input)),
      201,
    )
  })

  app.openapi(get, async (c) => {
    const { scope, version } = c.req.valid('query')
    return c.json(await getDocument(store, callerIn(c, scope), c.req.valid('param').id, version), 200)
  })
}
