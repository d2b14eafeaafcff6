/** Run as a process of its own: a server whose model may call a tool that takes the whole process down. */
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { z } from 'zod'
import { createParley } from '../../src/parley.ts'
import { createApp, createMetrics, serve } from '../../src/server/index.ts'
import { systemClock } from '../../src/core/shared/clock.ts'
import { defineTool } from '../../src/core/tools/tool.ts'

const [providerUrl, storage, permit] = process.argv.slice(2)
const poison = defineTool({
  name: 'poison',
  description: 'Ends the process',
  input: z.strictObject({}),
  // one that may not be repeated is reported as interrupted, and kills once
  isIdempotent: true,
  async execute() {
    while (!existsSync(permit!)) await sleep(10)
    process.kill(process.pid, 'SIGKILL')
  },
})
const logger = pino({ level: 'silent' })
const parley = await createParley({
  ...(storage!.startsWith('postgres')
    ? { databaseUrl: storage, postgres: { connectTimeoutMs: 60_000 } }
    : { dataDir: storage }),
  models: { model: 'openai/test', openai: { apiKey: 'test-key', baseUrl: providerUrl } },
  tools: [poison],
  // a node that is only slow must not be taken for dead: that counts as a death too
  chat: { leaseMs: 3_000 },
  logger,
})
const limits = { bodyBytes: 1e7, jsonDepth: 64, pageSize: 200 }
const app = createApp(
  { ...parley, clock: systemClock, logger, metrics: createMetrics(), version: 'test', limits },
  { apiKeys: [], allowedHosts: [], allowedOrigins: [] },
)
process.stdout.write(`${(await serve(app, { host: '127.0.0.1', port: 0 })).url}\n`)
