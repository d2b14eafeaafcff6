import { createAgent } from 'parley/agent'

await using agent = createAgent() // the offline demo model; no key, no server, no files
const session = agent.enableSessionLite({ messages: 4 })

for (const text of ['I live in Lisbon.', 'I do not eat fish.', 'I have two cats.']) await agent.ask(text)

// the model sees only the newest messages; the log keeps all of them
const { text } = await agent.ask('What did I say?')
console.log(text)
const seen = await agent.chatHistory()
const log = await session.log()
console.log(`The model sees ${seen.length} of ${log.length} messages.`)

for (const { type, reason, before, after } of (await session.window()).resizes)
  console.log(`${type} (${reason}): ${before.messages} → ${after.messages} messages`)
