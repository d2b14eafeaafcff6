import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { says } from '../chat-harness.ts'
import { itInLongTier } from '../runner/tier.ts'
import { findBarriersInBothThemes, looks } from './barriers.ts'
import { expectFocus } from './expect-page.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

// the machine may have other things to do
const soon = { timeout: 200_000 }

let workbench: Workbench
let sessionId: string

beforeAll(async () => {
  workbench = await openWorkbench({
    script: () => says('Here it is:\n\n```js\nconsole.log(42)\n```\n\nThat is all.'),
  })
  ;({ id: sessionId } = await workbench.parley.sessions.create({ title: 'Baking bread' }))
  await workbench.parley.sessions.chat(sessionId, 'Which flour suits a sourdough?')
})
afterAll(() => workbench[Symbol.asyncDispose]())

const palette = (page: Page) => page.getByRole('dialog', { name: 'Search and commands' })
const ready = (page: Page) => page.getByRole('link', { name: 'Baking bread' }).first().waitFor()
/** By keys, until there is where to type. */
const openPalette = async (page: Page, keys = 'Control+k') => {
  await page.keyboard.press(keys)
  await expectTyping(page)
}
const expectTyping = (page: Page) => expectFocus(palette(page).getByRole('combobox'))
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

it('opens by keys, finds a session on the server and opens it', async () => {
  const page = await workbench.open()
  await ready(page)
  await openPalette(page)
  await page.keyboard.type('baking')
  await palette(page).getByRole('option', { name: 'Baking bread' }).waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url(), soon).toContain(sessionId)
  await palette(page).waitFor({ state: 'detached' })
})

it('finds words of a message and leads to it', async () => {
  const page = await workbench.open()
  await ready(page)
  await page.getByRole('button', { name: 'Search and commands' }).click()
  await expectTyping(page)
  await page.keyboard.type('sourdough')
  await palette(page).getByRole('option', { name: 'Which flour suits a sourdough?' }).click()
  const { items } = await workbench.parley.sessions.messages(sessionId)
  await expect.poll(() => page.url(), soon).toContain(`message=${items[0]!.id}`)
})

it('performs a command by arrows and Enter, and offers it first the next time', async () => {
  const page = await workbench.open()
  await ready(page)
  await openPalette(page)
  await page.keyboard.type('theme')
  await palette(page).getByRole('option', { name: 'Theme: as the system' }).waitFor()
  const chosen = palette(page).getByRole('option', { name: 'Theme: dark' })
  await expect
    .poll(async () => {
      await page.keyboard.press('ArrowDown')
      return chosen.getAttribute('data-highlighted')
    }, soon)
    .not.toBeNull()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme), soon).toBe('dark')
  await page.keyboard.press('Control+k')
  await expect.poll(() => palette(page).getByRole('option').first().textContent(), soon).toBe('Theme: dark')
  await page.keyboard.press('Escape')
  await palette(page).waitFor({ state: 'detached' })
})

itInLongTier('switches the language, and is found by the words of either', async () => {
  const page = await workbench.open()
  await ready(page)
  await openPalette(page)
  await page.keyboard.type('中文')
  await palette(page).getByRole('option', { name: 'Language: 中文' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: '新会话' }).waitFor()
  await expect.poll(() => page.evaluate(() => document.documentElement.lang), soon).toBe('zh-CN')
})

itInLongTier('leaves Enter to an input method', async () => {
  const page = await workbench.open()
  await ready(page)
  await openPalette(page)
  await palette(page).getByRole('option').first().waitFor()
  const before = page.url()
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Input.imeSetComposition', { text: 'xin', selectionStart: 3, selectionEnd: 3 })
  // what browsers send for a key that an input method takes
  await cdp.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Process', windowsVirtualKeyCode: 229 })
  await cdp.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'Enter', windowsVirtualKeyCode: 229 })
  await cdp.send('Input.insertText', { text: '新会话' })
  await palette(page).getByRole('option', { name: 'New session' }).waitFor()
  expect(page.url()).toBe(before)
})

itInLongTier('leads to a page, keeping the lists as they are', async () => {
  const page = await workbench.open('?list=background&dock=tasks')
  await page.getByRole('tab', { name: 'Background', selected: true }).waitFor()
  await openPalette(page)
  await page.keyboard.type('usage')
  await palette(page).getByRole('option', { name: 'Usage' }).waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url(), soon).toMatch(/#\/usage\?.*list=background/)
})

itInLongTier('copies the last answer and the last block of code by keys', async () => {
  const page = await workbench.open(`sessions/${sessionId}`)
  await page.getByRole('main').getByText('Which flour').waitFor()
  await page.getByRole('main').getByText('That is all.').waitFor()
  await page.keyboard.press('Control+Shift+c')
  await page.getByText('Last answer copied.').waitFor()
  await expect.poll(() => clipboard(page), soon).toContain('That is all.')
  await page.keyboard.press('Control+Shift+Semicolon')
  await page.getByText('Last code block copied.').waitFor()
  await expect.poll(() => clipboard(page), soon).toBe('console.log(42)')
})

it('shows or hides the sessions by keys and remembers it', async () => {
  const page = await workbench.open()
  await ready(page)
  const toggle = page.getByRole('button', { name: 'Hide sessions' })
  expect(await toggle.getAttribute('aria-keyshortcuts')).toBe('Control+B')
  await page.keyboard.press('Control+b')
  await page.getByRole('button', { name: 'Show sessions' }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Show sessions' }).waitFor()
  expect(await page.getByRole('complementary', { name: 'Sessions' }).count()).toBe(0)
})

itInLongTier('keeps keys that write for those who write', async () => {
  const page = await workbench.open()
  await ready(page)
  const search = page.getByRole('searchbox', { name: 'Search titles and messages' })
  await search.focus()
  await page.keyboard.type('what?')
  await expect.poll(() => search.inputValue(), soon).toBe('what?')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.keyboard.press('Escape')
  // with a modifier they work from anywhere
  await page.keyboard.press('Control+/')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expectFocus(search)
})

it('changes the keys of an action in the sheet, refuses taken ones, and gives the usual back', async () => {
  const page = await workbench.open()
  await ready(page)
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await sheet.getByRole('button', { name: 'Search and commands: Ctrl+K. Change' }).click()
  await page.keyboard.press('Control+b')
  await sheet.getByRole('alert').getByText('Ctrl+B is already used by “Show or hide sessions”.').waitFor()
  await page.keyboard.press('x')
  await sheet.getByText('Combine a character key with').waitFor()
  await page.keyboard.press('Control+Shift+p')
  await sheet.getByRole('button', { name: 'Search and commands: Ctrl+Shift+P. Change' }).waitFor()
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  await page.reload()
  await ready(page)
  await openPalette(page, 'Control+Shift+p')
  await page.keyboard.press('Escape')
  await palette(page).waitFor({ state: 'detached' })

  await page.keyboard.press('Control+/')
  await sheet.getByRole('button', { name: 'Search and commands: Reset to default' }).click()
  const usual = sheet.getByRole('button', { name: 'Search and commands: Ctrl+K. Change' })
  await expect.poll(() => usual.count(), soon).toBe(1)
})

itInLongTier('begins a new session by keys', async () => {
  const page = await workbench.open(`sessions/${sessionId}`)
  await ready(page)
  await page.keyboard.press('Control+Shift+o')
  await expect.poll(() => page.url(), soon).toMatch(/#\/(\?|$)/)
})

it.each(looks)('has no barriers %s', async (_, look) => {
  const page = await workbench.open(`sessions/${sessionId}`, look)
  await page.getByRole('main').getByText('Which flour').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('option').first().waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('Control+/')
  await page.getByRole('dialog').getByRole('listitem').first().waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})
