import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Script } from '../chat-harness.ts'
import { findBarriers, openWorkbench, type Workbench } from './workbench.ts'

const script: Script = () => [
  { type: 'text-delta', text: 'Counted.' },
  {
    type: 'finish',
    reason: 'stop',
    usage: { inputTokens: 1_000, outputTokens: 200, cacheReadTokens: 250 },
  },
]

// a busy machine
const patience = { timeout: 30_000 }

let workbench: Workbench
beforeAll(async () => {
  workbench = await openWorkbench({ script, prices: { 'scripted/test': { input: 10, output: 50 } } })
  const { id } = await workbench.parley.sessions.create({ title: 'Counted' })
  for (const text of ['One', 'Two']) await workbench.parley.sessions.chat(id, text)
})
afterEach(() => workbench.closePages())
afterAll(() => workbench[Symbol.asyncDispose]())

/** What is on the page, not the list of sessions that covers it on a phone. */
const closedSidebar = () => ({
  cookies: [],
  origins: [
    {
      origin: workbench.url,
      localStorage: [{ name: 'parley-preferences', value: JSON.stringify({ sidebar: 'closed' }) }],
    },
  ],
})

it('shows what was used, in figures, as a picture and as a table of the same', async () => {
  const page = await workbench.open('usage')
  const totals = page.getByRole('main').locator('dl')
  await totals.getByText('2,000').waitFor()
  await expect.poll(() => totals.textContent(), patience).toMatch(/Output\D*400.*From cache\D*25%.*Calls\D*2/)
  await page
    .getByRole('img', { name: /^Tokens per day/ })
    .locator('.recharts-bar-rectangle path')
    .first()
    .waitFor()
  const row = page
    .getByRole('region', { name: 'By model and kind' })
    .getByRole('row', { name: /scripted\/test Turns/ })
  expect(await row.textContent()).toContain('2,000')
  const day = new Date().toISOString().slice(0, 10)
  await page.getByRole('region', { name: 'By day' }).getByRole('row', { name: day }).waitFor()
})

it('keeps the range, the figure and the split in the URL', async () => {
  const page = await workbench.open('usage')
  await page.getByRole('button', { name: 'Cost' }).click()
  await page.getByRole('img', { name: /^Cost per day/ }).waitFor()
  await page.getByRole('button', { name: 'Kind' }).click()
  await page.getByRole('button', { name: '7 days' }).click()
  await page.reload()
  await page
    .getByRole('img', { name: /^Cost per day/ })
    .getByText('Turns')
    .waitFor()
  expect(await page.getByRole('button', { name: '7 days' }).getAttribute('aria-pressed')).toBe('true')
  await page.getByLabel('From').fill('2020-01-01')
  await page.getByLabel('To', { exact: true }).fill('2020-01-31')
  await page.getByText('No model was asked in these days.').waitFor()
  expect(page.url()).toContain('from=2020-01-01')
})

it('says what is wrong with a range, and counts what comes while it is looked at', async () => {
  const page = await workbench.open('usage?from=2026-02-01&to=2026-01-01')
  await page.getByRole('alert').getByText('"from" (2026-02-01) is after "to"').waitFor()
  workbench.takeProblems()
  await page.getByRole('button', { name: '30 days' }).click()
  const totals = page.getByRole('main').locator('dl')
  await totals.getByText('2,000').waitFor()
  const { id } = await workbench.parley.sessions.create()
  await workbench.parley.sessions.chat(id, 'Three')
  await totals.getByText('3,000').waitFor()
  expect(await totals.textContent()).toContain('600')
})

it.each([
  ['light', 'en', 1280],
  ['dark', 'zh-CN', 1280],
  ['light', 'zh-CN', 390],
  ['dark', 'en', 390],
] as const)(
  'has no barriers in %s, %s, %i wide',
  { timeout: 120_000 },
  async (colorScheme, locale, width) => {
    const page = await workbench.open('usage', {
      colorScheme,
      locale,
      viewport: { width, height: 800 },
      storageState: closedSidebar(),
    })
    await page.locator('main .recharts-bar').first().waitFor()
    expect(await findBarriers(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    )
  },
)
