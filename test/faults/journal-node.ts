/** Run as a process of its own: a node that takes runs on; each task that it does leaves a line in a journal. */
import { appendFileSync } from 'node:fs'
import { pino } from 'pino'
import { z } from 'zod'
import { createParley } from '../../src/parley.ts'
import { defineTool } from '../../src/core/tools/tool.ts'

const [providerUrl, journal, storage, leaseMs = '600'] = process.argv.slice(2)
const note = defineTool({
  name: 'note',
  description: 'Writes a line',
  input: z.strictObject({ text: z.string() }),
  isIdempotent: true,
  async execute({ text }) {
    appendFileSync(journal!, `${text}\n`)
    return 'noted'
  },
})

await createParley({
  ...(storage!.startsWith('postgres')
    ? { databaseUrl: storage, postgres: { connectTimeoutMs: 60_000 } }
    : { dataDir: storage }),
  models: { model: 'openai/test', openai: { apiKey: 'test-key', baseUrl: providerUrl } },
  tools: [note],
  background: { maxPerParent: 20, maxGlobal: 20 },
  // the test kills on purpose, whatever runs
  chat: { leaseMs: Number(leaseMs), maxClaims: 1_000, maxSteps: 200 },
  logger: pino({ level: 'error' }, pino.destination({ dest: 2, sync: true })),
})
process.stdout.write('ready\n')
// until it is killed: looking for work keeps no process alive
setInterval(() => {}, 60_000)
