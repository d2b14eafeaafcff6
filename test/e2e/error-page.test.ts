import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { itInLongTier } from '../runner/tier.ts'
import type { Page } from 'playwright-core'
import { findBarriers, findBarriersInBothThemes } from './barriers.ts'
import { intercept } from './intercept.ts'
import { demo, openWorkbench, type Workbench } from './workbench.ts'

let workbench: Workbench

beforeAll(async () => {
  workbench = await openWorkbench({ script: demo })
  await workbench.parley.sessions.create({ title: 'A session' })
})
// what pages complained of is what these tests are about
afterEach(async () => {
  await workbench.closePages()
  workbench.expectProblems(/./)
})
afterAll(() => workbench[Symbol.asyncDispose]())

const broken = (page: Page) => page.getByRole('alert').filter({ hasText: 'This page crashed.' })
const start = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })
const nonsense = { items: [null], nextCursor: null }

it('says what failed in a page, leaves the rest of the workbench, and loads the page again', async () => {
  const page = await workbench.open()
  await start(page).waitFor()
  await intercept(page, '**/api/audit**', (route) => route.fulfill({ json: nonsense }))
  await page.getByRole('link', { name: 'Audit' }).click()
  await broken(page).getByText(/null/).waitFor()
  await page.getByRole('link', { name: 'A session' }).waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await page.unroute('**/api/audit**')
  await broken(page).getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('table', { name: 'Audit log, newest first' }).waitFor()
})

itInLongTier('leads from a page that failed to another one, and back to the start', async () => {
  const page = await workbench.open()
  await start(page).waitFor()
  await intercept(page, '**/api/audit**', (route) => route.fulfill({ json: nonsense }))
  await page.goto(`${workbench.url}/#/audit`)
  await broken(page).waitFor()
  await page.getByRole('link', { name: 'Usage' }).click()
  await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
  await page.goBack()
  await broken(page).getByRole('button', { name: 'Back to start' }).click()
  await start(page).waitFor()
  await expect.poll(() => new URL(page.url()).hash).toBe('#/')
})

itInLongTier('keeps the conversation when only the side panel fails', async () => {
  const { id } = await workbench.parley.sessions.create({ title: 'Beside' })
  await workbench.parley.sessions.chat(id, 'Still here')
  const page = await workbench.open()
  await intercept(page, '**/window**', (route) => route.fulfill({ json: { messages: 1 } }))
  await page.goto(`${workbench.url}/#/sessions/${id}?dock=context&view=window`)
  await page.getByRole('tabpanel', { name: 'Context' }).getByText('This page crashed.').waitFor()
  await page.getByRole('main').getByText('Still here').waitFor()
  await expect.poll(() => start(page).isEnabled()).toBe(true)
})

it('is not a white page when the frame itself fails', async () => {
  const page = await workbench.open('', { preferences: { language: 'zh' } })
  await intercept(page, '**/api/sessions?**', (route) => route.fulfill({ json: nonsense }))
  await page.reload()
  await page.getByRole('heading', { name: '此页面无法显示。' }).waitFor()
  await page.unroute('**/api/sessions?**')
  expect(await findBarriers(page)).toEqual([])
  await page.getByRole('button', { name: '重新加载' }).click()
  await page.getByRole('link', { name: 'A session' }).waitFor()
})
