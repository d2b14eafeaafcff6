import { afterAll, beforeAll, expect, it } from 'vitest'
import { itInLongTier } from '../runner/tier.ts'
import { expectToFitPhone, findBarriersInBothThemes, looks } from './barriers.ts'
import { expectGone } from './expect-page.ts'
import { openWorkbench, refusedRequest, type Workbench } from './workbench.ts'

// a busy machine
const patience = { timeout: 200_000 }

let workbench: Workbench
beforeAll(async () => {
  workbench = await openWorkbench()
})
afterAll(() => workbench[Symbol.asyncDispose]())

it('shows who did what, and leads to the session', async () => {
  const { id } = await workbench.parley.sessions.create({ title: 'Watched' })
  const page = await workbench.open('audit')
  const table = page.getByRole('table', { name: 'Audit log, newest first' })
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
  const { id: other } = await workbench.parley.sessions.create({ title: 'Another' })
  const page = await workbench.open('audit')
  const rows = page.getByRole('table').getByRole('rowgroup').nth(1).getByRole('row')
  await expect.poll(() => rows.count(), patience).toBe(50)
  await page.getByRole('combobox', { name: 'Session' }).fill(id)
  await page.getByRole('combobox', { name: 'Action' }).fill('update')
  await expect.poll(() => page.url(), patience).toContain(`session=${id}&action=update`)
  await rows.filter({ hasText: other }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => rows.count(), patience).toBe(60)
  await page.reload()
  await expect.poll(() => rows.count(), patience).toBe(50)
  await page.getByRole('combobox', { name: 'Who' }).fill('nobody')
  await page.getByText('No entries match these filters.').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect.poll(() => rows.count(), patience).toBe(50)
  await expect.poll(() => page.url(), patience).not.toContain('session=')
})

itInLongTier('says what is wrong with a filter', async () => {
  const page = await workbench.open('audit?session=not%20an%20id')
  const alert = page.getByRole('alert').filter({ hasText: 'session: ' })
  await alert.waitFor()
  workbench.expectProblems(refusedRequest)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('table').waitFor()
  await expectGone(alert)
})

it.each(looks)('has no barriers %s, and fits a phone', async (_, look) => {
  await workbench.parley.sessions.create({ title: 'Looked at' })
  const page = await workbench.open('audit?action=create', look)
  await page.locator('main tbody button').first().click()
  await page.locator('main pre').waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await expectToFitPhone(page)
})
