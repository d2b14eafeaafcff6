import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { itInLongTier } from '../runner/tier.ts'
import { openApprovalsWorkbench, type ApprovalsWorkbench } from './approvals-arrange.ts'
import { expectToFitPhone, findBarriersInBothThemes, looks } from './barriers.ts'
import { expectSoon } from './composer-arrange.ts'
import { expectFocus } from './expect-page.ts'

let workbench: ApprovalsWorkbench

beforeAll(async () => {
  workbench = await openApprovalsWorkbench()
})
// what waits would be counted by the next test
afterEach(async () => {
  for (const { id } of (await workbench.parley.approvals.list()).items)
    await workbench.parley.approvals.decide(id, { decision: 'deny' })
})
afterAll(() => workbench[Symbol.asyncDispose]())

const row = (page: Page, title: string) => page.locator('li[data-approval]').filter({ hasText: title })
const link = (page: Page) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Approvals' })
const approve = (page: Page, title: string) =>
  row(page, title).getByRole('button', { name: 'Approve', exact: true })

itInLongTier('says that nothing waits, and counts what comes while one looks', async () => {
  const page = await workbench.open('approvals')
  await page.getByText('Nothing is waiting for approval.').waitFor()
  await expectSoon(() => link(page).innerText()).toBe('Approvals')
  await workbench.ask('First of two')
  await workbench.ask('Second of two')
  await row(page, 'Second of two').waitFor()
  await expectSoon(() => link(page).innerText()).toContain('2 waiting')
  const inSidebar = page.getByRole('link', { name: /Second of two.*Needs your answer/ })
  await inSidebar.waitFor()
  await approve(page, 'First of two').click()
  await row(page, 'First of two').waitFor({ state: 'detached' })
  await expectSoon(() => link(page).innerText()).toContain('1 waiting')
  await page.getByRole('link', { name: /First of two/ }).waitFor()
  await page.getByRole('link', { name: /First of two.*Needs your answer/ }).waitFor({ state: 'detached' })
  // the next one is at hand
  await expectFocus(approve(page, 'Second of two'))
})

it('leads to the session, and says of tasks that they are some', async () => {
  const { id } = await workbench.parley.sessions.create({ title: 'Parent' })
  const { sessionId } = await workbench.askInTask(id, 'Paint the shed')
  const page = await workbench.open('approvals')
  await row(page, 'Paint the shed').getByText('Task', { exact: true }).waitFor()
  await row(page, 'Paint the shed').getByRole('link', { name: 'Paint the shed' }).click()
  await expectSoon(() => page.url()).toContain(sessionId)
  await page.locator('[data-tool-state="asks"]').getByRole('group', { name: 'Answer to paint' }).waitFor()
})

it('keeps what was decided, by its outcome, which is in the URL', async () => {
  const { approval } = await workbench.ask('Said no')
  await workbench.parley.approvals.decide(approval.id, { decision: 'deny', message: 'Never that.' })
  const page = await workbench.open('approvals')
  await page.getByRole('button', { name: 'Denied', exact: true }).click()
  await row(page, 'Said no').getByText('“Never that.”').waitFor()
  expect(page.url()).toContain('status=denied')
  expect(await row(page, 'Said no').getByRole('button').count()).toBe(0)
  await page.reload()
  await row(page, 'Said no').waitFor()
})

it('tells of an ask where nobody looks, and not of one that is seen', async () => {
  const here = await workbench.parley.sessions.create({ title: 'Here' })
  const page = await workbench.open(`sessions/${here.id}`)
  await link(page).waitFor()
  const toast = page.getByRole('dialog').filter({ hasText: '“There” needs an answer' })
  const { id } = await workbench.ask('There')
  await toast.getByRole('button', { name: 'Open' }).click()
  await expectSoon(() => page.url()).toContain(id)
  await page.locator('[data-tool-state="asks"]').waitFor()
  await toast.waitFor({ state: 'detached' })
  await workbench.parley.sessions.stop(id)
  await workbench.parley.sessions.send(id, 'paint once-more')
  await page.getByRole('group', { name: 'Answer to paint' }).last().waitFor()
  expect(await toast.count()).toBe(0)
})

it.each(looks)('has no barriers %s, and fits a phone', async (_, look) => {
  await workbench.ask(`Long${'er'.repeat(90)}`, `/outside/${'deep/'.repeat(60)}`)
  const page = await workbench.open('approvals', look)
  await page.locator('[data-answer="approve"]').first().waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await expectToFitPhone(page)
})
