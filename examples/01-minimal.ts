import { createParley } from 'parley'

await using parley = await createParley({ dataDir: '.parley/example' }) // the offline demo model; no key needed
const { id } = await parley.sessions.create({ title: 'Dinner plans' })

const { message } = await parley.sessions.chat(id, 'Where do we eat tonight? 今晚吃什么?')
console.log(message?.parts.filter(({ type }) => type === 'text').map(({ text }) => text))

const { items } = await parley.sessions.list({ q: '今晚' }) // words of any message, Chinese ones too
console.log(items.map(({ title, messageCount }) => `${title}: ${messageCount} messages`))
await parley.sessions.delete(id)
