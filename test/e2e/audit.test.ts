import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { findBarriers, openWorkbench, type Workbench } from './workbench.ts'

// a busy machine
const patience = { timeout: 30_000 }

let workbench: Workbench
beforeAll(async () => {
  workbench = await openWorkbench()
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

it('shows who did what, and leads to the session', async () => {
  const { id } = await workbench.parley.sessions.create({ title: 'Watched' })
  const page = await workbench.open('audit')
  const table = page.getByRole('table', { name: 'What was done, newest first' })
  const row = table.getByRole('row').filter({ hasText: id })
  await row.getByText('library').first().waitFor()
  // what happens now comes by itself
  await workbench.parley.sessions.update(id, { title: 'Renamed' })
  await row
    .filter({ hasText: 'update' })
    .getByRole('button', { name: /^Details of update/ })
    .click()
  await table.getByText('"fields"').or(table.getByText('"title"')).first().waitFor()
  await table.getByRole('link', { name: 'Open session' }).click()
  await expect.poll(() => page.url(), patience).toContain(`#/sessions/${id}`)
})

it('keeps filters in the URL, and pages through the rest', async () => {
  const { id } = await workbench.parley.sessions.create({ title: 'Busy' })
  for (let index = 0; index < 60; index++)
    await workbench.parley.sessions.update(id, { title: `Busy ${index}` })
  const page = await workbench.open('audit')
  const rows = page.getByRole('table').getByRole('rowgroup').nth(1).getByRole('row')
  await expect.poll(() => rows.count(), patience).toBe(50)
  await page.getByRole('combobox', { name: 'Session' }).fill(id)
  await page.getByRole('combobox', { name: 'Action' }).fill('update')
  await expect.poll(() => page.url(), patience).toContain(`session=${id}&action=update`)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => rows.count(), patience).toBe(60)
  await page.reload()
  await expect.poll(() => rows.count(), patience).toBe(50)
  await page.getByRole('combobox', { name: 'Who' }).fill('nobody')
  await page.getByText('Nothing is recorded that fits these filters.').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect.poll(() => rows.count(), patience).toBe(50)
  expect(page.url()).not.toContain('session=')
})

it('says what is wrong with a filter', async () => {
  const page = await workbench.open('audit?session=not%20an%20id')
  const alert = page.getByRole('alert').filter({ hasText: 'At "session"' })
  await alert.waitFor()
  workbench.takeProblems()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('table').waitFor()
  expect(await alert.count()).toBe(0)
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
    const page = await workbench.open('audit?action=create', {
      colorScheme,
      locale,
      viewport: { width, height: 800 },
      storageState: closedSidebar(),
    })
    await page.locator('main tbody button').first().click()
    await page.locator('main pre').waitFor()
    expect(await findBarriers(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    )
  },
)
