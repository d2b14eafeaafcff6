// One chat in a Parley with a folder of its own, and one request to an agent.
import { createParley } from 'parley'
import { createAgent } from 'parley/agent'

await using parley = await createParley({ dataDir: 'data' })
const { id } = await parley.sessions.create()
const { message } = await parley.sessions.chat(id, 'Is anybody there?')
await using agent = createAgent()
const { text } = await agent.ask({ question: 'And here?' })
process.stdout.write(JSON.stringify({ chat: message.parts, agent: text }))
