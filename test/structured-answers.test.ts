import * as v from 'valibot'
import { pino } from 'pino'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../src/agent/index.ts'
import { createClient } from '../src/client/index.ts'
import { isClosed } from '../src/core/models/reply-format.ts'
import { createParley, type ParleyOptions } from '../src/parley.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { createApp, createMetrics, serve } from '../src/server/index.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { anyDatabase, sqliteDatabase, toOptions, type TestDatabase } from './harness.ts'
import { bodyOf } from './providers/dialects.ts'
import { openaiChat } from './providers/openai-chat.ts'
import { startProviderServer } from './providers/provider-server.ts'

const city = z.strictObject({ name: z.string(), people: z.int() })
const berlin = { name: 'Berlin', people: 3_700_000 }
const cityForm = {
  type: 'object',
  properties: { name: { type: 'string' }, people: { type: 'integer' } },
  required: ['name', 'people'],
  additionalProperties: false,
}

async function open(
  database: TestDatabase,
  script: Script = () => says(JSON.stringify(berlin)),
  options: Partial<ParleyOptions> = {},
) {
  const model = createScripted(script)
  const parley = await createParley({
    ...toOptions(database),
    models: { model: model.id, extra: { scripted: () => model } },
    ...options,
  })
  return Object.assign(parley, { requests: model.requests })
}

describe.each(anyDatabase)('answers of a given form on %s', (_name, openDatabase) => {
  it('are values of the type of their schema, and the model knows the form', async () => {
    await using database = await openDatabase()
    await using parley = await open(database)
    const { id } = await parley.sessions.create()
    const { output, message } = await parley.sessions.chat(id, 'Which city?', { output: city })
    expectTypeOf(output).toEqualTypeOf<{ name: string; people: number }>()
    expect(output).toEqual(berlin)
    expect(message!.parts.filter(({ type }) => type === 'text')).toMatchObject([
      { text: JSON.stringify(berlin) },
    ])
    const [request] = parley.requests
    expect(request!.replyFormat).toMatchObject({
      name: 'output',
      schema: { type: 'object', required: ['name', 'people'] },
    })
    const asked = JSON.stringify(request!.messages.at(-1))
    expect(asked).toContain('<output_schema>')
    await parley.sessions.chat(id, 'And now?')
    expect(parley.requests[1]!.replyFormat).toBeUndefined()
    expect(JSON.stringify(parley.requests[1]!.messages.at(-1))).not.toContain('<output_schema>')
  })

  it('go through the transforms and checks of the schema', async () => {
    await using database = await openDatabase()
    await using parley = await open(database)
    const { id } = await parley.sessions.create()
    const upper = city.transform(({ name }) => name.toUpperCase())
    const answer = await parley.sessions.chat(id, 'Which city?', { output: upper })
    expectTypeOf(answer.output).toEqualTypeOf<string>()
    expect(answer.output).toBe('BERLIN')
    const small = city.refine(({ people }) => people < 10, { error: 'too many', path: ['people'] })
    await expect(parley.sessions.chat(id, 'Which city?', { output: small })).rejects.toMatchObject({
      code: 'turn_failed',
      message: 'The answer does not fit "output": people: too many',
    })
  })

  it.each([
    ['fences', '```json\n{"name": "Berlin", "people": 3700000}\n```'],
    ['words around it', 'Sure! {"name": "Berlin", "people": 3700000} Anything else?'],
    ['slips', "{name: 'Berlin', people: 3700000,}"],
    ['an example before it', 'As in {"name": "X"}: {"name": "Berlin", "people": 3700000}'],
  ])('are read with %s', async (_what, text) => {
    await using database = await openDatabase()
    await using parley = await open(database, () => says(text))
    const { id } = await parley.sessions.create()
    const { output } = await parley.sessions.chat(id, 'Which city?', { output: city })
    expect(output).toEqual(berlin)
    expect(parley.requests).toHaveLength(1)
  })

  it('go back to the model when they do not fit, and nobody sees those', async () => {
    await using database = await openDatabase()
    await using parley = await open(database, (_request, call) =>
      call === 1 ? says('Berlin!') : call === 2 ? says('{"name": "Berlin"}') : says(JSON.stringify(berlin)),
    )
    const { id } = await parley.sessions.create()
    const turn = parley.sessions.chat(id, 'Which city?', { output: city })
    const texts: string[] = []
    for await (const { chunk } of turn) if (chunk.type === 'text-delta') texts.push(chunk.delta)
    expect((await turn).output).toEqual(berlin)
    expect(texts).toEqual([JSON.stringify(berlin)])
    const said = parley.requests.map(({ messages }) => JSON.stringify(messages.at(-1)))
    expect(said[1]).toContain('The answer has no JSON object.')
    expect(said[2]).toContain('people')
  })

  it('fail the turn after three that do not fit', async () => {
    await using database = await openDatabase()
    await using parley = await open(database, () => says('Berlin!'))
    const { id } = await parley.sessions.create()
    await expect(parley.sessions.chat(id, 'Which city?', { output: city })).rejects.toMatchObject({
      code: 'turn_failed',
      message: 'The model did not answer in the requested form, 3 times. The answer has no JSON object.',
      details: { code: 'output_invalid', status: 'failed' },
    })
    expect(parley.requests).toHaveLength(3)
  })

  it('come after calls of tools, whose words stay words', async () => {
    await using database = await openDatabase()
    const tool = { name: 'look', description: 'Looks', input: z.object({}), execute: async () => 'seen' }
    const script: Script = (_request, call) =>
      call === 1
        ? [{ type: 'text-delta', text: 'Let me see.' }, ...calls(['look', {}])]
        : says(JSON.stringify(berlin))
    await using parley = await open(database, script, { tools: [tool] })
    const { id } = await parley.sessions.create()
    const turn = parley.sessions.chat(id, 'Which city?', { output: city })
    const texts: string[] = []
    for await (const { chunk } of turn) if (chunk.type === 'text-delta') texts.push(chunk.delta)
    const { output, message } = await turn
    expect(output).toEqual(berlin)
    expect(texts).toEqual(['Let me see.', JSON.stringify(berlin)])
    expect(message!.parts.flatMap(({ type, text }) => (type === 'text' ? [text] : []))).toEqual(texts)
  })

  it('are asked for again by a process that takes the turn over', async () => {
    await using database = await openDatabase()
    const tool = {
      name: 'look',
      description: 'Looks',
      input: z.object({}),
      isIdempotent: true,
      execute: async () => 'seen',
    }
    const never = new Promise<never>(() => {})
    let id: string
    {
      const script: Script = (_request, call) => (call === 1 ? calls(['look', {}]) : [never])
      const parley = await open(database, script, { tools: [tool], shutdownMs: 0 })
      id = (await parley.sessions.create()).id
      await parley.sessions.send(id, { content: 'Which city?', output: { schema: cityForm } })
      await expect.poll(() => parley.requests.length).toBe(2)
      await parley.close()
    }
    await using parley = await open(database, undefined, { tools: [tool] })
    await expect.poll(async () => (await parley.sessions.get(id)).chatStatus).toBe('idle')
    expect(parley.requests.map(({ replyFormat }) => replyFormat?.schema)).toEqual([cityForm])
  })
})

describe('schemas', () => {
  it('can be those of any library, with a JSON Schema beside them', async () => {
    await using database = await sqliteDatabase()
    await using parley = await open(database)
    const { id } = await parley.sessions.create()
    const schema = v.object({ name: v.string(), people: v.number() })
    await expect(async () => parley.sessions.chat(id, 'x', { output: schema })).rejects.toThrow(
      '"output" is a schema of valibot without a JSON Schema for the model: give both, as {schema, jsonSchema}.',
    )
    const answer = await parley.sessions.chat(id, 'x', {
      output: { schema, jsonSchema: cityForm, name: 'city' },
    })
    expectTypeOf(answer.output).toEqualTypeOf<{ name: string; people: number }>()
    expect(answer.output).toEqual(berlin)
    expect(parley.requests[0]!.replyFormat).toEqual({ name: 'city', schema: cityForm })
  })

  it.each([
    [{ schema: { type: 'array' } }, 'must be a JSON Schema with "type": "object"'],
    [{ schema: { type: 'object', properties: { a: { type: 'nothing' } } } }, 'cannot be used'],
    [{ schema: { type: 'object', description: 'x'.repeat(50_001) } }, 'at most 50000 characters'],
    [{ schema: cityForm, name: 'a city' }, 'output.name'],
    [{ schema: cityForm, strict: true }, 'strict'],
    [{}, 'output.schema'],
  ])('that are wrong are refused before anything is stored: %#', async (output, words) => {
    await using database = await sqliteDatabase()
    await using parley = await open(database)
    const { id } = await parley.sessions.create()
    await expect(async () =>
      parley.sessions.chat(id, {
        content: 'x',
        output: output as { schema: object } & { schema: Record<string, unknown> },
      }),
    ).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining(words) })
    expect((await parley.runs.list()).items).toEqual([])
  })

  it('may have patterns, which are for the model alone', async () => {
    await using database = await sqliteDatabase()
    await using parley = await open(database)
    const { id } = await parley.sessions.create()
    const properties = { name: { type: 'string', pattern: '^(a+)+$' }, people: { type: 'integer' } }
    const schema = { type: 'object', properties }
    const { output } = await parley.sessions.chat(id, { content: 'x', output: { schema } })
    expect(output).toEqual(berlin)
    expect(parley.requests[0]!.replyFormat?.schema).toEqual(schema)
  })

  it('are not for messages that a running turn may take in', async () => {
    await using database = await sqliteDatabase()
    await using parley = await open(database)
    const { id } = await parley.sessions.create()
    const body = { content: 'x', policy: 'steer' as const, output: { schema: cityForm } }
    await expect(parley.sessions.chat(id, body)).rejects.toThrow('"output" goes with a turn of its own')
  })
})

it('an agent answers with a value', async () => {
  const model = createScripted(() => says(JSON.stringify(berlin)))
  await using agent = createAgent({ model, instructions: 'Be brief.' })
  const answer = await agent.ask('Which city?', { output: city })
  expectTypeOf(answer.output).toEqualTypeOf<{ name: string; people: number }>()
  expect(answer.output).toEqual(berlin)
  const wrong = createScripted(() => says('Berlin'))
  await using other = createAgent({ model: wrong })
  await expect(other.ask('Which city?', { output: city })).rejects.toMatchObject({
    code: 'turn_failed',
    details: { code: 'output_invalid' },
  })
})

it('the demo model fills in a form', async () => {
  await using database = await sqliteDatabase()
  await using parley = await createParley(toOptions(database))
  const { id } = await parley.sessions.create()
  const { output } = await parley.sessions.chat(id, 'Which city?', { output: city })
  expect(city.parse(output)).toEqual(output)
})

it('a program elsewhere, and HTTP, get the value', async () => {
  await using database = await sqliteDatabase()
  await using provider = await startProviderServer(openaiChat)
  provider.otherwise({ reply: { text: JSON.stringify(berlin) } })
  await using parley = await createParley({
    ...toOptions(database),
    models: { model: 'openai/m', openai: { baseUrl: `${provider.url}/v1` } },
    toolGroups: {},
  })
  const app = createApp(
    {
      ...parley,
      clock: systemClock,
      logger: pino({ level: 'silent' }),
      metrics: createMetrics(),
      version: '0.0.0',
      limits: { bodyBytes: 1_000_000, jsonDepth: 64, pageSize: 100 },
    },
    { apiKeys: [], allowedHosts: [], allowedOrigins: [] },
  )
  const server = await serve(app, { host: '127.0.0.1', port: 0 })
  try {
    const client = createClient({ baseUrl: server.url })
    const { id } = await client.sessions.create()
    const waited = await client.sessions.chat(id, 'Which city?', { output: city })
    expectTypeOf(waited.output).toEqualTypeOf<{ name: string; people: number }>()
    const watched = client.sessions.chat(id, 'Which city?', { output: city })
    for await (const _ of watched);
    expect([waited.output, (await watched).output]).toEqual([berlin, berlin])
    const response = await fetch(`${server.url}/api/sessions/${id}/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ content: 'Which city?', output: { schema: cityForm, name: 'city' } }),
    })
    expect(await response.json()).toMatchObject({ output: berlin })
    expect(bodyOf(provider, 0)).not.toHaveProperty('response_format') // many servers could call no tool then
  } finally {
    await server.stop(1_000)
  }
})

it.each([
  [cityForm, true],
  [{ type: 'object' }, false],
  [{ type: 'object', properties: { a: {} } }, false],
  [
    { type: 'object', properties: { a: { type: 'object', additionalProperties: { type: 'string' } } } },
    false,
  ],
  [{ type: 'object', properties: { a: { type: 'array' } } }, false],
  [{ type: 'object', properties: { a: { type: 'array', items: { enum: ['x'] } } } }, true],
  [
    {
      type: 'object',
      properties: { a: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/b' }] } },
      $defs: { b: {} },
    },
    false,
  ],
])('knows whether a schema says what everything in it is: %j', (schema, expected) => {
  expect(isClosed(schema)).toBe(expected)
})
