import { afterAll, beforeAll, expect, it } from 'vitest'
import { itInLongTier } from '../runner/tier.ts'
import { findBarriers } from './barriers.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

let workbench: Workbench
beforeAll(async () => {
  workbench = await openWorkbench()
})
afterAll(() => workbench[Symbol.asyncDispose]())

it('opens on a session that is linked to, with the dock that the link names', async () => {
  const { id } = await workbench.parley.sessions.create({ title: 'A session' })
  await workbench.parley.sessions.chat(id, 'Hello there')
  const page = await workbench.open(`sessions/${id}?dock=tasks`)
  await page.getByText('Hello there').first().waitFor()
  await page.getByRole('tab', { name: 'Tasks', selected: true }).waitFor()
  expect(await findBarriers(page)).toEqual([])
})

it('names the tab after what is open in it', async () => {
  const { id } = await workbench.parley.sessions.create({ title: 'A named session' })
  const page = await workbench.open(`sessions/${id}`)
  await expect.poll(() => page.title()).toBe('A named session · Parley')
  await page.getByRole('link', { name: 'Usage' }).click()
  await expect.poll(() => page.title()).toBe('Usage · Parley')
  await page.getByRole('button', { name: 'New session' }).click()
  await expect.poll(() => page.title()).toBe('Parley')
})

itInLongTier('leads on from an address where no page is, in the language of the reader', async () => {
  const page = await workbench.open('nowhere?scope=default', { locale: 'zh-CN' })
  await page.getByRole('heading', { name: '找不到页面' }).waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.getByRole('main').getByRole('link', { name: '新会话' }).click()
  await page.getByRole('heading', { name: '想聊点什么？' }).waitFor()
  await expect.poll(() => page.url()).toContain('scope=default')
})
