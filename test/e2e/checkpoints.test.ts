import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { calls, says, type Script } from '../chat-harness.ts'
import { temporaryFolder } from '../harness.ts'
import { itInLongTier } from '../runner/tier.ts'
import { expectToFitPhone, findBarriersInBothThemes, looks } from './barriers.ts'
import { openChatWorkbench, questions, timeline, type ChatWorkbench } from './chat-arrange.ts'
import { boxOf, expectSoon, lastWords } from './composer-arrange.ts'

const folder = temporaryFolder()
const root = join(realpathSync(folder.path), 'scope')

const write = (path: string): [string, object] => ['file', { action: 'write', path, content: 'new' }]

/** Told to change something it does; otherwise it only talks. */
const script: Script = (request) => {
  const words = lastWords(request)
  if (request.messages.at(-1)?.role === 'tool' || !words.startsWith('change')) return says(`Heard: ${words}`)
  const [, name] = words.split(' ')
  return calls(
    write(`${name}-1.md`),
    write(`${name}-2.md`),
    ['document', { action: 'create', title: `${name}`, content: 'new' }],
    ['todo', { action: 'create_list', list_title: `${name}` }],
  )
}

let workbench: ChatWorkbench
beforeAll(async () => {
  mkdirSync(root)
  workbench = await openChatWorkbench({
    scopes: { default: { root } },
    permissions: { mode: 'bypassPermissions' },
  })
  workbench.answerWith(script)
})
afterAll(async () => {
  await workbench[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const markers = (page: Page) => page.locator('[data-checkpoint]')
const message = (page: Page, text: string) => questions(page).filter({ hasText: text })

it('marks the turns that changed something, and leads back to before them', async () => {
  const id = await workbench.talk('Marks', 'only talk', 'change wall', 'talk again')
  const page = await workbench.open(`sessions/${id}`)
  await message(page, 'talk again').waitFor()
  await markers(page).getByText('2 files, 1 document, and 1 to-do list changed in this turn').waitFor()
  const wall = await message(page, 'change wall').getAttribute('data-message')
  expect(await markers(page).getAttribute('data-checkpoint')).toBe(wall)

  await page.getByRole('button', { name: /^Roll back to here: 2 files/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Roll back to before this message?' })
  await dialog.getByText('is removed: 4 messages.').waitFor()
  await dialog.getByText('4 changes will be undone.').waitFor()
  await dialog.getByRole('button', { name: 'Roll back' }).click()
  await page
    .getByRole('dialog', { name: 'Rolled back' })
    .getByRole('button', { name: 'Close' })
    .last()
    .click()
  await message(page, 'change wall').waitFor({ state: 'detached' })
  await markers(page).waitFor({ state: 'detached' })
  expect(existsSync(join(root, 'wall-1.md'))).toBe(false)
  await expectSoon(() => boxOf(page).inputValue()).toBe('change wall')
})

it('marks a turn while it is watched, and stays at the end of the log', async () => {
  const id = await workbench.talk('Live', ...Array.from({ length: 12 }, (_, index) => `talk ${index}`))
  const page = await workbench.open(`sessions/${id}`)
  await page.getByText('Heard: talk 11', { exact: true }).waitFor()
  expect(await markers(page).count()).toBe(0)
  await boxOf(page).fill('change door')
  await page.keyboard.press('Enter')
  await markers(page).getByText('2 files').waitFor()
  await expectSoon(() => distanceToEnd(page)).toBeLessThan(2)
})

itInLongTier('draws few of the marks of a long log, at their places, and asks for them once', async () => {
  const turns = 60
  const texts = Array.from({ length: turns }, (_, index) => `turn ${index}`)
  const id = await workbench.talk('Long', ...texts)
  for (let turn = 0; turn < turns; turn++)
    await workbench.parley.store.keepSnapshot(id, {
      messageSeq: turn * 2,
      kind: 'file',
      name: `${turn}.md`,
      detail: { root, path: `${turn}.md` },
    })
  const page = await workbench.open('')
  let asked = 0
  page.on('request', (request) => {
    if (request.url().includes(`/sessions/${id}/checkpoints`)) asked++
  })
  await page.goto(`${workbench.url}/#/sessions/${id}`)
  await markers(page).last().waitFor()
  await expectSoon(() => distanceToEnd(page)).toBeLessThan(2)
  expect(await markers(page).count()).toBeLessThan(25)
  await expectSoon(() => overlaps(page)).toEqual([])
  for (const top of [0.5, 0]) {
    // earlier pages come on the way, and move nothing
    await expectSoon(async () => {
      await timeline(page).evaluate((box, part) => (box.scrollTop = box.scrollHeight * part), top)
      const first = await questions(page).first().innerText()
      return Number(/turn (\d+)/.exec(first)?.[1])
    }).toBeLessThan(top === 0 ? 1 : 40)
    await expectSoon(() => overlaps(page)).toEqual([])
  }
  expect(asked).toBe(1)
})

const distanceToEnd = (page: Page) =>
  timeline(page).evaluate(
    ({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight,
  )

/** Rows that lie over the one after them, or leave a gap to it. */
const overlaps = (page: Page) =>
  timeline(page).evaluate((box) => {
    const tops = [...box.querySelectorAll<HTMLElement>('[data-index]')]
      .map((row) => ({ index: Number(row.dataset.index), ...row.getBoundingClientRect().toJSON() }))
      .sort((one, two) => one.index - two.index) as { index: number; top: number; bottom: number }[]
    return tops.flatMap(({ index, bottom }, at) => {
      const next = tops[at + 1]
      return next?.index === index + 1 && Math.abs(next.top - bottom) > 1.5 ? [index] : []
    })
  })

it.each(looks)('has no barriers %s, and fits a phone', async (name, look) => {
  const id = await workbench.talk('Barriers', `change ${name.replaceAll(' ', '-')}`)
  const page = await workbench.open(`sessions/${id}`, look)
  await markers(page).getByRole('button').waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await expectToFitPhone(page)
})
