import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { itInLongTier } from '../runner/tier.ts'
import { openApprovalsWorkbench, type ApprovalsWorkbench } from './approvals-arrange.ts'
import { expectToFitPhone, findBarriersInBothThemes, looks } from './barriers.ts'
import { expectSoon } from './composer-arrange.ts'

// a busy machine
const patience = { timeout: 200_000 }

let workbench: ApprovalsWorkbench
let approved: string
let refused: string

beforeAll(async () => {
  workbench = await openApprovalsWorkbench()
  const { sessions, approvals } = workbench.parley
  approved = (await sessions.create({ title: 'Asks' })).id
  await sessions.send(approved, 'paint wall')
  const find = async () => (await approvals.list({ session: approved })).items[0]
  await approvals.decide((await vi.waitUntil(find, patience)).id, { decision: 'approve' })
  await vi.waitUntil(async () => (await sessions.get(approved)).chatStatus === 'idle', patience)
  refused = (await sessions.create({ title: 'Plans', permissionMode: 'plan' })).id
  await sessions.chat(refused, 'paint door')
})
afterAll(() => workbench[Symbol.asyncDispose]())

const rows = (page: Page) => page.getByRole('table').getByRole('rowgroup').nth(1).getByRole('row')
// told once: the tests may run over midnight
const today = new Date()
const dayIn = (days: number) => {
  const day = new Date(today)
  day.setDate(day.getDate() + days)
  const pad = (value: number) => String(value).padStart(2, '0')
  return `${day.getFullYear()}-${pad(day.getMonth() + 1)}-${pad(day.getDate())}`
}

it('shows who approved a call, and finds calls by tool, result and session', async () => {
  const page = await workbench.open('audit')
  await rows(page).first().waitFor()
  const tools = page.getByRole('combobox', { name: 'Kind or tool' })
  const offered = page.locator(`[id="${await tools.getAttribute('list')}"] option`)
  await expectSoon(() => offered.allTextContents()).toEqual(
    expect.arrayContaining(['paint', 'session', 'web_fetch']),
  )
  await tools.fill('paint')
  await expectSoon(() => rows(page).count()).toBe(3)
  await rows(page).filter({ hasText: 'approved by library' }).waitFor()
  const results = page.getByRole('combobox', { name: 'Result' })
  await results.selectOption('Denied')
  await expectSoon(() => rows(page).count()).toBe(1)
  await expectSoon(() => page.url()).toContain('resource=paint&result=denied')
  await rows(page).getByText(refused).first().waitFor()
  await results.selectOption('Any')
  await page.getByRole('combobox', { name: 'Session' }).fill(approved)
  await page.getByRole('combobox', { name: 'Who' }).fill(approved)
  await expectSoon(() => rows(page).count()).toBe(1)
  await rows(page).getByText('approved by library').waitFor()
  await page.reload()
  await expectSoon(() => rows(page).count()).toBe(1)
  await expectSoon(() => tools.inputValue()).toBe('paint')
})

it('finds calls by what they were about, and by who decided', async () => {
  const page = await workbench.open('audit?resource=paint')
  await expectSoon(() => rows(page).count()).toBe(3)
  await page.getByRole('combobox', { name: 'File, command, address' }).fill('door')
  await expectSoon(() => rows(page).count()).toBe(1)
  await page.getByRole('combobox', { name: 'File, command, address' }).fill('')
  await page.getByRole('combobox', { name: 'Decided by' }).fill('library')
  await expectSoon(() => rows(page).count()).toBe(1)
  await rows(page).getByText('approved by library').waitFor()
  await expectSoon(() => page.url()).toContain('decidedBy=library')
})

itInLongTier('finds what was done on some days', async () => {
  const page = await workbench.open('audit?resource=paint')
  await expectSoon(() => rows(page).count()).toBe(3)
  await page.getByLabel('From').fill(dayIn(1))
  await page.getByText('No entries match these filters.').waitFor()
  await expectSoon(() => page.url()).toContain(`from=${dayIn(1)}`)
  await page.getByLabel('From').fill(dayIn(-1))
  await page.getByLabel('To', { exact: true }).fill(dayIn(1))
  await expectSoon(() => rows(page).count()).toBe(3)
  await page.reload()
  await expectSoon(() => page.getByLabel('To', { exact: true }).inputValue()).toBe(dayIn(1))
  await page.getByLabel('To', { exact: true }).fill(dayIn(-1))
  await page.getByText('No entries match these filters.').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expectSoon(() => rows(page).count()).toBeGreaterThan(3)
  await expectSoon(() => page.url()).not.toMatch(/from=|to=|resource=/)
})

itInLongTier('says what is wrong with a day in the URL', async () => {
  const page = await workbench.open('audit?from=yesterday')
  await page.getByRole('alert').filter({ hasText: 'from: ' }).waitFor()
  expect(await page.getByRole('table').count()).toBe(0)
  workbench.expectProblems(/status of 400|does not conform to the required format/)
})

it.each(looks)('has no barriers %s, and fits a phone', async (_, look) => {
  const page = await workbench.open(`audit?resource=paint&from=${dayIn(-1)}&to=${dayIn(1)}`, look)
  await page.locator('main tbody tr').nth(2).waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await expectToFitPhone(page)
})
