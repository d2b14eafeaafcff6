import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { says, type Script } from '../chat-harness.ts'
import { itInLongTier } from '../runner/tier.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

// the machine may have other things to do
const soon = { timeout: 200_000 }

const script: Script = ({ messages }) =>
  JSON.stringify(messages).includes('Break') ? [new Error('No model today')] : says('There you are.')

let workbench: Workbench

beforeAll(async () => {
  workbench = await openWorkbench({ script })
})
afterAll(() => workbench[Symbol.asyncDispose]())

const create = (title: string) => workbench.parley.sessions.create({ title })
const row = (page: Page, title: string) =>
  page.getByRole('navigation', { name: 'Sessions' }).getByRole('link', { name: title })
const toast = (page: Page, text: string) => page.getByRole('dialog').filter({ hasText: text })

/** Everything that was ever said at the edge of the page, also what is gone again. */
async function keepToasts(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const said = new Set<string>()
    const look = () =>
      document.querySelectorAll('[role="dialog"]').forEach(({ textContent }) => said.add(textContent ?? ''))
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true })
    look()
    Object.assign(globalThis, { said })
  })
  return () => page.evaluate(() => [...(globalThis as unknown as { said: Set<string> }).said])
}

/** A page that keeps what it would show outside of itself, and can be told that nobody sees it. */
async function openWatched(path: string): Promise<Page> {
  const page = await workbench.open(path)
  await page.evaluate(() => {
    const shown: string[] = []
    class Recorded extends EventTarget {
      static permission = 'granted'
      static requestPermission = async () => 'granted'
      constructor(_: string, { body }: { body: string }) {
        super()
        shown.push(body)
      }
      close() {}
    }
    Object.assign(globalThis, { Notification: Recorded, shown })
  })
  return page
}
const hide = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, state)
const shownBySystem = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { shown: string[] }).shown)

it('tells of an answer in another session by a toast, a dot and the title, until it is looked at', async () => {
  const here = await create('Here')
  const there = await create('There')
  const page = await workbench.open(`sessions/${here.id}`)
  await row(page, 'There').waitFor()
  await workbench.parley.sessions.chat(there.id, 'Hello')
  // it stays as long as the mouse is there
  await toast(page, '“There” replied').hover()
  await row(page, 'New There').waitFor()
  await expect.poll(() => page.title(), soon).toMatch(/^\(1\) /)
  await toast(page, '“There” replied').getByRole('button', { name: 'Open' }).click()
  await expect.poll(() => page.url(), soon).toContain(there.id)
  await expect.poll(() => page.title(), soon).not.toMatch(/^\(/)
  await row(page, 'New There').waitFor({ state: 'detached' })
})

itInLongTier('says nothing of what is looked at', async () => {
  const open = await create('Open')
  const other = await create('Other')
  const page = await workbench.open(`sessions/${open.id}`)
  await row(page, 'Open').waitFor()
  await workbench.parley.sessions.chat(open.id, 'Hello')
  await page.getByRole('main').getByText('There you are.').first().waitFor()
  // what comes after it on the same way shows that it was not told
  await workbench.parley.sessions.chat(other.id, 'Hello')
  await toast(page, '“Other” replied').waitFor()
  expect(await toast(page, '“Open”').count()).toBe(0)
  await expect.poll(() => page.title(), soon).toMatch(/^\(1\) /)
})

itInLongTier('tells of tasks with how they went', async () => {
  const page = await workbench.open('usage')
  await page.getByRole('heading', { name: 'Usage' }).waitFor()
  await workbench.parley.sessions.create({ kind: 'background', prompt: 'Break', title: 'Breaks' })
  await toast(page, 'Task “Breaks” failed').waitFor()
  await workbench.parley.sessions.create({ kind: 'background', prompt: 'Go', title: 'Goes' })
  await toast(page, 'Task “Goes” finished without a proper result').waitFor()
  await page.getByRole('tab', { name: 'Background New' }).click()
  await expect.poll(() => row(page, 'New Goes').count(), soon).toBe(1)
})

it('tells each thing in one tab only', async () => {
  const session = await create('Once')
  const first = await workbench.open('usage')
  const second = await workbench.openBeside(first, `sessions/${session.id}`)
  await row(second, 'Once').waitFor()
  await row(first, 'Once').waitFor()
  await workbench.parley.sessions.chat(session.id, 'Hello')
  await second.getByRole('main').getByText('There you are.').first().waitFor()
  // the second shows it, so the first has nothing to tell but what comes later
  const told = [await keepToasts(first), await keepToasts(second)]
  const all = async () => (await Promise.all(told.map((read) => read()))).flat()
  for (const title of ['Later', 'Last'])
    await workbench.parley.sessions.chat((await create(title)).id, 'Hello')
  await expect.poll(all, soon).toContainEqual(expect.stringContaining('“Last”'))
  await row(first, 'New Last').waitFor()
  await row(second, 'New Last').waitFor()
  const later = (await all()).filter((text) => text.includes('“Later”'))
  expect(later).toHaveLength(1)
  expect((await all()).filter((text) => text.includes('“Once”'))).toEqual([])
})

it('asks for the system only by a click, and uses it while nobody sees the page', async () => {
  const session = await create('Hidden')
  const page = await openWatched(`sessions/${session.id}`)
  await row(page, 'Hidden').waitFor()
  await hide(page, 'hidden')
  await workbench.parley.sessions.chat(session.id, 'Hello')
  await expect.poll(() => page.title(), soon).toMatch(/^\(1\) /)
  expect(await shownBySystem(page)).toEqual([])

  await hide(page, 'visible')
  await expect.poll(() => page.title(), soon).not.toMatch(/^\(/)
  await page.getByRole('button', { name: /^Theme, language/ }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Notify me when a run finishes' }).click()
  await page.keyboard.press('Escape')
  await hide(page, 'hidden')
  await workbench.parley.sessions.chat(session.id, 'Hello again')
  await expect.poll(() => shownBySystem(page), soon).toEqual(['“Hidden” replied'])
})
