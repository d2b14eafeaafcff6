/**
 * Run as a process of its own: a server that dies at the first point (see commit-points.ts) at which so many have not
 * died yet, after it has passed by some of these. It is loaded when it is started, and begins when it is told to.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { pino } from 'pino'
import { z } from 'zod'
import { createParley } from '../../src/parley.ts'
import { createApp, createMetrics, serve } from '../../src/server/index.ts'
import { systemClock } from '../../src/core/shared/clock.ts'
import { defineTool } from '../../src/core/tools/tool.ts'
import { watchPoints } from './commit-points.ts'

const [providerUrl, folder, storage] = process.argv.slice(2)
const deathsFile = `${folder}/deaths`
const [told] = (await once(createInterface(process.stdin), 'line')) as [string]
const life = JSON.parse(told) as { deathsPerPoint: number; passed: number }

const deaths = Map.groupBy(readFileSync(deathsFile, 'utf8').split('\n'), (line) => line)
watchPoints((moment, name) => {
  const point = `${moment} ${name}`
  if ((deaths.get(point)?.length ?? 0) >= life.deathsPerPoint || life.passed-- > 0) return
  appendFileSync(deathsFile, `${point}\n`)
  process.kill(process.pid, 'SIGKILL')
})

const createNote = (name: string, isIdempotent: boolean) =>
  defineTool({
    name,
    description: 'Writes a line',
    input: z.strictObject({ text: z.string() }),
    isIdempotent,
    async execute({ text }) {
      appendFileSync(`${folder}/journal`, `${name} ${text}\n`)
      return 'noted'
    },
  })

const logger = pino({ level: 'error' }, pino.destination({ dest: 2, sync: true }))
const parley = await createParley({
  ...(storage!.startsWith('postgres')
    ? { databaseUrl: storage, postgres: { connectTimeoutMs: 60_000 } }
    : { dataDir: storage }),
  scopes: { default: { root: `${folder}/root` } },
  mirrorDir: `${folder}/mirror`,
  models: { model: 'openai/test', openai: { apiKey: 'test-key', baseUrl: providerUrl } },
  tools: [createNote('note', false), createNote('repeatable_note', true)],
  background: { overLimit: 'queue', maxPerParent: 20, maxGlobal: 20 },
  chat: { leaseMs: 600, maxClaims: 1_000, maxSteps: 200 },
  logger,
})
const server = await serve(
  createApp(
    {
      ...parley,
      clock: systemClock,
      logger,
      metrics: createMetrics(),
      version: 'test',
      limits: { bodyBytes: 1e7, jsonDepth: 64, pageSize: 200 },
    },
    { apiKeys: [], allowedHosts: [], allowedOrigins: [] },
  ),
  { host: '127.0.0.1', port: 0 },
)
process.stdout.write(`${server.url}\n`)
