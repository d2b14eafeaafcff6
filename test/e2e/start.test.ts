import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { messageText } from '../../src/core/protocol/message-text.ts'
import { itInLongTier } from '../runner/tier.ts'
import { expectToFitPhone, findBarriersInBothThemes } from './barriers.ts'
import { boxOf, expectSoon } from './composer-arrange.ts'
import { expectFocus } from './expect-page.ts'
import { intercept } from './intercept.ts'
import { openWorkbench, refusedRequest, type Workbench } from './workbench.ts'

let workbench: Workbench

beforeAll(async () => {
  workbench = await openWorkbench()
})
afterAll(() => workbench?.[Symbol.asyncDispose]())

/** A provider that takes one key, and has two models. */
async function startProvider() {
  const server = createServer((request, response) => {
    const isKnown = request.headers.authorization === 'Bearer good-key'
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify(
        isKnown
          ? { object: 'list', data: [{ id: 'small' }, { id: 'large' }] }
          : { error: { message: 'Incorrect API key provided.' } },
      ),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const sessionIdOf = (url: string) => /sessions\/([^?]+)/.exec(url)![1]!

const logOf = async (id: string) =>
  (await workbench.parley.sessions.messages(id)).items.map((message) => [message.role, messageText(message)])

it('begins a conversation with the first message, and goes there', async () => {
  const page = await workbench.open()
  const box = boxOf(page)
  await box.waitFor()
  await expectFocus(box)
  await page.keyboard.type('Hello there')
  await page.keyboard.press('Enter')
  await page.waitForURL(/sessions\//)
  const id = sessionIdOf(page.url())
  await expectSoon(async () => (await logOf(id)).length).toBe(2)
  expect((await logOf(id))[0]).toEqual(['user', 'Hello there'])
  // the next message can be typed at once
  await expectFocus(box)
  await expectSoon(() => box.inputValue()).toBe('')
  await page.goto(`${workbench.url}/#/`)
  await expectSoon(() => page.getByRole('heading', { name: 'What can I help with?' }).count()).toBe(1)
  await expectSoon(() => box.inputValue()).toBe('')
})

it.each([
  ['Say hello', /demo model/],
  ['Watch it think', /goes on and on/],
  ['Start a background task', /spawn_task answered/],
])('has an example that the demo model answers: %s', async (name, answer) => {
  const page = await workbench.open()
  await boxOf(page).fill('half a thought')
  await page.getByRole('button', { name }).click()
  await page.waitForURL(/sessions\//)
  const id = sessionIdOf(page.url())
  await expectSoon(async () => (await logOf(id)).find(([role]) => role === 'assistant')?.[1] ?? '').toMatch(
    answer,
  )
  const reply = (await workbench.parley.sessions.messages(id)).items.find(({ role }) => role === 'assistant')!
  if (name === 'Watch it think') expect(reply.parts.map(({ type }) => type)).toContain('reasoning')
  if (name === 'Start a background task') {
    const { items } = await workbench.parley.sessions.list({ kind: 'background', parent: id })
    expect(items.map(({ title }) => title)).toEqual(['A first background task'])
    expect(reply.parts.filter(({ state }) => state === 'output-error')).toEqual([])
  }
  await page.goto(`${workbench.url}/#/`)
  await expectSoon(() => boxOf(page).inputValue()).toBe('half a thought')
})

it('is a guide that can be put away, for good, and called back', async () => {
  const page = await workbench.open()
  const guide = page.getByRole('region', { name: 'Welcome to Parley' })
  await guide.waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  expect(await guide.getByRole('link', { name: /API/ }).getAttribute('href')).toBe('docs')
  await page.getByRole('button', { name: 'Hide guide' }).click()
  await guide.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('button', { name: 'Show guide' }).waitFor()
  expect(await guide.count()).toBe(0)
  await page.getByRole('button', { name: 'Show guide' }).click()
  await guide.waitFor()
})

it('is in Chinese for whoever reads Chinese', async () => {
  const page = await workbench.open('', { locale: 'zh-CN' })
  await page.getByRole('heading', { name: '想聊点什么？' }).waitFor()
  await page.getByRole('button', { name: '打个招呼' }).click()
  await page.waitForURL(/sessions\//)
  await expectSoon(async () => (await logOf(sessionIdOf(page.url()))).at(-1)?.[1] ?? '').toMatch(/演示模型/)
})

it('takes a key, and says when it is refused and by whom', async () => {
  await using provider = await startProvider()
  const page = await workbench.open()
  await page.getByText('Add a model', { exact: true }).click()
  const key = page.getByLabel(/^API key/)
  const save = page.getByRole('button', { name: 'Save and test' })
  await page.getByLabel('Base URL').fill(provider.url)

  await key.fill('with space')
  await save.click()
  await page.getByRole('alert').filter({ hasText: 'Couldn’t save: ' }).waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])

  await key.fill('bad-key')
  await save.click()
  await page.getByRole('alert').filter({ hasText: 'Saved, but OpenAI rejected it' }).waitFor()

  await key.fill('good-key')
  await save.click()
  await page.getByText('OpenAI is connected, with 2 models.').waitFor()
  await expectSoon(() => key.inputValue()).toBe('')
  await page.getByRole('button', { name: /^Model:/ }).click()
  await page.getByRole('option', { name: 'openai/large' }).click()
  await page.getByRole('button', { name: 'Model: openai/large' }).waitFor()
  await workbench.parley.providers.delete('openai')
  workbench.expectProblems(refusedRequest)
})

itInLongTier(
  'begins with the model that was chosen, and makes one session though the first try failed',
  async () => {
    const page = await workbench.open()
    await page.getByRole('button', { name: /^Model:/ }).click()
    await page.getByRole('combobox', { name: 'Model' }).fill('demo/other')
    await page.getByRole('option', { name: 'demo/other' }).click()
    await intercept(page, '**/chat', (route) =>
      route.fulfill({ status: 500, json: { error: { code: 'internal', message: 'Broken.' } } }),
    )
    const before = (await workbench.parley.sessions.list()).items.length
    await boxOf(page).fill('a first word')
    await page.keyboard.press('Enter')
    await page.getByText('Not sent: Broken.').waitFor()
    await expectSoon(() => boxOf(page).inputValue()).toBe('a first word')
    await page.unroute('**/chat')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.waitForURL(/sessions\//)
    const { items } = await workbench.parley.sessions.list()
    expect(items.length).toBe(before + 1)
    expect((await workbench.parley.sessions.get(sessionIdOf(page.url()))).model).toBe('demo/other')
    workbench.expectProblems(refusedRequest)
  },
)

itInLongTier('fits a phone', async () => {
  const page = await workbench.open()
  await page.getByText('Add a model', { exact: true }).click()
  await page.getByLabel(/^API key/).waitFor()
  await expectToFitPhone(page)
})
