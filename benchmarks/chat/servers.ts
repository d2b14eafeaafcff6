/** The servers that are compared, one per process: POST /chat/{session} answers with the provider's stream. */
import { mkdirSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const [kind, providerUrl, folder, modelName] = process.argv.slice(2) as [string, string, string, string]
mkdirSync(folder, { recursive: true })

// each loads only what it needs: their memory is compared, too
const kinds: Record<string, () => Promise<string>> = {
  forward: async () =>
    listen(
      createServer((incoming, outgoing) => {
        incoming.resume()
        const session = incoming.url!
        const messages = takeInput(session).map(({ role, text }) => ({ role, content: text }))
        const upstream = httpRequest(`${providerUrl}/chat/completions`, { method: 'POST' }, (reply) => {
          outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
          reply.pipe(outgoing)
          // as long as the answer, which it does not read
          reply.on('end', () => append.run(session, 'assistant', 'x'.repeat(350)))
        })
        upstream.end(JSON.stringify({ model: modelName, stream: true, messages }))
      }),
    ),

  'stream-text': async () => {
    const [{ getRequestListener }, { streamText }, { Hono }] = await Promise.all([
      import('@hono/node-server'),
      import('ai'),
      import('hono'),
    ])
    const model = await openModel()
    const app = new Hono()
    app.post('/chat/:session', async (c) => {
      const { content } = await c.req.json<{ content: string }>()
      return streamText({ model, prompt: content }).toUIMessageStreamResponse()
    })
    return listen(createServer(getRequestListener(app.fetch)))
  },

  'do-stream': async () => {
    const model = await openModel()
    return listen(
      createServer(async (incoming, outgoing) => {
        incoming.resume()
        const session = incoming.url!
        const prompt = takeInput(session).map(({ role, text }) => ({
          role,
          content: [{ type: 'text', text }],
        }))
        const { stream } = await model.doStream({ prompt } as Parameters<typeof model.doStream>[0])
        outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
        const reader = stream.getReader()
        let answer = ''
        for (;;) {
          const { done, value } = await reader.read()
          if (done) break
          if (value.type === 'text-delta') answer += value.delta
          outgoing.write(`data: ${JSON.stringify(value)}\n\n`)
        }
        append.run(session, 'assistant', answer)
        outgoing.end('data: [DONE]\n\n')
      }),
    )
  },
}

const database = new DatabaseSync(join(folder, 'rows.db'))
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE rows (id INTEGER PRIMARY KEY, session TEXT, role TEXT, text TEXT);
  CREATE INDEX rows_by_session ON rows (session);
`)
const append = database.prepare('INSERT INTO rows (session, role, text) VALUES (?, ?, ?)')
const list = database.prepare('SELECT role, text FROM rows WHERE session = ? ORDER BY id')

/** Answers the conversation so far, as a model needs it to go on. */
function takeInput(session: string): { role: string; text: string }[] {
  append.run(session, 'user', 'Tell me something.')
  return list.all(session) as { role: string; text: string }[]
}

async function openModel() {
  const { createOpenAI } = await import('@ai-sdk/openai')
  return createOpenAI({ apiKey: 'bench-key', baseURL: providerUrl }).chat(modelName)
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

process.stdout.write(`${await kinds[kind]!()}\n`)
process.stdin.resume().on('end', () => process.exit())
