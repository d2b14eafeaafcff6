import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createClient } from '../src/client/index.ts'
import type { ChatBody } from '../src/core/protocol/chat.ts'
import type { ScopeEvent } from '../src/core/protocol/event.ts'
import { isGap } from '../src/core/protocol/event-socket.ts'
import { defineTool } from '../src/core/tools/tool.ts'
import { createParley, type ParleyOptions } from '../src/parley.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { databases, sqliteDatabase, toOptions, type TestDatabase } from './harness.ts'
import { startApp } from './http/app-server.ts'

const weather = {
  name: 'weather',
  description: 'Tells the weather of a city.',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}
const ask = (more: Partial<ChatBody> = {}): ChatBody => ({
  content: 'What is the weather in Rome?',
  tools: [weather],
  ...more,
})

/** Calls what it is told, then says what came of it. */
const callsOnce =
  (...wanted: Parameters<typeof calls>): Script =>
  ({ messages }) =>
    messages.at(-1)?.role === 'tool' ? says('Sunny') : calls(...wanted)

async function open(
  database: TestDatabase,
  script: Script = callsOnce(['weather', { city: 'Rome' }]),
  options: Partial<ParleyOptions> = {},
) {
  const model = createScripted(script)
  const parley = await createParley({
    ...toOptions(database),
    models: { model: model.id, extra: { scripted: () => model } },
    ...options,
  })
  const observeEnd = async (id: string, run: string) => {
    for await (const _ of parley.sessions.observe(id, { run }));
    return parley.runs.get(run)
  }
  return Object.assign(parley, { requests: model.requests, observeEnd })
}

const resultsIn = (request: { messages: readonly { role: string; content: unknown }[] }) =>
  JSON.stringify(request.messages.findLast(({ role }) => role === 'tool'))

describe.each(databases)('a tool of the caller on %s', (_name, openDatabase) => {
  it('is called by the model and answered by the caller, who waits for nobody', async () => {
    await using database = await openDatabase()
    await using parley = await open(database)
    const { id } = await parley.sessions.create()
    const { awaiting, run, message } = await parley.sessions.chat(id, ask())
    expect(message).toBeUndefined()
    expect(awaiting).toMatchObject([
      { sessionId: id, runId: run.id, toolName: 'weather', input: { city: 'Rome' }, status: 'waiting' },
    ])
    expect(parley.requests[0]!.tools).toContainEqual(weather)
    const call = awaiting![0]!
    expect((await parley.toolCalls.list({ session: id })).items).toEqual([call])
    await parley.toolCalls.answer(call.id, { output: { degrees: 31 } })
    expect(await parley.observeEnd(id, run.id)).toMatchObject({ status: 'completed' })
    expect(resultsIn(parley.requests[1]!)).toContain('31')
    const { items } = await parley.sessions.messages(id)
    expect(items.at(-1)!.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'dynamic-tool', toolName: 'weather', state: 'output-available', output: { degrees: 31 } },
      { type: 'step-start' },
      { type: 'text', text: 'Sunny' },
    ])
    // the message has the result now, once
    const ended = await parley.toolCalls.get(call.id)
    expect(ended).toMatchObject({ status: 'answered', answeredBy: 'library' })
    expect(ended).not.toHaveProperty('output')
  })

  it('goes on when the last of several is answered, whoever answers at once', async () => {
    await using database = await openDatabase()
    await using parley = await open(
      database,
      callsOnce(['weather', { city: 'Rome' }], ['weather', { city: 'Oslo' }], ['weather', { city: 'Bonn' }]),
    )
    const { id } = await parley.sessions.create()
    const { awaiting = [], run } = await parley.sessions.chat(id, ask())
    expect(awaiting.map(({ input }) => input)).toEqual([{ city: 'Rome' }, { city: 'Oslo' }, { city: 'Bonn' }])
    await parley.toolCalls.answer(awaiting[1]!.id, { output: 'rain in Oslo' })
    expect(await parley.runs.get(run.id)).toMatchObject({ status: 'running' })
    await Promise.all([
      parley.toolCalls.answer(awaiting[0]!.id, { output: 'sun in Rome' }),
      parley.toolCalls.answer(awaiting[2]!.id, { errorText: 'no such place' }),
    ])
    expect(await parley.observeEnd(id, run.id)).toMatchObject({ status: 'completed' })
    const { items } = await parley.sessions.messages(id)
    expect(items.at(-1)!.parts.filter(({ type }) => type === 'dynamic-tool')).toMatchObject([
      { state: 'output-available', output: 'sun in Rome' },
      { state: 'output-available', output: 'rain in Oslo' },
      { state: 'output-error', errorText: 'no such place' },
    ])
    expect(parley.requests).toHaveLength(2)
  })

  it('can be stopped while it waits', async () => {
    await using database = await openDatabase()
    await using parley = await open(database)
    const { id } = await parley.sessions.create()
    const { awaiting, run } = await parley.sessions.chat(id, ask())
    await parley.sessions.stop(id)
    expect(await parley.observeEnd(id, run.id)).toMatchObject({ status: 'cancelled' })
    await expect(parley.toolCalls.answer(awaiting![0]!.id, { output: 1 })).rejects.toMatchObject({
      code: 'conflict',
      details: { status: 'cancelled' },
    })
    expect(await parley.sessions.get(id)).toMatchObject({ chatStatus: 'idle' })
    expect((await parley.sessions.chat(id, ask({ tools: undefined }))).run.status).toBe('completed')
  })

  it('that nobody answers in time fails, and the turn goes on', async () => {
    await using database = await openDatabase()
    await using parley = await open(database, undefined, { chat: { callerTimeoutMs: 1_000 } })
    const { id } = await parley.sessions.create()
    const { awaiting, run } = await parley.sessions.chat(id, ask())
    expect(await parley.observeEnd(id, run.id)).toMatchObject({ status: 'completed' })
    expect(resultsIn(parley.requests[1]!)).toContain('Nobody gave the result in time.')
    expect(await parley.toolCalls.get(awaiting![0]!.id)).toMatchObject({ status: 'expired' })
  })

  it('is answered after a restart', async () => {
    await using database = await openDatabase()
    const first = await open(database)
    const { id } = await first.sessions.create()
    const { awaiting, run } = await first.sessions.chat(id, ask())
    await first.close()
    await using second = await open(database)
    await second.toolCalls.answer(awaiting![0]!.id, { output: 'sun' })
    expect(await second.observeEnd(id, run.id)).toMatchObject({ status: 'completed' })
    // the tools of the input are those of the turn, wherever it is continued
    expect(second.requests[0]!.tools).toContainEqual(weather)
  })

  it('is seen in the events of the scope', async () => {
    await using database = await openDatabase()
    await using parley = await open(database)
    const { id } = await parley.sessions.create()
    const { awaiting, run } = await parley.sessions.chat(id, ask())
    await parley.toolCalls.answer(awaiting![0]!.id, { output: 'sun' })
    await parley.observeEnd(id, run.id)
    const items: ScopeEvent[] = []
    const over = new AbortController()
    for await (const frames of parley.events.follow('default', { after: 0, signal: over.signal })) {
      items.push(...frames.flatMap((frame) => (isGap(frame) ? [] : frame)))
      if (items.some(({ type }) => type === 'run-finished')) over.abort()
    }
    const data = { callId: awaiting![0]!.id, runId: run.id, toolName: 'weather' }
    expect(items.filter(({ type }) => type.startsWith('tool-call-'))).toMatchObject([
      { type: 'tool-call-awaited', sessionId: id, data: { ...data, status: 'waiting' } },
      { type: 'tool-call-settled', sessionId: id, data: { ...data, status: 'answered' } },
    ])
  })
})

describe('a tool of the caller', () => {
  it('is checked against its schema before anybody is asked', async () => {
    await using database = await sqliteDatabase()
    const script: Script = (_request, call) =>
      call === 1 ? calls(['weather', { town: 'Rome' }]) : says('I see')
    await using parley = await open(database, script)
    const { id } = await parley.sessions.create()
    const { run, awaiting } = await parley.sessions.chat(id, ask())
    expect(awaiting).toBeUndefined()
    expect(run.status).toBe('completed')
    expect(resultsIn(parley.requests[1]!)).toContain('does not fit')
    expect((await parley.toolCalls.list()).items).toEqual([])
  })

  it('is all that the model gets where the built-in ones are not wanted', async () => {
    await using database = await sqliteDatabase()
    await using parley = await open(database, () => says('Hello'))
    const { id } = await parley.sessions.create()
    await parley.sessions.chat(id, ask({ builtInTools: false, tools: [{ name: 'file' }] }))
    expect(parley.requests[0]!.tools).toEqual([
      { name: 'file', description: '', inputSchema: { type: 'object', properties: {} } },
    ])
    await parley.sessions.chat(id, { content: 'Just talk', builtInTools: false })
    expect(parley.requests[1]!.tools).toEqual([])
  })

  it('waits beside calls that are made here, whose results are kept', async () => {
    await using database = await sqliteDatabase()
    let made = 0
    const count = defineTool({
      name: 'count',
      description: 'Counts',
      input: z.strictObject({}),
      execute: async () => ++made,
    })
    await using parley = await open(database, callsOnce(['count', {}], ['weather', { city: 'Rome' }]), {
      tools: [count],
    })
    const { id } = await parley.sessions.create()
    const { awaiting = [], run } = await parley.sessions.chat(id, ask())
    expect(awaiting).toHaveLength(1)
    await parley.toolCalls.answer(awaiting[0]!.id, { output: 'sun' })
    await parley.observeEnd(id, run.id)
    expect(made).toBe(1)
  })

  it('is denied by a rule that names it, and nobody is asked for a result', async () => {
    await using database = await sqliteDatabase()
    await using parley = await open(database, undefined, {
      permissions: { rules: [{ tool: 'weather', decision: 'deny' }] },
    })
    const { id } = await parley.sessions.create()
    const { run } = await parley.sessions.chat(id, ask())
    expect(run.status).toBe('completed')
    expect(resultsIn(parley.requests[1]!)).toContain('Not allowed')
  })

  it('may be one of the program, without a function of its own', async () => {
    await using database = await sqliteDatabase()
    const tool = defineTool({
      name: 'weather',
      description: 'Tells the weather of a city.',
      input: z.strictObject({ city: z.string() }),
    })
    await using parley = await open(database, undefined, { tools: [tool] })
    const { id } = await parley.sessions.create()
    const { awaiting, run } = await parley.sessions.chat(id, 'What is the weather in Rome?')
    await parley.toolCalls.answer(awaiting![0]!.id, { output: 'sun' })
    expect(await parley.observeEnd(id, run.id)).toMatchObject({ status: 'completed' })
  })

  it('keeps what follows waiting, which may also be interrupted', async () => {
    await using database = await sqliteDatabase()
    const script: Script = ({ messages }) =>
      JSON.stringify(messages.at(-1)).includes('weather in')
        ? calls(['weather', { city: 'Rome' }])
        : says('Hi')
    await using parley = await open(database, script)
    const { id } = await parley.sessions.create()
    const { run } = await parley.sessions.chat(id, ask())
    const { runId } = await parley.sessions.send(id, 'And then?')
    expect(await parley.runs.get(runId)).toMatchObject({ status: 'queued' })
    const answer = await parley.sessions.chat(id, { content: 'Never mind', policy: 'interrupt' })
    expect(answer.run.status).toBe('completed')
    expect(await parley.observeEnd(id, run.id)).toMatchObject({ status: 'cancelled' })
    expect(await parley.observeEnd(id, runId)).toMatchObject({ status: 'completed' })
  })

  it('does not wait for ever in the answer of a turn that was given up', async () => {
    await using database = await sqliteDatabase()
    const first = await open(database)
    const { id } = await first.sessions.create()
    const { awaiting, run } = await first.sessions.chat(id, ask())
    await first.close()
    const file = new DatabaseSync(join(database.environment.PARLEY_DATA_DIR!, 'parley.db'))
    file.exec('update runs set attempt = 9')
    file.close()
    await using second = await open(database)
    await second.toolCalls.answer(awaiting![0]!.id, { output: 'sun' })
    expect(await second.observeEnd(id, run.id)).toMatchObject({ outcome: { code: 'crash_loop' } })
    const { items } = await second.sessions.messages(id)
    expect(items.at(-1)!.parts[1]).toMatchObject({ toolName: 'weather', state: 'output-error' })
  })

  it('is gone with its session', async () => {
    await using database = await sqliteDatabase()
    await using parley = await open(database)
    const { id } = await parley.sessions.create()
    const { awaiting } = await parley.sessions.chat(id, ask())
    await parley.sessions.delete(id)
    await expect(parley.toolCalls.answer(awaiting![0]!.id, { output: 1 })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it.each<[string, Partial<ChatBody>, string]>([
    ['twice', { tools: [weather, weather] }, '"tools" names "weather" twice.'],
    ['as Parley has one', { tools: [{ name: 'file' }] }, 'a tool that Parley has'],
    ['for a turn that is running', { policy: 'steer' }, 'another "policy" than "steer"'],
    ['with a name that no provider takes', { tools: [{ name: 'a b' }] }, 'tools.0.name'],
    [
      'that takes a list',
      { tools: [{ name: 'a', inputSchema: { type: 'array' } }] },
      'must describe an object',
    ],
    ['in crowds', { tools: Array.from({ length: 129 }, (_, index) => ({ name: `tool-${index}` })) }, 'tools'],
  ])('is refused %s', async (_what, more, words) => {
    await using database = await sqliteDatabase()
    await using parley = await open(database)
    const { id } = await parley.sessions.create()
    const refused = (async () => parley.sessions.chat(id, ask(more)))()
    await expect(refused).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(refused).rejects.toThrow(words)
    expect((await parley.sessions.messages(id)).items).toEqual([])
  })

  it('is refused in a room', async () => {
    await using database = await sqliteDatabase()
    await using parley = await open(database)
    await parley.agents.create({ name: 'milk', description: 'A cow' })
    const { id } = await parley.sessions.create({ agents: ['milk'] })
    await expect(parley.sessions.chat(id, ask())).rejects.toThrow('take no "tools" of a caller')
  })

  it('works over HTTP, where the stream shows what is awaited', async () => {
    const model = createScripted(callsOnce(['weather', { city: 'Rome' }]))
    await using server = await startApp({ model, background: {} })
    const client = createClient({ baseUrl: server.url })
    const { id } = await client.sessions.create()
    const { awaiting, run } = await client.sessions.chat(id, ask())
    const seen: string[] = []
    const watching = (async () => {
      for await (const { events } of client.sessions.observe(id, { run: run.id }))
        for (const { chunk } of events) {
          seen.push(chunk.type)
          if (chunk.type === 'data-awaiting')
            await client.toolCalls.answer(awaiting![0]!.id, { output: 'sun' })
        }
    })()
    await watching
    expect(seen).toContain('data-awaiting')
    expect(seen.indexOf('tool-output-available')).toBeGreaterThan(seen.indexOf('data-awaiting'))
    expect(seen.at(-1)).toBe('finish')
    const again = await server.send('POST', `/api/tool-calls/${awaiting![0]!.id}`, { body: { output: 1 } })
    expect(again).toMatchObject({ status: 409 })
    const both = await server.send('POST', `/api/tool-calls/${awaiting![0]!.id}`, {
      body: { output: 1, errorText: 'no' },
    })
    expect(both).toMatchObject({ status: 400 })
  })
})
