import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../harness.ts'
import { itInLongTier } from '../runner/tier.ts'
import { findBarriersInBothThemes } from './barriers.ts'
import { createListener, expectSoon, openSession } from './composer-arrange.ts'
import { expectFocus } from './expect-page.ts'
import { intercept } from './intercept.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

const listener = createListener()
const root = temporaryFolder()
let workbench: Workbench

beforeAll(async () => {
  mkdirSync(join(root.path, 'src'))
  mkdirSync(join(root.path, '.parley', 'commands'), { recursive: true })
  writeFileSync(join(root.path, 'src', 'main.ts'), 'export const answer = 42')
  writeFileSync(join(root.path, 'with space.md'), 'Some words.')
  writeFileSync(
    join(root.path, '.parley', 'commands', 'review.md'),
    '---\ndescription: looks at a change\nargument-hint: <file>\n---\nReview $ARGUMENTS',
  )
  workbench = await openWorkbench({
    script: listener.script,
    scopes: { default: { root: root.path } },
    session: { limit: { tokens: 1_000 } },
  })
})
afterAll(async () => {
  await workbench?.[Symbol.asyncDispose]()
  root[Symbol.dispose]()
})

it('completes commands, with where they come from and what they take', async () => {
  const session = await openSession(workbench)
  const { page, box } = session
  await page.keyboard.type('/')
  const list = page.getByRole('listbox', { name: 'Suggestions' })
  const review = list.getByRole('option', { name: '/review <file>' })
  await review.waitFor()
  await review.getByText('.parley/commands/review.md').waitFor()
  await list.getByRole('option', { name: '/help' }).getByText('built in').waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await page.keyboard.type('re')
  await expectSoon(() => list.getByRole('option').count()).toBe(1)
  const isActive = async () =>
    (await review.getAttribute('id')) === (await box.getAttribute('aria-activedescendant'))
  await expectSoon(isActive).toBe(true)
  await page.keyboard.press('Enter')
  await expectSoon(() => box.inputValue()).toBe('/review ')
  await page.keyboard.type('main.ts')
  await page.keyboard.press('Enter')
  await session.expectSaid('/review main.ts')
  await expectSoon(() =>
    listener.requests.some((request) => JSON.stringify(request.messages).includes('Review main.ts')),
  ).toBe(true)
})

itInLongTier('sends a command that was typed to its end, as one that was picked', async () => {
  const session = await openSession(workbench)
  const { page, box } = session
  await page.keyboard.type('/help')
  await page.getByRole('option', { name: '/help' }).waitFor()
  await page.keyboard.press('Enter')
  await session.expectSaid('/help')
  await expectSoon(() => box.inputValue()).toBe('')
})

it('moves with the arrows, closes with Escape, and picks with Tab or a click', async () => {
  const session = await openSession(workbench)
  const { page, box } = session
  const options = page.getByRole('option')
  const selected = () => page.locator('[role=option][aria-selected=true]').innerText()
  await page.keyboard.type('/')
  await options.first().waitFor()
  const first = await selected()
  await page.keyboard.press('ArrowDown')
  await expectSoon(selected).not.toBe(first)
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await expectSoon(selected).toBe(await options.last().innerText())
  await page.keyboard.press('Escape')
  await options.first().waitFor({ state: 'detached' })
  expect(await box.inputValue()).toBe('/')
  await page.keyboard.type('hel')
  await options.first().waitFor()
  await page.keyboard.press('Tab')
  await expectSoon(() => box.inputValue()).toBe('/help ')
  await box.fill('/sta')
  await page.getByRole('option', { name: '/stats' }).click()
  await expectSoon(() => box.inputValue()).toBe('/stats ')
  await expectFocus(box)
})

it('refers to files; typed and picked are the same', async () => {
  const session = await openSession(workbench)
  const { page, box } = session
  await page.keyboard.type('explain @main')
  await page.getByRole('option', { name: 'src/main.ts' }).waitFor()
  await page.keyboard.press('Enter')
  await expectSoon(() => box.inputValue()).toBe('explain @file:src/main.ts ')
  await page.keyboard.type('please')
  await page.keyboard.press('Enter')
  await page.getByText('Heard: explain').first().waitFor()
  await box.fill('explain @file:src/main.ts again ')
  await page.keyboard.press('Enter')
  await session.expectSaid('explain @file:src/main.ts please', 'explain @file:src/main.ts again ')
  const sent = () =>
    listener.requests.filter(({ messages }) => JSON.stringify(messages.at(-1)).includes('answer = 42'))
  await expectSoon(() => sent().length).toBe(2)

  await box.fill('')
  await page.keyboard.type('see @space')
  await page.getByRole('option', { name: 'with space.md', selected: true }).waitFor()
  await page.keyboard.press('Tab')
  await expectSoon(() => box.inputValue()).toBe('see @(file:with space.md) ')
})

itInLongTier('goes into folders, and refers to other sessions by their title', async () => {
  const { id } = await workbench.parley.sessions.create({ title: 'Plans for spring' })
  const session = await openSession(workbench)
  const { page, box } = session
  await page.keyboard.type('@src')
  await page.getByRole('option', { name: 'src/ folder' }).click()
  await expectSoon(() => box.inputValue()).toBe('@file:src/')
  await page.getByRole('option', { name: 'src/main.ts' }).click()
  await expectSoon(() => box.inputValue()).toBe('@file:src/main.ts ')
  await page.keyboard.type('@spring')
  await page.getByRole('option', { name: 'Plans for spring' }).click()
  await expectSoon(() => box.inputValue()).toBe(`@file:src/main.ts @session:${id} `)
})

itInLongTier('leaves Enter to the input method while a list is open', async () => {
  const session = await openSession(workbench)
  const { page, box } = session
  await page.keyboard.type('/')
  await page.getByRole('option').first().waitFor()
  await box.evaluate((element) =>
    element.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true }),
    ),
  )
  expect(await box.inputValue()).toBe('/')
  expect(await session.log()).toEqual([])
})

it('shows how full the window is, and opens what is in it', async () => {
  const session = await openSession(workbench)
  const { page, box, id } = session
  await page.getByRole('button', { name: /^Context.*nothing sent yet/ }).waitFor()
  await box.fill('hello')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Context: 1% · 10 of 1,000 tokens' }).waitFor()
  await intercept(page, '**/usage*', (route) =>
    route.fulfill({
      json: {
        runs: 1,
        calls: 1,
        inputTokens: 1,
        outputTokens: 1,
        cacheReadTokens: 0,
        cost: 0.0123,
        window: { tokens: 912, limitTokens: 1_000 },
      },
    }),
  )
  await page.reload()
  const full = page.getByRole('button', {
    name: 'Context: 91% · 912 of 1,000 tokens · almost full · cost $0.0123',
  })
  await full.waitFor()
  expect(await full.getAttribute('data-level')).toBe('full')
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await full.click()
  await page.getByRole('tab', { name: 'Context' }).waitFor()
  await expectSoon(() => page.url()).toContain(`sessions/${id}?dock=context`)
})
