import { afterAll, beforeAll, expect, it } from 'vitest'
import { itInLongTier } from '../runner/tier.ts'
import { findBarriersInBothThemes } from './barriers.ts'
import { createListener, expectSoon, keepBusy, openSession, shownQueue } from './composer-arrange.ts'
import { expectFocus, recordSaid } from './expect-page.ts'
import { intercept } from './intercept.ts'
import { openWorkbench, refusedRequest, type Workbench } from './workbench.ts'

const listener = createListener()
let workbench: Workbench

beforeAll(async () => {
  workbench = await openWorkbench({ script: listener.script })
})
afterAll(() => workbench?.[Symbol.asyncDispose]())

type Session = Awaited<ReturnType<typeof openSession>>

async function openWithQueue(...texts: string[]): Promise<Session> {
  const session = await openSession(workbench)
  await keepBusy(session)
  for (const [index, text] of texts.entries()) {
    await session.box.fill(text)
    await session.page.keyboard.press('Enter')
    await expectSoon(async () => (await shownQueue(session.page)).length).toBe(index + 1)
  }
  return session
}

const storedQueue = async (id: string) =>
  (await workbench.parley.sessions.queue.list(id)).items.map(
    ({ input }) => (input as { message: { parts: { text: string }[] } }).message.parts[0]!.text,
  )

it('queues what is typed while a turn runs, and shows it after a reload and in another tab', async () => {
  const session = await openWithQueue('first', 'second')
  const { page, id } = session
  await expectSoon(() => shownQueue(page)).toEqual(['first', 'second'])
  expect(await findBarriersInBothThemes(page)).toEqual([])
  const second = await workbench.openBeside(page, `sessions/${id}`)
  await expectSoon(() => shownQueue(second)).toEqual(['first', 'second'])
  await page.reload()
  await expectSoon(() => shownQueue(page)).toEqual(['first', 'second'])
})

it('reorders by buttons and by keyboard', async () => {
  const session = await openWithQueue('a', 'b', 'c')
  const { page, id } = session
  const queue = page.getByRole('region', { name: 'Queue' })
  const row = (text: string) => page.getByRole('button', { name: `of 3: ${text}` })
  const move = (text: string, name: string) =>
    queue
      .getByRole('listitem')
      .filter({ has: row(text) })
      .getByRole('button', { name })
  await move('a', 'Move down').click()
  await expectSoon(() => storedQueue(id)).toEqual(['b', 'a', 'c'])
  const said = await recordSaid(page)
  await row('c').focus()
  await page.keyboard.press('Alt+ArrowUp')
  await page.keyboard.press('Alt+ArrowUp')
  await expectSoon(() => storedQueue(id)).toEqual(['c', 'b', 'a'])
  await expectSoon(() => shownQueue(page)).toEqual(['c', 'b', 'a'])
  await expectFocus(row('c'))
  await expectSoon(() => move('c', 'Move up').isDisabled()).toBe(true)
  await expectSoon(said).toContain('Moved to position 1 of 3.')
})

it('counts every press of a key, whatever is on its way just then', async () => {
  const session = await openWithQueue('a', 'b', 'c')
  const { page, id } = session
  await page.getByRole('button', { name: 'of 3: c' }).focus()
  for (let round = 0; round < 10; round++) {
    await page.keyboard.press('Alt+ArrowUp')
    // each time a little later
    for (let look = 0; look < round; look++) await storedQueue(id)
    await page.keyboard.press('Alt+ArrowUp')
    await expectSoon(() => storedQueue(id)).toEqual(['c', 'a', 'b'])
    await page.keyboard.press('Alt+ArrowDown')
    await expectSoon(() => storedQueue(id)).toEqual(['a', 'c', 'b'])
    await page.keyboard.press('Alt+ArrowDown')
    await expectSoon(() => storedQueue(id)).toEqual(['a', 'b', 'c'])
  }
})

it('edits and removes', async () => {
  const session = await openWithQueue('old words', 'not needed')
  const { page, id } = session
  const [first, second] = await page.getByRole('region', { name: 'Queue' }).getByRole('listitem').all()
  const box = first!.getByRole('textbox')
  await first!.getByRole('button', { name: 'Edit' }).click()
  await box.fill('new words')
  await box.press('Enter')
  await expectSoon(() => storedQueue(id)).toEqual(['new words', 'not needed'])
  await first!.getByRole('button', { name: 'Edit' }).click()
  await box.fill('never')
  await box.press('Escape')
  await box.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
  await second!.getByRole('button').first().focus()
  await page.keyboard.press('Delete')
  await expectSoon(() => storedQueue(id)).toEqual(['new words'])
  await expectSoon(() => shownQueue(page)).toEqual(['new words'])
  await expectFocus(first!.getByRole('button').first())
})

it('stops with Escape, says so until it is over, and keeps the queue', async () => {
  const session = await openWithQueue('please wait again', 'then this')
  const { page, box } = session
  const stopping = Promise.withResolvers<void>()
  await intercept(page, '**/stop', async (route) => {
    await stopping.promise
    await route.continue()
  })
  await box.focus()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Stopping…' }).waitFor()
  stopping.resolve()
  await page.getByText('Stopped. The queue is kept').waitFor()
  await expectSoon(() => shownQueue(page)).toEqual(['then this'])
  await session.expectSaid('please wait', 'please wait again')
  const stopped = (await session.log()).find(({ role }) => role === 'assistant')
  expect(stopped?.metadata).toMatchObject({ stopped: expect.anything() })
})

it('stops by the button, after which the box sends again', async () => {
  const session = await openSession(workbench)
  await keepBusy(session)
  const { page } = session
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await page.getByRole('button', { name: 'Send' }).waitFor()
  await expectSoon(() => page.getByRole('button', { name: /^Stop/ }).count()).toBe(0)
})

it('steers with Alt+Enter, or with Enter when that is chosen', async () => {
  const session = await openSession(workbench)
  const { page, box } = session
  await box.fill('please work')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
  await box.fill('while you work: hurry')
  await page.keyboard.press('Alt+Enter')
  await page.getByText('Will be read after the current step').waitFor()
  expect(await shownQueue(page)).toEqual([])
  await page.getByRole('button', { name: 'Swap' }).click()
  await page.getByRole('button', { name: 'Steer the running turn' }).waitFor()
  await box.fill('while you work: and well')
  await page.keyboard.press('Enter')
  await expectSoon(() => page.getByText('Will be read after the current step').count()).toBe(2)
  await box.fill('afterwards')
  await page.keyboard.press('Alt+Enter')
  await expectSoon(() => shownQueue(page)).toEqual(['afterwards'])
  listener.letGo()
  await session.expectSaid('please work', 'afterwards')
  await expectSoon(() => page.getByText('Will be read after the current step').count()).toBe(0)
  const steered = (await session.log()).flatMap(({ parts }) =>
    parts.filter(({ type }) => type === 'data-steer'),
  )
  expect(steered).toHaveLength(2)
})

it('sends a message that waits now, into the running turn', async () => {
  const session = await openSession(workbench)
  const { page, box, id } = session
  await box.fill('please work')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
  for (const text of ['later', 'while you work: now']) {
    await box.fill(text)
    await page.keyboard.press('Enter')
    await expectSoon(() => shownQueue(page)).toContain(text)
  }
  await page
    .getByRole('listitem')
    .filter({ hasText: 'work: now' })
    .getByRole('button', { name: 'Send now' })
    .click()
  await expectSoon(() => storedQueue(id)).toEqual(['later'])
  await expectSoon(() => shownQueue(page)).toEqual(['later'])
  listener.letGo()
  await session.expectSaid('please work', 'later')
})

itInLongTier('says that a message was taken up meanwhile', async () => {
  const session = await openWithQueue('too late')
  const { page } = session
  await intercept(page, '**/queue/*', (route) =>
    route.fulfill({ status: 404, json: { error: { code: 'not_found', message: 'gone' } } }),
  )
  await page.getByRole('button', { name: 'Remove' }).click()
  await expectSoon(() => page.getByText('That message is no longer waiting.').count()).toBeGreaterThan(0)
  workbench.expectProblems(refusedRequest)
})
