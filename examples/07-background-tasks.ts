import { createParley } from 'parley'

await using parley = await createParley({ dataDir: '.parley/example' })
const { id } = await parley.sessions.create({ title: 'Three errands' })

// the offline demo model follows commands line by line; a real model starts tasks when it sees fit
const errands = ['weather', 'trains', 'hotels']
const orders = errands.map((label) => {
  const input = { task: `Find out about the ${label}.`, label }
  return `use spawn_task ${JSON.stringify(input)}`
})
await parley.sessions.chat(id, orders.join('\n'))
console.log('the tasks are under way; the chat goes on without waiting')

// each result is delivered to the chat, where a turn starts as soon as none is running
const reported = new Set<string>()
while (reported.size < errands.length) {
  const { items } = await parley.sessions.messages(id)
  const results = items.flatMap(({ parts }) => parts).filter(({ type }) => type === 'data-task-result')
  for (const { data } of results) reported.add((data as { label: string }).label)
  await new Promise((resolve) => setTimeout(resolve, 100))
}
console.log(`all of them are back: ${[...reported].sort().join(', ')}`)
await parley.sessions.delete(id)
