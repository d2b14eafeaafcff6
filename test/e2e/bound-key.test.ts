/** A key that is bound to scopes is offered what it may do, and nothing that would be refused. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openApprovalsWorkbench, type ApprovalsWorkbench } from './approvals-arrange.ts'
import { findBarriers } from './barriers.ts'
import { expectSoon } from './composer-arrange.ts'

const operator = 'operator-0123456789'
const guest = 'guest-0123456789012'

let workbench: ApprovalsWorkbench
beforeAll(async () => {
  workbench = await openApprovalsWorkbench({
    apiKeys: [
      { name: 'operator', key: operator, scopes: undefined },
      { name: 'guest', key: guest, scopes: ['default'] },
    ],
  })
})
afterAll(() => workbench[Symbol.asyncDispose]())

const row = (page: Page, title: string) => page.locator('li[data-approval]').filter({ hasText: title })
const answersIn = async (page: Page, title: string) => {
  await row(page, title).getByRole('button', { name: 'Deny…' }).waitFor()
  return row(page, title).getByRole('group', { name: 'Answer to paint' }).getByRole('button').allInnerTexts()
}

it('is not offered to have a yes remembered, and can say yes', async () => {
  const { id } = await workbench.ask('A wall')
  const beside = await workbench.open('approvals', { key: operator })
  expect(await answersIn(beside, 'A wall')).toEqual([
    'Approve',
    'Always allow exactly this in this session',
    'Deny…',
    'Edit…',
  ])
  const page = await workbench.open('approvals', { key: guest })
  expect(await answersIn(page, 'A wall')).toEqual(['Approve', 'Deny…', 'Edit…'])
  await row(page, 'A wall').getByRole('button', { name: 'Approve' }).click()
  await row(page, 'A wall').waitFor({ state: 'detached' })
  await expectSoon(() => workbench.painted).toContainEqual({ path: 'wall' })
  expect((await workbench.parley.sessions.get(id)).permissionRules ?? []).toEqual([])
})

it('is told that files outside are for somebody else to open', async () => {
  await workbench.ask('Outside', '/srv/elsewhere/wall')
  const page = await workbench.open('approvals', { key: guest })
  expect(await answersIn(page, 'Outside')).toEqual(['Deny…'])
  await row(page, 'Outside').getByText('only someone else can grant access to these files').waitFor()
  expect(await findBarriers(page)).toEqual([])
  const beside = await workbench.open('approvals', { key: operator })
  expect(await answersIn(beside, 'Outside')).toContain('Approve')
  await row(page, 'Outside').getByRole('button', { name: 'Deny…' }).click()
  await row(page, 'Outside').getByRole('button', { name: 'Deny', exact: true }).click()
  await row(page, 'Outside').waitFor({ state: 'detached' })
})

it('is offered no mode, group, rule, key or trust that would be refused', async () => {
  const open = async (section: string, key: string) => workbench.open(`settings?section=${section}`, { key })
  const offered = async (key: string) => {
    const page = await open('tools', key)
    const modes = page.getByRole('group', { name: 'Permission mode' })
    await modes.waitFor()
    const group = page.getByRole('checkbox', { name: /terminal/ })
    await page.getByRole('button', { name: 'Add rule' }).click()
    const decisions = await page.getByLabel('Decision').locator('option').allInnerTexts()
    return { modes: await modes.getByRole('radio').count(), canSwitch: await group.isEnabled(), decisions }
  }
  expect(await offered(operator)).toMatchObject({ modes: 6, canSwitch: true })
  const bound = await offered(guest)
  expect(bound).toMatchObject({ modes: 4, canSwitch: false })
  expect(bound.decisions).toHaveLength(2)
  const keys = async (key: string) => {
    const page = await open('models', key)
    await page.getByRole('heading', { name: 'Anthropic' }).waitFor()
    return page.getByRole('button', { name: /Anthropic/ }).count()
  }
  expect(await keys(operator)).toBe(1)
  expect(await keys(guest)).toBe(0)
})
