import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { idSchema, scopeSchema, wholeNumber } from '../../protocol/names.ts'
import {
  memoVersionPageSchema,
  memoViewSchema,
  putMemoSchema,
  putWindowSchema,
  resizeRequestSchema,
  resizeSchema,
  undoMemoSchema,
  windowViewSchema,
} from '../../protocol/window.ts'
import {
  getMemo,
  getWindow,
  listMemoVersions,
  putMemo,
  putWindow,
  resizeWindow,
  undoMemo,
} from '../../sessions/window/memos.ts'
import { callerIn } from '../auth.ts'
import { optionalBody, requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once } from '../idempotency.ts'
import { conflicts, json, jsonBody, optionalJsonBody, refusals } from './responses.ts'

const tags = ['window']
const params = z.object({ id: idSchema })
const query = z.strictObject({ scope: scopeSchema.optional() })
const windowView = json(windowViewSchema, 'The window as it is now')
const memoView = json(memoViewSchema, 'The memo')

const showWindow = createRoute({
  method: 'get',
  path: '/api/sessions/{id}/window',
  summary: 'What of the log the model sees, what decides about it, and the newest resizes',
  tags,
  request: { params, query },
  responses: { 200: windowView, ...refusals },
})

const setWindow = createRoute({
  method: 'put',
  path: '/api/sessions/{id}/window',
  summary: 'Replace what is set on the session; what is left out falls back to the configuration',
  tags,
  request: { params, query, body: jsonBody(putWindowSchema) },
  middleware: requireBody,
  responses: { 200: windowView, ...conflicts },
})

const resize = createRoute({
  method: 'post',
  path: '/api/sessions/{id}/resize',
  summary: 'Cut the window back now; with a memo, that takes in everything first',
  tags,
  request: { params, query, body: optionalJsonBody(resizeRequestSchema) },
  middleware: optionalBody,
  responses: { 200: json(resizeSchema, 'What was done'), ...conflicts },
})

const showMemo = createRoute({
  method: 'get',
  path: '/api/sessions/{id}/memo',
  summary: 'The newest memo, or the version asked for',
  tags,
  request: { params, query: query.extend({ version: wholeNumber(0).optional() }) },
  responses: { 200: memoView, ...refusals },
})

const listVersions = createRoute({
  method: 'get',
  path: '/api/sessions/{id}/memo/versions',
  summary: 'Every memo the session had, newest first',
  tags,
  request: {
    params,
    query: query.extend({ limit: wholeNumber(1).optional(), cursor: z.string().max(500).optional() }),
  },
  responses: { 200: json(memoVersionPageSchema, 'A page of versions'), ...refusals },
})

const setMemo = createRoute({
  method: 'put',
  path: '/api/sessions/{id}/memo',
  summary: 'Write the memo by hand, or pin keys of it',
  tags,
  request: { params, query, body: jsonBody(putMemoSchema) },
  middleware: requireBody,
  responses: { 200: memoView, ...conflicts },
})

const undo = createRoute({
  method: 'post',
  path: '/api/sessions/{id}/memo/undo',
  summary: 'Go back to the version before, or to the one named',
  tags,
  request: { params, query, body: optionalJsonBody(undoMemoSchema) },
  middleware: optionalBody,
  responses: { 200: memoView, ...conflicts },
})

export function windowRoutes(app: OpenAPIHono<AppEnv>, { store, windows, limits }: ServerDeps): void {
  app.openapi(showWindow, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    return c.json(await getWindow(store, windows, caller, c.req.valid('param').id), 200)
  })

  app.openapi(setWindow, async (c) => {
    const input = c.req.valid('json')
    const caller = callerIn(c, input.scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => putWindow(tx, windows, caller, id, input)), 200)
  })

  // not once per key: a model may be asked, and no transaction can wait for that
  app.openapi(resize, async (c) => {
    const input = c.req.valid('json')
    const caller = callerIn(c, input.scope ?? c.req.valid('query').scope)
    return c.json(await resizeWindow(store, windows, caller, c.req.valid('param').id, input), 200)
  })

  app.openapi(showMemo, async (c) => {
    const { scope, version } = c.req.valid('query')
    return c.json(await getMemo(store, windows, callerIn(c, scope), c.req.valid('param').id, version), 200)
  })

  app.openapi(listVersions, async (c) => {
    const { scope, ...page } = c.req.valid('query')
    const { id } = c.req.valid('param')
    return c.json(await listMemoVersions(store, limits, callerIn(c, scope), id, page), 200)
  })

  app.openapi(setMemo, async (c) => {
    const input = c.req.valid('json')
    const caller = callerIn(c, input.scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => putMemo(tx, windows, caller, id, input)), 200)
  })

  app.openapi(undo, async (c) => {
    const input = c.req.valid('json')
    const caller = callerIn(c, input.scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => undoMemo(tx, windows, caller, id, input)), 200)
  })
}
