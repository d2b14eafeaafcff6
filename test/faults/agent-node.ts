/** Run as a process of its own: a program whose agent is asked something in a Parley; it says in which session. */
import { createAgent } from '../../src/agent/agent.ts'
import { createParley } from '../../src/parley.ts'

const [providerUrl, storage, leaseMs] = process.argv.slice(2)
const parley = await createParley({
  ...(storage!.startsWith('postgres') ? { databaseUrl: storage } : { dataDir: storage }),
  models: { model: 'openai/test', openai: { apiKey: 'test-key', baseUrl: providerUrl } },
  chat: { leaseMs: Number(leaseMs) },
})
const agent = createAgent({ parley })
const { id } = await parley.sessions.create()
agent.attachSession(id)
process.stdout.write(`${id}\n`)
await agent.ask('input 1')
