import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ModelParameters } from '../src/core/protocol/parameters.ts'
import { everyParameter } from '../src/core/models/parameters.ts'
import { createParley, type ParleyOptions } from '../src/parley.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { createApp, createMetrics, serve } from '../src/server/index.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import {
  anyDatabase,
  databases,
  sqliteDatabase,
  temporaryFolder,
  toOptions,
  type TestDatabase,
} from './harness.ts'
import { bodyOf } from './providers/dialects.ts'
import { openaiChat } from './providers/openai-chat.ts'
import { startProviderServer } from './providers/provider-server.ts'
import { startServer } from './server-process.ts'

async function open(
  database: TestDatabase,
  { script = () => says('Hello'), ...options }: Partial<ParleyOptions> & { script?: Script } = {},
) {
  const model = Object.assign(createScripted(script), { takes: everyParameter })
  const parley = await createParley({
    ...toOptions(database),
    models: {
      model: model.id,
      extra: { scripted: () => model, plain: () => ({ ...createScripted(script), id: 'plain/test' }) },
    },
    ...options,
  })
  const asked = () => model.requests.map((request) => pick(request as ModelParameters))
  return Object.assign(parley, { asked, requests: model.requests })
}

const pick = (request: ModelParameters) =>
  Object.fromEntries(
    everyParameter.flatMap((name) => (request[name] === undefined ? [] : [[name, request[name]]])),
  )

describe.each(anyDatabase)('parameters on %s', (_name, openDatabase) => {
  it('are those of the configuration, the scope, the session and the turn, the nearest first, one by one', async () => {
    await using database = await openDatabase()
    await using parley = await open(database, {
      parameters: { temperature: 0.1, topP: 0.1, seed: 1, stop: ['1'] },
    })
    await parley.settings.update({ parameters: { temperature: 0.2, topP: 0.2, seed: 2 } })
    const { id } = await parley.sessions.create({ parameters: { temperature: 0.3, topP: 0.3 } })
    await parley.sessions.chat(id, { content: 'One', parameters: { temperature: 0.4 } })
    expect(parley.asked()).toEqual([{ temperature: 0.4, topP: 0.3, seed: 2, stop: ['1'] }])
    const { effective } = await parley.settings.get()
    expect(effective.parameters).toEqual({ temperature: 0.2, topP: 0.2, seed: 2, stop: ['1'] })
  })

  it('are left to the model by null, at every level', async () => {
    await using database = await openDatabase()
    await using parley = await open(database, { parameters: { temperature: 0.1, seed: 1, stop: ['1'] } })
    await parley.settings.update({ parameters: { seed: null } })
    const { id } = await parley.sessions.create({ parameters: { stop: null } })
    await parley.sessions.chat(id, 'One')
    await parley.sessions.chat(id, { content: 'Two', parameters: { temperature: null } })
    expect(parley.asked()).toEqual([{ temperature: 0.1 }, {}])
  })

  it('hold for every step of a turn, are shown with each, and stay out of the next', async () => {
    await using database = await openDatabase()
    const tool = { name: 'look', description: 'Looks', input: z.object({}), execute: async () => 'seen' }
    const script: Script = (_request, call) => (call === 1 ? calls(['look', {}]) : says('Done'))
    await using parley = await open(database, { script, tools: [tool] })
    const { id } = await parley.sessions.create({ parameters: { topP: 0.5 } })
    expect((await parley.sessions.prompt(id)).parameters).toEqual({ topP: 0.5 })
    const { run } = await parley.sessions.chat(id, { content: 'Look', parameters: { maxOutputTokens: 90 } })
    await parley.sessions.update(id, { parameters: null })
    await parley.sessions.chat(id, 'And now?')
    const held = { topP: 0.5, maxOutputTokens: 90 }
    expect(parley.asked()).toEqual([held, held, {}])
    const { steps } = await parley.runs.prompt(run.id)
    expect(steps.map(({ parameters }) => parameters)).toEqual([held, held])
    expect((await parley.runs.step(run.id, 2)).parameters).toEqual(held)
    const preview = await parley.sessions.prompt(id)
    expect(preview).not.toHaveProperty('parameters')
  })

  it('are in the audit of who set them', async () => {
    await using database = await openDatabase()
    await using parley = await open(database)
    const { id } = await parley.sessions.create({ parameters: { seed: 7 } })
    await parley.sessions.update(id, { parameters: { seed: 8 } })
    await parley.sessions.update(id, { parameters: null })
    await parley.settings.update({ parameters: { seed: 9 } })
    const { items } = await parley.audit()
    const set = items.flatMap(({ detail }) => (detail && 'parameters' in detail ? [detail.parameters] : []))
    expect(set.toReversed()).toEqual([{ seed: 7 }, { seed: 8 }, null, { seed: 9 }])
  })

  it('go with forks and documents', async () => {
    await using database = await openDatabase()
    await using parley = await open(database)
    const parameters = { temperature: 0.3, providerOptions: { scripted: { a: 1 } } }
    const { id } = await parley.sessions.create({ parameters })
    const { message } = await parley.sessions.chat(id, 'One')
    const fork = await parley.sessions.fork(id, { messageId: message!.id })
    const document = await parley.sessions.export(id)
    await parley.sessions.delete(id)
    const copy = await parley.sessions.import(document)
    expect([fork.parameters, copy.parameters]).toEqual([parameters, parameters])
  })

  it('are taken by a task that is started with them', async () => {
    await using database = await openDatabase()
    const script: Script = () => calls(['set_result', { output: 'x' }])
    await using parley = await open(database, { script })
    const task = await parley.sessions.create({
      kind: 'background',
      prompt: 'Count',
      parameters: { seed: 3 },
    })
    await expect.poll(async () => (await parley.sessions.get(task.id)).bgStatus).toBe('completed')
    expect(parley.asked()).toEqual([{ seed: 3 }])
  })

  it('are refused by name where the model does not take them, and nothing is stored', async () => {
    await using database = await openDatabase()
    await using parley = await open(database)
    const { id } = await parley.sessions.create({ parameters: { seed: 7 } })
    const turn = { content: 'One', model: 'plain/test', parameters: { temperature: 0.5 } }
    await expect(parley.sessions.chat(id, turn)).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'The model "plain/test" does not take temperature, seed. It takes none.',
      details: { model: 'plain/test', parameters: ['temperature', 'seed'] },
    })
    expect((await parley.sessions.messages(id)).items).toEqual([])
    expect((await parley.runs.list()).items).toEqual([])
    for (const refused of [
      parley.sessions.create({ model: 'plain/test', parameters: { seed: 1 } }),
      parley.sessions.update(id, { model: 'plain/test', parameters: { seed: 1 } }),
      parley.sessions.create({
        kind: 'background',
        prompt: 'x',
        model: 'plain/test',
        parameters: { seed: 1 },
      }),
    ])
      await expect(refused).rejects.toThrow('The model "plain/test" does not take seed.')
  })

  it('fail a turn that waited by name when the model has changed meanwhile', async () => {
    await using database = await openDatabase()
    const gate = Promise.withResolvers<void>()
    const script: Script = (_request, call) => (call === 1 ? [gate.promise, ...says('One')] : says('More'))
    await using parley = await open(database, { script })
    const { id } = await parley.sessions.create()
    const first = parley.sessions.send(id, 'One')
    await expect.poll(() => parley.requests.length).toBe(1)
    const second = parley.sessions.chat(id, { content: 'Two', parameters: { seed: 1 } })
    const answered = second.then((answer) => answer)
    await expect.poll(async () => (await parley.sessions.queue.list(id)).items.length).toBe(1)
    await parley.sessions.update(id, { model: 'plain/test' })
    gate.resolve()
    await first
    const { run } = await answered
    expect(run).toMatchObject({
      status: 'failed',
      outcome: {
        code: 'invalid_request',
        message: 'The model "plain/test" does not take seed. It takes none.',
      },
    })
  })
})

describe('parameters that are wrong', () => {
  it.each([
    [{ temperature: 3 }, 'parameters.temperature'],
    [{ topP: -1 }, 'parameters.topP'],
    [{ maxOutputTokens: 0 }, 'parameters.maxOutputTokens'],
    [{ stop: [] }, 'parameters.stop'],
    [{ stop: Array.from({ length: 17 }, () => 'x') }, 'parameters.stop'],
    [{ seed: 1.5 }, 'parameters.seed'],
    [{ reasoningEffort: 'much' }, 'parameters.reasoningEffort'],
    [{ top_p: 0.5 }, 'top_p'],
    [{ providerOptions: { scripted: { tools: [] } } }, 'must not have tools, which Parley sets itself'],
    [{ providerOptions: { scripted: { note: 'x'.repeat(20_001) } } }, 'at most 20000 characters'],
    [{ providerOptions: { opnai: {} } }, 'there is no adapter "opnai"'],
  ])('%j', async (parameters, words) => {
    await using database = await sqliteDatabase()
    await using parley = await open(database)
    const { id } = await parley.sessions.create()
    for (const refused of [
      () => parley.sessions.chat(id, { content: 'x', parameters: parameters as object }),
      () => parley.sessions.update(id, { parameters: parameters as object }),
      () => parley.sessions.create({ parameters: parameters as object }),
      () => parley.settings.update({ parameters: parameters as object }),
    ])
      await expect(async () => refused()).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining(words),
      })
    expect((await parley.sessions.list()).items).toHaveLength(1)
    expect(await parley.settings.get()).not.toHaveProperty('parameters')
  })

  it('contradict themselves', async () => {
    await using database = await sqliteDatabase()
    await using parley = await open(database)
    const { id } = await parley.sessions.create()
    const body = { content: 'x', thinking: true, parameters: { reasoningEffort: 'none' as const } }
    await expect(parley.sessions.chat(id, body)).rejects.toThrow(
      '"thinking": true contradicts "parameters.reasoningEffort": "none".',
    )
    const steer = { content: 'x', policy: 'steer' as const, parameters: { seed: 1 } }
    await expect(parley.sessions.chat(id, steer)).rejects.toThrow('"parameters" goes with a turn of its own')
  })

  it('are refused when Parley is created', async () => {
    await using database = await sqliteDatabase()
    await expect(open(database, { parameters: { temperature: 7 } })).rejects.toThrow('temperature')
    const options = { parameters: { providerOptions: { nobody: {} } } }
    await expect(open(database, options)).rejects.toThrow('there is no adapter "nobody"')
  })
})

describe('reasoning effort', () => {
  it.each([
    ['of the session, where the turn says nothing', 'low', undefined, ['low', true]],
    ['of the session, where the turn only wants to think', 'low', true, ['low', true]],
    ['not against a turn that wants to think', 'none', true, [undefined, true]],
    ['not against a turn that does not want to think', 'high', false, [undefined, false]],
    ['none', 'none', undefined, ['none', false]],
    ['nothing', undefined, undefined, [undefined, undefined]],
  ] as const)('%s', async (_name, reasoningEffort, thinking, expected) => {
    await using database = await sqliteDatabase()
    await using parley = await open(database)
    const { id } = await parley.sessions.create(reasoningEffort && { parameters: { reasoningEffort } })
    await parley.sessions.chat(id, { content: 'x', thinking })
    const [request] = parley.requests
    expect([request!.reasoningEffort, request!.thinking]).toEqual(expected)
  })
})

it('says over HTTP which parameter which model does not take, and sends those that it takes', async () => {
  await using database = await sqliteDatabase()
  await using provider = await startProviderServer(openaiChat)
  await using parley = await createParley({
    ...toOptions(database),
    models: { model: 'openai/m', openai: { baseUrl: `${provider.url}/v1` } },
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
  const send = (method: string, path: string, body: unknown) =>
    fetch(`${server.url}/api/${path}`, {
      method,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
    })
  const parameters = { temperature: 0.5, providerOptions: { openai: { min_p: 0.1 } } }
  const created = await send('POST', 'sessions', { parameters })
  const session = (await created.json()) as { id: string; parameters: object }
  expect(session.parameters).toEqual(parameters)
  await send('POST', `sessions/${session.id}/chat`, { content: 'Hi', parameters: { seed: 5 } })
  expect(bodyOf(provider, 0)).toMatchObject({ temperature: 0.5, min_p: 0.1, seed: 5 })
  const refused = await send('PATCH', `sessions/${session.id}`, { parameters: { temperature: 9 } })
  expect(refused.status).toBe(400)
  await server.stop(1_000)
})

describe.each(databases)('a server that is killed on %s', (_name, openDatabase) => {
  it.each([
    ['in the first model call', false],
    ['in the second', true],
  ])('goes on with the parameters that the turn began with: %s', async (_when, isSecond) => {
    await using database = await openDatabase()
    using folder = temporaryFolder()
    await using provider = await startProviderServer(openaiChat)
    const toolCall = { id: 'c1', name: 'todo', input: '{"action":"list"}' }
    const stalled = { reply: { text: 'Hello there' }, stallAfter: 1 }
    provider.script(...(isSecond ? [{ reply: { toolCalls: [toolCall] } }, stalled] : [stalled]))
    const config = join(folder.path, 'parley.yaml')
    writeFileSync(
      config,
      `model: openai/m\nopenai: {baseUrl: "${provider.url}/v1"}\nparameters: {seed: 1}\nchat: {leaseMs: 1000}\n`,
    )
    const env = { ...database.environment, PARLEY_CONFIG: config }
    const server = await startServer({ env })
    const call = async (method: string, path: string, body?: unknown) => {
      const response = await fetch(`${url}/api/${path}`, {
        method,
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return (await response.json()) as Record<string, unknown>
    }
    let { url } = server
    const { id } = await call('POST', 'sessions', { parameters: { temperature: 0.2 } })
    const body = { content: 'Hi', parameters: { maxOutputTokens: 50 } }
    const talk = fetch(`${url}/api/sessions/${id as string}/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then((response) => response.text())
    talk.catch(() => {}) // cut by the kill
    await expect.poll(() => provider.requests.length).toBe(isSecond ? 2 : 1)
    await call('PATCH', `sessions/${id as string}`, { parameters: { temperature: 0.9, topP: 0.9 } })
    await server.kill('SIGKILL')
    const next = await startServer({ env })
    url = next.url
    const asked = isSecond ? 3 : 2
    await expect.poll(() => provider.requests.length).toBe(asked)
    await expect.poll(async () => (await call('GET', `sessions/${id as string}`)).chatStatus).toBe('idle')
    await next.kill('SIGTERM')
    for (let index = 0; index < asked; index++) {
      const sent = bodyOf(provider, index)
      expect(sent).toMatchObject({ temperature: 0.2, max_tokens: 50, seed: 1 })
      expect(sent).not.toHaveProperty('top_p')
    }
  })
})
