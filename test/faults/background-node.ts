/** Run as a process of its own: a node whose model may start tasks, each of which leaves a line in a journal. */
import { appendFileSync } from 'node:fs'
import { pino } from 'pino'
import { z } from 'zod'
import { createParley } from '../../src/parley.ts'
import { defineTool } from '../../src/core/tools/tool.ts'

const [providerUrl, journal, storage, sessionId, prompt] = process.argv.slice(2)
const note = defineTool({
  name: 'note',
  description: 'Writes a line',
  input: z.strictObject({ text: z.string() }),
  isIdempotent: true,
  async execute({ text }, { toolCallId }) {
    appendFileSync(journal!, `${toolCallId} ${text}\n`)
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 10))
    return 'noted'
  },
})

const parley = await createParley({
  ...(storage!.startsWith('postgres')
    ? { databaseUrl: storage, postgres: { connectTimeoutMs: 60_000 } }
    : { dataDir: storage }),
  models: { model: 'openai/test', openai: { apiKey: 'test-key', baseUrl: providerUrl } },
  tools: [note],
  background: { overLimit: 'queue', maxPerParent: 20, maxGlobal: 20 },
  // the test kills on purpose, whatever runs
  chat: { leaseMs: 600, maxClaims: 1_000, maxSteps: 200 },
  logger: pino({ level: 'error' }, pino.destination({ dest: 2, sync: true })),
})
if (prompt) {
  await parley.store.ensureScope('default')
  if (!(await parley.store.getSession('default', sessionId!)))
    await parley.store.createSession({ scope: 'default', id: sessionId! })
  const { ids, store, chats } = parley
  const { begin } = await chats.admit(
    store,
    { scope: 'default', sessionId: sessionId! },
    { message: { id: ids.next('msg'), parts: [{ type: 'text', text: prompt }] } },
  )
  begin()
}
process.stdout.write('ready\n')
// until it is killed: looking for work keeps no process alive, and there may be nothing to take over yet
setInterval(() => {}, 60_000)
