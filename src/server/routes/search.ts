import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import { searchPageSchema, searchQuerySchema } from '../../protocol/search.ts'
import { searchScope } from '../../sessions/search.ts'
import { callerIn } from '../auth.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { json, refusals } from './responses.ts'

const search = createRoute({
  method: 'get',
  path: '/api/search',
  summary: 'Messages that hold all the words, newest first',
  tags: ['search'],
  request: { query: searchQuerySchema },
  responses: { 200: json(searchPageSchema, 'What was found, and where'), ...refusals },
})

export function searchRoutes(app: OpenAPIHono<AppEnv>, { store, limits }: ServerDeps): void {
  app.openapi(search, async (c) => {
    const query = c.req.valid('query')
    return c.json(await searchScope(store, limits, callerIn(c, query.scope), query), 200)
  })
}
