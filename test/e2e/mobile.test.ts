import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { demo, findBarriers, openWorkbench, type Workbench } from './workbench.ts'

// the machine may have other things to do
const soon = { timeout: 20_000 }

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

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
// a page that is left open goes on asking
afterEach(() => workbench.closePages())
afterAll(() => workbench[Symbol.asyncDispose]())

const drawer = (page: Page) => page.getByRole('dialog', { name: 'Sessions' })
const dock = (page: Page) => page.getByRole('dialog', { name: 'Side panel' })
const width = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth)

it('shows one column, and the sessions in a drawer that goes away when one is chosen', async () => {
  const page = await workbench.open('', phone)
  const toggle = page.getByRole('button', { name: 'Show sessions' })
  await toggle.waitFor()
  expect(await page.getByRole('link', { name: 'On the road' }).count()).toBe(0)
  await toggle.tap()
  await drawer(page).getByRole('link', { name: 'On the road' }).tap()
  await drawer(page).waitFor({ state: 'detached' })
  await page.getByRole('main').getByText('Where am I?').first().waitFor()
  expect(await width(page)).toBe(390)
})

it('opens without the drawer, and never shows it and the dock at once', async () => {
  const value = JSON.stringify({ sidebar: 'open' })
  const storageState = {
    cookies: [],
    origins: [{ origin: workbench.url, localStorage: [{ name: 'parley-preferences', value }] }],
  }
  const page = await workbench.open(`sessions/${sessionId}`, { ...phone, storageState })
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
  expect(page.url()).toContain('dock=')
  await press('Control+b', ['Sessions'])
  await expect.poll(() => page.url(), soon).not.toContain('dock=')
  await press('Control+b', [])
})

it('gives the focus back when the drawer is closed, by Escape or by its button', async () => {
  const page = await workbench.open(`sessions/${sessionId}`, phone)
  const toggle = page.getByRole('button', { name: 'Show sessions' })
  const hasFocus = () => toggle.evaluate((element) => element === document.activeElement)
  await toggle.tap()
  await drawer(page).waitFor()
  await expect
    .poll(() => drawer(page).evaluate((element) => element.contains(document.activeElement)), soon)
    .toBe(true)
  await page.keyboard.press('Escape')
  await drawer(page).waitFor({ state: 'detached' })
  await expect.poll(hasFocus, soon).toBe(true)
  await toggle.tap()
  await drawer(page).getByRole('button', { name: 'Close' }).tap()
  await drawer(page).waitFor({ state: 'detached' })
  await expect.poll(hasFocus, soon).toBe(true)
})

it('keeps the drawer closed when the page is opened again', async () => {
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
  const box = (await dock(page).boundingBox())!
  expect(box.width).toBe(390)
  expect(Math.round(box.y + box.height)).toBe(844)
  expect(box.y).toBeGreaterThan(100)
  await dock(page).getByRole('link', { name: 'Look around' }).tap()
  await dock(page).waitFor({ state: 'detached' })
  await page.getByRole('main').getByText('Look').first().waitFor()
})

it('opens the palette from the drawer', async () => {
  const page = await workbench.open(`sessions/${sessionId}`, phone)
  await page.getByRole('button', { name: 'Show sessions' }).tap()
  await drawer(page).getByRole('button', { name: 'Search and commands' }).tap()
  const palette = page.getByRole('dialog', { name: 'Search and commands' })
  await palette.waitFor()
  await drawer(page).waitFor({ state: 'detached' })
  await palette.getByRole('combobox').tap()
  await page.keyboard.type('usage')
  await palette.getByRole('option', { name: 'Usage' }).tap()
  await expect.poll(() => page.url(), soon).toContain('#/usage')
})

it.each([360, 390])('has no barriers and nothing beyond the edge at %i pixels', async (pixels) => {
  for (const [colorScheme, locale] of [
    ['light', 'en'],
    ['dark', 'zh-CN'],
  ] as const) {
    const page = await workbench.open(`sessions/${sessionId}`, {
      ...phone,
      viewport: { width: pixels, height: 740 },
      colorScheme,
      locale,
    })
    const isEnglish = locale === 'en'
    await page.getByRole('main').getByText('Where am I?').first().waitFor()
    expect(await findBarriers(page)).toEqual([])
    await page.getByRole('button', { name: isEnglish ? 'Show sessions' : '显示会话列表' }).tap()
    await page.getByRole('dialog').getByRole('link', { name: 'On the road' }).waitFor()
    expect(await findBarriers(page)).toEqual([])
    expect(await width(page)).toBe(pixels)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: isEnglish ? 'Show side panel' : '显示侧栏' }).tap()
    await page.getByRole('article', { name: 'Look around' }).waitFor()
    expect(await findBarriers(page)).toEqual([])
    expect(await width(page)).toBe(pixels)
    await page.context().close()
  }
})
