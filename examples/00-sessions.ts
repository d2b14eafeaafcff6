import { createParley } from 'parley'

await using parley = await createParley({ dataDir: '.parley/example' })
const { id } = await parley.sessions.create({ title: 'Dinner plans' })
await parley.sessions.append(id, { role: 'user', content: 'Where do we eat tonight? 今晚吃什么?' })
await parley.sessions.append(id, { role: 'assistant', content: 'At the noodle place around the corner.' })

const { items } = await parley.sessions.list({ q: '今晚' }) // searches all messages, including Chinese text
console.log(items.map(({ title, messageCount }) => `${title}: ${messageCount} messages`))
console.log(await parley.sessions.export(id, { format: 'markdown' }))
await parley.sessions.delete(id)
