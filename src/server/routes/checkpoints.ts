import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { createRestorers } from '../../documents/restorers.ts'
import { idSchema, scopeSchema } from '../../protocol/names.ts'
import { checkpointListSchema, rollbackSchema, rolledBackSchema } from '../../protocol/rollback.ts'
import { createSessionRooms } from '../../room/session-rooms.ts'
import { finishRollback, listCheckpoints, prepareRollback } from '../../sessions/rollback.ts'
import type { StoreOperations } from '../../store/store.ts'
import { callerIn } from '../auth.ts'
import { requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once, readKey } from '../idempotency.ts'
import { conflicts, json, jsonBody, refusals } from './responses.ts'

const tags = ['sessions']
const params = z.object({ id: idSchema })
const query = z.strictObject({ scope: scopeSchema.optional() })

const list = createRoute({
  method: 'get',
  path: '/api/sessions/{id}/checkpoints',
  summary: 'Where one can go back to: a place before each turn, oldest first',
  tags,
  request: { params, query },
  responses: { 200: json(checkpointListSchema, 'The checkpoints'), ...refusals },
})

const rollback = createRoute({
  method: 'post',
  path: '/api/sessions/{id}/rollback',
  summary: 'Undo a turn and all after it: files are as they were, the log ends before it',
  tags,
  request: { params, query, body: jsonBody(rollbackSchema) },
  middleware: requireBody,
  responses: { 200: json(rolledBackSchema, 'What was undone'), ...conflicts },
})

export function checkpointRoutes(
  app: OpenAPIHono<AppEnv>,
  { store, chats, background, roomDeps }: ServerDeps,
): void {
  const rooms = createSessionRooms(roomDeps)
  app.openapi(list, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    return c.json(await listCheckpoints(store, caller, c.req.valid('param').id), 200)
  })

  app.openapi(rollback, async (c) => {
    const { scope, ...input } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    // before anything is put back
    readKey(c)
    const deps = { store, stoppers: { chats, background }, restorers: createRestorers(store) }
    const prepared = await prepareRollback(deps, caller, id, input)
    const finish = (tx: StoreOperations) => finishRollback(tx, caller, id, input, prepared, rooms)
    return c.json(await once(c, store, caller, (tx) => tx.transaction(finish)), 200)
  })
}
