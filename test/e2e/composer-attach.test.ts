import { afterAll, beforeAll, expect, it } from 'vitest'
import { itInLongTier } from '../runner/tier.ts'
import type { Page } from 'playwright-core'
import { findBarriersInBothThemes } from './barriers.ts'
import { createListener, expectSoon, openSession } from './composer-arrange.ts'
import { expectFocus } from './expect-page.ts'
import { intercept } from './intercept.ts'
import { openWorkbench, refusedRequest, type Workbench } from './workbench.ts'

const listener = createListener()
let workbench: Workbench

beforeAll(async () => {
  workbench = await openWorkbench({ script: listener.script })
})
afterAll(() => workbench?.[Symbol.asyncDispose]())

// one pixel
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const chips = (page: Page) => page.getByRole('list', { name: 'Attached files' }).getByRole('listitem')
const questionsOf = (page: Page) => page.getByRole('article').filter({ hasText: 'after the reload' }).first()
const names = async (page: Page) =>
  (await chips(page).locator('bdi').allInnerTexts()).map((name) => name.trim())

/** Hands files to the page as a drag or a paste would. */
const handOver = (page: Page, type: 'drop' | 'dragover' | 'paste', name = 'dropped.txt') =>
  page.evaluate(
    ([kind, file]) => {
      const data = new DataTransfer()
      data.items.add(new File(['from elsewhere'], file, { type: file.endsWith('.png') ? 'image/png' : '' }))
      const target = document.getElementById('composer')!
      const init = { bubbles: true, cancelable: true }
      target.dispatchEvent(
        kind === 'paste'
          ? new ClipboardEvent('paste', { ...init, clipboardData: data })
          : new DragEvent(kind, { ...init, dataTransfer: data }),
      )
    },
    [type, name] as const,
  )

it('sends files that were chosen, without those that were removed', async () => {
  const session = await openSession(workbench)
  const { page } = session
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Attach files' }).click()
  await (
    await chooser
  ).setFiles([
    { name: 'dot.png', mimeType: 'image/png', buffer: picture },
    { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# 笔记') },
    { name: 'wrong.txt', mimeType: 'text/plain', buffer: Buffer.from('wrong') },
  ])
  await expectSoon(() => names(page)).toEqual(['dot.png', 'notes.md', 'wrong.txt'])
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await page.getByRole('button', { name: 'Remove wrong.txt' }).click()
  await page.getByRole('textbox', { name: 'Message' }).fill('look')
  await page.keyboard.press('Enter')
  await session.expectSaid('look')
  await expectSoon(() => chips(page).count()).toBe(0)
  const [{ parts }] = (await session.log()) as [Awaited<ReturnType<typeof session.log>>[number]]
  expect(parts.slice(1)).toMatchObject([
    {
      type: 'file',
      filename: 'dot.png',
      mediaType: 'image/png',
      url: `data:image/png;base64,${picture.toString('base64')}`,
    },
    { type: 'file', filename: 'notes.md', mediaType: 'text/markdown' },
  ])
})

it('keeps the files of a message over a reload until it is sent', async () => {
  const session = await openSession(workbench)
  const { page } = session
  const keepsFile = () =>
    page.evaluate(async () => {
      // to open one that is not there would make it, without its tables
      if (!(await indexedDB.databases()).some(({ name }) => name === 'parley-unsent')) return false
      const request = indexedDB.open('parley-unsent')
      await new Promise((resolve) => (request.onsuccess = resolve))
      const count = request.result.transaction('files').objectStore('files').count()
      await new Promise((resolve) => (count.onsuccess = resolve))
      request.result.close()
      return count.result > 0
    })
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Attach files' }).click()
  await (await chooser).setFiles([{ name: 'dot.png', mimeType: 'image/png', buffer: picture }])
  await expectSoon(() => names(page)).toEqual(['dot.png'])
  await expectSoon(keepsFile).toBe(true)
  await page.reload()
  await expectSoon(() => names(page)).toEqual(['dot.png'])
  await page.getByRole('textbox', { name: 'Message' }).fill('after the reload')
  await page.keyboard.press('Enter')
  await session.expectSaid('after the reload')
  const [{ parts }] = (await session.log()) as [Awaited<ReturnType<typeof session.log>>[number]]
  expect(parts[1]).toMatchObject({
    filename: 'dot.png',
    url: `data:image/png;base64,${picture.toString('base64')}`,
  })
  await expectSoon(keepsFile).toBe(false)
  await page.reload()
  await questionsOf(page).waitFor()
  expect(await chips(page).count()).toBe(0)
})

itInLongTier('sends a file without any words', async () => {
  const session = await openSession(workbench)
  const { page } = session
  await handOver(page, 'paste', 'shot.png')
  await expectSoon(() => names(page)).toEqual(['shot.png'])
  await page.getByRole('button', { name: 'Send' }).click()
  await session.expectSaid('')
})

itInLongTier('takes files that are dropped, and leaves drags within the page alone', async () => {
  const session = await openSession(workbench)
  const { page } = session
  await handOver(page, 'dragover')
  await page.getByText('Drop files to attach them').waitFor()
  await handOver(page, 'drop')
  await expectSoon(() => names(page)).toEqual(['dropped.txt'])
  await page.getByText('Drop files to attach them').waitFor({ state: 'detached' })

  // a session of the list, or a picture of the page, which a browser offers as a file too
  await page.evaluate(() => document.body.dispatchEvent(new DragEvent('dragstart', { bubbles: true })))
  await handOver(page, 'dragover')
  await handOver(page, 'drop', 'own.png')
  expect(await page.getByText('Drop files to attach them').count()).toBe(0)
  await page.evaluate(() => document.body.dispatchEvent(new DragEvent('dragend', { bubbles: true })))
  await handOver(page, 'drop', 'foreign.txt')
  await expectSoon(() => names(page)).toEqual(['dropped.txt', 'foreign.txt'])
})

it('says which files it cannot take', async () => {
  const session = await openSession(workbench)
  const { page } = session
  await page.locator('[data-attach]').setInputFiles([
    { name: 'large.txt', mimeType: 'text/plain', buffer: Buffer.alloc(7_000_001, 'x') },
    { name: 'program.bin', mimeType: '', buffer: Buffer.from([0, 255, 254]) },
    { name: 'fine.txt', mimeType: 'text/plain', buffer: Buffer.from('fine') },
  ])
  await page.getByText('large.txt is too large').first().waitFor()
  await page.getByText('program.bin isn’t an image').first().waitFor()
  await expectSoon(() => names(page)).toEqual(['fine.txt'])
})

itInLongTier('offers to make a file of a long paste', async () => {
  const session = await openSession(workbench)
  const { page, box } = session
  const long = `first line\r\n${'word '.repeat(2_000)}`
  const paste = async () => {
    await page.evaluate((text) => navigator.clipboard.writeText(text), long)
    await box.press('Control+V')
  }
  await page.keyboard.type('Summarise: ')
  await paste()
  await page.getByRole('button', { name: 'Attach as file' }).click()
  await expectSoon(() => names(page)).toEqual(['pasted.txt'])
  await expectSoon(() => box.inputValue()).toBe('Summarise: ')
  await expectFocus(box)
  await paste()
  await page.getByRole('button', { name: 'Keep as text' }).click()
  await page.getByRole('button', { name: 'Attach as file' }).waitFor({ state: 'detached' })
  expect((await box.inputValue()).length).toBeGreaterThan(10_000)
  expect(await names(page)).toEqual(['pasted.txt'])
})

it('gives files back with the text when they could not be sent', async () => {
  const session = await openSession(workbench)
  const { page, box } = session
  await handOver(page, 'drop')
  await expectSoon(() => names(page)).toEqual(['dropped.txt'])
  await page.keyboard.type('with a file')
  await intercept(page, '**/chat', (route) =>
    route.fulfill({ status: 413, json: { error: { code: 'payload_too_large', message: 'Too much.' } } }),
  )
  await page.keyboard.press('Enter')
  await page.getByText('Not sent: Too much.').waitFor()
  await expectSoon(() => box.inputValue()).toBe('with a file')
  await expectSoon(() => names(page)).toEqual(['dropped.txt'])
  workbench.expectProblems(refusedRequest)
})
