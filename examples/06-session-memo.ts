import { createAgent, createParley, type MemoUpdate } from 'parley'

/** Keeps what people say about themselves. Without a handler, the model does this. */
function keepFacts({ memo, messages }: MemoUpdate) {
  const texts = messages.flatMap(({ role, parts }) => (role === 'user' ? parts.map(({ text }) => text) : []))
  const facts = texts.filter((text) => String(text).startsWith('I '))
  return { ...memo, facts: [...((memo.facts as string[] | undefined) ?? []), ...facts] }
}

await using parley = await createParley({ dataDir: '.parley/example' }) // without dataDir, sessions live in memory
await using agent = createAgent({ parley, handlers: { memoUpdateHandler: keepFacts } })
const session = agent.enableSessionMemo({ messages: 4 })

const said = ['I live in Lisbon.', 'Nice weather!', 'I do not eat fish.', 'I have two cats.', 'Well then.']
for (const content of said)
  await agent.addChatHistory([
    { role: 'user', content },
    { role: 'assistant', content: 'Noted.' },
  ])

// the memo precedes the remaining messages
const { text } = await agent.ask('What did I say?')
console.log(text)

const id = session.id!
for (const { version, author, fromSeq, toSeq, memo } of (await parley.sessions.memoVersions(id)).items)
  console.log(`version ${version} by ${author}, messages ${fromSeq} to ${toSeq}:`, memo)
for (const { type, reason, severity, before, after } of (await session.window()).resizes)
  console.log(`${type} (${reason}, ${severity}): ${before.chars} → ${after.chars} characters`)

const { version, memo } = await parley.sessions.undoMemo(id)
console.log(`undone, as version ${version}:`, memo)
await parley.sessions.delete(id)
