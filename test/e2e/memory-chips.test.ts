import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { itInLongTier } from '../runner/tier.ts'
import { expectToFitPhone, findBarriersInBothThemes, looks } from './barriers.ts'
import { boxOf } from './composer-arrange.ts'
import { expectFocus } from './expect-page.ts'
import { chipOf, openMemoryWorkbench, patience } from './memory-arrange.ts'
import { type Workbench } from './workbench.ts'

let workbench: Workbench
beforeAll(async () => {
  workbench = await openMemoryWorkbench()
})
afterAll(() => workbench[Symbol.asyncDispose]())

const list = (page: Page) => page.getByRole('region', { name: 'Memories of this answer' })
const itemOf = (page: Page, text: string) => list(page).getByRole('listitem').filter({ hasText: text })
function expectChip(page: Page) {
  return expect.poll(() => chipOf(page).textContent(), patience)
}

/** A session in which something was learned in the first turn and used in the second. */
async function talk(scope: string, drink: string): Promise<string> {
  const { sessions, memories } = workbench.parley
  const { id } = await sessions.create({ scope, title: `About ${drink}` })
  await sessions.chat(id, { scope, content: `I only drink ${drink}.` })
  await expect.poll(async () => (await memories.list({ scope, session: id })).items.length, patience).toBe(2)
  await sessions.chat(id, { scope, content: `What do I drink, ${drink}?` })
  return id
}

it('says what a turn made and used, while one looks on', async () => {
  const scope = 'live'
  const { id } = await workbench.parley.sessions.create({ scope })
  const page = await workbench.open(`sessions/${id}?scope=${scope}`)
  const say = async (text: string) => {
    await boxOf(page).fill(text)
    await page.keyboard.press('Enter')
  }
  await say('I only drink oolong.')
  // learned after the turn: nobody reloads
  await expectChip(page).toBe('2 memories created')
  await chipOf(page).click()
  await itemOf(page, 'Drinks only oolong').getByText('Created', { exact: true }).waitFor()
  await itemOf(page, 'Spoke of oolong').getByText('Session · Event').waitFor()
  await say('What should I drink, oolong?')
  await expectChip(page).toBe('2 memories used')
  await expect.poll(() => page.locator('[data-memories]').count(), patience).toBe(2)
  await chipOf(page).click()
  await list(page).last().getByText('Drinks only oolong').waitFor()
  await expect.poll(() => list(page).last().getByText('Used', { exact: true }).count(), patience).toBe(2)
  await page.reload()
  await expectChip(page).toBe('2 memories used')
})

it('forgets from under an answer, and undoes that there', async () => {
  const scope = 'undo'
  const id = await talk(scope, 'sencha')
  const active = async () =>
    (await workbench.parley.memories.list({ scope })).items.map(({ text }) => text).sort()
  const page = await workbench.open(`sessions/${id}?scope=${scope}`)
  const first = page.locator('[data-memories]').first()
  await expect.poll(() => first.textContent(), patience).toBe('2 memories created')
  await first.click()
  const profile = itemOf(page, 'Drinks only sencha')
  await profile.getByRole('button', { name: 'Forget' }).click()
  const undo = profile.getByRole('button', { name: 'Undo' })
  await expectFocus(undo)
  await expect.poll(active, patience).toEqual(['Spoke of sencha'])
  await expect.poll(() => first.textContent(), patience).toBe('1 memory created')
  await page.keyboard.press('Enter')
  await profile.getByRole('button', { name: 'Forget' }).waitFor()
  await expect.poll(active, patience).toEqual(['Drinks only sencha', 'Spoke of sencha'])
  // the last one goes, and can still be brought back
  for (const text of ['Drinks only sencha', 'Spoke of sencha'])
    await itemOf(page, text).getByRole('button', { name: 'Forget' }).click()
  await expect.poll(() => first.textContent(), patience).toBe('0 memories created')
  await itemOf(page, 'Spoke of sencha').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(active, patience).toEqual(['Spoke of sencha'])
  await list(page).getByRole('link', { name: 'All memories' }).click()
  await expect.poll(() => page.url(), patience).toContain(`#/memory?scope=${scope}`)
})

it('leads from a memory to the answer it was learned from', async () => {
  const scope = 'source'
  const id = await talk(scope, 'mate')
  const page = await workbench.open(`memory?scope=${scope}&layer=user`)
  const row = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Drinks only mate' })
  await row.getByText('Saved by the model').waitFor()
  await row.getByText('used once').waitFor()
  await row.getByRole('button', { name: 'Evidence' }).click()
  await row.getByText('I only drink mate', { exact: true }).waitFor()
  await row.getByText('Quoted from the user').waitFor()
  await row.getByRole('link', { name: 'Show the answer' }).click()
  await page.locator('article.bg-mark').getByText('Heard: I only drink mate.').waitFor()
  await expect.poll(() => page.url(), patience).toContain(`/sessions/${id}`)
  expect(page.url()).not.toContain('layer=')
})

itInLongTier('asks once for all the answers of a long log, and for each only when it is opened', async () => {
  const scope = 'long'
  const { sessions, memories } = workbench.parley
  const { id } = await sessions.create({ scope, title: 'Long' })
  await memories.create({ scope, layer: 'user', text: 'Reads everything' })
  for (let turn = 0; turn < 25; turn++) await sessions.chat(id, { scope, content: `Turn ${turn}` })
  const page = await workbench.open('')
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/memories')) asked.push(request.url())
  })
  await page.goto(`${workbench.url}/#/sessions/${id}?scope=${scope}`)
  await expectChip(page).toBe('1 memory used')
  // earlier messages come as one goes up
  const start = page.getByText('Heard: Turn 0', { exact: true })
  await expect
    .poll(async () => {
      await page.locator('[data-scroller]').evaluate((element) => element.scrollTo(0, 0))
      return start.isVisible()
    }, patience)
    .toBe(true)
  await expect.poll(() => page.locator('[data-memories]').count(), patience).toBeGreaterThan(5)
  expect(asked).toHaveLength(1)
  await page.locator('[data-memories]').first().click()
  await itemOf(page, 'Reads everything').waitFor()
  expect(asked).toHaveLength(2)
})

itInLongTier('says that one which was used is gone', async () => {
  const scope = 'gone'
  const { sessions, memories } = workbench.parley
  const memory = await memories.create({ scope, layer: 'user', text: 'Likes order' })
  const { id } = await sessions.create({ scope, title: 'Kept' })
  await sessions.chat(id, { scope, content: 'What do I like?' })
  // as when models have learned so much that this one was trimmed
  await workbench.parley.store.removeMemories([memory.id])
  const page = await workbench.open(`sessions/${id}?scope=${scope}`)
  await chipOf(page).click()
  await list(page).getByText('One memory that was used no longer exists.').waitFor()
  expect(await list(page).getByRole('listitem').count()).toBe(0)
})

itInLongTier('goes along with an answer into a fork', async () => {
  const scope = 'fork'
  const { sessions } = workbench.parley
  const original = await talk(scope, 'cider')
  const { items } = await sessions.messages(original, { scope })
  const { id } = await sessions.fork(original, { scope, messageId: items.at(-1)!.id })
  const page = await workbench.open(`sessions/${id}?scope=${scope}`)
  await expectChip(page).toBe('2 memories used')
  // what was made is counted where it was said
  expect(await page.locator('[data-memories]').count()).toBe(1)
  await chipOf(page).click()
  await itemOf(page, 'Drinks only cider').getByText('Used', { exact: true }).waitFor()
})

it('shows in the side panel what was learned here, and takes more', async () => {
  const scope = 'panel'
  const id = await talk(scope, 'cocoa')
  const page = await workbench.open(`sessions/${id}?scope=${scope}&dock=memory`)
  const panel = page.getByRole('tabpanel', { name: 'Memory' })
  await panel.getByRole('listitem').filter({ hasText: 'Drinks only cocoa' }).waitFor()
  await panel.getByRole('button', { name: 'Add memory' }).click()
  await panel.getByRole('textbox', { name: 'What to remember' }).fill('The cup is blue')
  await page.keyboard.press('Enter')
  const row = panel.getByRole('listitem').filter({ hasText: 'The cup is blue' })
  await row.getByText('Session', { exact: true }).waitFor()
  await expect.poll(() => panel.getByRole('listitem').count(), patience).toBe(3)
  await row.getByRole('button', { name: 'Delete' }).click()
  await row.waitFor({ state: 'detached' })
  await panel.getByRole('link', { name: 'All memories' }).click()
  await page.getByRole('main').getByRole('listitem').filter({ hasText: 'Spoke of cocoa' }).waitFor()
  await expect.poll(() => page.url(), patience).not.toContain('dock=')
})

it.each(looks)('has no barriers %s, and fits a phone', async (name, look) => {
  const scope = name.replaceAll(' ', '-').toLowerCase()
  const id = await talk(scope, 'water')
  const page = await workbench.open(`sessions/${id}?scope=${scope}`, look)
  const chip = page.locator('[data-memories]')
  await expect.poll(() => chip.count(), patience).toBe(2)
  await chip.last().click()
  await page.locator('article section li button').first().click()
  await page.locator('article section li .line-through').waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await expectToFitPhone(page)
  await page.goto(`${workbench.url}/#/sessions/${id}?scope=${scope}&dock=memory`)
  await page.locator('[data-memory] [aria-expanded]').first().click()
  await page.locator('[data-memory] blockquote').first().waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})
