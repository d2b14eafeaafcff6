/** The trace of a caller, as it reaches providers and MCP servers. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createParley, type ParleyOptions } from '../src/parley.ts'
import { createApp, createMetrics, serve } from '../src/server/index.ts'
import { createSilentLogger } from '../src/core/shared/silent-logger.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { startEmbeddings } from './embedding-server.ts'
import { sqliteDatabase, toOptions } from './harness.ts'
import { startOtlpReceiver, type OtlpReceiver } from './otlp-receiver.ts'
import { anthropicMessages } from './providers/anthropic.ts'
import { googleGenerate } from './providers/google.ts'
import { openaiChat } from './providers/openai-chat.ts'
import { startProviderServer, type ProviderServer } from './providers/provider-server.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const caller = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: 'vendor=1,other=a:b' }
const apiKey = 'sk-test-0123456789'

/** A server with one turn that a caller with a trace asks for. */
async function openServer(options: Partial<ParleyOptions>) {
  const database = await sqliteDatabase()
  const parley = await createParley({ ...toOptions(database), ...options })
  const logger = createSilentLogger()
  const limits = { bodyBytes: 1e6, jsonDepth: 64, pageSize: 200 }
  const deps = { ...parley, clock: systemClock, logger, version: '0.0.0', limits }
  const app = createApp(
    { ...deps, metrics: createMetrics() },
    { apiKeys: [], allowedHosts: [], allowedOrigins: [] },
  )
  const running = await serve(app, { host: '127.0.0.1', port: 0 })
  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${running.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', accept: 'application/json', ...caller },
      body: body && JSON.stringify(body),
    })
    return (await response.json()) as { id: string }
  }
  return {
    url: running.url,
    send,
    async chat(content: string, more: object = {}) {
      const { id } = await parley.sessions.create({ permissionMode: 'bypassPermissions' })
      return send('POST', `/api/sessions/${id}/chat`, { content, ...more })
    },
    async [Symbol.asyncDispose]() {
      await running.stop(1_000)
      await parley.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

const sentTo = (provider: ProviderServer) =>
  provider.requests.map(({ headers: { traceparent, tracestate } }) => ({ traceparent, tracestate }))

describe('the trace of a caller', () => {
  it.each([
    {
      name: 'a server of Chat Completions',
      wire: openaiChat,
      models: (url: string) => ({ model: 'openai/m', openai: { apiKey, baseUrl: `${url}/v1` } }),
    },
    {
      name: 'the same by a fetch of the program',
      wire: openaiChat,
      models: (url: string) => ({ model: 'openai/m', openai: { apiKey, baseUrl: `${url}/v1` }, fetch }),
    },
    {
      name: 'Anthropic',
      wire: anthropicMessages,
      models: (url: string) => ({ model: 'anthropic/m', anthropic: { apiKey, baseUrl: url } }),
    },
    {
      name: 'Gemini',
      wire: googleGenerate,
      models: (url: string) => ({ model: 'google/m', gemini: { apiKey, baseUrl: `${url}/v1beta` } }),
    },
  ])('goes on at $name, below the call of the model', async ({ wire, models }) => {
    await using collector = await startOtlpReceiver()
    await using provider = await startProviderServer(wire)
    {
      await using server = await openServer({
        models: models(provider.url),
        telemetry: { endpoint: collector.url },
      })
      await server.chat('Hello')
    }
    const [step] = await collector.find('chat m')
    expect(sentTo(provider)).toEqual([
      { traceparent: `00-${traceId}-${step!.spanId}-01`, tracestate: caller.tracestate },
    ])
    expect(step!.attributes).toMatchObject({
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(provider.url).port),
    })
  })

  it('is passed on with the decision that its spans are not kept', async () => {
    await using collector = await startOtlpReceiver()
    await using provider = await startProviderServer(openaiChat)
    {
      await using server = await openServer({
        models: { model: 'openai/m', openai: { apiKey, baseUrl: `${provider.url}/v1` } },
        telemetry: { endpoint: collector.url, samplePercent: 0 },
      })
      const { id } = await server.send('POST', '/api/sessions', {})
      await fetch(`${server.url}/api/sessions/${id}/chat`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          traceparent: caller.traceparent.replace(/01$/, '00'),
        },
        body: JSON.stringify({ content: 'Hello' }),
      })
    }
    expect(sentTo(provider)).toEqual([
      {
        traceparent: expect.stringMatching(new RegExp(`^00-${traceId}-[\\da-f]{16}-00$`)),
        tracestate: undefined,
      },
    ])
  })

  it('ends here, and none begins, while tracing is off', async () => {
    await using provider = await startProviderServer(openaiChat)
    await using server = await openServer({
      models: { model: 'openai/m', openai: { apiKey, baseUrl: `${provider.url}/v1` } },
      mcpServers: traceServer,
    })
    provider.script(callOf('mcp__trace__look'))
    await server.chat('Look')
    const nothing = { traceparent: undefined, tracestate: undefined }
    expect(sentTo(provider)).toEqual([nothing, nothing])
    expect(provider.requests[1]!.body.toString()).not.toContain('traceparent')
  })

  it('goes on at a server of embeddings', async () => {
    await using collector = await startOtlpReceiver()
    await using embeddings = await startEmbeddings()
    {
      await using server = await openServer({
        models: { openai: { apiKey, baseUrl: embeddings.baseUrl } },
        memory: { embeddingModel: 'openai/e' },
        telemetry: { endpoint: collector.url },
      })
      await server.send('POST', '/api/memories', { layer: 'scope', text: 'The cat sleeps.' })
      await server.send('GET', '/api/memories?q=feline')
    }
    expect(embeddings.headers.length).toBeGreaterThan(0)
    for (const { traceparent } of embeddings.headers) expect(traceparent).toContain(traceId)
  })

  it('goes on at an MCP server that is a program, in what comes along with the call', async () => {
    await using collector = await startOtlpReceiver()
    await using provider = await startProviderServer(openaiChat)
    provider.script(callOf('mcp__trace__look'))
    {
      await using server = await openServer({
        models: { model: 'openai/m', openai: { apiKey, baseUrl: `${provider.url}/v1` } },
        mcpServers: traceServer,
        telemetry: { endpoint: collector.url },
      })
      await server.chat('Look')
    }
    const [tool] = await collector.find('execute_tool mcp__trace__look')
    const { messages } = JSON.parse(provider.requests[1]!.body.toString()) as {
      messages: { role: string; content: string }[]
    }
    const { content } = messages.findLast(({ role }) => role === 'tool')!
    expect(content).toContain(`"traceparent":"00-${traceId}-${tool!.spanId}-01"`)
    expect(content).toContain(`"tracestate":"${caller.tracestate}"`)
  })

  it('goes on at an MCP server elsewhere, such as another Parley', async () => {
    await using collector = await startOtlpReceiver()
    await using provider = await startProviderServer(openaiChat)
    provider.script(callOf('mcp__other__list_sessions'))
    const telemetry = { endpoint: collector.url }
    {
      await using other = await openServer({ telemetry: { ...telemetry, serviceName: 'other' } })
      await using server = await openServer({
        models: { model: 'openai/m', openai: { apiKey, baseUrl: `${provider.url}/v1` } },
        mcpServers: { other: { type: 'http', url: `${other.url}/mcp` } },
        telemetry,
      })
      await server.chat('Look')
    }
    const [tool] = await collector.find('execute_tool mcp__other__list_sessions')
    expect(childrenOf(collector, tool!.spanId)).toEqual(['POST /mcp'])
  })
})

const traceServer = {
  trace: { command: process.execPath, args: [join(import.meta.dirname, 'mcp-trace-server.ts')] },
}

const callOf = (name: string) => ({ reply: { toolCalls: [{ id: 'call-1', name, input: '{}' }] } })

const childrenOf = (collector: OtlpReceiver, spanId: string) =>
  collector
    .spans()
    .filter(({ parentSpanId }) => parentSpanId === spanId)
    .map(({ name }) => name)

describe('the span of a request', () => {
  it('says where the request went, as the conventions for HTTP have it, and nothing of its query', async () => {
    await using collector = await startOtlpReceiver()
    let url: string
    {
      await using server = await openServer({ telemetry: { endpoint: collector.url } })
      ;({ url } = server)
      await server.send('GET', '/api/sessions?q=a+secret')
      await fetch(`${url}/nowhere/at/all`)
      await fetch(`${url}/api/sessions`, { method: 'PROPFIND' })
    }
    const [list] = await collector.find('GET /api/sessions')
    expect(list!.attributes).toMatchObject({
      'http.request.method': 'GET',
      'http.route': '/api/sessions',
      'http.response.status_code': 200,
      'url.scheme': 'http',
      'url.path': '/api/sessions',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(url).port),
    })
    const [nowhere] = await collector.find('GET')
    expect(nowhere!.attributes).toMatchObject({
      'url.path': '/nowhere/at/all',
      'http.response.status_code': 404,
    })
    expect(nowhere!.attributes).not.toHaveProperty(['http.route'])
    const odd = collector.spans().find(({ name }) => name.startsWith('HTTP'))
    expect(odd!.attributes).toMatchObject({
      'http.request.method': '_OTHER',
      'http.request.method_original': 'PROPFIND',
    })
    expect(collector.requests.map(({ body }) => body).join()).not.toContain('secret')
  })
})
