/** What workflows and rooms ask is shown as it was written: all of it, before a person can say yes to it. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { says } from '../chat-harness.ts'
import { findBarriers } from './barriers.ts'
import { expectSoon } from './composer-arrange.ts'
import { fill, isForm, openRoomBench, say, soon, type Rooms } from './rooms-arrange.ts'

let rooms: Rooms
beforeAll(async () => {
  rooms = await openRoomBench()
})
afterEach(() => rooms.answer())
afterAll(() => rooms.workbench[Symbol.asyncDispose]())

/** Starts a run that asks, and answers its id when it does. */
async function ask(question: string, content: string): Promise<string> {
  const { workflows } = rooms.client
  const steps = [
    { id: 'draft', type: 'transform', transform: '$args.content' },
    { id: 'ok', type: 'approve', approvePrompt: '$args.question', onReject: 'continue' },
  ]
  const args = { content: { type: 'string', default: '' }, question: { type: 'string' } }
  const { id } = await workflows.start({
    text: stringify({ name: `asks ${content.length}`, args, steps }),
    args: { question, content },
  })
  await expect.poll(async () => (await workflows.getRun(id)).status, soon).toBe('paused')
  return id
}

const hiding = 'Open [this page](http://evil.example/\u202Egpj)?\u200b'
const shownHiding = 'Open [this page](http://evil.example/<U+202E>gpj)?<U+200B>'

it.each(['workflow-runs', 'approvals'])(
  'marks in %s what Markdown does not draw of the question of a workflow',
  async (place) => {
    const runId = await ask(hiding, '')
    const page = await rooms.workbench.open(place === 'approvals' ? place : `${place}/${runId}`)
    const asked =
      place === 'approvals'
        ? page.locator('li[data-approval]').filter({ has: page.locator(`a[href*="${runId}"]`) })
        : page.getByRole('region', { name: 'Answer to ok' })
    await asked.getByRole('link', { name: /this page/ }).waitFor()
    await expectSoon(() => asked.locator('code').allInnerTexts()).toEqual([shownHiding])
    expect(await asked.locator('code [data-hidden="U+202E"]').count()).toBe(1)
    expect(await findBarriers(page)).toEqual([])
    await asked.getByRole('button', { name: 'Approve' }).click()
    await expect.poll(async () => (await rooms.client.workflows.getRun(runId)).status, soon).toBe('completed')
  },
)

it('takes no yes to what a step is about before all of it was shown', async () => {
  const content = `${'a line\n'.repeat(60)}rm -rf /the-end`
  const page = await rooms.workbench.open(`workflow-runs/${await ask('Shall it be run?', content)}`)
  const asked = page.getByRole('region', { name: 'Answer to ok' })
  await asked.getByText('… 296 more characters, 41 more lines.').waitFor()
  expect(await asked.getByText('/the-end').count()).toBe(0)
  expect(await asked.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true)
  expect(await asked.getByRole('button', { name: 'Reject' }).isEnabled()).toBe(true)
  await asked.getByRole('button', { name: 'Show all' }).click()
  await asked.getByText('435 characters, 61 lines').waitFor()
  await asked.getByText('rm -rf /the-end').waitFor()
  await asked.getByRole('button', { name: 'Approve' }).click()
  await asked.waitFor({ state: 'detached' })
})

it('shows the whole plan that a room asks about, and takes no yes before', async () => {
  rooms.answer((agent, request) =>
    says(
      isForm(request) ? fill(request) : `${agent}:\u202E\n${'- a step\n'.repeat(30)}- the end of ${agent}`,
    ),
  )
  const id = await rooms.make({ mode: 'workflow', agents: ['coder', 'reviewer', 'tester'] })
  const page = await rooms.workbench.open(`sessions/${id}`)
  await say(page, 'Close the door')
  const asked = page.locator('[data-ask]')
  await asked.getByRole('button', { name: 'Show all' }).waitFor(soon)
  expect(await asked.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true)
  expect(await asked.getByRole('button', { name: 'Decline' }).isEnabled()).toBe(true)
  await asked.getByRole('button', { name: 'Show all' }).click()
  const shown = await asked.locator('code').innerText()
  for (const words of ['coder:<U+202E>', 'the end of coder', 'the end of reviewer', 'the end of tester'])
    expect(shown).toContain(words)
  expect(await findBarriers(page)).toEqual([])
  await asked.getByRole('button', { name: 'Approve' }).click()
  await asked.waitFor({ state: 'detached' })
})
