import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { runSchema } from '../../protocol/chat.ts'
import { idSchema, scopeSchema } from '../../protocol/names.ts'
import {
  advanceSchema,
  muteSchema,
  askAgentSchema,
  regenerateSchema,
  roomModeListSchema,
  roomQuerySchema,
  roomSchema,
  roundListQuerySchema,
  roundPageSchema,
  setModeSchema,
} from '../../protocol/room.ts'
import { sessionSchema } from '../../protocol/session.ts'
import { askOne, regenerate } from '../../room/ask-one.ts'
import { muteAgent } from '../../room/mute.ts'
import { advanceRoom, listModes, listRounds, readRoom, setMode } from '../../room/rooms.ts'
import { toRunRecord } from '../../runs/run-record.ts'
import type { Caller } from '../../sessions/caller.ts'
import type { StoreOperations } from '../../store/store.ts'
import { callerIn } from '../auth.ts'
import { optionalBody, requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once } from '../idempotency.ts'
import { sendEvents } from '../sse.ts'
import { conflicts, json, jsonBody, optionalJsonBody, refusals } from './responses.ts'

const tags = ['rooms']
const params = z.object({ id: idSchema })
const query = z.strictObject({ scope: scopeSchema.optional() })

const modes = createRoute({
  method: 'get',
  path: '/api/modes',
  summary: 'What rooms can be',
  tags,
  request: { query },
  responses: { 200: json(roomModeListSchema, 'All modes'), ...refusals },
})

const putMode = createRoute({
  method: 'put',
  path: '/api/sessions/{id}/mode',
  summary: 'Set the mode of a room, which begins anew; 409 while it is busy',
  tags,
  request: { params, query, body: jsonBody(setModeSchema) },
  middleware: requireBody,
  responses: { 200: json(sessionSchema, 'The session as it is now'), ...conflicts },
})

const begun = {
  200: { description: 'The run', content: { 'text/event-stream': { schema: z.string() } } },
  202: json(runSchema, 'The run; X-Parley-Run has its id'),
  ...conflicts,
}

const advance = createRoute({
  method: 'post',
  path: '/api/sessions/{id}/advance',
  summary:
    'Take a room on, or do what a person is waited for; streams what comes of it with Accept: text/event-stream',
  tags,
  request: { params, query, body: optionalJsonBody(advanceSchema) },
  middleware: optionalBody,
  responses: begun,
})

const ask = createRoute({
  method: 'post',
  path: '/api/sessions/{id}/ask',
  summary: 'Ask one agent of a room, or whisper to it; streams its answer with Accept: text/event-stream',
  tags,
  request: { params, query, body: jsonBody(askAgentSchema) },
  middleware: requireBody,
  responses: begun,
})

const askAgain = createRoute({
  method: 'post',
  path: '/api/sessions/{id}/regenerate',
  summary:
    'Ask an agent again for one of its answers, in a variant of the room, which is the session of the run',
  tags,
  request: { params, query, body: jsonBody(regenerateSchema) },
  middleware: requireBody,
  responses: begun,
})

const mute = createRoute({
  method: 'post',
  path: '/api/sessions/{id}/mute',
  summary: 'Mute an agent of a room: it is not asked, also when it is mentioned; 409 while the room is busy',
  tags,
  request: { params, query, body: jsonBody(muteSchema) },
  middleware: requireBody,
  responses: { 200: json(roomSchema, 'The room as it is now'), ...conflicts },
})

const unmute = createRoute({
  method: 'post',
  path: '/api/sessions/{id}/unmute',
  summary: 'Let a muted agent be asked again; 409 while the room is busy',
  tags,
  request: { params, query, body: jsonBody(muteSchema) },
  middleware: requireBody,
  responses: { 200: json(roomSchema, 'The room as it is now'), ...conflicts },
})

const get = createRoute({
  method: 'get',
  path: '/api/sessions/{id}/room',
  summary: 'A room with its agents, its mode and what people are waited for, as one person may see it',
  tags,
  request: { params, query: roomQuerySchema },
  responses: { 200: json(roomSchema, 'The room'), ...refusals },
})

const rounds = createRoute({
  method: 'get',
  path: '/api/sessions/{id}/rounds',
  summary: 'Who was asked, why, and what came of it, newest first',
  tags,
  request: { params, query: roundListQuerySchema },
  responses: { 200: json(roundPageSchema, 'A page of rounds'), ...refusals },
})

export function roomRoutes(
  app: OpenAPIHono<AppEnv>,
  { store, chats, limits, roomDeps: deps }: ServerDeps,
): void {
  app.openapi(modes, (c) => {
    callerIn(c, c.req.valid('query').scope)
    return c.json({ items: listModes(deps), nextCursor: null }, 200)
  })

  app.openapi(putMode, async (c) => {
    const { scope, ...wish } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => setMode(tx, deps, caller, id, wish)), 200)
  })

  /** Answers with the run, or streams what comes of it. */
  const beginRun = async (
    c: Context<AppEnv>,
    caller: Caller,
    start: (tx: StoreOperations) => ReturnType<typeof advanceRoom>,
  ) => {
    // a repeated request finds the run of the first one
    let begin = () => {}
    const run = await once(c, store, caller, async (tx) => {
      const started = await start(tx)
      begin = started.begin
      return toRunRecord(started.run)
    })
    begin()
    const named = { 'X-Parley-Run': run.id }
    if (/\btext\/event-stream\b/.test(c.req.header('accept') ?? ''))
      return sendEvents(c, (signal) => chats.observe(run.id, { signal }), named)
    return c.json(run, 202, named)
  }

  app.openapi(advance, (c) => {
    const { scope, ...step } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return beginRun(c, caller, (tx) => advanceRoom(tx, deps, caller, id, step))
  })

  app.openapi(ask, (c) => {
    const { scope, ...wish } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return beginRun(c, caller, (tx) => askOne(tx, deps, caller, id, wish))
  })

  app.openapi(askAgain, (c) => {
    const { scope, ...wish } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return beginRun(c, caller, (tx) => regenerate(tx, deps, caller, id, wish))
  })

  app.openapi(mute, async (c) => {
    const { scope, agent } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => muteAgent(tx, deps, caller, id, agent, true)), 200)
  })

  app.openapi(unmute, async (c) => {
    const { scope, agent } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => muteAgent(tx, deps, caller, id, agent, false)), 200)
  })

  app.openapi(get, async (c) => {
    const { scope, as } = c.req.valid('query')
    return c.json(await readRoom(store, deps, callerIn(c, scope), c.req.valid('param').id, as), 200)
  })

  app.openapi(rounds, async (c) => {
    const { scope, ...page } = c.req.valid('query')
    const { id } = c.req.valid('param')
    return c.json(await listRounds(store, deps, callerIn(c, scope), id, limits, page), 200)
  })
}
