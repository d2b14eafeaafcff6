import { createParley } from 'parley'

// without a key, the demo model answers; it follows commands such as "add task …"
await using parley = await createParley({ dataDir: '.parley/example' })

// a list in Markdown becomes a tree of work
const plan = await parley.plans.create({
  title: 'A tea party',
  markdown: `
- [ ] Invite the guests
- [ ] Prepare
  - [ ] Bake a cake
  - [ ] Lay the table
`,
})
await parley.plans.updateNode(plan.id, 2, { dependencies: [1] })
console.log((await parley.plans.outline(plan.id)).outline.split('\n').slice(1).join('\n'))

// a session about the plan answers with text and with actions, which are checked and executed
const session = await parley.sessions.create({ planId: plan.id })
const { message } = await parley.sessions.chat(session.id, 'add task Say thank you')
console.log(message?.parts.find(({ type }) => type === 'text')?.text)
const turn = message?.parts.find(({ type }) => type === 'data-plan')
console.log((await over(String(turn?.id))).steps.map(({ title, status }) => `${title} ${status}`).join(', '))

// each node runs in a background session: dependencies first, parts before the whole
const { id } = await parley.plans.execute(plan.id)
console.log((await over(id)).status)
const { nodes } = await parley.plans.tree(plan.id)
console.log(nodes.map(({ name, status }) => `${name}: ${status}`).join('\n'))

async function over(runId: string) {
  for (;;) {
    const run = await parley.plans.getRun(runId)
    if (run.finishedAt !== undefined) return run
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
