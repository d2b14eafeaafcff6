import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Script } from '../chat-harness.ts'
import { itInLongTier } from '../runner/tier.ts'
import { expectToFitPhone, findBarriersInBothThemes, looks } from './barriers.ts'
import { expectSeen } from './expect-page.ts'
import { openWorkbench, refusedRequest, type Workbench } from './workbench.ts'

const script: Script = () => [
  { type: 'text-delta', text: 'Counted.' },
  {
    type: 'finish',
    reason: 'stop',
    usage: { inputTokens: 1_000, outputTokens: 200, cacheReadTokens: 250 },
  },
]

// a busy machine
const patience = { timeout: 200_000 }

let workbench: Workbench
beforeAll(async () => {
  workbench = await openWorkbench({ script, prices: { 'scripted/test': { input: 10, output: 50 } } })
  await talk(undefined, 'One', 'Two')
})
afterAll(() => workbench[Symbol.asyncDispose]())

async function talk(scope: string | undefined, ...texts: string[]) {
  const { sessions } = workbench.parley
  const { id } = await sessions.create({ scope, title: 'Counted' })
  for (const content of texts) await sessions.chat(id, { scope, content })
}

it('shows what was used, in figures, as a picture and as a table of the same', async () => {
  const page = await workbench.open('usage')
  const totals = page.getByRole('main').locator('dl')
  await totals.getByText('2,000').waitFor()
  await expect.poll(() => totals.textContent(), patience).toMatch(/Output\D*400.*From cache\D*25%.*Calls\D*2/)
  await page
    .getByRole('img', { name: /^Tokens per day/ })
    .locator('rect[data-series="scripted/test"]')
    .waitFor()
  const row = page
    .getByRole('region', { name: 'By model and kind' })
    .getByRole('row', { name: /scripted\/test Turns/ })
  await row.getByText('2,000').waitFor()
  const { items } = await workbench.parley.store.listRuns('default', { limit: 1 })
  const day = new Date(items[0]!.createdAt).toISOString().slice(0, 10)
  await page.getByRole('region', { name: 'By day' }).getByRole('row', { name: day }).waitFor()
})

it('keeps the range, the figure and the split in the URL', async () => {
  const page = await workbench.open('usage')
  await page.getByRole('button', { name: 'Cost' }).click()
  await page.getByRole('img', { name: /^Cost per day/ }).waitFor()
  await page.getByRole('button', { name: 'Kind' }).click()
  await page.getByRole('button', { name: '7 days' }).click()
  await page.getByRole('button', { name: '7 days', pressed: true }).waitFor()
  await page.reload()
  await page
    .getByRole('img', { name: /^Cost per day/ })
    .getByText('Turns')
    .waitFor()
  await page.getByRole('button', { name: '7 days', pressed: true }).waitFor()
  // more days than can be asked for, until the other end is there
  workbench.expectProblems(/status of 400/)
  await page.getByLabel('From').fill('2020-01-01')
  await page.getByLabel('To', { exact: true }).fill('2020-01-31')
  await page.getByText('No model calls in this period.').waitFor()
  await expect.poll(() => page.url(), patience).toContain('from=2020-01-01')
})

itInLongTier('says what is wrong with a range, and counts what comes while it is looked at', async () => {
  const scope = 'watched'
  await talk(scope, 'One', 'Two')
  const page = await workbench.open(`usage?scope=${scope}&from=2026-02-01&to=2026-01-01`)
  await page.getByRole('alert').getByText('"from" (2026-02-01) is after "to"').waitFor()
  workbench.expectProblems(refusedRequest)
  await page.getByRole('button', { name: '30 days' }).click()
  const totals = page.getByRole('main').locator('dl')
  await totals.getByText('2,000').waitFor()
  await talk(scope, 'Three')
  await totals.getByText('3,000').waitFor()
  await expectSeen(totals.getByText('600', { exact: true }))
})

it.each(looks)('has no barriers %s, and fits a phone', async (_, look) => {
  const page = await workbench.open('usage', look)
  await page.locator('main rect[data-series]').waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await expectToFitPhone(page)
})
