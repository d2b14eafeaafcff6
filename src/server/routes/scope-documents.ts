import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import {
  createDocument,
  deleteDocument,
  diffVersions,
  getDocument,
  listDocuments,
  listVersions,
  restoreVersion,
  updateDocument,
} from '../../documents/documents.ts'
import {
  createDocumentSchema,
  diffQuerySchema,
  documentDiffSchema,
  documentListQuerySchema,
  documentPageSchema,
  documentQuerySchema,
  documentSchema,
  documentVersionPageSchema,
  restoreDocumentSchema,
  updateDocumentSchema,
  versionListQuerySchema,
} from '../../protocol/document.ts'
import { idSchema, scopeSchema } from '../../protocol/names.ts'
import { callerIn } from '../auth.ts'
import { takesLarge } from '../body-class.ts'
import { requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once } from '../idempotency.ts'
import { conflicts, json, jsonBody, refusals } from './responses.ts'

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

const list = createRoute({
  method: 'get',
  path: '/api/documents',
  summary: 'Documents without their contents, what was changed last first',
  tags,
  request: { query: documentListQuerySchema },
  responses: { 200: json(documentPageSchema, 'A page of documents'), ...refusals },
})

const get = createRoute({
  method: 'get',
  path: '/api/documents/{id}',
  summary: 'A document, as it is or as it was',
  tags,
  request: { params, query: documentQuerySchema },
  responses: { 200: json(documentSchema, 'The document'), ...refusals },
})

const update = createRoute({
  method: 'patch',
  path: '/api/documents/{id}',
  ...takesLarge,
  summary: 'Write, rename or move a document; another content is a new version',
  tags,
  request: { params, query, body: jsonBody(updateDocumentSchema) },
  middleware: requireBody,
  responses: { 200: json(documentSchema, 'The document as it is now'), ...conflicts },
})

const remove = createRoute({
  method: 'delete',
  path: '/api/documents/{id}',
  summary: 'Delete a document',
  tags,
  request: { params, query },
  responses: { 204: { description: 'It is deleted' }, ...conflicts },
})

const versions = createRoute({
  method: 'get',
  path: '/api/documents/{id}/versions',
  summary: 'The versions of a document, newest first',
  tags,
  request: { params, query: versionListQuerySchema },
  responses: { 200: json(documentVersionPageSchema, 'A page of versions'), ...refusals },
})

const diff = createRoute({
  method: 'get',
  path: '/api/documents/{id}/diff',
  summary: 'Which lines were added and removed between two versions',
  tags,
  request: { params, query: diffQuerySchema },
  responses: { 200: json(documentDiffSchema, 'The lines and how many'), ...refusals },
})

const restore = createRoute({
  method: 'post',
  path: '/api/documents/{id}/restore',
  summary: 'Write an older version once more, as the newest',
  tags,
  request: { params, query, body: jsonBody(restoreDocumentSchema) },
  middleware: requireBody,
  responses: { 200: json(documentSchema, 'The document as it is now'), ...conflicts },
})

export function scopeDocumentRoutes(app: OpenAPIHono<AppEnv>, deps: ServerDeps): void {
  const { store, limits, documentLimits } = deps

  app.openapi(create, async (c) => {
    const { scope, ...input } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    return c.json(
      await once(c, store, caller, (tx) => createDocument(documentLimits, tx, caller, input)),
      201,
    )
  })

  app.openapi(list, async (c) => {
    const filter = c.req.valid('query')
    return c.json(await listDocuments(store, limits, callerIn(c, filter.scope), filter), 200)
  })

  app.openapi(get, async (c) => {
    const { scope, version } = c.req.valid('query')
    return c.json(await getDocument(store, callerIn(c, scope), c.req.valid('param').id, version), 200)
  })

  app.openapi(update, async (c) => {
    const { scope, ...patch } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    const document = await once(c, store, caller, (tx) =>
      updateDocument(documentLimits, tx, caller, id, patch),
    )
    return c.json(document, 200)
  })

  app.openapi(remove, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    await once(c, store, caller, (tx) => deleteDocument(tx, caller, id))
    return c.body(null, 204)
  })

  app.openapi(versions, async (c) => {
    const filter = c.req.valid('query')
    const caller = callerIn(c, filter.scope)
    return c.json(await listVersions(store, limits, caller, c.req.valid('param').id, filter), 200)
  })

  app.openapi(diff, async (c) => {
    const { scope, ...range } = c.req.valid('query')
    return c.json(await diffVersions(store, callerIn(c, scope), c.req.valid('param').id, range), 200)
  })

  app.openapi(restore, async (c) => {
    const { scope, ...input } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    const document = await once(c, store, caller, (tx) =>
      restoreVersion(documentLimits, tx, caller, id, input),
    )
    return c.json(document, 200)
  })
}
