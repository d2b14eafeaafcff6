/** Run as a process of its own: a server whose model may call tools that leave a line in a journal for each call. */
import { appendFileSync } from 'node:fs'
import { pino } from 'pino'
import { z } from 'zod'
import { createParley } from '../../src/parley.ts'
import { createApp, createMetrics, serve } from '../../src/server/index.ts'
import { systemClock } from '../../src/core/shared/clock.ts'
import { defineTool } from '../../src/core/tools/tool.ts'

const [providerUrl, journal, storage, leaseMs = '600'] = process.argv.slice(2)
const createNote = (name: string, isIdempotent: boolean) =>
  defineTool({
    name,
    description: 'Writes a line',
    input: z.strictObject({ text: z.string() }),
    isIdempotent,
    async execute({ text }, { toolCallId }) {
      appendFileSync(journal!, `${toolCallId} ${text}\n`)
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10))
      return 'noted'
    },
  })

const logger = pino({ level: 'error' }, pino.destination({ dest: 2, sync: true }))
const parley = await createParley({
  ...(storage!.startsWith('postgres')
    ? { databaseUrl: storage, postgres: { connectTimeoutMs: 60_000 } }
    : { dataDir: storage }),
  models: { model: 'openai/test', openai: { apiKey: 'test-key', baseUrl: providerUrl } },
  tools: [createNote('note', false), createNote('repeatable_note', true)],
  background: { overLimit: 'queue', maxPerParent: 20, maxGlobal: 20 },
  // the test kills on purpose, whatever runs
  chat: { leaseMs: Number(leaseMs), maxClaims: 1_000 },
  logger,
})
const limits = { bodyBytes: 1e7, jsonDepth: 64, pageSize: 200 }
const app = createApp(
  {
    ...parley,
    clock: systemClock,
    logger,
    metrics: createMetrics(),
    version: 'test',
    limits,
  },
  { apiKeys: [], allowedHosts: [], allowedOrigins: [] },
)
const server = await serve(app, { host: '127.0.0.1', port: 0 })
process.stdout.write(`${server.url}\n`)
