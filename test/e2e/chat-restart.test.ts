import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { databases, temporaryFolder } from '../harness.ts'
import { findOwnPort } from '../own-port.ts'
import { openaiChat } from '../providers/openai-chat.ts'
import { need } from '../runner/provision.ts'
import { startServer } from '../server-process.ts'
import { releasePage, takePage } from './browser.ts'
import { answers, createGate, expectEventually, finish, openChatWorkbench, words } from './chat-arrange.ts'
import { boxOf } from './composer-arrange.ts'
import { refusedRequest } from './workbench.ts'

it('says that the server is away, and goes on with the answer when it is back', async () => {
  await using workbench = await openChatWorkbench()
  const gate = createGate()
  let call = 0
  workbench.answerWith(() =>
    ++call === 1
      ? [words('Half of the first try'), gate.passed, finish]
      : [words('The whole of the second try.'), finish],
  )
  const { id } = await workbench.parley.sessions.create({ title: 'Restarted' })
  const page = await workbench.open(`sessions/${id}`)
  await page.getByText('No messages yet.').waitFor()
  await workbench.parley.sessions.send(id, 'Go on')
  await answers(page).getByText('Half of the first try').waitFor()
  // the server is back before anybody looks; the page must not see it for a while
  await page.context().setOffline(true)
  await workbench.restart()
  await page.getByRole('alert').getByText('Can’t reach the server.').waitFor()
  await page.context().setOffline(false)
  await answers(page).getByText('The whole of the second try.').waitFor({ timeout: 200_000 })
  await expectEventually(() => answers(page).getAttribute('aria-busy')).toBeNull()
  // what was said before the restart was void, and is not shown beside what came after
  expect(await answers(page).getByText('Half of the first try').count()).toBe(0)
  expect(await answers(page).count()).toBe(1)
  await page.getByRole('alert').waitFor({ state: 'detached' })
  // the browser tells of connections that were refused by itself
  workbench.expectProblems(refusedRequest)
})

/** Says half of an answer and no more; asked again, it says nothing before the gate opens, and then all of it. */
async function startHaltingProvider(passed: Promise<void>) {
  let requests = 0
  const server = createServer(async (request, response) => {
    request.resume()
    // the page asks which models there are
    if (request.method === 'GET') return response.writeHead(404).end()
    const isFirst = ++requests === 1
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    if (!isFirst) await passed
    const frames = openaiChat.frames({
      text: isFirst ? 'Half of the first try' : 'The whole of the second try.',
    })
    if (!isFirst) return response.end([...frames].join(''))
    // without those that end it
    for (const frame of [...frames].slice(0, -2)) response.write(frame)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    [Symbol.dispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

describe.each(databases)('a server on %s that is killed in the middle of an answer', (_, openDatabase) => {
  it('is said to be away, and the answer to be resumed until it goes on', async () => {
    await using database = await openDatabase()
    using folder = temporaryFolder()
    const gate = createGate()
    using provider = await startHaltingProvider(gate.passed)
    const config = join(folder.path, 'parley.yaml')
    writeFileSync(config, `model: openai/test\nopenai: {baseUrl: "${provider.url}", apiKey: test-key}\n`)
    await need('workbench')
    const args = ['--port', String(await findOwnPort())]
    const start = () => startServer({ env: { ...database.environment, PARLEY_CONFIG: config }, args })
    const first = await start()
    const page = await takePage()
    await page.goto(first.url)
    const problems: string[] = []
    page.on('pageerror', ({ message }) => problems.push(message))
    const away = page.getByRole('alert').getByText('Can’t reach the server.')
    const status = answers(page).getByRole('status')
    // what is below the answer: it must not move when it says something
    const rowHeight = () => answers(page).evaluate((article) => article.lastElementChild!.clientHeight)

    await boxOf(page).fill('Go on')
    await page.keyboard.press('Enter')
    await answers(page).getByText('Half of the first try').waitFor()
    expect(await status.textContent()).toBe('')
    const height = await rowHeight()
    await first.kill()
    await away.waitFor()

    const second = await start()
    await status.getByText('Resuming…').waitFor()
    await away.waitFor({ state: 'detached' })
    expect(await status.textContent()).toBe('Resuming…')
    expect(await rowHeight()).toBe(height)
    // whoever comes only now is told, too
    await page.reload()
    await status.getByText('Resuming…').waitFor()

    gate.open()
    await answers(page).getByText('The whole of the second try.').waitFor()
    await expectEventually(() => answers(page).getAttribute('aria-busy')).toBeNull()
    expect(await page.getByText('Resuming…').count()).toBe(0)
    expect(await page.getByText('Half of the first try').count()).toBe(0)
    expect(await answers(page).count()).toBe(1)
    expect(problems).toEqual([])
    await releasePage(page, {}, second.url)
    await second.kill()
  })
})
