import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { itInLongTier } from '../runner/tier.ts'
import type { Page } from 'playwright-core'
import { findBarriersInBothThemes, looks } from './barriers.ts'
import { expectFocus } from './expect-page.ts'
import { intercept } from './intercept.ts'
import { demo, openWorkbench, type Workbench } from './workbench.ts'

// the machine may have other things to do
const soon = { timeout: 200_000 }

let workbench: Workbench

beforeAll(async () => {
  workbench = await openWorkbench({ script: demo })
})
afterAll(() => workbench[Symbol.asyncDispose]())

const list = (page: Page) => page.getByRole('navigation', { name: 'Sessions' })
const row = (page: Page, title: string) => list(page).getByRole('link', { name: title })
const create = (title: string) => workbench.parley.sessions.create({ title })

it('shows sessions of mine, in the background and rooms apart, and keeps the choice in the URL', async () => {
  const { sessions } = workbench.parley
  const parent = await create('A talk')
  await sessions.create({ title: 'A room', mode: 'free-chat' })
  await sessions.create({
    kind: 'background',
    prompt: 'Go',
    title: 'A task',
    parentSessionId: parent.id,
  })
  const page = await workbench.open()
  await row(page, 'A talk').getByText('1 task').waitFor({ state: 'attached' })
  expect(await row(page, 'A room').count()).toBe(0)
  expect(await row(page, 'A task').count()).toBe(0)

  await page.getByRole('tab', { name: 'Background' }).click()
  await row(page, 'A task').getByText('Degraded').waitFor()
  await row(page, 'A talk').waitFor({ state: 'detached' })
  await expect.poll(() => page.url(), soon).toContain('list=background')

  await page.getByRole('tab', { name: 'Rooms' }).click()
  await row(page, 'A room').waitFor()
  await expect.poll(() => page.url(), soon).toContain('list=rooms')
  await page.reload()
  await row(page, 'A room').waitFor()
  expect(await row(page, 'A talk').count()).toBe(0)
  await page.goBack()
  await row(page, 'A task').waitFor()
})

it('finds words in titles and messages, shows where, and leads to the message', async () => {
  const { sessions } = workbench.parley
  await create('About something else')
  const { id } = await create('Cooking')
  await sessions.chat(id, 'Please explain the zebrafish recipe')
  const page = await workbench.open()
  await page.getByRole('searchbox', { name: 'Search titles and messages' }).fill('zebrafish')
  const hit = list(page).getByRole('link', { name: 'Please explain the zebrafish recipe' })
  await hit.waitFor()
  await expect.poll(() => list(page).getByRole('link').count(), soon).toBe(2)
  expect(await hit.locator('mark').textContent()).toBe('zebrafish')
  await hit.click()
  const { items } = await sessions.messages(id)
  await expect.poll(() => page.url(), soon).toContain(`message=${items[0]!.id}`)
  expect(page.url()).toContain(id)

  await page.getByRole('button', { name: 'Clear search' }).click()
  await row(page, 'About something else').waitFor()
  await expect.poll(() => page.url(), soon).not.toContain('find=')

  // the next words can be typed at once
  await page.keyboard.type('nothing at all holds this')
  await page.getByText('No results for “nothing at all holds this”.').waitFor()
})

it('says in either language that a search has not seen all yet, and searches again by itself until it has', async () => {
  const { id } = await create('Imported')
  await workbench.parley.sessions.chat(id, 'Please explain the quokka recipe')
  const page = await workbench.open()
  await row(page, 'Imported').waitFor()
  let indexing: { messages: number } | undefined = { messages: 119_500 }
  await intercept(page, '**/api/search?*', async (route) =>
    route.fulfill({
      json: indexing ? { items: [], indexing } : ((await (await route.fetch()).json()) as unknown),
    }),
  )
  await intercept(page, '**/api/sessions?*q=*', async (route) =>
    route.fulfill({ json: { items: [], nextCursor: null, ...(indexing && { indexing }) } }),
  )
  await page.getByRole('searchbox', { name: 'Search titles and messages' }).fill('quokka')
  const note = page.getByText('Still indexing (119,500 messages left). Results may be incomplete.')
  await note.waitFor()
  await page.getByText('No results for “quokka”.').waitFor()
  expect(await row(page, 'Imported').count()).toBe(0)
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Search and commands' })
  await palette.getByRole('combobox').fill('quokka')
  await palette.getByText('Still indexing (119,500 messages left).').waitFor()
  indexing = undefined
  await palette.getByText('Still indexing').waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await list(page).getByRole('link', { name: 'Please explain the quokka recipe' }).waitFor()
  await note.waitFor({ state: 'detached' })

  await page.unrouteAll()
  const chinese = await workbench.open('', { preferences: { language: 'zh' } })
  await intercept(chinese, '**/api/search?*', (route) =>
    route.fulfill({ json: { items: [], indexing: { messages: 119_500 } } }),
  )
  await chinese.getByRole('searchbox', { name: '搜索标题和消息' }).fill('quokka')
  await chinese.getByText('正在建立索引（还剩 119,500 条消息），结果可能不完整。').waitFor()
})

itInLongTier('does not search for half a word of an input method', async () => {
  await create('搜索引擎')
  const page = await workbench.open()
  await row(page, '搜索引擎').waitFor()
  const asked: string[] = []
  page.on('request', (request) => {
    const words = new URL(request.url()).searchParams.get('q')
    if (words !== null) asked.push(words)
  })
  await page.getByRole('searchbox', { name: 'Search titles and messages' }).focus()
  const cdp = await page.context().newCDPSession(page)
  for (const text of ['s', 'sou', 'sousuo'])
    await cdp.send('Input.imeSetComposition', {
      text,
      selectionStart: text.length,
      selectionEnd: text.length,
    })
  await cdp.send('Input.insertText', { text: '搜索' })
  await expect.poll(() => list(page).getByRole('link').count(), soon).toBe(1)
  expect([...new Set(asked)]).toEqual(['搜索'])
})

it('is worked by keys alone: moves, opens, renames, archives and deletes', async () => {
  for (const title of ['Third', 'Second', 'First']) await create(title)
  const page = await workbench.open()
  await row(page, 'First').focus()
  await page.keyboard.press('ArrowDown')
  await expectFocus(row(page, 'Second'))
  await page.keyboard.press('Enter')
  await expect.poll(() => row(page, 'Second').getAttribute('aria-current'), soon).toBe('page')

  await row(page, 'Second').focus()
  await page.keyboard.press('F2')
  const box = page.getByRole('textbox', { name: 'New title' })
  await expectFocus(box)
  await page.keyboard.press('Control+a')
  await page.keyboard.type('Renamed')
  await page.keyboard.press('Enter')
  await expectFocus(row(page, 'Renamed'))
  await page.keyboard.press('F2')
  await expectFocus(box)
  await page.keyboard.type('Not this')
  await page.keyboard.press('Escape')
  await box.waitFor({ state: 'detached' })
  await expectFocus(row(page, 'Renamed'))

  await row(page, 'Third').focus()
  await page.keyboard.press('a')
  await row(page, 'Third').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await row(page, 'Third').waitFor()

  await row(page, 'First').focus()
  await page.keyboard.press('Delete')
  const dialog = page.getByRole('dialog', { name: 'Delete “First”?' })
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expectFocus(row(page, 'First'))
  await page.keyboard.press('Delete')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await row(page, 'First').waitFor({ state: 'detached' })
})

it('renames, archives and deletes by the menu of a row', async () => {
  const scope = 'by-mouse'
  const { id } = await workbench.parley.sessions.create({ scope, title: 'By mouse' })
  const page = await workbench.open(`sessions/${id}?scope=${scope}`)
  const openMenu = async (title: string) => {
    await row(page, title).hover()
    await page.getByRole('button', { name: `Menu for “${title}”` }).click()
  }
  await openMenu('By mouse')
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  const box = page.getByRole('textbox', { name: 'New title' })
  await box.fill('By hand')
  await box.press('Enter')
  await row(page, 'By hand').waitFor()

  await openMenu('By hand')
  await page.getByRole('menuitem', { name: 'Archive' }).click()
  await row(page, 'By hand').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Session options' }).click()
  await page.getByRole('menuitem', { name: 'Show archived sessions' }).click()
  await row(page, 'By hand').waitFor()
  await expect.poll(() => page.url(), soon).toContain('archived=only')

  await openMenu('By hand')
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page
    .getByRole('dialog', { name: 'Delete “By hand”?' })
    .getByRole('button', { name: 'Delete' })
    .click()
  await page.getByText('No archived sessions.').waitFor()
  // the session that was open is gone: so is its page
  await expect.poll(() => page.url(), soon).not.toContain(id)
})

it('takes an exported session back, and says what it cannot read', async () => {
  const { sessions } = workbench.parley
  const { id } = await create('To be moved')
  await sessions.chat(id, 'Remember me')
  const document = await sessions.export(id)
  await sessions.delete(id)
  const page = await workbench.open()
  const choose = async (name: string, text: string) => {
    await page.getByRole('button', { name: 'Session options' }).click()
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('menuitem', { name: 'Import session' }).click()
    await (await chooser).setFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) })
  }
  await choose('session.json', document)
  await page.getByText('Imported “To be moved”.').waitFor()
  await page.getByRole('main').getByText('Remember me').first().waitFor()
  await choose('broken.json', '{"no": "session"}')
  await page.getByText('Couldn’t import “broken.json”.').waitFor()
  // the browser reports the refusal, and nothing else
  workbench.expectProblems(/400/)
})

it('draws a part of a long list, and loads the rest as one goes on', async () => {
  const scope = 'long'
  await workbench.parley.sessions.create({ scope, title: 'The oldest' })
  for (let index = 0; index < 120; index++)
    await workbench.parley.sessions.create({ scope, title: `Number ${index}` })
  const page = await workbench.open(`?scope=${scope}`)
  await row(page, 'Number 119').waitFor()
  expect(await row(page, 'The oldest').count()).toBe(0)
  await row(page, 'Number 119').hover()
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 5_000)
      return row(page, 'The oldest').count()
    }, soon)
    .toBe(1)
  expect(await list(page).getByRole('link').count()).toBeLessThan(60)
  await row(page, 'The oldest').focus()
  await page.keyboard.press('Home')
  await expectFocus(row(page, 'Number 119'))
})

it('shows at once what happens elsewhere', async () => {
  await create('There before')
  const page = await workbench.open()
  await row(page, 'There before').waitFor()
  const { id } = await create('Made elsewhere')
  await row(page, 'Made elsewhere').waitFor()
  await workbench.parley.sessions.update(id, { title: 'Named elsewhere' })
  await expect.poll(() => row(page, 'Named elsewhere').count(), soon).toBe(1)
})

itInLongTier('never tells of a change in the future, however long the list has been there', async () => {
  const { id, createdAt } = await create('Told of in time')
  const page = await workbench.open()
  // its clock cannot be given back
  onTestFinished(() => page.context().close())
  await page.clock.setFixedTime(new Date(createdAt).getTime() - 600_000)
  await page.reload()
  await row(page, 'Told of in time').getByText('in 10 min.').waitFor()
  await page.clock.setFixedTime(Date.now() + 600_000)
  await workbench.parley.sessions.update(id, { title: 'Told of in time again' })
  await expect.poll(() => row(page, 'Told of in time again').textContent(), soon).toMatch(/ ago/)
})

it('says that the list could not be loaded, and tries again', async () => {
  await workbench.parley.sessions.create({ kind: 'background', prompt: 'Go', title: 'Loaded at last' })
  const page = await workbench.open()
  await intercept(page, '**/api/sessions?*kind=background*', (route) =>
    route.fulfill({ status: 400, json: { error: { code: 'invalid_request', message: 'No such list.' } } }),
  )
  await page.getByRole('tab', { name: 'Background' }).click()
  await page.getByText('Couldn’t load this: No such list.').waitFor()
  await page.unroute('**/api/sessions?*kind=background*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await row(page, 'Loaded at last').waitFor()
  workbench.expectProblems(/400/)
})

it.each(looks)('has no barriers %s', async (_, look) => {
  await create('Aardvark')
  const page = await workbench.open('?find=Aardvark', look)
  await page.getByRole('button', { name: /^(Show sessions|显示会话列表)$/ }).click()
  await page.getByRole('link', { name: 'Aardvark' }).first().waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await page.getByRole('button', { name: /^(Theme, language|主题、语言)/ }).click()
  await page.getByRole('menuitemradio', { name: /^(Dark|深色)$/ }).waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})
