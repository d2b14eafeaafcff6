import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createClient } from '../src/client/index.ts'
import { median, type Bench, type Figure } from './bench.ts'
import { createSession, serveParley } from './chat/parley.ts'
import { withProcesses, type Start } from './chat/process.ts'

const kills = 20
const goalMs = { SQLite: 1_000, PostgreSQL: 2_000 }

/**
 * A lone server is killed in the middle of an answer and started again: from when it is ready until the answer goes on,
 * beside the first turn of a server that just started, for which everything is loaded, too.
 */
export const resume: Bench = {
  name: 'resume',
  async run() {
    const { DATABASE_URL: databaseUrl } = process.env
    return [...(await measure('SQLite')), ...(databaseUrl ? await measure('PostgreSQL', databaseUrl) : [])]
  },
}

async function measure(name: keyof typeof goalMs, databaseUrl?: string): Promise<Figure[]> {
  using provider = await startProvider()
  // the provider is needed until then
  return await withProcesses(async (start, folder) => {
    const config = join(folder, 'parley.yaml')
    const settings = {
      model: 'openai/bench',
      openai: { apiKey: 'bench-key', baseUrl: provider.url },
      databaseUrl,
    }
    // JSON is YAML
    writeFileSync(config, JSON.stringify(settings))
    const interrupted: number[] = []
    const fresh: number[] = []
    for (let kill = 0; kill < kills; kill++) {
      const times = await killOnce(start, folder, config, provider)
      interrupted.push(times.interrupted)
      fresh.push(times.fresh)
    }
    const figure = (what: string, value: number, max?: number): Figure => ({
      what: `${name}: ${what}`,
      value,
      unit: 'ms',
      ...(max !== undefined && { goal: { max } }),
    })
    return [
      figure('from a server being ready to the first words of its first turn', median(fresh)),
      figure('from a server being ready to the next words of an interrupted answer', median(interrupted)),
      figure(`the slowest of ${kills}`, Math.max(...interrupted), goalMs[name]),
    ]
  })
}

async function killOnce(start: Start, folder: string, config: string, provider: Provider) {
  const serve = async () => ({
    ...(await serveParley(start, { folder, name: 'resume', config })),
    ready: performance.now(),
  })
  provider.halts = true
  const first = await serve()
  const sessionId = await createSession(first.url)
  const place = await untilWords(first.url, sessionId, await send(first.url, sessionId))
  const fresh = performance.now() - first.ready
  await first.program.end()
  provider.halts = false
  const second = await serve()
  await untilWords(second.url, sessionId, place)
  const interrupted = performance.now() - second.ready
  await second.program.end()
  return { interrupted, fresh }
}

interface Place {
  run: string
  after: number
}

async function send(url: string, sessionId: string): Promise<Place> {
  const { runId } = await createClient({ baseUrl: url }).sessions.send(sessionId, 'Tell me something.')
  return { run: runId, after: 0 }
}

/** Where the next words of a run are. */
async function untilWords(url: string, sessionId: string, place: Place): Promise<Place> {
  const { sessions } = createClient({ baseUrl: url })
  for await (const { events } of sessions.observe(sessionId, place)) {
    const words = events.find(({ chunk }) => chunk.type === 'text-delta')
    if (words) return { ...place, after: words.seq }
  }
  throw new Error('The turn ended without words.')
}

interface Provider extends Disposable {
  url: string
  /** Whether answers stop in the middle. */
  halts: boolean
}

async function startProvider(): Promise<Provider> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    sendWords(response, 'Half ')
    if (provider.halts) return
    sendWords(response, 'of it.', 'stop')
    response.end('data: [DONE]\n\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const provider: Provider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    halts: false,
    [Symbol.dispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
  return provider
}

function sendWords(response: ServerResponse, content: string, finish: string | null = null): void {
  const choices = [{ index: 0, delta: { role: 'assistant', content }, finish_reason: finish }]
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'bench', choices }
  response.write(`data: ${JSON.stringify(chunk)}\n\n`)
}
