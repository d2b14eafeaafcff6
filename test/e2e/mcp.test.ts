import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { McpServerSettings } from '../../src/extensions/mcp/server-settings.ts'
import { itInLongTier } from '../runner/tier.ts'
import { expectToFitPhone, findBarriersInBothThemes, looks } from './barriers.ts'
import { expectSoon } from './composer-arrange.ts'
import { demo, openWorkbench, type Workbench } from './workbench.ts'

const program = join(import.meta.dirname, '..', 'mcp-stdio-server.ts')
const stdio: McpServerSettings = { command: process.execPath, args: [program] }

let workbench: Workbench
beforeAll(async () => {
  workbench = await openWorkbench({
    script: demo,
    web: { search: { tavilyKey: 'a-key-that-nobody-sees' } },
    mcpServers: {
      good: stdio,
      broken: { command: join(import.meta.dirname, 'no-such-program') },
      away: { type: 'http', url: 'http://127.0.0.1:9/mcp', disabled: true },
    },
  })
})
afterEach(async () => {
  await workbench.parley.settings.update({ window: null, toolGroups: null })
})
afterAll(() => workbench[Symbol.asyncDispose]())

const serverOf = (page: Page, name: string) =>
  page
    .getByRole('list', { name: 'MCP servers' })
    .locator(':scope > li')
    .filter({ has: page.getByRole('heading', { name, exact: true }) })
const menuOf = (page: Page, words: string) => page.getByRole('button', { name: `MCP: ${words}` })
const item = (page: Page, name: string) => page.getByRole('menuitemcheckbox', { name })

/** A turn starts the servers that its session may use. */
const talk = async () => {
  const { id } = await workbench.parley.sessions.create({ title: 'Talks' })
  await workbench.parley.sessions.chat(id, 'Hello')
  return id
}

it('shows how servers are, what they offer and why one failed', async () => {
  // another test may have used them
  await workbench.restart()
  const page = await workbench.open('settings?section=mcp')
  await serverOf(page, 'good').getByText('Not needed yet').waitFor()
  await serverOf(page, 'away').getByText('Off').waitFor()
  await serverOf(page, 'away').getByText('HTTP').waitFor()
  await talk()
  await page.getByRole('button', { name: 'Refresh' }).click()
  const good = serverOf(page, 'good')
  await good.getByText('Connected').waitFor()
  await good.getByText('program').waitFor()
  await serverOf(page, 'broken').getByText('no-such-program').waitFor()
  await page.getByText('Models get the description of every tool.').waitFor()
  // two of its tools would have the same name
  await good.getByText('Withheld (2)').waitFor()
  await good.getByText(/^9 tools/).click()
  await good.getByText('mcp__good__echo', { exact: true }).waitFor()
  await good.getByText('Says it again').waitFor()

  // in a window in which they would take too much
  await workbench.parley.settings.update({ window: { limit: { tokens: 500 } }, toolGroups: { mcp: false } })
  await page.reload()
  await page.getByText(/^Offered by a line each: .* use_tool/).waitFor()
  await page.getByText('The “MCP servers” group is off in this scope').waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Tools and permissions' }).last().click()
  await page.getByRole('checkbox', { name: /^MCP servers/ }).waitFor()
  await expectSoon(() => page.url()).toContain('section=tools')
})

itInLongTier('says where servers are added', async () => {
  const page = await workbench.open('settings?section=mcp')
  await page.getByRole('button', { name: 'Copy example' }).click()
  await expectSoon(() => page.evaluate(() => navigator.clipboard.readText())).toContain(
    'mcpServers:\n  files:',
  )
})

itInLongTier('says whom a search on the web asks, and not the key', async () => {
  const page = await workbench.open('settings?section=tools')
  const search = page.getByRole('region', { name: 'Web search' })
  await search.getByText('web_search uses Tavily.').waitFor()
  await search.getByText('BRAVE_API_KEY').waitFor()
  expect(await page.content()).not.toContain('a-key-that-nobody-sees')
  await page.getByRole('checkbox', { name: /^Web/ }).click()
  await search.getByText('The “Web” group is off in this scope').waitFor()
})

it('limits a session to some of the servers, and to none, in every tab', async () => {
  const { id } = await workbench.parley.sessions.create({ title: 'Limits' })
  const limits = async () => {
    const { allowedMcpServerIds, toolGroups } = await workbench.parley.sessions.get(id)
    return { allowedMcpServerIds, toolGroups }
  }
  const page = await workbench.open(`sessions/${id}`)
  const other = await workbench.open(`sessions/${id}`)
  await menuOf(page, 'all').click()
  await item(page, 'broken').waitFor()
  expect(await item(page, 'away').count()).toBe(0)
  await item(page, 'broken').click()
  await menuOf(other, '1 of 2').waitFor()
  expect(await limits()).toEqual({ allowedMcpServerIds: ['good'] })
  await item(page, 'good').click()
  await menuOf(other, 'none').waitFor()
  // an empty list would be no limit
  expect(await limits()).toMatchObject({ toolGroups: { mcp: false } })
  await workbench.parley.sessions.chat(id, 'Hello')
  expect((await workbench.parley.sessions.prompt(id)).tools.filter((name) => name.startsWith('mcp'))).toEqual(
    [],
  )

  // by keys
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await menuOf(other, 'all').waitFor()
  await page.keyboard.press('Escape')
  expect(await limits()).toEqual({})
  expect((await workbench.parley.sessions.prompt(id)).tools).toContain('mcp__good__echo')
  await page.getByRole('menu').waitFor({ state: 'detached' })
})

it.each(looks)('has no barriers %s, and fits a phone', async (_, look) => {
  const id = await talk()
  const page = await workbench.open('settings?section=mcp', look)
  await page.locator('[data-state="ready"] details').first().locator('summary').click()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await expectToFitPhone(page)
  await page.goto(`${workbench.url}/#/sessions/${id}`)
  await page.getByRole('button', { name: /^MCP/ }).click()
  await page.getByRole('menuitemcheckbox').first().waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await expectToFitPhone(page)
})
