import { createParley } from 'parley'

// without a key the demo model speaks for all agents
await using parley = await createParley({ dataDir: '.parley/example' })
const { sessions, rooms } = parley

// three built-in agents; all of them answer in parallel
const room = await sessions.create({ mode: 'free_chat', agents: ['mira', 'quill', 'pip'] })
await say('What shall we play?')
// only the mentioned agent answers
await say('@pip you choose.')

// another mode: agents quiz one another, hidden answers are judged, points are counted
const quiz = { topic: 'sums', rounds: 3, auto: true, seed: 7 }
await rooms.setMode(room.id, { mode: 'quiz', modeState: quiz })
const { id } = await rooms.advance(room.id)
for await (const { events } of sessions.observe(room.id, { run: id }))
  for (const { chunk } of events)
    if (chunk.type === 'data-round') console.log((chunk.data as { routing: { text: string } }).routing.text)

const { items: last } = await sessions.messages(room.id, { limit: 1 })
console.log(last[0]?.parts[0]?.text)
console.log((await rooms.get(room.id)).state.phase)

async function say(text: string) {
  const { messages = [] } = await sessions.chat(room.id, text)
  for (const { metadata, parts } of messages)
    console.log(`${String(metadata?.agent)}: ${parts.map((part) => String(part.text ?? '')).join('')}`)
}
