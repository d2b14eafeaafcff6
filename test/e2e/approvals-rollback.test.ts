import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../harness.ts'
import { findBarriers, findBarriersInBothThemes } from './barriers.ts'
import { phone } from './browser.ts'
import { createGate, openChatWorkbench, questions, words, type ChatWorkbench } from './chat-arrange.ts'
import { boxOf, expectSoon, lastWords } from './composer-arrange.ts'
import { expectFocus } from './expect-page.ts'
import { says } from '../chat-harness.ts'
import { itInLongTier } from '../runner/tier.ts'

const folder = temporaryFolder()
const root = join(realpathSync(folder.path), 'scope')

let workbench: ChatWorkbench
beforeAll(async () => {
  mkdirSync(root)
  workbench = await openChatWorkbench({ scopes: { default: { root } } })
  workbench.answerWith((request) => says(`Heard: ${lastWords(request)}`))
})
afterAll(async () => {
  await workbench[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const message = (page: Page, text: string) => questions(page).filter({ hasText: text })
const openDialog = async (page: Page, text: string) => {
  await message(page, text).hover()
  await message(page, text).getByRole('button', { name: 'Roll back to before this' }).click()
  return page.getByRole('dialog', { name: 'Roll back to before this message?' })
}
const said = async (id: string) => (await workbench.parley.sessions.messages(id)).items.length

/** As if the turn that began after so many messages had changed the file. */
const changed = async (sessionId: string, messageSeq: number, path: string, before?: string) => {
  await workbench.parley.store.keepSnapshot(sessionId, {
    messageSeq,
    kind: 'file',
    name: path,
    ...(before !== undefined && { content: Buffer.from(before).toString('base64') }),
    detail: { root, path },
  })
}

it('says what will be undone, and brings the words back; every tab shows what is left', async () => {
  const id = await workbench.talk('Back', 'The first', 'The second', 'The third')
  await changed(id, 2, 'wall.txt', 'white')
  await changed(id, 4, 'door.txt', 'red')
  writeFileSync(join(root, 'wall.txt'), 'blue')
  const page = await workbench.open(`sessions/${id}`)
  const other = await workbench.open(`sessions/${id}`)
  await message(other, 'The third').waitFor()
  const dialog = await openDialog(page, 'The second')
  await dialog.getByText('is removed: 4 messages.').waitFor()
  await dialog.getByText('2 changes will be undone.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await said(id)).toBe(6)

  await openDialog(page, 'The second')
  await dialog.getByRole('checkbox', { name: 'Keep files as they are' }).check()
  await dialog.getByRole('button', { name: 'Roll back' }).click()
  await dialog.waitFor({ state: 'detached' })
  for (const tab of [page, other]) {
    await message(tab, 'The third').waitFor({ state: 'detached' })
    await expectSoon(() => questions(tab).count()).toBe(1)
    await tab.getByText('Heard: The first', { exact: true }).waitFor()
    await tab.getByText('Heard: The second', { exact: true }).waitFor({ state: 'detached' })
  }
  await expectSoon(() => boxOf(page).inputValue()).toBe('The second')
  await expectFocus(boxOf(page))
  expect(await said(id)).toBe(2)
  expect(readFileSync(join(root, 'wall.txt'), 'utf8')).toBe('blue')

  // it goes on from there, in both
  await page.keyboard.press('Enter')
  for (const tab of [page, other]) {
    await tab.getByText('Heard: The second', { exact: true }).waitFor()
    await expectSoon(() => questions(tab).count()).toBe(2)
  }
})

it('shows what became of the files', async () => {
  const id = await workbench.talk('Files', 'Before', 'Change it')
  writeFileSync(join(root, 'kept.txt'), 'new')
  writeFileSync(join(root, 'made.txt'), 'new')
  await changed(id, 2, 'kept.txt', 'old')
  await changed(id, 2, 'made.txt')
  await workbench.parley.store.keepSnapshot(id, {
    messageSeq: 2,
    kind: 'file',
    name: 'huge.bin',
    detail: { root, path: 'huge.bin', lost: 'it was too large' },
  })
  const page = await workbench.open(`sessions/${id}`)
  const dialog = await openDialog(page, 'Change it')
  await dialog.getByRole('button', { name: 'Roll back' }).click()
  const result = page.getByRole('dialog', { name: 'Rolled back' })
  await result.getByText('Restored (1)', { exact: true }).waitFor()
  await result.getByText('Removed, because they didn’t exist before (1)').waitFor()
  await result.getByText('it was too large').waitFor()
  expect(await findBarriers(page)).toEqual([])
  await result.getByRole('button', { name: 'Close' }).last().click()
  await expectSoon(() => boxOf(page).inputValue()).toBe('Change it')
  expect(readFileSync(join(root, 'kept.txt'), 'utf8')).toBe('old')
})

itInLongTier('shows nothing of what was undone when it is opened later', async () => {
  const id = await workbench.talk('Later', 'Only this', 'Undone')
  const { items } = await workbench.parley.sessions.checkpoints(id)
  const rolledBack = await workbench.parley.sessions.rollback(id, { checkpointId: items[1]!.id })
  expect(rolledBack.userMessage).toBe('Undone')
  const page = await workbench.open(`sessions/${id}`)
  await page.evaluate(() => {
    const seen = { text: '' }
    new MutationObserver(() => (seen.text += document.body.textContent)).observe(document.body, {
      childList: true,
      subtree: true,
      characterData: true,
    })
    Object.assign(globalThis, { seen })
  })
  await page.getByText('Heard: Only this', { exact: true }).waitFor()
  await boxOf(page).fill('And on')
  await page.keyboard.press('Enter')
  await page.getByText('Heard: And on', { exact: true }).waitFor()
  const seen = await page.evaluate(() => (globalThis as unknown as { seen: { text: string } }).seen.text)
  expect(seen).not.toContain('Heard: Undone')
})

it('stops what runs, also when all of it goes', async () => {
  const id = await workbench.talk('Running', 'The only one')
  const gate = createGate()
  workbench.answerWith((request) =>
    lastWords(request) === 'Go on' ? [words('Half an'), gate.passed] : says(`Heard: ${lastWords(request)}`),
  )
  const page = await workbench.open(`sessions/${id}`)
  await boxOf(page).fill('Go on')
  await page.keyboard.press('Enter')
  await page.getByText('Half an', { exact: true }).waitFor()
  const dialog = await openDialog(page, 'The only one')
  await dialog.getByRole('button', { name: 'Roll back' }).click()
  await page.getByText('No messages yet.').waitFor()
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' })
  expect(await page.locator('article').count()).toBe(0)
  await expectSoon(() => boxOf(page).inputValue()).toBe('The only one')
  await page.keyboard.press('Enter')
  await page.getByText('Heard: The only one', { exact: true }).waitFor()
  await expectSoon(() => page.locator('article').count()).toBe(2)
  gate.open()
})

itInLongTier('says why it could not be done, and offers nothing where there is no way back', async () => {
  const id = await workbench.talk('Refused', 'One', 'Two')
  const page = await workbench.open(`sessions/${id}`)
  const dialog = await openDialog(page, 'Two')
  await workbench.parley.store.cutLog(id, 2)
  await dialog.getByRole('button', { name: 'Roll back' }).click()
  await dialog.getByRole('alert').waitFor()
  // the browser tells of the answer 404 by itself
  workbench.expectProblems(/404/)
  const { id: plain } = await workbench.parley.sessions.create({ title: 'Plain' })
  await workbench.parley.sessions.append(plain, { role: 'user', parts: [{ type: 'text', text: 'Alone' }] })
  const there = await workbench.open(`sessions/${plain}`)
  await message(there, 'Alone').getByRole('button', { name: 'Edit' }).waitFor()
  expect(await there.getByRole('button', { name: 'Roll back to before this' }).count()).toBe(0)
})

it('has no barriers, also on a phone', async () => {
  const id = await workbench.talk('Looked at', 'Hello')
  const page = await workbench.open(`sessions/${id}`, phone)
  await openDialog(page, 'Hello')
  await page.getByRole('dialog').getByRole('checkbox').waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})
