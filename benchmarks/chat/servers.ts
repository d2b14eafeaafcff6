/** The servers that are compared, one per process: POST /chat answers with the provider's stream. */
import { mkdirSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { createOpenAI } from '@ai-sdk/openai'
import { getRequestListener } from '@hono/node-server'
import { streamText } from 'ai'
import { Hono } from 'hono'
import { pino } from 'pino'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  // `prior`: one session with so many messages, instead of many without any
  options: { model: { type: 'string', default: 'bench-50' }, prior: { type: 'string', default: '0' } },
})
const [kind, providerUrl, folder] = positionals as [string, string, string]
const prior = Number(values.prior)
mkdirSync(folder, { recursive: true })

const kinds: Record<string, () => Promise<string>> = {
  forward: async () =>
    listen(
      createServer((incoming, outgoing) => {
        appendRow('user')
        const upstream = httpRequest(`${providerUrl}/chat/completions`, { method: 'POST' }, (reply) => {
          outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
          reply.pipe(outgoing)
          reply.on('end', () => appendRow('assistant'))
        })
        incoming.resume()
        upstream.end(body)
      }),
    ),

  'stream-text': async () => {
    const model = openai().chat(values.model)
    const app = new Hono()
    app.post('/chat', async (c) => {
      const { content } = await c.req.json<{ content: string }>()
      return streamText({ model, prompt: content }).toUIMessageStreamResponse()
    })
    return listen(createServer(getRequestListener(app.fetch)))
  },

  'do-stream': async () => {
    const model = openai().chat(values.model)
    return listen(
      createServer(async (incoming, outgoing) => {
        incoming.resume()
        appendRow('user')
        const { stream } = await model.doStream({
          prompt: [{ role: 'user', content: [{ type: 'text', text: 'Tell me something.' }] }],
        } as Parameters<typeof model.doStream>[0])
        outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
        const reader = stream.getReader()
        for (;;) {
          const { done, value } = await reader.read()
          if (done) break
          outgoing.write(`data: ${JSON.stringify(value)}\n\n`)
        }
        appendRow('assistant')
        outgoing.end('data: [DONE]\n\n')
      }),
    )
  },

  parley: async () => {
    const { createParley } = await import('../../src/parley.ts')
    const { createApp, createMetrics, serve } = await import('../../src/server/index.ts')
    const { systemClock } = await import('../../src/core/shared/clock.ts')
    const parley = await createParley({
      dataDir: folder,
      models: { model: `openai/${values.model}`, openai: { apiKey: 'bench-key', baseUrl: providerUrl } },
    })
    const { store } = parley
    const logger = pino({ level: 'error' })
    const limits = { bodyBytes: 1e7, jsonDepth: 64, pageSize: 200 }
    const app = createApp(
      {
        ...parley,
        clock: systemClock,
        logger,
        metrics: createMetrics(),
        version: 'bench',
        limits,
      },
      { apiKeys: [], allowedHosts: [], allowedOrigins: [] },
    )
    // a session for each of those who talk at once; the caller takes them in turns
    const sessions = await Promise.all(
      Array.from({ length: prior > 0 ? 1 : 1_000 }, () => parley.sessions.create()),
    )
    for (let done = 0; done < prior; done += 200)
      await store.appendMessages('default', sessions[0]!.id, Array.from({ length: 200 }, toMessage))
    const { url } = await serve(app, { host: '127.0.0.1', port: 0 })
    return `${url}#${sessions.map(({ id }) => id).join(',')}`
  },
}

const toMessage = (_: unknown, index: number) => ({
  role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
  parts: [{ type: 'text', text: 'A message of some three hundred characters. '.repeat(7) }],
})
const body = JSON.stringify({
  model: values.model,
  stream: true,
  messages: [{ role: 'user', content: 'Tell me something.' }],
})
const database = new DatabaseSync(join(folder, 'rows.db'))
database.exec(
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE rows (id INTEGER PRIMARY KEY, role TEXT, text TEXT)',
)
const insert = database.prepare('INSERT INTO rows (role, text) VALUES (?, ?)')
const appendRow = (role: string) => insert.run(role, 'x'.repeat(300))
const openai = () => createOpenAI({ apiKey: 'bench-key', baseURL: providerUrl })

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

process.stdout.write(`${await kinds[kind]!()}\n`)
for await (const _ of createInterface(process.stdin)) {
  const { user, system } = process.cpuUsage()
  process.stdout.write(`${(user + system) / 1_000}\n`)
}
process.exit()
