import { AsyncLocalStorage } from 'node:async_hooks'
import { context, ROOT_CONTEXT, trace, type Context } from '@opentelemetry/api'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { createParley, type Parley, type ParleyOptions } from '../src/parley.ts'
import { createApp, createMetrics, serve } from '../src/server/index.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { anyDatabase, sqliteDatabase, toOptions, type TestDatabase } from './harness.ts'
import { startOtlpReceiver, type SeenSpan } from './otlp-receiver.ts'
import { openaiChat } from './providers/openai-chat.ts'
import { startProviderServer, type ProviderServer } from './providers/provider-server.ts'
import { startServer } from './server-process.ts'
import { holdAnswers } from './http/held-answers.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const caller = '00f067aa0ba902b7'
const key = 'sk-test-0123456789'
const server = 2
const client = 3
const isError = 2

interface Served extends AsyncDisposable {
  parley: Parley
  log: string[]
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Record<string, unknown>>
}

async function startParley(database: TestDatabase, options: Partial<ParleyOptions>): Promise<Served> {
  const log: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void log.push(line) })
  const parley = await createParley({ ...toOptions(database), logger, ...options })
  const limits = { bodyBytes: 1e6, jsonDepth: 64, pageSize: 200 }
  const app = createApp(
    { ...parley, clock: systemClock, logger, metrics: createMetrics(), version: 'test', limits },
    { apiKeys: [], allowedHosts: [], allowedOrigins: [] },
  )
  const running = await serve(holdAnswers(app), { host: '127.0.0.1', port: 0 })
  return {
    parley,
    log,
    async post(path, body, headers) {
      const response = await fetch(`${running.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      return (await response.json()) as Record<string, unknown>
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([running.stop(1_000), parley.close()])
    },
  }
}

const models = (provider: ProviderServer) => ({
  model: 'openai/asked-model',
  openai: { apiKey: key, baseUrl: `${provider.url}/v1` },
})

const usage = { input: 100, output: 20, cacheRead: 64, reasoning: 8 }
const calls = (name: string, input: object) => ({
  reply: { toolCalls: [{ id: `call-${name}`, name, input: JSON.stringify(input) }], usage },
})
/** A turn that has something done by a task. */
const delegation = [
  calls('spawn_task', { task: 'Count the pages', mode: 'sync' }),
  calls('set_result', { output: 'Seven pages.' }),
  { reply: { text: 'There are seven.', usage } },
]

/** The span whose child it is, by name. */
const parentOf = (span: SeenSpan, all: SeenSpan[]) =>
  all.find(({ spanId }) => spanId === span.parentSpanId)?.name

describe.each(anyDatabase)('spans on %s', (_name, openDatabase) => {
  it('lead from the request to the run, its steps, its tools and the runs they start', async () => {
    await using database = await openDatabase()
    await using collector = await startOtlpReceiver()
    await using provider = await startProviderServer(openaiChat)
    provider.script(...delegation)
    const telemetry = { endpoint: `${collector.url}/`, headers: { 'x-key': 'k' }, serviceName: 'desk' }
    {
      await using parley = await startParley(database, { models: models(provider), telemetry })
      const { id } = await parley.post('/api/sessions', {})
      const { message } = await parley.post(
        `/api/sessions/${id}/chat`,
        { content: 'How many pages?' },
        { traceparent: `00-${traceId}-${caller}-01` },
      )
      expect(JSON.stringify(message)).toContain('There are seven.')
    }
    // what was not sent yet is sent when it closes
    const all = collector.spans().filter((span) => span.traceId === traceId)
    const named = (name: string) => all.filter((span) => span.name === name)
    const [request] = named('POST /api/sessions/:id/chat')
    expect(request).toMatchObject({
      kind: server,
      parentSpanId: caller,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/sessions/:id/chat',
        'http.response.status_code': 200,
        'url.scheme': 'http',
        'url.path': expect.stringMatching(/^\/api\/sessions\/ses_\w+\/chat$/),
        'server.address': '127.0.0.1',
        'server.port': expect.any(Number),
      },
    })
    const [turn, task, ...more] = named('invoke_agent').toSorted((a, b) =>
      a.parentSpanId === request!.spanId ? -1 : b.parentSpanId === request!.spanId ? 1 : 0,
    )
    expect(more).toEqual([])
    expect(turn).toMatchObject({
      parentSpanId: request!.spanId,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.conversation.id': expect.stringMatching(/^ses_/),
        'parley.run.kind': 'turn',
        'parley.scope': 'default',
        'parley.run.status': 'completed',
      },
    })
    const [tool] = named('execute_tool spawn_task')
    expect(tool).toMatchObject({
      parentSpanId: turn!.spanId,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'spawn_task',
        'gen_ai.tool.type': 'function',
        'gen_ai.tool.call.id': 'call-spawn_task',
        'parley.run.id': turn!.attributes['parley.run.id'],
      },
    })
    expect(task).toMatchObject({
      parentSpanId: tool!.spanId,
      attributes: {
        'parley.run.kind': 'background',
        'parley.run.parent_id': turn!.attributes['parley.run.id'],
      },
    })
    const steps = named('chat asked-model')
    expect(steps.map((span) => parentOf(span, all))).toEqual(Array(3).fill('invoke_agent'))
    expect(steps.filter(({ parentSpanId }) => parentSpanId === task!.spanId)).toHaveLength(1)
    for (const step of steps)
      expect(step).toMatchObject({
        kind: client,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'openai',
          'gen_ai.request.model': 'asked-model',
          'gen_ai.request.stream': true,
          'gen_ai.response.model': 'test-model',
          'gen_ai.response.id': 'chatcmpl-1',
          'server.address': '127.0.0.1',
          'server.port': Number(new URL(provider.url).port),
          'gen_ai.usage.input_tokens': 100,
          'gen_ai.usage.output_tokens': 20,
          'gen_ai.usage.cache_read.input_tokens': 64,
          'gen_ai.usage.reasoning.output_tokens': 8,
          'gen_ai.response.time_to_first_chunk': expect.any(Number),
        },
      })
    expect(steps.map(({ attributes }) => attributes['gen_ai.response.finish_reasons'])).toEqual([
      ['tool_call'],
      ['tool_call'],
      ['stop'],
    ])
    expect(all.filter(({ status }) => status === isError)).toEqual([])
    expect(collector.resource()).toMatchObject({ 'service.name': 'desk' })
    expect(collector.requests[0]).toMatchObject({ path: '/v1/traces', headers: { 'x-key': 'k' } })
    // nothing of what was said, by anybody
    const sent = collector.requests.map(({ body }) => body).join('\n')
    for (const said of ['How many pages', 'Count the pages', 'Seven pages', 'There are seven', key])
      expect(sent).not.toContain(said)
  })

  it('stay in the trace of a run that another process takes up', async () => {
    await using database = await openDatabase()
    await using collector = await startOtlpReceiver()
    await using provider = await startProviderServer(openaiChat)
    const options = { models: models(provider), telemetry: { endpoint: collector.url } }
    {
      await using first = await startParley(database, { ...options, takesUpRuns: false })
      const traceparent = `00-${traceId}-${caller}-01`
      await first.post('/api/sessions', { kind: 'background', prompt: 'Work' }, { traceparent })
    }
    const [asked] = await collector.find('POST /api/sessions')
    expect(collector.spans().map(({ name }) => name)).not.toContain('invoke_agent')
    await using second = await startParley(database, options)
    expect(second.log).toEqual([])
    const [run] = await collector.find('invoke_agent')
    expect(run).toMatchObject({ traceId, parentSpanId: asked!.spanId })
  })
})

describe('spans', () => {
  it('name the steps of a workflow and hang below its run', async () => {
    await using database = await sqliteDatabase()
    await using collector = await startOtlpReceiver()
    await using provider = await startProviderServer(openaiChat)
    const options = { models: models(provider), telemetry: { endpoint: collector.url } }
    {
      await using opened = await startParley(database, options)
      const definition = { name: 'letters', steps: [{ id: 'draft', type: 'agent', prompt: 'Write' }] }
      const run = await opened.parley.workflows.start({ text: JSON.stringify(definition) })
      await expect.poll(async () => (await opened.parley.workflows.getRun(run.id)).status).toBe('completed')
    }
    const all = collector.spans()
    const step = all.find(({ name }) => name === 'invoke_agent')
    expect(step!.attributes).toMatchObject({
      'gen_ai.workflow.name': 'letters',
      'parley.workflow.step': 'draft',
    })
    const above = all.find(({ spanId }) => spanId === step!.parentSpanId)
    expect(above).toMatchObject({
      name: 'invoke_workflow',
      traceId: step!.traceId,
      attributes: { 'gen_ai.operation.name': 'invoke_workflow', 'parley.run.kind': 'workflow' },
    })
  })

  it('say what kind of error it was, and none of its words', async () => {
    await using database = await sqliteDatabase()
    await using collector = await startOtlpReceiver()
    await using provider = await startProviderServer(openaiChat)
    const body = openaiChat.errorBody({ type: 'auth', message: `Your key ${key} is wrong, Anna` })
    provider.otherwise({ status: 401, body })
    const telemetry = { endpoint: collector.url }
    {
      await using opened = await startParley(database, { models: models(provider), telemetry })
      const { id } = await opened.parley.sessions.create({})
      await opened.post(`/api/sessions/${id}/chat`, { content: 'Hello' })
    }
    const [step] = await collector.find('chat asked-model')
    expect(step).toMatchObject({ status: isError, attributes: { 'error.type': 'auth' } })
    const [run] = await collector.find('invoke_agent')
    expect(run).toMatchObject({ status: isError, attributes: { 'error.type': 'model_auth' } })
    const sent = collector.requests.map((request) => request.body).join('\n')
    expect(sent).not.toContain('Anna')
    expect(sent).not.toContain(key)
  })

  it('hold what was said only where that was asked for', async () => {
    await using database = await sqliteDatabase()
    await using collector = await startOtlpReceiver()
    await using provider = await startProviderServer(openaiChat)
    provider.script(...delegation)
    const telemetry = { endpoint: collector.url, content: true }
    {
      await using opened = await startParley(database, { models: models(provider), telemetry })
      const { id } = await opened.parley.sessions.create({})
      await opened.post(`/api/sessions/${id}/chat`, { content: 'How many pages?' })
    }
    const steps = await collector.find('chat asked-model', 3)
    const inputs = steps.map(({ attributes }) => JSON.parse(String(attributes['gen_ai.input.messages'])))
    expect(inputs[0]).toEqual([
      {
        role: 'user',
        parts: [
          { type: 'text', content: expect.stringContaining('<current_date>') },
          { type: 'text', content: expect.stringContaining('How many pages?') },
        ],
      },
    ])
    expect(steps[0]!.attributes['gen_ai.system_instructions']).toContain('"type":"text"')
    const outputs = steps.map(({ attributes }) => JSON.parse(String(attributes['gen_ai.output.messages'])))
    expect(outputs).toContainEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'There are seven.' }], finish_reason: 'stop' },
    ])
    const [tool] = await collector.find('execute_tool spawn_task')
    expect(tool!.attributes['gen_ai.tool.call.arguments']).toContain('Count the pages')
    expect(tool!.attributes['gen_ai.tool.call.result']).toContain('Seven')
    expect(collector.requests.map(({ body }) => body).join()).not.toContain(key)
  })

  it('begin a trace of their own where the caller has none, or none that can be read', async () => {
    await using database = await sqliteDatabase()
    await using collector = await startOtlpReceiver()
    {
      await using opened = await startParley(database, { telemetry: { endpoint: collector.url } })
      for (const traceparent of [
        '',
        'nonsense',
        `00-${'0'.repeat(32)}-${caller}-01`,
        `ff-${traceId}-${caller}-01`,
      ])
        await opened.post('/api/sessions', {}, { traceparent })
    }
    const found = await collector.find('POST /api/sessions', 4)
    expect(found.filter(({ parentSpanId }) => parentSpanId !== undefined)).toEqual([])
    expect(new Set(found.map((span) => span.traceId)).size).toBe(4)
  })

  it('are left out where the caller decided so', async () => {
    await using database = await sqliteDatabase()
    await using collector = await startOtlpReceiver()
    {
      await using opened = await startParley(database, { telemetry: { endpoint: collector.url } })
      const { id } = await opened.parley.sessions.create({})
      const traceparent = `00-${traceId}-${caller}-00`
      await opened.post(`/api/sessions/${id}/chat`, { content: 'Hello' }, { traceparent })
    }
    expect(collector.spans()).toEqual([])
  })

  it('that cannot be sent are lost with a word in the log, and nothing else is', async () => {
    await using database = await sqliteDatabase()
    await using collector = await startOtlpReceiver(403)
    const telemetry = { endpoint: collector.url }
    await using opened = await startParley(database, { telemetry })
    const { id } = await opened.parley.sessions.create({})
    const { run } = await opened.post(`/api/sessions/${id}/chat`, { content: 'Hello' })
    expect(run).toMatchObject({ status: 'completed' })
    await expect.poll(() => opened.log.join()).toContain('spans could not be sent')
    expect(opened.log).toHaveLength(1)
  })

  it('come from the tracer of a program that has one, below what it does itself', async () => {
    await using database = await sqliteDatabase()
    const exporter = new InMemorySpanExporter()
    const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
    const tracer = provider.getTracer('program')
    context.setGlobalContextManager(createContextManager())
    try {
      await using parley = await createParley({ ...toOptions(database), telemetry: { tracer } })
      const { id } = await parley.sessions.create({})
      await tracer.startActiveSpan('program', async (span) => {
        await parley.sessions.chat(id, { content: 'Hello' })
        span.end()
      })
      const spans = exporter.getFinishedSpans()
      const find = (name: string) => spans.find((span) => span.name === name)!
      const idOf = (name: string) => find(name).spanContext().spanId
      expect(find('invoke_agent').parentSpanContext?.spanId).toBe(idOf('program'))
      expect(find('chat parley').parentSpanContext?.spanId).toBe(idOf('invoke_agent'))
    } finally {
      context.disable()
    }
    // what is not ours goes on
    expect(trace.getSpan(ROOT_CONTEXT)).toBeUndefined()
    tracer.startSpan('later').end()
    expect(exporter.getFinishedSpans().at(-1)!.name).toBe('later')
  })
})

/** As the SDK for Node has one. */
function createContextManager() {
  const store = new AsyncLocalStorage<Context>()
  return {
    active: () => store.getStore() ?? ROOT_CONTEXT,
    with: <A extends unknown[], F extends (...args: A) => ReturnType<F>>(
      active: Context,
      work: F,
      self?: ThisParameterType<F>,
      ...args: A
    ) => store.run(active, () => work.apply(self, args)),
    bind: <T>(_active: Context, target: T) => target,
    enable() {
      return this
    },
    disable() {
      return this
    },
  }
}

/** Tells of every module that is loaded, on stderr. */
const tellModules = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({ load: (url, context, next) => (process.stderr.write('loads ' + url + '\\n'), next(url, context)) })
`)}`

describe('a server', () => {
  const serveOnce = async (env: Record<string, string>) => {
    await using database = await sqliteDatabase()
    const process = await startServer({
      env: { ...database.environment, NODE_OPTIONS: `--import ${tellModules}`, ...env },
    })
    const post = async (path: string, body: unknown) =>
      (await fetch(`${process.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(body),
      }).then((response) => response.json())) as { id: string; run: unknown }
    const { id } = await post('/api/sessions', {})
    const { run } = await post(`/api/sessions/${id}/chat`, { content: 'Hello' })
    expect(run).toMatchObject({ status: 'completed' })
    await process.kill('SIGTERM')
    return process.log().match(/loads .*(sdk-trace|otlp|telemetry\/tracing).*/g) ?? []
  }

  it('loads nothing of it and sends nothing unless it is switched on', async () => {
    await using collector = await startOtlpReceiver()
    const loaded = await serveOnce({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
    expect(loaded).toEqual([])
    expect(collector.requests).toEqual([])
  })

  it('sends spans when it is, as the environment says', async () => {
    await using collector = await startOtlpReceiver()
    const loaded = await serveOnce({
      PARLEY_TELEMETRY: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b,x-other=c',
    })
    expect(loaded.length).toBeGreaterThan(0)
    expect(collector.spans().map(({ name }) => name)).toContain('invoke_agent')
    expect(collector.requests[0]!.headers).toMatchObject({ 'x-key': 'a b', 'x-other': 'c' })
  })
})
