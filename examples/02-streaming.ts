import { createParley } from 'parley'

await using parley = await createParley({ dataDir: '.parley/example' })
const { id } = await parley.sessions.create()

// one call: iterated first, awaited afterwards
const turn = parley.sessions.chat(id, 'long 40')
for await (const { chunk } of turn) if (chunk.type === 'text-delta') process.stdout.write(chunk.delta)
const { run } = await turn
console.log(`\n${run.status}`, run.usage)
await parley.sessions.delete(id)
