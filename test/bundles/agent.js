// An agent that remembers, and its session as text.
import { createAgent } from 'parley/agent'

await using agent = createAgent()
agent.enableSessionMemo()
const { text } = await agent.ask('Is anybody there?')
console.log(JSON.stringify({ agent: text, session: await agent.session.toYAML() }))
