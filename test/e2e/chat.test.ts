import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  answers,
  contentOf,
  createGate,
  expectEventually,
  expectSameContent,
  finish,
  openChatWorkbench,
  timeline,
  words,
  type ChatWorkbench,
} from './chat-arrange.ts'
import { intercept } from './intercept.ts'

let workbench: ChatWorkbench
beforeAll(async () => {
  workbench = await openChatWorkbench()
})
afterAll(() => workbench[Symbol.asyncDispose]())

const markdown = [
  '# A plan\n\nFirst **this',
  '**, then `that`:\n\n1. one\n2. tw',
  'o\n\n| a | b |\n|---|',
  '---|\n| 1 | 2 |\n\n```ts\nconst answer',
  ' = 42\n```\n\nSee [the page](https://exam',
  'ple.org/) and $$x^2',
  '$$. 中文**粗体。**继续。',
]

const heightOf = (page: Page) =>
  timeline(page).evaluate((element) => ({
    fromEnd: Math.round(element.scrollHeight - element.scrollTop - element.clientHeight),
    fromStart: Math.round(element.scrollTop),
  }))

/** Until nothing has moved for some frames. */
const comeToRest = (page: Page) =>
  timeline(page).evaluate(async (element) => {
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    for (let still = 0, before = -1; still < 5; still = element.scrollTop === before ? still + 1 : 0) {
      before = element.scrollTop
      await nextFrame()
    }
  })

it('shows an answer word by word, and at its end the same as whoever opens it later', async () => {
  const gates = markdown.map(() => createGate())
  workbench.answerWith(() => [
    ...markdown.flatMap((text, index) => [words(text), gates[index]!.passed]),
    finish,
  ])
  const { id } = await workbench.parley.sessions.create({ title: 'Streaming' })
  const page = await workbench.open(`sessions/${id}`)
  await page.getByText('No messages yet.').waitFor()
  await workbench.parley.sessions.send(id, 'Make a plan')
  await page.getByRole('heading', { name: 'A plan' }).waitFor()
  // what is not closed yet is drawn as if it were
  await expectEventually(() => page.locator('article strong').innerText()).toBe('this')
  expect(await answers(page).getAttribute('aria-busy')).toBe('true')
  for (const gate of gates) gate.open()
  await expectEventually(() => answers(page).getAttribute('aria-busy')).toBeNull()
  const later = await workbench.open(`sessions/${id}`)
  for (const shown of [page, later]) {
    await shown.locator('.katex').waitFor()
    await shown.locator('pre span[style]').first().waitFor()
  }
  await expectSameContent(answers(page), answers(later))
  expect(await contentOf(answers(later))).toContain('粗体。</strong>')
})

it('loses nothing when the page is loaded again in the middle, and shows a second tab the same', async () => {
  const gate = createGate()
  workbench.answerWith(() => [words('The first half, '), gate.passed, words('and the second.'), finish])
  const { id } = await workbench.parley.sessions.create({ title: 'Halves' })
  const page = await workbench.open(`sessions/${id}`)
  await workbench.parley.sessions.send(id, 'Say it in halves')
  await page.getByText('The first half,').waitFor()
  await page.reload()
  await page.getByText('The first half,').waitFor()
  const second = await workbench.open(`sessions/${id}`)
  await second.getByText('The first half,').waitFor()
  gate.open()
  for (const tab of [page, second]) {
    await answers(tab).getByText('The first half, and the second.').waitFor()
    await expectEventually(() => answers(tab).count()).toBe(1)
  }
  await expectSameContent(answers(page), answers(second))
})

it('says aloud that an answer is coming and what it was, and keeps growing text out of live regions', async () => {
  const gate = createGate()
  workbench.answerWith(() => [words('Half a '), gate.passed, words('sentence.'), finish])
  const { id } = await workbench.parley.sessions.create({ title: 'Aloud' })
  const page = await workbench.open(`sessions/${id}`)
  await page.getByText('No messages yet.').waitFor()
  // everything that was ever in them, also what was there for a moment
  await page.evaluate(() => {
    const said: string[] = ((globalThis as unknown as { said: string[] }).said = [])
    const note = () => {
      for (const region of document.querySelectorAll('[data-region]'))
        if (region.textContent) said.push(`${(region as HTMLElement).dataset.region}: ${region.textContent}`)
    }
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true })
  })
  await workbench.parley.sessions.send(id, 'Talk')
  await page.getByText('Half a').waitFor()
  const live = page.locator('[aria-live] article, [role="log"] article, [role="status"] article')
  expect(await live.count()).toBe(0)
  gate.open()
  await page.locator('[data-region="log"]').getByText('Half a sentence.').waitFor({ state: 'attached' })
  const said = await page.evaluate(() => (globalThis as unknown as { said: string[] }).said)
  expect([...new Set(said)]).toEqual(
    expect.arrayContaining(['status: The assistant is responding.', 'log: Assistant: Half a sentence.']),
  )
  expect(said.filter((text) => text.startsWith('log:') && !text.endsWith('sentence.'))).toEqual([])
})

it('follows the words only while the reader is at the end, and leads back there', async () => {
  const gates = [createGate(), createGate()]
  // enough of them to fill the page, however wide letters are
  const paragraphs = 'A few words.\n\n'.repeat(60)
  workbench.answerWith(() => [
    words(paragraphs),
    gates[0]!.passed,
    words(paragraphs),
    gates[1]!.passed,
    words('The very end.'),
    finish,
  ])
  const { id } = await workbench.parley.sessions.create({ title: 'Following' })
  const page = await workbench.open(`sessions/${id}`)
  await workbench.parley.sessions.send(id, 'Write much')
  await page.locator('article p').nth(60).waitFor()
  await expectEventually(async () => (await heightOf(page)).fromEnd).toBeLessThan(5)
  await timeline(page).hover()
  await page.mouse.wheel(0, -400)
  await page.getByRole('button', { name: 'Jump to newest' }).waitFor()
  await comeToRest(page)
  const { fromStart } = await heightOf(page)
  gates[0]!.open()
  await page.locator('article p').nth(120).waitFor()
  expect((await heightOf(page)).fromStart).toBe(fromStart)
  await page.getByRole('button', { name: 'Jump to newest' }).click()
  await expectEventually(async () => (await heightOf(page)).fromEnd).toBeLessThan(5)
  gates[1]!.open()
  await answers(page).getByText('The very end.').waitFor()
  await expectEventually(async () => (await heightOf(page)).fromEnd).toBeLessThan(5)
  await page.getByRole('button', { name: 'Jump to newest' }).waitFor({ state: 'detached' })
})

it('draws only what is seen of a long session, and reads back what is above', async () => {
  const messages = Array.from({ length: 400 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `Message number ${index + 1}.`,
  }))
  const document = { format: 'parley.session', version: 1, session: { title: 'Long' }, messages }
  const { id } = await workbench.parley.sessions.import(JSON.stringify(document))
  const page = await workbench.open(`sessions/${id}`)
  await page.getByText('Message number 400.').waitFor()
  await expectEventually(async () => (await heightOf(page)).fromEnd).toBeLessThan(5)
  expect(await page.locator('article').count()).toBeLessThan(60)
  await timeline(page).focus()
  // the browser moves there step by step, and what is above comes page by page
  const goUp = async () => {
    await page.keyboard.press('Home')
    return page.getByText('Message number 1.', { exact: true }).isVisible()
  }
  await expect.poll(goUp, { timeout: 200_000, interval: 700 }).toBe(true)
  expect(await page.locator('article').count()).toBeLessThan(60)
})

it('keeps what is read in its place when earlier messages come', async () => {
  const messages = Array.from({ length: 300 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `Message number ${index + 1}.${' More words.'.repeat((index * 7) % 60)}`,
  }))
  const document = { format: 'parley.session', version: 1, session: { title: 'Stable' }, messages }
  const { id } = await workbench.parley.sessions.import(JSON.stringify(document))
  const page = await workbench.open(`sessions/${id}`)
  await page.getByText('Message number 300.').waitFor()
  // the page is held back, so that what is seen before and after it came can be compared
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  await intercept(page, '**/messages?*before=*', async (route) => {
    await held
    await route.continue()
  })
  await timeline(page).hover()
  await expectEventually(async () => {
    await page.mouse.wheel(0, -3_000)
    return page.getByText('Loading earlier messages').isVisible()
  }).toBe(true)
  await comeToRest(page)
  const read = await timeline(page).evaluate((box) => {
    const edge = box.getBoundingClientRect().top
    const seen = [...box.querySelectorAll<HTMLElement>('[data-message]')].find(
      (article) => article.getBoundingClientRect().top > edge,
    )!
    return { id: seen.dataset.message!, top: seen.getBoundingClientRect().top }
  })
  release()
  await expectEventually(async () => (await heightOf(page)).fromStart).toBeGreaterThan(2_000)
  const article = page.locator(`[data-message="${read.id}"]`)
  const moved = async () =>
    Math.abs((await article.evaluate((element) => element.getBoundingClientRect().top)) - read.top)
  // no more than a browser rounds
  await expectEventually(moved).toBeLessThanOrEqual(1)
})
