/** Parley with the built workbench, a long session, and a model that answers in a great many chunks. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import type { ModelAdapter } from '../../src/core/models/adapter.ts'
import { createParley } from '../../src/parley.ts'
import { createApp, createMetrics, serve } from '../../src/server/index.ts'
import { systemClock } from '../../src/core/shared/clock.ts'
import { answerWords } from './answer.ts'

const [folder = '', given] = process.argv.slice(2)
const workbenchDir = given ?? join(import.meta.dirname, '..', '..', 'web', 'dist')
if (!existsSync(join(workbenchDir, 'index.html')))
  throw new Error('The workbench is not built: run "npx vite build" in web/ first.')
mkdirSync(folder, { recursive: true })

const chunks = 20_000
// a fast model: two to three thousand chunks in a second
const perPause = 20
const pauseMs = 8

const model: ModelAdapter = {
  id: 'bench/model',
  async *stream(_, signal) {
    let sent = 0
    for (const text of answerWords(chunks)) {
      yield { type: 'text-delta', text }
      if (++sent % perPause === 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
      signal.throwIfAborted()
    }
    yield { type: 'finish', reason: 'stop', usage: { inputTokens: 10, outputTokens: chunks } }
  },
}

const parley = await createParley({
  dataDir: folder,
  models: { model: 'bench/model', extra: { bench: () => model } },
})
const app = createApp(
  {
    ...parley,
    clock: systemClock,
    logger: pino({ level: 'error' }),
    metrics: createMetrics(),
    version: 'bench',
    limits: { bodyBytes: 1e7, jsonDepth: 64, pageSize: 200 },
  },
  { apiKeys: [], allowedHosts: [], allowedOrigins: [], workbenchDir },
)
const { url } = await serve(app, { host: '127.0.0.1', port: 0 })
const long = await parley.sessions.create({ title: 'Ten thousand messages' })
for (let first = 1; first <= 10_000; first += 200)
  await parley.store.appendMessages(
    'default',
    long.id,
    Array.from({ length: 200 }, (_, index) => toMessage(first + index)),
  )
process.stdout.write(`${JSON.stringify({ url, long: long.id })}\n`)
process.stdin.resume()

/** Alike to what is said in real sessions: questions of a line, answers of a screen with code and lists now and then. */
function toMessage(number: number) {
  const isUser = number % 2 === 1
  const text = isUser
    ? `Question ${number}: what about the part with the number ${number}?`
    : [...answerWords(40 + (number % 7) * 40)].join('') + `\n\nThat was message ${number}.`
  return { role: isUser ? ('user' as const) : ('assistant' as const), parts: [{ type: 'text', text }] }
}
