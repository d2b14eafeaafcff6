import { createParley } from 'parley'
import polls from './extension.ts'

await using parley = await createParley({
  dataDir: '.parley/polls',
  extensions: [polls],
  permissions: { mode: 'bypassPermissions' },
})

// one person asks, another votes
const { id, sessionId } = await parley.polls.create({
  question: 'Where do we eat?',
  choices: ['Noodles', 'Pizza'],
  closesAt: new Date(Date.now() + 1_500).toISOString(),
})
await parley.polls.vote(id, { voter: 'mira', choice: 'Pizza' })

// a model votes too, in the session of the poll; without a key this is the demo model, which follows commands
await parley.sessions.chat(sessionId!, `use poll {"action": "vote", "id": "${id}", "choice": "Noodles"}`)

// what its prompt contained about the poll
const { items } = await parley.runs.list({ session: sessionId })
const prompt = await parley.runs.step(items[0]!.id, 1)
console.log(
  JSON.stringify(prompt).includes('is about the open poll') ? 'the model knew the poll' : 'it did not',
)

for (;;) {
  const poll = await parley.polls.get(id)
  if (!poll.isOpen) {
    console.log(`closed: ${poll.choices.map(({ text, votes }) => `${text} ${votes}`).join(', ')}`)
    break
  }
  await new Promise((resolve) => setTimeout(resolve, 50))
}
