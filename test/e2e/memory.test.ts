import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectToFitPhone, findBarriersInBothThemes, looks, widthOf } from './barriers.ts'
import { toVisible } from '../../src/core/shared/visible.ts'
import { itInLongTier } from '../runner/tier.ts'
import { phone } from './browser.ts'
import { listOf, openMemoryWorkbench, patience, rowOf, textsOf } from './memory-arrange.ts'
import { hostileTexts } from './hostile-payloads.ts'
import { refusedRequest, type Workbench } from './workbench.ts'

let workbench: Workbench
beforeAll(async () => {
  workbench = await openMemoryWorkbench()
})
afterAll(() => workbench[Symbol.asyncDispose]())

/** Each test has a scope of its own. */
const remember = async (scope: string, ...texts: string[]) => {
  for (const text of texts) await workbench.parley.memories.create({ scope, layer: 'scope', text })
}
function expectTexts(page: Page) {
  return expect.poll(() => textsOf(page), patience)
}
const focused = (page: Page) =>
  page.evaluate(
    () => document.activeElement?.getAttribute('data-deed') ?? document.activeElement?.textContent,
  )

it('says how memories come to be, and takes the first one', async () => {
  const page = await workbench.open('memory?scope=first')
  await page.getByText('No memories yet.').waitFor()
  await page.getByText('memory.learn: true').waitFor()
  await page.getByRole('button', { name: 'Add memory' }).click()
  const form = page.getByRole('form', { name: 'Add memory' })
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('alert').filter({ hasText: 'Can’t be empty' }).waitFor()
  workbench.expectProblems(refusedRequest)
  await form.getByRole('combobox', { name: 'About' }).selectOption('This scope')
  expect(
    await form.getByRole('combobox', { name: 'Type' }).getByRole('option').allTextContents(),
  ).not.toContain('Profile')
  await form.getByRole('combobox', { name: 'Type' }).selectOption('Plan')
  await form.getByRole('textbox', { name: 'What to remember' }).fill('Ship on Friday')
  await page.keyboard.press('Enter')
  const row = rowOf(page, 'Ship on Friday')
  await row.getByText('Written by hand').waitFor()
  await row.getByText('Scope', { exact: true }).waitFor()
  await row.getByText('Plan', { exact: true }).waitFor()
  await row.getByText('not used yet').waitFor()
  await expect.poll(() => focused(page), patience).toBe('Add memory')
  expect((await workbench.parley.memories.list({ scope: 'first' })).items).toMatchObject([
    { text: 'Ship on Friday', layer: 'scope', type: 'foresight', author: 'user' },
  ])
})

itInLongTier('tells at the field what the server does not take, and keeps what was typed', async () => {
  await remember('taken', 'Tea at five')
  const page = await workbench.open('memory?scope=taken')
  await page.getByRole('button', { name: 'Add memory' }).click()
  const form = page.getByRole('form', { name: 'Add memory' })
  const box = form.getByRole('textbox', { name: 'What to remember' })
  await form.getByRole('combobox', { name: 'About' }).selectOption('This scope')
  await box.fill('tea at five')
  await page.keyboard.press('Enter')
  await form.getByRole('alert').filter({ hasText: 'says the same is there already' }).waitFor()
  await expect.poll(() => box.getAttribute('aria-invalid'), patience).toBe('true')
  await box.fill('x'.repeat(2_001))
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('alert').filter({ hasText: '2000' }).waitFor()
  workbench.expectProblems(refusedRequest)
  await box.press('Escape')
  await form.waitFor({ state: 'detached' })
  await expectTexts(page).toEqual(['Tea at five'])
})

it('is put right in its place, and the earlier wording comes back', async () => {
  await remember('edited', 'Milk first', 'Sugar last')
  const page = await workbench.open('memory?scope=edited')
  const edit = (text: string) => rowOf(page, text).getByRole('button', { name: 'Edit' })
  const box = page.getByRole('textbox', { name: 'Memory text' })
  await edit('Milk first').click()
  await box.fill('never mind')
  await page.keyboard.press('Escape')
  await expect.poll(() => focused(page), patience).toBe('edit')
  await expectTexts(page).toEqual(['Sugar last', 'Milk first'])

  await edit('Milk first').click()
  await box.fill('sugar last')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'says the same' }).waitFor()
  workbench.expectProblems(refusedRequest)
  await box.fill('Milk\nlast')
  await page.keyboard.press('Enter')
  await expectTexts(page).toContain('Milk\nlast')
  await rowOf(page, 'Milk').getByText('edited').waitFor()
  await box.waitFor({ state: 'detached' })

  await rowOf(page, 'Milk').getByRole('button', { name: 'Undo last change' }).click()
  await expectTexts(page).toContain('Milk first')
  await expect
    .poll(() => rowOf(page, 'Milk').getByRole('button', { name: 'Undo last change' }).count(), patience)
    .toBe(0)
  await expect.poll(() => focused(page), patience).toBe('edit')
})

it('is deleted, undone at once or restored later, and the focus stays in the list', async () => {
  await remember('deleted', 'One', 'Two', 'Three')
  const page = await workbench.open('memory?scope=deleted')
  const remove = async (text: string) => {
    await rowOf(page, text).getByRole('button', { name: 'Delete' }).click()
    await rowOf(page, text).waitFor({ state: 'detached' })
  }
  await remove('Two')
  // it stays as long as the mouse is there
  await page.getByRole('button', { name: 'Undo', exact: true }).hover()
  await expect.poll(() => focused(page), patience).toBe('edit')
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expectTexts(page).toEqual(['Three', 'Two', 'One'])
  // once is enough
  await expect.poll(() => page.getByRole('button', { name: 'Undo', exact: true }).count(), patience).toBe(0)

  await remove('Two')
  await remove('One')
  await page.getByRole('button', { name: 'Deleted' }).click()
  await expect.poll(() => page.url(), patience).toContain('status=deleted')
  await expectTexts(page).toEqual(['Two', 'One'])
  await listOf(page).getByRole('button', { name: 'Edit' }).first().waitFor({ state: 'detached' })
  await rowOf(page, 'One').getByRole('button', { name: 'Restore' }).click()
  await expectTexts(page).toEqual(['Two'])
  await page.getByRole('button', { name: 'Active' }).click()
  await expectTexts(page).toEqual(['Three', 'One'])
  await expect.poll(() => page.url(), patience).not.toContain('status=')
})

it('finds by words, Chinese ones too, the best match first', async () => {
  await remember(
    'found',
    'The harbour is closed in winter',
    '发布前先在副本上运行迁移',
    'The release needs a migration',
  )
  const page = await workbench.open('memory?scope=found')
  const box = page.getByRole('searchbox', { name: 'Search memories' })
  await box.fill('迁移')
  await expectTexts(page).toEqual(['发布前先在副本上运行迁移'])
  await expect.poll(() => decodeURIComponent(page.url()), patience).toContain('q=迁移')
  await box.fill('release migration in winter')
  await expect.poll(async () => (await textsOf(page))[0], patience).toBe('The release needs a migration')
  await expectTexts(page).toHaveLength(2)
  await page.reload()
  await expectTexts(page).toHaveLength(2)
  await expect.poll(() => box.inputValue(), patience).toBe('release migration in winter')
  await box.fill('giraffe')
  await page.getByText('No matching memories.').waitFor()
  await page.getByRole('button', { name: 'Clear search' }).click()
  await expectTexts(page).toHaveLength(3)
})

itInLongTier('says what cannot be searched, in place of asking', async () => {
  const scope = 'refused'
  await remember(scope, 'The release is near')
  const page = await workbench.open(`memory?scope=${scope}`, { preferences: { language: 'zh' } })
  const refused: string[] = []
  page.on('response', (response) => response.ok() || refused.push(response.url()))
  await page.goto(`${workbench.url}/#/memory?scope=${scope}&q=release&status=deleted`)
  await page.getByRole('alert').filter({ hasText: '无法搜索已删除的记忆' }).waitFor()
  await page.getByRole('button', { name: '有效' }).click()
  await page.getByRole('listitem').filter({ hasText: 'The release is near' }).waitFor()
  await page.getByRole('group', { name: '层级' }).getByRole('button', { name: '会话' }).click()
  await page.getByRole('alert').filter({ hasText: '按会话搜索' }).waitFor()
  expect(refused).toEqual([])
})

it('is filtered by layer, type and session in the URL, and by going back', async () => {
  const scope = 'filtered'
  const { memories, sessions } = workbench.parley
  const { id } = await sessions.create({ scope, title: 'A talk' })
  await memories.create({ scope, layer: 'user', text: 'Of the user' })
  await memories.create({ scope, layer: 'scope', text: 'Of the scope' })
  await memories.create({ scope, layer: 'scope', type: 'foresight', text: 'A plan' })
  await memories.create({ scope, layer: 'session', sessionId: id, text: 'Of the talk' })
  const page = await workbench.open(`memory?scope=${scope}`)
  await expectTexts(page).toEqual(['Of the talk', 'A plan', 'Of the scope', 'Of the user'])
  await page.getByRole('button', { name: 'Scope', exact: true }).click()
  await expectTexts(page).toEqual(['A plan', 'Of the scope'])
  await page.getByRole('combobox', { name: 'Type' }).selectOption('Plan')
  await expectTexts(page).toEqual(['A plan'])
  await expect.poll(() => page.url(), patience).toContain('layer=scope&type=foresight')
  await page.reload()
  await expectTexts(page).toEqual(['A plan'])
  await page.goBack()
  await expectTexts(page).toEqual(['A plan', 'Of the scope'])
  await page.goto(`${workbench.url}/#/memory?scope=${scope}&session=${id}&q=talk`)
  await expectTexts(page).toContain('Of the talk')
  await page.getByRole('button', { name: 'Clear search' }).click()
  await expectTexts(page).toEqual(['Of the talk'])
  await rowOf(page, 'Of the talk').getByRole('link', { name: 'Show the session' }).click()
  await expect.poll(() => page.url(), patience).toContain(`#/sessions/${id}`)
  expect(page.url()).not.toContain('session=')
  await page.goBack()
  await page.getByRole('button', { name: /^One session/ }).click()
  await expectTexts(page).toHaveLength(4)
})

itInLongTier('loads on page by page, and hears of what others do', async () => {
  const scope = 'many'
  await remember(scope, ...Array.from({ length: 60 }, (_, index) => `Number ${index}`))
  const page = await workbench.open(`memory?scope=${scope}`)
  await expectTexts(page).toHaveLength(50)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expectTexts(page).toHaveLength(60)
  await remember(scope, 'From elsewhere')
  await expect.poll(async () => (await textsOf(page))[0], patience).toBe('From elsewhere')
})

itInLongTier('is reached from the sidebar and from the palette', async () => {
  const page = await workbench.open('usage')
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Memory' }).click()
  await expect.poll(() => page.title(), patience).toBe('Memory · Parley')
  await page.goto(`${workbench.url}/#/usage`)
  await page.getByRole('heading', { name: 'Usage' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill('记忆')
  await page.getByRole('option', { name: 'Memory' }).click()
  await expect.poll(() => page.url(), patience).toContain('#/memory')
})

it('shows hostile texts as texts, also on a phone', { timeout: 200_000 }, async () => {
  const scope = 'hostile'
  const canary = 'http://canary.invalid'
  const some = [
    ...hostileTexts(canary).filter((text, index) => text.length < 1_000 && index % 3 === 0),
    'A'.repeat(1_900),
    `${'W'.repeat(600)} ${'字'.repeat(600)}`,
    '\u202Etxet desrever',
    `Z${'\u0335\u0321\u0322'.repeat(600)}`,
  ]
    // of those that differ in signs alone, one would be taken for the other
    .map((text, index) => `${index}: ${text.trim()}`)
    .slice(-50)
  await remember(scope, ...some)
  const page = await workbench.open(`memory?scope=${scope}`, phone)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await expectTexts(page).toHaveLength(some.length)
  expect(new Set(await textsOf(page))).toEqual(new Set(some.map((text) => toVisible(text))))
  expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false)
  expect(asked.filter((url) => url.startsWith(canary))).toEqual([])
  await expect.poll(() => widthOf(page), patience).toBe(360)
  const row = rowOf(page, 'AAAAAAAA')
  await row.getByRole('button', { name: 'Delete' }).click()
  await row.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo', exact: true }).waitFor()
  await expect.poll(() => widthOf(page), patience).toBe(360)
})

it.each(looks)('has no barriers %s, and fits a phone', async (name, look) => {
  const scope = name.replaceAll(' ', '-').toLowerCase()
  await remember(scope, 'Kept', 'Edited', 'Gone')
  const [gone] = (await workbench.parley.memories.list({ scope })).items
  await workbench.parley.memories.delete(gone!.id, { scope })
  const page = await workbench.open(`memory?scope=${scope}`, look)
  await page.locator('main [data-deed="edit"]').first().click()
  await page.getByRole('button', { name: /^(Add memory|添加记忆)$/ }).click()
  await page.locator('main form textarea').nth(1).waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await expectToFitPhone(page)
  await page.goto(`${workbench.url}/#/memory?scope=${scope}&status=deleted`)
  await page.locator('main [data-deed="restore"]').waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})
