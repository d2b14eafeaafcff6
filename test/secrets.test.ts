import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { describe, expect, it } from 'vitest'
import { processRunner } from './command-line.ts'
import { follow } from './event-sockets.ts'
import { temporaryFolder } from './harness.ts'
import { startOtlpReceiver } from './otlp-receiver.ts'
import { anthropicMessages } from './providers/anthropic.ts'
import { googleGenerate } from './providers/google.ts'
import { openaiChat } from './providers/openai-chat.ts'
import { startProviderServer } from './providers/provider-server.ts'
import { startServer } from './server-process.ts'

/** Each has a place of its own in the configuration, the environment or the store of keys, and belongs nowhere else. */
const secrets = {
  openaiKey: 'canary-01-openai-6f1d2c',
  anthropicKey: 'canary-02-anthropic-9b3e7a',
  storedGoogleKey: 'canary-03-stored-google-4c8d1f',
  serverKey: 'canary-04-server-2e5a9d',
  boundKey: 'canary-05-bound-7d4b8c',
  mcpHeader: 'canary-06-mcp-header-1a6f3e',
  mcpVariable: 'canary-07-mcp-variable-8c2d5b',
  mcpUrlKey: 'canary-08-mcp-url-3f9e6a',
  searchKey: 'canary-09-search-5b1c8d',
  collectorHeader: 'canary-10-collector-a7e2f4',
  hookArgument: 'canary-11-hook-d6c3b9',
  otherVariable: 'canary-12-aws-e8f5a1',
}
/** Goes with the words of the user: where it is not found, nobody looked. */
const dye = 'heliotrope'
// what a program may write to its standard error to confuse whoever reads the log
const hostile = '\r\n{"level":60,"msg":"forged"}\u001b[2J\u202egnp.exe\u009b31m'

/** An MCP server that lets nobody in and says to whom it said so. */
async function startRefusingServer() {
  const seen: string[] = []
  const server = createServer((request, response) => {
    const told = `${request.headers['x-token']} ${request.url}`
    seen.push(told)
    response.writeHead(401, { 'content-type': 'text/plain' }).end(`Wrong token: ${told}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const readAll = (folder: string, without: string[] = []) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !without.includes(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')

describe('secrets', () => {
  it('are nowhere but where they were put: not in logs, files, streams, exports, errors, prompts, metrics or spans', async () => {
    using home = temporaryFolder()
    await using collector = await startOtlpReceiver()
    await using openai = await startProviderServer(openaiChat)
    await using anthropic = await startProviderServer(anthropicMessages)
    await using google = await startProviderServer(googleGenerate)
    await using refusing = await startRefusingServer()
    const config = {
      model: 'openai/test',
      apiKeys: [{ name: 'bound', key: secrets.boundKey, scopes: ['default'] }],
      permissions: { mode: 'bypassPermissions' },
      tools: { groups: { terminal: true } },
      mirror: { enabled: true },
      mcpServers: {
        refusing: {
          type: 'http',
          url: `${refusing.url}/mcp?api_key=${secrets.mcpUrlKey}`,
          headers: { 'x-token': secrets.mcpHeader },
        },
        broken: {
          command: process.execPath,
          args: [
            '-e',
            `console.error('bad token ' + process.env.TOKEN + ${JSON.stringify(hostile)}); process.exit(1)`,
          ],
          env: { TOKEN: secrets.mcpVariable },
        },
      },
      hooks: {
        commands: [
          {
            event: 'PreToolUse',
            command: [
              process.execPath,
              '-e',
              `console.error(process.argv[1]); process.exit(7)`,
              secrets.hookArgument,
            ],
            onFailure: 'allow',
          },
        ],
      },
    }
    mkdirSync(join(home.path, '.config', 'parley'), { recursive: true })
    writeFileSync(join(home.path, '.config', 'parley', 'config.yaml'), stringify(config))
    const dataDir = join(home.path, 'data')
    const env = {
      HOME: home.path,
      PARLEY_DATA_DIR: dataDir,
      PARLEY_LOG_LEVEL: 'trace',
      PARLEY_API_KEY: secrets.serverKey,
      OPENAI_API_KEY: secrets.openaiKey,
      OPENAI_BASE_URL: `${openai.url}/v1`,
      ANTHROPIC_API_KEY: secrets.anthropicKey,
      ANTHROPIC_BASE_URL: `${anthropic.url}/v1`,
      BRAVE_API_KEY: secrets.searchKey,
      AWS_SECRET_ACCESS_KEY: secrets.otherVariable,
      PARLEY_TELEMETRY: 'true',
      PARLEY_TELEMETRY_CONTENT: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `x-collector=${secrets.collectorHeader}`,
    }
    const server = await startServer({ env })
    /** All that came back, by the kind of place it came from. */
    const found: Record<'answers' | 'streams' | 'exports' | 'metrics', string[]> = {
      answers: [],
      streams: [],
      exports: [],
      metrics: [],
    }
    const ask = async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${secrets.serverKey}`,
          accept: 'application/json',
          'content-type': 'application/json',
          ...more,
        },
        body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
      })
      const text = await response.text()
      const into = /\/metrics/.test(path)
        ? 'metrics'
        : /export/.test(path)
          ? 'exports'
          : /event-stream/.test(more['accept'] ?? '')
            ? 'streams'
            : 'answers'
      found[into].push(text, JSON.stringify([...response.headers]))
      return {
        status: response.status,
        json: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
      }
    }
    const follower = await follow(server.url, { headers: { authorization: `Bearer ${secrets.serverKey}` } })

    // providers that repeat what they were sent, in every way an answer can go wrong
    const repeat = (wire: typeof openaiChat, key: string) => {
      const error = {
        type: 'invalid_request_error',
        message: `Incorrect API key provided: ${key}. Authorization: Bearer ${key}`,
      }
      return [
        { status: 401, body: wire.errorBody(error), headers: { 'x-echo': key } },
        { status: 400, body: `<html>${key}</html>` },
        { frames: [wire.errorFrame(error)] },
        { frames: [`data: {"oops ${key}\n\n`] },
      ]
    }
    await ask('PUT', '/api/providers/google', {
      apiKey: secrets.storedGoogleKey,
      baseUrl: `${google.url}/v1beta`,
    })
    await ask('PUT', '/api/providers/openai', { apiKey: secrets.openaiKey })
    const { json: session } = await ask('POST', '/api/sessions', { title: `About ${dye}` })
    const chat = `/api/sessions/${session['id']}/chat`
    const call = (name: string, input: object) => ({
      reply: { toolCalls: [{ id: `call-${name}`, name, input: JSON.stringify(input) }] },
    })
    openai.script(
      call('terminal', { action: 'execute', command: 'env' }),
      call('file', { action: 'read', path: join(dataDir, 'credentials.json') }),
      call('no_such_tool', {}),
      { reply: { text: `It is ${dye}.` } },
      ...repeat(openaiChat, secrets.openaiKey),
    )
    anthropic.script(...repeat(anthropicMessages, secrets.anthropicKey))
    google.script(...repeat(googleGenerate, secrets.storedGoogleKey))
    await ask('POST', chat, { content: `Tell me of ${dye}` }, { accept: 'text/event-stream' })
    for (const model of ['openai/test', 'anthropic/test', 'google/test'])
      for (const accept of ['application/json', 'text/event-stream', 'application/json', 'text/event-stream'])
        await ask('POST', chat, { content: 'Again', model }, { accept })
    await ask('POST', '/v1/chat/completions', {
      model: 'openai/test',
      messages: [{ role: 'user', content: dye }],
    })

    // what else there is to ask, and to ask wrongly
    for (const path of [
      '',
      '/messages',
      '/prompt',
      '/export',
      '/export?format=markdown',
      '/checkpoints',
      '/window',
    ])
      await ask('GET', `/api/sessions/${session['id']}${path}`)
    for (const path of [
      'runs',
      'settings',
      'models?refresh=true',
      'tools',
      'mcp',
      'audit',
      'usage',
      'search?q=heliotrope',
    ])
      await ask('GET', `/api/${path}`)
    const { json: document } = await ask('GET', `/api/sessions/${session['id']}/export`)
    await ask('POST', '/api/sessions/import', document)
    await ask('POST', '/api/sessions/import', '{"broken')
    await ask('POST', '/api/sessions', { unknown: 1 })
    await ask('GET', `/api/sessions?api_key=${secrets.serverKey}&key=${secrets.boundKey}`)
    await ask('GET', `/api/nowhere?token=${secrets.serverKey}`)
    await ask('GET', '/api/audit?scope=other', undefined, { authorization: `Bearer ${secrets.boundKey}` })
    await ask('GET', '/metrics', undefined, { authorization: `Bearer ${secrets.boundKey}` })
    await ask('GET', '/metrics')
    await expect.poll(() => follower.frames.length).toBeGreaterThan(3)
    found.streams.push(JSON.stringify(follower.frames))
    await follower.close()
    const run = processRunner(home.path)
    const printed = await run(['config'], { env })
    const { code } = await server.kill('SIGTERM')
    expect(code).toBe(0)

    // they were used, and what is searched is not empty
    expect(openai.requests[0]!.headers.authorization).toBe(`Bearer ${secrets.openaiKey}`)
    expect(anthropic.requests[0]!.headers['x-api-key']).toBe(secrets.anthropicKey)
    expect(google.requests[0]!.headers['x-goog-api-key']).toBe(secrets.storedGoogleKey)
    expect(refusing.seen[0]).toContain(`${secrets.mcpHeader} /mcp?api_key=${secrets.mcpUrlKey}`)
    expect(collector.requests[0]!.headers['x-collector']).toBe(secrets.collectorHeader)
    expect(readFileSync(join(dataDir, 'credentials.json'), 'utf8')).toContain(secrets.storedGoogleKey)
    // the model looked around, and saw what commands may see
    expect(openai.requests[1]!.body.toString()).toContain(`HOME=${home.path}`)
    const places: Record<string, { text: string; has: string }> = {
      answers: { text: found.answers.join('\n'), has: dye },
      streams: { text: found.streams.join('\n'), has: dye },
      exports: { text: found.exports.join('\n'), has: dye },
      metrics: { text: found.metrics.join('\n'), has: 'parley_model_errors_total{model="google/test"' },
      'the data folder': { text: readAll(dataDir, ['credentials.json']), has: dye },
      prompts: {
        text: [openai, anthropic, google]
          .flatMap(({ requests }) => requests.map(({ body }) => body))
          .join('\n'),
        has: dye,
      },
      spans: { text: collector.requests.map(({ body }) => body).join('\n'), has: dye },
      'the log': { text: server.log(), has: 'a model did not answer' },
      'parley config': { text: printed.stdout + printed.stderr, has: 'mcpServers.broken' },
    }
    const hits = Object.entries(places).flatMap(([place, { text, has }]) => {
      expect(text, place).toContain(has)
      return Object.entries(secrets).flatMap(([name, secret]) => {
        const at = text.indexOf(secret)
        return at < 0 ? [] : [`${name} in ${place}: ${text.slice(Math.max(0, at - 150), at + 60)}`]
      })
    })
    expect(hits).toEqual([])

    // what programs wrote is in the log, and every line is still one
    const lines = server.log().trimEnd().split('\n')
    expect(lines.some((line) => line.includes('\\u202egnp.exe'))).toBe(true)
    for (const line of lines) {
      expect(() => JSON.parse(line), line).not.toThrow()
      // oxlint-disable-next-line no-control-regex
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
      expect(JSON.parse(line).msg).not.toBe('forged')
    }
  })
})
