// An agent that remembers, and its session as text.
import { createAgent } from 'parley/agent'

await using agent = createAgent()
agent.enableSessionMemo()
const { text } = await agent.ask('Is anybody there?')
process.stdout.write(JSON.stringify({ agent: text, session: await agent.session.toYAML() }))
