import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { cardOf, openApprovalsWorkbench, type ApprovalsWorkbench } from './approvals-arrange.ts'
import { expectToFitPhone, findBarriersInBothThemes, looks } from './barriers.ts'
import { boxOf, expectSoon } from './composer-arrange.ts'

let workbench: ApprovalsWorkbench

beforeAll(async () => {
  workbench = await openApprovalsWorkbench()
})
afterAll(() => workbench[Symbol.asyncDispose]())

const modeOf = (page: Page, name: string) => page.getByRole('button', { name: `Permissions: ${name}` })
const rules = async () => (await workbench.parley.settings.get()).permissionRules
const ruleList = (page: Page) => page.getByRole('region', { name: 'Permission rules' })

it('changes the mode of a session beside the box, in every tab', async () => {
  const { id } = await workbench.parley.sessions.create({ title: 'Modes' })
  const page = await workbench.open(`sessions/${id}`)
  const other = await workbench.open(`sessions/${id}`)
  await modeOf(page, 'Ask first').click()
  await page.getByRole('menuitemradio', { name: 'Allow everything' }).click()
  await modeOf(other, 'Allow everything').waitFor()
  await modeOf(page, 'Allow everything').waitFor()
  expect((await workbench.parley.sessions.get(id)).permissionMode).toBe('bypassPermissions')
  const colour = (name: string) => modeOf(page, name).evaluate((button) => getComputedStyle(button).color)
  const risky = await colour('Allow everything')
  await boxOf(page).fill('paint freely')
  await page.keyboard.press('Enter')
  await cardOf(page, 'done').waitFor()
  // by keys
  await modeOf(page, 'Allow everything').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitemradio', { name: 'Plan only' }).waitFor()
  await page.keyboard.press('Home')
  for (const _ of [1, 2, 3]) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await modeOf(page, 'Plan only').waitFor()
  expect(await colour('Plan only')).not.toBe(risky)
  // back to what holds for all
  await modeOf(page, 'Plan only').click()
  await page.getByRole('menuitemradio', { name: 'Scope default' }).click()
  await modeOf(other, 'Ask first').waitFor()
  expect((await workbench.parley.sessions.get(id)).permissionMode).toBeUndefined()
})

it('sets the mode and the groups of the scope, and takes them back', async () => {
  const page = await workbench.open('settings?section=tools')
  await page.getByRole('radio', { name: 'Allow everything' }).click()
  await page.getByText('without asking anyone').waitFor()
  await expectSoon(async () => (await workbench.parley.settings.get()).permissionMode).toBe(
    'bypassPermissions',
  )
  await page.getByRole('radio', { name: 'Server default' }).click()
  await expectSoon(async () => (await workbench.parley.settings.get()).permissionMode).toBeUndefined()

  const search = page.getByRole('region', { name: 'Web search' })
  await search.getByText('web_search is unavailable').waitFor()
  await search.getByText('Not set up').waitFor()
  const web = page.getByRole('checkbox', { name: /^Web/ })
  await web.waitFor()
  expect(await page.getByRole('checkbox', { name: /^Terminal/ }).isChecked()).toBe(false)
  await web.click()
  await expectSoon(async () => (await workbench.parley.settings.get()).toolGroups).toEqual({ web: false })
  await page.getByRole('group', { name: 'Tool groups' }).getByRole('button').click()
  await expectSoon(async () => (await workbench.parley.settings.get()).toolGroups).toBeUndefined()
  await expectSoon(() => web.isChecked()).toBe(true)
})

it('adds rules, moves them and deletes them', async () => {
  const page = await workbench.open('settings?section=tools')
  const list = ruleList(page)
  await list.getByText('No rules. Only the mode applies.').waitFor()
  const add = async (tool: string, decision: string, more: Record<string, string> = {}) => {
    await list.getByRole('button', { name: 'Add rule' }).click()
    await list.getByLabel('Decision').selectOption(decision)
    await list.getByLabel('Tool').fill(tool)
    for (const [label, text] of Object.entries(more)) await list.getByLabel(label).fill(text)
    await list.getByRole('button', { name: 'Add', exact: true }).click()
    await list.getByRole('form').waitFor({ state: 'detached' })
  }
  await list.getByRole('button', { name: 'Add rule' }).click()
  await list.getByRole('button', { name: 'Add', exact: true }).click()
  await list.getByText('Enter a tool name or *.').waitFor()
  await list.getByRole('button', { name: 'Cancel' }).click()
  await add('paint', 'Allow', { 'Path, command or address': 'walls/**' })
  await add('paint', 'Deny', { Actions: 'paint', 'Message to the model': 'Hands off.' })
  expect(await rules()).toEqual([
    { tool: 'paint', path: 'walls/**', decision: 'allow' },
    { tool: 'paint', action: ['paint'], decision: 'deny', message: 'Hands off.' },
  ])
  await expectSoon(() => list.getByRole('button', { name: 'Move rule 1 up' }).isDisabled()).toBe(true)
  await list.getByRole('button', { name: 'Move rule 2 up' }).click()
  await expectSoon(async () => (await rules())?.map(({ decision }) => decision)).toEqual(['deny', 'allow'])
  await list.getByRole('listitem').first().getByText('Hands off.').waitFor()
  await list.getByRole('button', { name: 'Delete rule 1' }).click()
  await expectSoon(async () => (await rules())?.map(({ decision }) => decision)).toEqual(['allow'])
  // somebody else was there meanwhile
  await list.getByRole('listitem').nth(1).waitFor({ state: 'detached' })
  await workbench.parley.settings.update({ permissionRules: [{ tool: 'other', decision: 'ask' }] })
  await list.getByRole('button', { name: 'Delete rule 1' }).click()
  await page.getByText('The rules have changed in the meantime. Please check again.').first().waitFor()
  await list.getByText('other').waitFor()
  await list.getByRole('button', { name: 'Delete rule 1' }).click()
  await expectSoon(rules).toBeUndefined()
})

it.each(looks)('have no barriers %s, and fit a phone', async (_, look) => {
  await workbench.parley.settings.update({
    permissionMode: 'bypassPermissions',
    permissionRules: [{ tool: 'long_'.repeat(50), path: 'deep/'.repeat(100), decision: 'deny' }],
  })
  onTestFinished(async () => {
    await workbench.parley.settings.update({ permissionMode: null, permissionRules: null })
  })
  const page = await workbench.open('settings?section=tools', look)
  await page.locator('[data-add]').click()
  await page.locator('main form').waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await expectToFitPhone(page)
  const { id } = await workbench.parley.sessions.create({ title: 'Mode' })
  await page.goto(`${workbench.url}/#/sessions/${id}`)
  await page.locator('[data-mode="bypassPermissions"]').click()
  await page.getByRole('menuitemradio').first().waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await expectToFitPhone(page)
})
