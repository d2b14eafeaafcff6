import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { itInLongTier } from '../runner/tier.ts'
import { findBarriersInBothThemes } from './barriers.ts'
import {
  answers,
  expectEventually,
  openChatWorkbench,
  questions,
  type ChatWorkbench,
} from './chat-arrange.ts'
import { expectFocus, expectGone, expectSeen } from './expect-page.ts'

let workbench: ChatWorkbench
beforeAll(async () => {
  workbench = await openChatWorkbench()
})
afterAll(() => workbench[Symbol.asyncDispose]())

const readClipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())
const isInSight = (element: Locator) =>
  element.evaluate((article) => {
    const { top, bottom } = article.getBoundingClientRect()
    return bottom > 0 && top < innerHeight
  })

it('is renamed where its name stands, by keyboard alone', async () => {
  const id = await workbench.talk('The old name', 'Hello')
  const page = await workbench.open(`sessions/${id}`)
  const box = page.getByRole('textbox', { name: 'Title' })
  await page.getByRole('button', { name: 'The old name', exact: true }).focus()
  await page.keyboard.press('Enter')
  await box.waitFor()
  await page.keyboard.type('A new name')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'A new name' }).waitFor()
  await expectEventually(async () => (await workbench.parley.sessions.get(id)).title).toBe('A new name')
  await expectEventually(() => page.evaluate(() => document.activeElement?.textContent)).toBe('A new name')
  await page.keyboard.press('Enter')
  await box.waitFor()
  await page.keyboard.type('Not this')
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'A new name' }).waitFor()
})

itInLongTier('does not take the Enter of an input method for the end of a name', async () => {
  const id = await workbench.talk('名字', 'Hello')
  const page = await workbench.open(`sessions/${id}`)
  await page.getByRole('button', { name: '名字', exact: true }).click()
  const box = page.getByRole('textbox', { name: 'Title' })
  await box.fill('ni')
  await box.dispatchEvent('keydown', { key: 'Enter', isComposing: true, keyCode: 229 })
  expect(await box.inputValue()).toBe('ni')
  expect((await workbench.parley.sessions.get(id)).title).toBe('名字')
})

itInLongTier('goes into the archive and out of it', async () => {
  const id = await workbench.talk('Kept', 'Hello')
  const page = await workbench.open(`sessions/${id}`)
  await page.getByRole('button', { name: 'Session menu' }).click()
  await page.getByRole('menuitem', { name: 'Archive' }).click()
  await page.getByText('Archived').waitFor()
  await page.getByRole('button', { name: 'Session menu' }).click()
  await page.getByRole('menuitem', { name: 'Unarchive' }).click()
  await expectGone(page.getByText('Archived'))
})

it('is deleted only after asking', async () => {
  const id = await workbench.talk('Doomed', 'Hello')
  const page = await workbench.open(`sessions/${id}`)
  const menu = page.getByRole('button', { name: 'Session menu' })
  await menu.click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByText('“Doomed”').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  expect((await workbench.parley.sessions.get(id)).title).toBe('Doomed')
  await menu.click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expectEventually(() => page.url()).not.toContain(id)
  await expect(workbench.parley.sessions.get(id)).rejects.toMatchObject({ code: 'not_found' })
})

it('is saved in each format', async () => {
  const id = await workbench.talk('A/name: "with" signs', 'To be exported')
  const page = await workbench.open(`sessions/${id}`)
  for (const [label, ending, content] of [
    ['JSON', 'json', '"parley.session"'],
    ['Markdown', 'md', 'To be exported'],
    ['YAML', 'yaml', 'parley.session'],
    ['JSONL', 'jsonl', 'To be exported'],
  ] as const) {
    await page.getByRole('button', { name: 'Session menu' }).click()
    const saved = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: `Export as ${label}`, exact: true }).click()
    const download = await saved
    expect(download.suggestedFilename()).toBe(`A name with signs.${ending}`)
    expect(await readFile(await download.path(), 'utf8'), label).toContain(content)
  }
})

it('is linked to, and so is each message, however far up', async () => {
  const messages = Array.from({ length: 350 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    id: `msg_${index + 1}`,
    content: `Message number ${index + 1}.`,
  }))
  const document = { format: 'parley.session', version: 1, session: { title: 'Linked' }, messages }
  const { id } = await workbench.parley.sessions.import(JSON.stringify(document))
  const stored = await workbench.parley.sessions.messages(id, { before: 41, limit: 1 })
  const page = await workbench.open(`sessions/${id}?message=${stored.items[0]!.id}`)
  const wanted = page.locator(`article[data-message="${stored.items[0]!.id}"]`)
  await wanted.getByText('Message number 40.').waitFor()
  await expectEventually(() => isInSight(wanted)).toBe(true)
  await wanted.hover()
  await wanted.getByRole('button', { name: 'Copy link to this message' }).click()
  await expectEventually(() => readClipboard(page)).toBe(
    `${workbench.url}/#/sessions/${id}?message=${stored.items[0]!.id}`,
  )
})

itInLongTier('leads from one message of the person to another by Alt and the arrows', async () => {
  const id = await workbench.talk('Far and wide', 'The first', 'The second', 'The third')
  const page = await workbench.open(`sessions/${id}`)
  await questions(page).filter({ hasText: 'The third' }).waitFor()
  const focused = () =>
    page.evaluate(() => document.activeElement?.closest('[data-message]')?.querySelector('p')?.textContent)
  const box = page.getByRole('textbox', { name: 'Message', exact: true })
  await box.focus()
  for (const [keys, text] of [
    ['Alt+ArrowUp', 'The third'],
    ['Alt+ArrowUp', 'The second'],
    ['Alt+ArrowUp', 'The first'],
    ['Alt+ArrowDown', 'The second'],
  ] as const) {
    await page.keyboard.press(keys)
    await expectEventually(focused).toBe(text)
  }
  expect(await page.getByRole('textbox', { name: 'Edit your message' }).count()).toBe(0)
  await page.keyboard.press('Shift+Escape')
  await expectFocus(box)
})

itInLongTier('says that a message is not there', async () => {
  const id = await workbench.talk('Without it', 'Hello')
  const page = await workbench.open(`sessions/${id}?message=msg_gone`)
  await page.getByText('That message isn’t in this session.').waitFor()
  await expectSeen(questions(page).getByText('Hello'))
})

itInLongTier('copies an answer as Markdown', async () => {
  workbench.answerWith(() => [
    { type: 'text-delta', text: '**Bold** and `code`' },
    { type: 'finish', reason: 'stop', usage: {} },
  ])
  const id = await workbench.talk('Copied', 'Hello')
  const page = await workbench.open(`sessions/${id}`)
  await answers(page).hover()
  await answers(page).getByRole('button', { name: 'Copy as Markdown' }).click()
  await expectEventually(() => readClipboard(page)).toBe('**Bold** and `code`')
})

itInLongTier('says that there is no such session, and leads on', async () => {
  const page = await workbench.open('sessions/ses_missing')
  await page.getByRole('heading', { name: 'This session no longer exists' }).waitFor()
  await page.getByRole('main').getByRole('link', { name: 'New session' }).click()
  await page.getByRole('heading', { name: 'What can I help with?' }).waitFor()
  // the browser tells of the answer 404 by itself
  workbench.expectProblems(/404/)
})

it('has no barriers', async () => {
  const id = await workbench.talk('Looked at', 'Hello', 'And again')
  const page = await workbench.open(`sessions/${id}`)
  await answers(page).nth(1).waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})
