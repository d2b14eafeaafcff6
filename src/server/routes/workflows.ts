import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { documentDiffSchema } from '../../protocol/document.ts'
import { idSchema, scopeSchema, wholeNumber } from '../../protocol/names.ts'
import { sessionSchema } from '../../protocol/session.ts'
import {
  createWorkflowSchema,
  rollbackWorkflowSchema,
  updateWorkflowSchema,
  validateWorkflowSchema,
  workflowDiffQuerySchema,
  workflowListQuerySchema,
  workflowPageSchema,
  workflowSchema,
  workflowTemplateSchema,
  workflowVerdictSchema,
  workflowVersionListQuerySchema,
  workflowVersionPageSchema,
  workflowVersionTextSchema,
} from '../../protocol/workflow.ts'
import { definitionJsonSchema } from '../../workflow/definition-schema.ts'
import {
  createDefinition,
  deleteDefinition,
  diffVersions,
  getDefinition,
  getVersion,
  listDefinitions,
  listVersions,
  rollbackDefinition,
  updateDefinition,
  validateDefinition,
} from '../../workflow/definitions.ts'
import { removeFolder } from '../../workflow/folders.ts'
import { openManagement } from '../../workflow/management.ts'
import { shippedDefinitions } from '../../workflow/shipped.ts'
import { callerIn } from '../auth.ts'
import { optionalBody, requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once, readKey } from '../idempotency.ts'
import { conflicts, json, jsonBody, optionalJsonBody, refusals } from './responses.ts'

const tags = ['workflows']
const params = z.object({ id: idSchema })
const query = z.strictObject({ scope: scopeSchema.optional() })
const actionSchema = query.meta({ id: 'WorkflowAction' })

const validate = createRoute({
  method: 'post',
  path: '/api/workflows/validate',
  summary: 'Everything that is wrong with a definition, each with its place; stores nothing',
  tags,
  request: { query, body: jsonBody(validateWorkflowSchema) },
  middleware: requireBody,
  responses: { 200: json(workflowVerdictSchema, 'Whether it is valid, and why not'), ...conflicts },
})

const templates = createRoute({
  method: 'get',
  path: '/api/workflows/templates',
  summary: 'Definitions that come with Parley, to begin with',
  tags,
  request: { query },
  responses: {
    200: json(
      z.object({ items: z.array(workflowTemplateSchema) }).meta({ id: 'WorkflowTemplateList' }),
      'The definitions',
    ),
    ...refusals,
  },
})

const schema = createRoute({
  method: 'get',
  path: '/api/workflows/schema',
  summary: 'The JSON Schema of definitions, for editors',
  tags,
  request: { query },
  responses: { 200: json(z.record(z.string(), z.unknown()), 'The JSON Schema'), ...refusals },
})

const openNew = createRoute({
  method: 'post',
  path: '/api/workflows/management-session',
  summary: 'A session that makes a new workflow by talking; the first one that it creates is its own',
  tags,
  request: { query, body: optionalJsonBody(actionSchema) },
  middleware: optionalBody,
  responses: { 201: json(sessionSchema, 'The session'), ...conflicts },
})

const create = createRoute({
  method: 'post',
  path: '/api/workflows',
  summary: 'Create a workflow; its name is in its text',
  tags,
  request: { query, body: jsonBody(createWorkflowSchema) },
  middleware: requireBody,
  responses: { 201: json(workflowSchema, 'The workflow'), ...conflicts },
})

const list = createRoute({
  method: 'get',
  path: '/api/workflows',
  summary: 'Workflows without their texts, what was changed last first',
  tags,
  request: { query: workflowListQuerySchema },
  responses: { 200: json(workflowPageSchema, 'A page of workflows'), ...refusals },
})

const get = createRoute({
  method: 'get',
  path: '/api/workflows/{id}',
  summary: 'A workflow with its text',
  tags,
  request: { params, query },
  responses: { 200: json(workflowSchema, 'The workflow'), ...refusals },
})

const update = createRoute({
  method: 'put',
  path: '/api/workflows/{id}',
  summary: 'Save a new text; one with another name renames the workflow',
  tags,
  request: { params, query, body: jsonBody(updateWorkflowSchema) },
  middleware: requireBody,
  responses: { 200: json(workflowSchema, 'The workflow as it is now'), ...conflicts },
})

const remove = createRoute({
  method: 'delete',
  path: '/api/workflows/{id}',
  summary: 'Delete a workflow with its versions and its file; its runs stay',
  tags,
  request: { params, query },
  responses: { 204: { description: 'It is deleted' }, ...conflicts },
})

const versions = createRoute({
  method: 'get',
  path: '/api/workflows/{id}/versions',
  summary: 'The versions of a workflow, newest first',
  tags,
  request: { params, query: workflowVersionListQuerySchema },
  responses: { 200: json(workflowVersionPageSchema, 'A page of versions'), ...refusals },
})

const version = createRoute({
  method: 'get',
  path: '/api/workflows/{id}/versions/{version}',
  summary: 'A workflow as it was',
  tags,
  request: { params: params.extend({ version: wholeNumber(1) }), query },
  responses: { 200: json(workflowVersionTextSchema, 'The version with its text'), ...refusals },
})

const diff = createRoute({
  method: 'get',
  path: '/api/workflows/{id}/diff',
  summary: 'Which lines were added and removed between two versions',
  tags,
  request: { params, query: workflowDiffQuerySchema },
  responses: { 200: json(documentDiffSchema, 'The lines and how many'), ...refusals },
})

const rollback = createRoute({
  method: 'post',
  path: '/api/workflows/{id}/rollback',
  summary: 'Save the text of an older version once more, as the newest',
  tags,
  request: { params, query, body: jsonBody(rollbackWorkflowSchema) },
  middleware: requireBody,
  responses: { 200: json(workflowSchema, 'The workflow as it is now'), ...conflicts },
})

const open = createRoute({
  method: 'post',
  path: '/api/workflows/{id}/management-session',
  summary: 'The one session that edits the workflow by talking',
  tags,
  request: { params, query, body: optionalJsonBody(actionSchema) },
  middleware: optionalBody,
  responses: {
    200: json(sessionSchema, 'The session'),
    201: json(sessionSchema, 'The session, which was made for it'),
    ...conflicts,
  },
})

export function workflowRoutes(
  app: OpenAPIHono<AppEnv>,
  { store, limits, workflowServices }: ServerDeps,
): void {
  const { deps, files } = workflowServices

  // before the routes with an id, which these would pass for
  app.openapi(validate, async (c) => {
    const { scope, text } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    return c.json(await once(c, store, caller, async () => validateDefinition(text)), 200)
  })

  app.openapi(templates, (c) => {
    callerIn(c, c.req.valid('query').scope)
    return c.json({ items: shippedDefinitions() }, 200)
  })

  app.openapi(schema, (c) => {
    callerIn(c, c.req.valid('query').scope)
    return c.json(definitionJsonSchema(), 200)
  })

  app.openapi(openNew, async (c) => {
    const caller = callerIn(c, c.req.valid('json').scope ?? c.req.valid('query').scope)
    return c.json((await once(c, store, caller, (tx) => openManagement(tx, caller))).session, 201)
  })

  app.openapi(create, async (c) => {
    const { scope, text } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    return c.json(await once(c, store, caller, (tx) => createDefinition(deps, tx, caller, { text })), 201)
  })

  app.openapi(list, async (c) => {
    const filter = c.req.valid('query')
    const caller = callerIn(c, filter.scope)
    await files.look(caller.scope)
    return c.json(await listDefinitions(store, limits, caller, filter), 200)
  })

  app.openapi(get, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    return c.json(await getDefinition(store, caller, c.req.valid('param').id), 200)
  })

  app.openapi(update, async (c) => {
    const { scope, ...input } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    const saved = await once(c, store, caller, (tx) => updateDefinition(deps, tx, caller, id, input))
    await files.look(caller.scope)
    return c.json(saved, 200)
  })

  app.openapi(remove, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    readKey(c)
    await files.removeFile(caller.scope, id)
    await once(c, store, caller, (tx) => deleteDefinition(deps, tx, caller, id))
    await removeFolder(deps, id)
    return c.body(null, 204)
  })

  app.openapi(versions, async (c) => {
    const filter = c.req.valid('query')
    const caller = callerIn(c, filter.scope)
    return c.json(await listVersions(store, limits, caller, c.req.valid('param').id, filter), 200)
  })

  app.openapi(version, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    const { id, version: number } = c.req.valid('param')
    return c.json(await getVersion(store, caller, id, number), 200)
  })

  app.openapi(diff, async (c) => {
    const { scope, ...range } = c.req.valid('query')
    return c.json(await diffVersions(store, callerIn(c, scope), c.req.valid('param').id, range), 200)
  })

  app.openapi(rollback, async (c) => {
    const { scope, version: number } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    const saved = await once(c, store, caller, (tx) => rollbackDefinition(deps, tx, caller, id, number))
    await files.look(caller.scope)
    return c.json(saved, 200)
  })

  app.openapi(open, async (c) => {
    const caller = callerIn(c, c.req.valid('json').scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    const { session, isNew } = await once(c, store, caller, (tx) => openManagement(tx, caller, id))
    return isNew ? c.json(session, 201) : c.json(session, 200)
  })
}
