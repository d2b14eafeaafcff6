/** The page as `npm run dev` serves it: from its sources, where React's StrictMode mounts everything twice. */
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { startDevServer } from '../../web/dev-server.ts'
import { says } from '../chat-harness.ts'
import { findOwnPort } from '../own-port.ts'
import { releasePage, takePage } from './browser.ts'
import {
  answers,
  createGate,
  finish,
  openChatWorkbench,
  questions,
  words,
  type ChatWorkbench,
} from './chat-arrange.ts'

const cacheDir = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'test', 'vite')

let workbench: ChatWorkbench
let server: Awaited<ReturnType<typeof startDevServer>>
beforeAll(async () => {
  workbench = await openChatWorkbench()
  server = await startDevServer({
    parleyUrl: workbench.url,
    port: await findOwnPort(),
    watches: false,
    cacheDir,
  })
})
afterAll(async () => {
  await server.close()
  await workbench[Symbol.asyncDispose]()
})

// everything is compiled when it is first asked for
const patience = { timeout: 200_000 }

async function open(path: string): Promise<Page> {
  const page = await takePage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
  })
  onTestFinished(async () => {
    await releasePage(page, {}, server.url)
    expect(problems, 'the page complained').toEqual([])
  })
  await page.goto(`${server.url}/#/${path}`)
  return page
}

it('has a conversation that is asked for and answered', async () => {
  const gate = createGate()
  workbench.answerWith(() => [words('Half of '), gate.passed, words('it.'), finish])
  const page = await open('')
  const box = page.getByRole('textbox', { name: 'Message' })
  await box.waitFor(patience)
  await box.fill('Are you there?')
  await box.press('Enter')
  await answers(page).getByText('Half of').waitFor(patience)
  gate.open()
  await answers(page).getByText('Half of it.').waitFor()
  workbench.answerWith(() => says('Still here.'))
  await box.fill('And now?')
  await box.press('Enter')
  await answers(page).getByText('Still here.').waitFor()
  expect(await questions(page).count()).toBe(2)
})

it('shows a session of before, and what comes there from elsewhere', async () => {
  workbench.answerWith(() => says('From the first \u202Eday.'))
  const id = await workbench.talk('Of before', 'Good morning')
  const page = await open(`sessions/${id}`)
  // texts pass our own runtime here, too
  await answers(page).locator('[data-hidden]').waitFor(patience)
  workbench.answerWith(() => says('From the second.'))
  await workbench.parley.sessions.chat(id, 'Good evening')
  await answers(page).getByText('From the second.').waitFor()
  await page.reload()
  await answers(page).getByText('From the second.').waitFor(patience)
  expect(await answers(page).count()).toBe(2)
})

it('lets pages of other origins through to nothing', async () => {
  const send = (origin: string) =>
    fetch(`${server.url}/api/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: '{}',
    })
  expect((await send(server.url)).status).toBe(201)
  expect((await send('http://elsewhere.example')).status).toBe(403)
})
