import { afterAll, beforeAll, expect, it } from 'vitest'
import { itInLongTier } from '../runner/tier.ts'
import type { Page } from 'playwright-core'
import { findBarriersInBothThemes, isThorough, widthOf, type Look } from './barriers.ts'
import { phone } from './browser.ts'
import { expectFocus } from './expect-page.ts'
import { demo, openWorkbench, type Workbench } from './workbench.ts'

// the machine may have other things to do
const soon = { timeout: 200_000 }

let workbench: Workbench
let sessionId: string

beforeAll(async () => {
  workbench = await openWorkbench({ script: demo })
  const { sessions } = workbench.parley
  await sessions.create({ title: `Long${'er'.repeat(200)}` })
  ;({ id: sessionId } = await sessions.create({ title: 'On the road' }))
  await sessions.chat(sessionId, 'Where am I?')
  await sessions.create({
    kind: 'background',
    prompt: 'Look',
    label: 'Look around',
    parentSessionId: sessionId,
  })
})
afterAll(() => workbench[Symbol.asyncDispose]())

const drawer = (page: Page) => page.getByRole('dialog', { name: 'Sessions' })
const dock = (page: Page) => page.getByRole('dialog', { name: 'Side panel' })
const { width, height } = phone.viewport

it('shows one column, and the sessions in a drawer that goes away when one is chosen', async () => {
  const page = await workbench.open('', phone)
  const toggle = page.getByRole('button', { name: 'Show sessions' })
  await toggle.waitFor()
  expect(await page.getByRole('link', { name: 'On the road' }).count()).toBe(0)
  await toggle.tap()
  await drawer(page).getByRole('link', { name: 'On the road' }).tap()
  await drawer(page).waitFor({ state: 'detached' })
  await page.getByRole('main').getByText('Where am I?').first().waitFor()
  await expect.poll(() => widthOf(page), soon).toBe(width)
})

itInLongTier('opens without the drawer, and never shows it and the dock at once', async () => {
  const page = await workbench.open(`sessions/${sessionId}`, { ...phone, preferences: { sidebar: 'open' } })
  await page.getByRole('main').getByText('Where am I?').first().waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  const press = async (keys: string, shown: string[]) => {
    await page.keyboard.press(keys)
    const names = () =>
      page.getByRole('dialog').evaluateAll((all) => all.map((dialog) => dialog.getAttribute('aria-label')))
    await expect.poll(names, soon).toEqual(shown)
  }
  await press('Control+b', ['Sessions'])
  await press('Control+Shift+B', ['Side panel'])
  await expect.poll(() => page.url(), soon).toContain('dock=')
  await press('Control+b', ['Sessions'])
  await expect.poll(() => page.url(), soon).not.toContain('dock=')
  await press('Control+b', [])
})

itInLongTier('gives the focus back when the drawer is closed, by Escape or by its button', async () => {
  const page = await workbench.open(`sessions/${sessionId}`, phone)
  const toggle = page.getByRole('button', { name: 'Show sessions' })
  await toggle.tap()
  await drawer(page).waitFor()
  await expect
    .poll(() => drawer(page).evaluate((element) => element.contains(document.activeElement)), soon)
    .toBe(true)
  await page.keyboard.press('Escape')
  await drawer(page).waitFor({ state: 'detached' })
  await expectFocus(toggle)
  await toggle.tap()
  await drawer(page).getByRole('button', { name: 'Close' }).tap()
  await drawer(page).waitFor({ state: 'detached' })
  await expectFocus(toggle)
})

itInLongTier('keeps the drawer closed when the page is opened again', async () => {
  const page = await workbench.open(`sessions/${sessionId}`, phone)
  await page.getByRole('button', { name: 'Show sessions' }).tap()
  await drawer(page).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Show sessions' }).waitFor()
  expect(await drawer(page).count()).toBe(0)
})

it('shows the side panel from below, and what is opened there in its place', async () => {
  const page = await workbench.open(`sessions/${sessionId}`, phone)
  await page.getByRole('button', { name: 'Show side panel' }).tap()
  await dock(page).waitFor()
  // to both edges and to the lower one, and not over all of the page
  const place = async () => {
    const box = (await dock(page).boundingBox())!
    return [box.x, Math.round(box.x + box.width), Math.round(box.y + box.height), box.y > height / 10]
  }
  await expect.poll(place, soon).toEqual([0, width, height, true])
  await dock(page).getByRole('link', { name: 'Look around' }).tap()
  await dock(page).waitFor({ state: 'detached' })
  await page.getByRole('main').getByText('Look').first().waitFor()
})

itInLongTier('opens the palette from the drawer', async () => {
  const page = await workbench.open(`sessions/${sessionId}`, phone)
  await page.getByRole('button', { name: 'Show sessions' }).tap()
  await drawer(page).getByRole('button', { name: 'Search and commands' }).tap()
  const palette = page.getByRole('dialog', { name: 'Search and commands' })
  await palette.waitFor()
  await drawer(page).waitFor({ state: 'detached' })
  await palette.getByRole('combobox').fill('usage')
  await palette.getByRole('option', { name: 'Usage' }).tap()
  await expect.poll(() => page.url(), soon).toContain('#/usage')
})

const small: Look[] = [
  ['in English', {}],
  ...(isThorough ? [['in Chinese', { preferences: { language: 'zh' } }] satisfies Look] : []),
]

it.each(small)('has no barriers and nothing beyond the edge, %s', async (_, look) => {
  const page = await workbench.open(`sessions/${sessionId}`, { ...phone, ...look })
  await page.getByRole('main').getByText('Where am I?').first().waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await page.getByRole('button', { name: /^(Show sessions|显示会话列表)$/ }).tap()
  await page.getByRole('dialog').getByRole('link', { name: 'On the road' }).waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await expect.poll(() => widthOf(page), soon).toBe(width)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^(Show side panel|显示侧栏)$/ }).tap()
  await page.getByRole('article', { name: 'Look around' }).waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await expect.poll(() => widthOf(page), soon).toBe(width)
})
