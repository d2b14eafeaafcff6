import { createParley } from 'parley'

await using parley = await createParley({ dataDir: '.parley/example' })

const text = `
name: announce
args:
  subject: { description: What is announced }
steps:
  - id: draft
    type: agent
    # the offline demo model says what it is told; another model writes
    prompt: |
      json {"output": "Come to $args.subject!"}
  - id: ok
    type: approve
    approvePrompt: 'May this go out? $draft.output'
  - id: sent
    type: transform
    transform: 'Sent ($ok.data.comment): $draft.output'
`
const { valid, problems } = await parley.workflows.validate({ text })
if (!valid) throw new Error(problems.map(({ line, message }) => `${line}: ${message}`).join('\n'))

const { id } = await parley.workflows.start({ text, args: { subject: 'the summer party' } })

// the run waits in the store until somebody answers, in this process or another
const paused = await until('paused')
const { stepId, question, token } = paused.steps.find(({ status }) => status === 'paused')!
console.log(`${stepId} asks: ${question}`)
await parley.workflows.resume(id, { token: token!, approved: true, comment: 'nice' })

const { output, steps } = await until('completed')
console.log(steps.map((step) => `${step.stepId} ${step.status}`).join(', '))
console.log(output)

async function until(wanted: 'paused' | 'completed') {
  for (;;) {
    const run = await parley.workflows.getRun(id)
    if (run.status === wanted) return run
    if (run.error !== undefined) throw new Error(run.error)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
