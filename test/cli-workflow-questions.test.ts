import { createInterface } from 'node:readline/promises'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { toPlain } from '../src/core/command-line/printable.ts'
import { askQuestions, describeQuestion, findQuestions } from '../src/extensions/workflow/cli/questions.ts'
import { sqliteDatabase } from './harness.ts'
import { approve, openWorkflows, stepOf, type OpenedWorkflows } from './workflow-runs-harness.ts'

/** Answers each time that something is asked with the next line; null is the end of the input. */
async function answer({ parley }: OpenedWorkflows, runId: string, lines: (string | null)[]) {
  const input = new PassThrough()
  const output = new PassThrough()
  let shown = ''
  output.on('data', (chunk: Buffer) => {
    shown += chunk.toString()
    const line = lines.shift()
    if (line === null) input.end()
    else if (line !== undefined) input.write(`${line}\n`)
  })
  const terminal = createInterface({ input, output })
  const { questions } = await findQuestions(parley.workflows, await parley.workflows.getRun(runId), undefined)
  const isAnswered = await askQuestions(parley.workflows, terminal, questions, undefined)
  terminal.close()
  return { isAnswered, shown, count: questions.length }
}

const flow = { name: 'flow', steps: [approve('ok', { onReject: 'continue' })] }

it('takes yes and no with a comment, and asks again what is neither', async () => {
  await using opened = await openWorkflows(sqliteDatabase)
  const first = await opened.run(flow)
  const yes = await answer(opened, first.id, ['ye', 'YES', 'fine'])
  expect(yes).toMatchObject({ isAnswered: true, count: 1 })
  expect(yes.shown.match(/leaves it open/g)).toHaveLength(2)
  expect(stepOf(await opened.settled(first), 'ok')).toMatchObject({ approved: true, comment: 'fine' })
  const second = await opened.run(flow)
  await answer(opened, second.id, ['n', ''])
  const rejected = stepOf(await opened.settled(second), 'ok')
  expect(rejected).toMatchObject({ approved: false })
  expect(rejected).not.toHaveProperty('comment')
})

it.each([
  ['Enter', ['']],
  ['the end of the input', [null]],
  ['the end of the input before the comment', ['y', null]],
])('leaves a question open by %s', async (_name, lines) => {
  await using opened = await openWorkflows(sqliteDatabase)
  const run = await opened.run(flow)
  expect((await answer(opened, run.id, lines)).isAnswered).toBe(false)
  expect(await opened.parley.workflows.getRun(run.id)).toMatchObject({ status: 'paused' })
})

it('shows all that a yes would be said to, with what cannot be seen marked', async () => {
  await using opened = await openWorkflows(sqliteDatabase)
  const ending = `${'line\n'.repeat(400)}rm -rf /the-end`
  const shown = async (approvePrompt: string) => {
    const steps = [
      { id: 'draft', type: 'transform' as const, transform: ending },
      approve('ok', { approvePrompt }),
    ]
    const run = await opened.run({ name: `flow ${approvePrompt.length}`, steps })
    const { questions } = await findQuestions(opened.parley.workflows, run, undefined)
    return questions.map((question) => toPlain(describeQuestion(question)))
  }
  const [unquoted] = await shown('Publish\u202E it\u00a0?')
  expect(unquoted).toMatch(
    /^ok asks: Publish<U\+202E> it<U\+00A0>\?\n {2}about: \(2,015 characters, 401 lines\)\n/,
  )
  expect(unquoted).toContain(ending)
  const [quoted] = await shown('Publish this?\n$draft.output')
  expect(quoted).toBe(`ok asks: Publish this?\n${ending}`)
})
