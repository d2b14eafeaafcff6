import { createParley } from 'parley'

await using parley = await createParley({ dataDir: '.parley/example' })
const { id } = await parley.sessions.create()
const { run } = await parley.sessions.chat(id, 'Hello')

// what the model would see with the next input
const { fragments } = (await parley.sessions.prompt(id)) as { fragments: { name: string; tokens: number }[] }
for (const { name, tokens } of fragments) console.log(name, tokens)

// what it saw, step by step, and how the provider's cache was used
const { steps } = await parley.chats.inspectRun('default', run.id)
for (const { step, model, usage, cache } of steps) console.log(step, model, usage, cache.verdict)
await parley.sessions.delete(id)
