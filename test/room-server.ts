import { pino } from 'pino'
import { createClient, type ParleyClient } from '../src/client/index.ts'
import type { ModelEvent, ModelRequest } from '../src/core/models/adapter.ts'
import { createParley, type Parley } from '../src/parley.ts'
import type { RunRecord } from '../src/core/protocol/chat.ts'
import type { RoomChatAnswer } from '../src/extensions/room/protocol/room.ts'
import type { ApiKey } from '../src/server/authenticate.ts'
import { createApp, createMetrics, serve } from '../src/server/index.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { createScripted, says } from './chat-harness.ts'
import { toOptions, type OpenDatabase } from './harness.ts'
import { holdAnswers } from './http/held-answers.ts'

export interface RoomServer extends AsyncDisposable {
  url: string
  parley: Parley
  client: ParleyClient
  requests: ModelRequest[]
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; json: Answered }>
}

/** Whichever of these a route answers with. */
type Answered = RoomChatAnswer & RunRecord & { error: { message: string } }

/** What an agent answers; undefined: "<Name> here.", or the first object that fits what it is asked for. */
export type Answers = (
  agent: string,
  request: ModelRequest,
) => (ModelEvent | Error | Promise<unknown>)[] | undefined

/** A Parley whose agents say what they are told to, and the same one over HTTP. */
export async function startRooms(
  openDatabase: OpenDatabase,
  answers: Answers = () => undefined,
  apiKeys: ApiKey[] = [],
): Promise<RoomServer> {
  const database = await openDatabase()
  const model = createScripted((request) => {
    const agent = /You are (\S+?)[ ,.(]/.exec(request.system)?.[1] ?? ''
    const schema = request.replyFormat?.schema
    return answers(agent, request) ?? says(schema ? JSON.stringify(fill(schema)) : `${agent} here.`)
  })
  const parley = await createParley({
    ...toOptions(database),
    models: { model: model.id, extra: { scripted: () => model } },
  })
  const app = createApp(
    {
      ...parley,
      clock: systemClock,
      logger: pino({ level: 'silent' }),
      metrics: createMetrics(),
      version: 'test',
      limits: { bodyBytes: 1e7, jsonDepth: 64, pageSize: 200 },
    },
    { apiKeys, allowedHosts: [], allowedOrigins: [] },
  )
  const server = await serve(holdAnswers(app), { host: '127.0.0.1', port: 0 })
  return {
    url: server.url,
    parley,
    client: createClient({ baseUrl: server.url, apiKey: apiKeys[0]?.key }),
    requests: model.requests,
    async send(method, path, body, headers = {}) {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const { status, headers: answered } = response
      return { status, headers: answered, json: (await response.json()) as Answered }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([server.stop(1_000), parley.close()])
      await database[Symbol.asyncDispose]()
    },
  }
}

interface Schema {
  type?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  items?: Schema
  minItems?: number
  minimum?: number
}

/** Something that a schema takes: its first choice, and words where any do. */
function fill(schema: Schema): unknown {
  if (schema.enum) return schema.enum[0]
  if (schema.const !== undefined) return schema.const
  const [choice] = schema.anyOf ?? schema.oneOf ?? []
  if (choice) return fill(choice)
  if (schema.type === 'object')
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([key, inner]) => [key, fill(inner)]),
    )
  if (schema.type === 'array')
    return Array.from({ length: schema.minItems ?? 0 }, () => fill(schema.items ?? {}))
  if (schema.type === 'boolean') return true
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1
  return 'words'
}
