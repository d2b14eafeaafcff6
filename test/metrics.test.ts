import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ModelAdapter } from '../src/core/models/adapter.ts'
import { ModelFault } from '../src/core/models/fault.ts'
import { createParley, type ParleyOptions } from '../src/parley.ts'
import { createApp, createMetrics, serve } from '../src/server/index.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { defineTool } from '../src/core/tools/tool.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { anyDatabase, sqliteDatabase, toOptions, type TestDatabase } from './harness.ts'
import { holdAnswers } from './http/held-answers.ts'

/** A whole Parley with its server; `scrape` answers the metrics by series, labels included. */
async function startMeasured(database: TestDatabase, options: Partial<ParleyOptions>) {
  const logger = pino({ level: 'silent' })
  const parley = await createParley({ ...toOptions(database), logger, shutdownMs: 100, ...options })
  const limits = { bodyBytes: 1e6, jsonDepth: 64, pageSize: 200 }
  const deps = { ...parley, clock: systemClock, logger, version: '9.9.9', limits }
  const app = createApp(
    { ...deps, metrics: createMetrics(deps) },
    {
      apiKeys: [
        { name: 'all', key: 'all-0123456789abcdef' },
        { name: 'one', key: 'one-0123456789abcdef', scopes: ['default'] },
      ],
      allowedHosts: [],
      allowedOrigins: [],
    },
  )
  const server = await serve(holdAnswers(app), { host: '127.0.0.1', port: 0 })
  const get = (path: string, key = 'all-0123456789abcdef') =>
    fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${key}` } })
  return {
    parley,
    get,
    async scrape(): Promise<Record<string, number>> {
      const response = await get('/metrics')
      expect(response.status).toBe(200)
      const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
      return Object.fromEntries(
        lines
          .map((line) => /^(.+) (\S+)$/.exec(line)!.slice(1))
          .map(([name, value]) => [name, Number(value)]),
      )
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([server.stop(1_000), parley.close()])
    },
  }
}

const scripted = (script: Script, id = 'scripted/test') => {
  const adapter: ModelAdapter = { ...createScripted(script), id }
  return { model: id, extra: { scripted: (model: string) => ({ ...adapter, id: `scripted/${model}` }) } }
}

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  input: z.strictObject({ fails: z.boolean() }),
  async execute({ fails }) {
    if (fails) throw new Error('secret words of an error')
    return 'done'
  },
})

const note = defineTool({
  name: 'note',
  description: 'Writes something down.',
  input: z.strictObject({}),
  access: () => ({ action: 'write', effect: 'write', resources: ['a note'] }),
  execute: async () => 'noted',
})

describe.each(anyDatabase)('metrics on %s', (_name, openDatabase) => {
  it('tell of runs, model calls, tokens, tools, the queue and the store', async () => {
    await using database = await openDatabase()
    const { promise: never } = Promise.withResolvers<void>()
    const models = scripted(({ messages }) => {
      const said = JSON.stringify(messages)
      if (said.includes('wait')) return [never]
      if (said.includes('break')) return [new ModelFault('auth', 'no')]
      if (said.includes('tool-result')) return says('Done')
      return calls(['add', { fails: false }], ['add', { fails: true }])
    })
    await using measured = await startMeasured(database, {
      models,
      tools: [add],
    })
    const { parley, scrape, get } = measured
    const { id } = await parley.sessions.create({})
    await parley.sessions.chat(id, { content: 'add something' })
    const other = await parley.sessions.create({})
    await parley.sessions.chat(other.id, { content: 'break' })
    const place = { scope: 'default', sessionId: (await parley.sessions.create({})).id }
    for (const message of ['one', 'two', 'three']) {
      const input = { message: { id: message, parts: [{ type: 'text', text: 'wait' }] } }
      const { begin } = await parley.chats.admit(parley.store, place, input)
      begin()
    }
    await get('/api/sessions/ses_unknown')
    await get(`/no-such-route/${id}`)

    const seen = await scrape()
    expect(seen).toMatchObject({
      'parley_runs_started_total{kind="turn"}': 3,
      'parley_runs_ended_total{kind="turn",status="completed"}': 1,
      'parley_runs_ended_total{kind="turn",status="failed"}': 1,
      'parley_runs_executing{kind="turn"}': 1,
      'parley_runs_open{kind="turn",status="running"}': 1,
      'parley_runs_open{kind="turn",status="queued"}': 2,
      'parley_runs_oldest_queued_seconds{kind="turn"}': expect.any(Number),
      'parley_run_seconds_count{kind="turn"}': 2,
      'parley_model_calls_total{model="scripted/test"}': 2,
      'parley_model_errors_total{model="scripted/test",code="auth"}': 1,
      'parley_model_tokens_total{model="scripted/test",type="input"}': 20,
      'parley_model_tokens_total{model="scripted/test",type="output"}': 10,
      'parley_tool_calls_total{tool="add",outcome="ok"}': 1,
      'parley_tool_calls_total{tool="add",outcome="failed"}': 1,
      'parley_tool_call_seconds_count{tool="add"}': 2,
      parley_approvals_pending: 0,
      parley_store_up: 1,
      'parley_observers{of="runs"}': 0,
      'parley_http_requests_total{method="GET",route="/api/sessions/:id",status="404"}': 1,
    })
    expect(seen['parley_schema_version']).toBeGreaterThanOrEqual(17)
    expect(seen['parley_store_transaction_seconds_count{outcome="committed"}']).toBeGreaterThan(5)
    expect(
      seen[`parley_build_info{version="9.9.9",node="${process.version}",store="${parley.store.backend}"}`],
    ).toBe(1)
    expect(Object.keys(seen)).toEqual(
      expect.arrayContaining(['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes']),
    )
    // neither ids nor words: each would be a series of its own
    expect(Object.keys(seen).join('\n')).not.toMatch(/ses_|run_[0-9a-z]{10}|secret words|no-such-route/)
  })
})

describe('metrics', () => {
  it('are all in the documentation, and no others', async () => {
    await using database = await sqliteDatabase()
    await using measured = await startMeasured(database, {})
    const text = await (await measured.get('/metrics')).text()
    const told = [...text.matchAll(/^# TYPE (parley_\w+)/gm)].map(([, name]) => name)
    const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'observability.md'), 'utf8')
    const listed = [...page.matchAll(/^\| `(parley_\w+)`/gm)].map(([, name]) => name)
    expect(listed.toSorted()).toEqual(told.toSorted())
  })

  it('count what was refused, what waits for a person, and who watches', async () => {
    await using database = await sqliteDatabase()
    const models = scripted(({ messages }) =>
      JSON.stringify(messages).includes('tool-result') ? says('Done') : calls(['note', {}]),
    )
    await using measured = await startMeasured(database, { models, tools: [note] })
    const { parley, scrape } = measured
    const { id } = await parley.sessions.create({})
    await parley.sessions.chat(id, { content: 'Write', headless: true })
    const watched = await parley.sessions.create({})
    // it begins when somebody wants to know
    const answer = Promise.resolve(parley.sessions.chat(watched.id, { content: 'Write' }))
    await expect.poll(async () => (await parley.store.readLoad()).approvals).toBe(1)
    await expect.poll(scrape, { interval: 500 }).toMatchObject({
      parley_approvals_pending: 1,
      'parley_tool_calls_total{tool="note",outcome="refused"}': 1,
      'parley_observers{of="runs"}': 1,
    })
    const [approval] = (await parley.approvals.list({ status: 'pending' })).items
    await parley.approvals.decide(approval!.id, { decision: 'approve' })
    await answer
    await expect
      .poll(scrape, { interval: 500 })
      .toMatchObject({ parley_approvals_pending: 0, 'parley_observers{of="runs"}': 0 })
  })

  it('have an end to the names of models', async () => {
    await using database = await sqliteDatabase()
    await using measured = await startMeasured(database, { models: scripted(() => says('Hello')) })
    const request = { system: '', messages: [], tools: [], cacheKey: '' }
    const finish = { type: 'finish', reason: 'stop', usage: {} } as const
    for (let count = 0; count < 103; count++)
      measured.parley.watchers.step({ model: `scripted/model-${count}`, request })!.end({ finish })
    const seen = await measured.scrape()
    const series = Object.keys(seen).filter((name) => name.startsWith('parley_model_calls_total'))
    expect(series).toHaveLength(101)
    expect(seen['parley_model_calls_total{model="other"}']).toBe(3)
  })

  it('are there when the store is not, without what only it knows', async () => {
    await using database = await sqliteDatabase()
    await using measured = await startMeasured(database, { models: scripted(() => says('Hello')) })
    expect(await measured.scrape()).toMatchObject({ parley_store_up: 1 })
    await measured.parley.close()
    await expect.poll(async () => (await measured.scrape())['parley_store_up'], { interval: 500 }).toBe(0)
    const seen = await measured.scrape()
    expect(seen).not.toHaveProperty('parley_approvals_pending')
    expect(seen).not.toHaveProperty('parley_schema_version')
    expect(seen).toHaveProperty('process_resident_memory_bytes')
  })

  it('are for keys of the whole server', async () => {
    await using database = await sqliteDatabase()
    await using measured = await startMeasured(database, {})
    expect((await measured.get('/metrics', 'one-0123456789abcdef')).status).toBe(403)
    expect((await measured.get('/metrics', 'wrong')).status).toBe(401)
  })
})
