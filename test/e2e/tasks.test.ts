import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { createClient } from '../../src/client/index.ts'
import type { CreateBackground } from '../../src/core/protocol/background.ts'
import { calls, says, type Script } from '../chat-harness.ts'
import { itInLongTier } from '../runner/tier.ts'
import { findBarriersInBothThemes, looks } from './barriers.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

// the machine may have other things to do
const soon = { timeout: 200_000 }

const script: Script = ({ messages }) => {
  const text = JSON.stringify(messages)
  if (text.includes('Take your time'))
    return [{ type: 'text-delta', text: 'Counting the pages now' }, new Promise(() => {})]
  if (text.includes('Be proper') && !text.includes('tool-result'))
    return calls(['set_result', { output: 'All pages are counted: 42.' }])
  return says('I think there are some pages.')
}

let workbench: Workbench
let sessionId: string

const start = (label: string, more: Partial<CreateBackground> = {}) =>
  workbench.parley.sessions.create({ kind: 'background', prompt: label, label, ...more })

beforeAll(async () => {
  workbench = await openWorkbench({ script })
  ;({ id: sessionId } = await workbench.parley.sessions.create({ title: 'Count a book' }))
  await start('Be proper', { parentSessionId: sessionId })
  await start('Be vague', { parentSessionId: sessionId })
  const slow = await start('Take your time', { parentSessionId: sessionId })
  await start('Take your time with notes', { parentSessionId: slow.id })
  await start('Somebody else')
})
afterAll(() => workbench[Symbol.asyncDispose]())

const panel = (page: Page) => page.getByRole('tabpanel', { name: 'Tasks' })
const card = (page: Page, name: string) => panel(page).getByRole('article', { name, exact: true })
const count = (page: Page, state: string) =>
  panel(page).getByRole('group', { name: 'Filter by status' }).getByRole('button', { name: state })

it('shows the tasks of the session that is open, and those of all', async () => {
  const page = await workbench.open(`sessions/${sessionId}?dock=tasks`)
  await card(page, 'Be proper').getByText('Done').waitFor()
  await card(page, 'Take your time').getByText('Running').waitFor()
  expect(await card(page, 'Somebody else').count()).toBe(0)
  await expect.poll(() => count(page, 'Running').textContent(), soon).toBe('Running2')
  await expect.poll(() => count(page, 'Degraded').textContent(), soon).toBe('Degraded1')

  await panel(page).getByRole('button', { name: 'All sessions' }).click()
  await card(page, 'Somebody else').waitFor()
  await expect.poll(() => page.url(), soon).toContain('tasks=all')
  await expect.poll(() => count(page, 'Degraded').textContent(), soon).toBe('Degraded2')
})

itInLongTier('puts tasks below those that started them, newest first', async () => {
  const page = await workbench.open(`sessions/${sessionId}?dock=tasks`)
  await card(page, 'Be proper').waitFor()
  const names = () =>
    panel(page)
      .getByRole('article')
      .evaluateAll((articles) => articles.map((article) => article.getAttribute('aria-label')))
  await expect
    .poll(names, soon)
    .toEqual(['Take your time', 'Take your time with notes', 'Be vague', 'Be proper'])
  const left = async (name: string) => (await card(page, name).boundingBox())!.x
  expect(await left('Take your time with notes')).toBeGreaterThan(await left('Take your time'))
})

it('says how good a result is, what a running task does, and what it cost', async () => {
  const page = await workbench.open(`sessions/${sessionId}?dock=tasks`)
  await card(page, 'Be proper').getByText('All pages are counted: 42.').waitFor()
  const vague = card(page, 'Be vague')
  await vague.getByText('Degraded').waitFor()
  await vague.getByText('No result was submitted; this is taken from its last message.').waitFor()
  await vague.getByText(/\d+ tokens/).waitFor()
  const slow = card(page, 'Take your time')
  await slow.getByText('Counting the pages now').waitFor()
  const time = () => slow.getByTitle('Time', { exact: true }).textContent()
  const before = await time()
  await expect.poll(time, soon).not.toBe(before)
})

it('filters by state and words, and keeps both in the URL', async () => {
  const page = await workbench.open(`sessions/${sessionId}?dock=tasks`)
  await card(page, 'Be proper').waitFor()
  await count(page, 'Degraded').click()
  await card(page, 'Be proper').waitFor({ state: 'detached' })
  await card(page, 'Be vague').waitFor()
  await expect.poll(() => page.url(), soon).toMatch(/[?&]\w+=degraded/)
  await page.reload()
  await card(page, 'Be vague').waitFor()
  await expect.poll(() => panel(page).getByRole('article').count(), soon).toBe(1)
  await count(page, 'Degraded').click()
  await panel(page).getByRole('searchbox', { name: 'Filter tasks' }).fill('with notes')
  await card(page, 'Be vague').waitFor({ state: 'detached' })
  await card(page, 'Take your time with notes').waitFor()
  await panel(page).getByRole('searchbox', { name: 'Filter tasks' }).fill('with notes of nobody')
  await panel(page).getByText('No tasks match the filter.').waitFor()
})

it('opens a task to watch it, and leads back to its parent', async () => {
  const page = await workbench.open(`sessions/${sessionId}?dock=tasks`)
  await card(page, 'Take your time').getByRole('link', { name: 'Take your time' }).click()
  await page.getByRole('main').getByText('Counting the pages now').waitFor()
  await expect.poll(() => page.url(), soon).toContain('dock=tasks')
  // its own task, and the way back
  await card(page, 'Take your time with notes').waitFor()
  await panel(page).getByRole('link', { name: 'Count a book' }).click()
  await expect.poll(() => page.url(), soon).toContain(sessionId)
})

it('copies a result, and starts a task again with the same words', async () => {
  // what it starts would be counted by other tests
  const scope = 'again'
  const { id } = await workbench.parley.sessions.create({ scope })
  for (const label of ['Be proper', 'Be vague']) await start(label, { scope, parentSessionId: id })
  const page = await workbench.open(`sessions/${id}?scope=${scope}&dock=tasks`)
  await card(page, 'Be proper').getByRole('button', { name: 'Copy the result of “Be proper”' }).click()
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()), soon)
    .toBe('All pages are counted: 42.')
  await page.getByRole('button', { name: 'Restart “Be vague”' }).click()
  await page.getByText('Restarted “Be vague”.').waitFor()
  await expect.poll(() => card(page, 'Be vague').count(), soon).toBe(2)
  const { items } = await workbench.parley.sessions.list({ scope, kind: 'background', parent: id })
  const again = items.find(({ bgMeta }) => bgMeta?.label === 'Be vague')
  const log = await workbench.parley.sessions.messages(again!.id, { scope })
  expect(JSON.stringify(log.items[0]?.parts)).toContain('Be vague')
})

itInLongTier('starts a task again with everything that it was started with', async () => {
  const whole = {
    systemInstructions: 'Count aloud.',
    context: { book: 'A long one' },
    expectedOutput: 'A number',
    outputSchema: { type: 'object', properties: { pages: { type: 'number' } } },
    timeoutMs: 123_000,
    budget: { tokens: 50_000, tasks: 2 },
    wake: false,
    detached: true,
    allowedTools: ['set_result'],
  }
  const scope = 'whole'
  const { id: parentSessionId } = await workbench.parley.sessions.create({ scope })
  await start('Be whole', { ...whole, scope, parentSessionId })
  const page = await workbench.open(`sessions/${parentSessionId}?scope=${scope}&dock=tasks`)
  await page.getByRole('button', { name: 'Restart “Be whole”' }).click()
  await page.getByText('Restarted “Be whole”.').waitFor()
  const started = async () => {
    const { items } = await workbench.parley.sessions.list({
      scope,
      kind: 'background',
      parent: parentSessionId,
    })
    return items.filter(({ bgMeta }) => bgMeta?.label === 'Be whole')
  }
  await expect.poll(async () => (await started()).length, soon).toBe(2)
  const [again, first] = await started()
  const inputOf = async (id: string) => {
    const { items } = await createClient({ baseUrl: workbench.url }).runs.list({ scope, session: id })
    const { message: _, ...input } = items[0]!.input as Record<string, unknown>
    return input
  }
  expect(await inputOf(again!.id)).toEqual(await inputOf(first!.id))
  expect(await inputOf(again!.id)).toMatchObject({
    task: { detached: true, asked: { budget: whole.budget } },
  })
  for (const field of ['bgMeta', 'allowedTools', 'model', 'title', 'parentId'] as const)
    expect(again![field]).toEqual(first![field])
})

it('stops a task after asking, and those below it with it', async () => {
  const scope = 'stopped'
  const { id } = await workbench.parley.sessions.create({ scope })
  const { id: slowId } = await start('Take your time', { scope, parentSessionId: id })
  await start('Take your time with notes', { scope, parentSessionId: slowId })
  const page = await workbench.open(`sessions/${id}?scope=${scope}&dock=tasks`)
  const slow = card(page, 'Take your time')
  await slow.getByRole('button', { name: 'Stop “Take your time”' }).click()
  const dialog = page.getByRole('dialog', { name: 'Stop “Take your time”?' })
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await slow.getByText('Running').waitFor()
  await slow.getByRole('button', { name: 'Stop “Take your time”' }).click()
  await dialog.getByRole('button', { name: 'Stop' }).click()
  await slow.getByText('Stopped', { exact: true }).waitFor()
  const below = card(page, 'Take your time with notes').getByText('Stopped', { exact: true })
  await expect.poll(() => below.count(), soon).toBe(1)
})

itInLongTier('offers all tasks where a session has none', async () => {
  const { id } = await workbench.parley.sessions.create({ title: 'Without tasks' })
  const page = await workbench.open(`sessions/${id}?dock=tasks`)
  await panel(page).getByText('This session has no tasks.').waitFor()
  await panel(page).getByRole('button', { name: 'Show tasks from all sessions' }).click()
  await card(page, 'Somebody else').waitFor()
  await expect.poll(() => page.url(), soon).toContain('tasks=all')
})

it.each(looks)('has no barriers %s', async (_, look) => {
  const page = await workbench.open(`sessions/${sessionId}?dock=tasks&tasks=all`, look)
  await page.getByRole('article', { name: 'Somebody else' }).waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})
