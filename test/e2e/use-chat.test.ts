/** `useChat` of `@ai-sdk/react` and assistant-ui, as they are published, in a browser and on pages of another origin. */
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { messageText } from '../../src/core/protocol/message-text.ts'
import { defineTool } from '../../src/core/tools/tool.ts'
import { calls, says, type Script } from '../chat-harness.ts'
import { sqliteDatabase } from '../harness.ts'
import { itInLongTier } from '../runner/tier.ts'
import { serveParley } from '../served-parley.ts'
import { releasePage, takePage } from './browser.ts'
import { servePage } from './foreign-page.ts'

let site: Awaited<ReturnType<typeof servePage>>
beforeAll(async () => {
  site = await servePage(join(import.meta.dirname, 'use-chat-page.ts'))
})
afterAll(() => site[Symbol.asyncDispose]())

const launch = defineTool({
  name: 'launch',
  description: 'Launches',
  input: z.strictObject({}),
  execute: async () => 'launched',
})

async function open(script: Script, origin = site.origin) {
  const database = await sqliteDatabase()
  const host = await serveParley(database, script, {
    allowedOrigins: [origin],
    tools: [launch],
    permissions: { rules: [{ tool: 'launch', decision: 'ask' }] },
  })
  const { id } = await host.parley.sessions.create()
  const page = await takePage()
  onTestFinished(async () => {
    await releasePage(page, {}, origin)
    await host[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })
  const query = new URLSearchParams({ api: `${host.url}/api/sessions/${id}/chat`, id })
  const load = (more = '') => page.goto(`${origin}/?${query.toString()}${more}`)
  await load()
  const press = (name: string) => page.getByRole('button', { name, exact: true }).last().click()
  return {
    page,
    load,
    press,
    requests: host.requests,
    async say(text: string, button = 'Send') {
      await page.getByLabel('Text').fill(text)
      await press(button)
    },
    /** What stands on the page, once it does. */
    async shows(...expected: string[]) {
      await expect
        .poll(async () => [
          ...(await page.locator('p').allInnerTexts()),
          await page.locator('output').innerText(),
        ])
        .toEqual(expected)
    },
    async stored() {
      const { items } = await host.parley.sessions.messages(id)
      return items.map((message) => `${message.role}: ${messageText(message)}`)
    },
  }
}

it('sends, regenerates and edits', async () => {
  const chat = await open((_, call) => says(`Answer ${call}`))
  await chat.say('One')
  await chat.shows('user: One', 'assistant: Answer 1', 'ready')
  await chat.press('Again')
  await chat.shows('user: One', 'assistant: Answer 2', 'ready')
  await chat.say('Uno', 'Edit')
  await chat.shows('user: Uno', 'assistant: Answer 3', 'ready')
  expect(await chat.stored()).toEqual(['user: Uno', 'assistant: Answer 3'])
})

it('executes a tool of the page and asks who uses it', async () => {
  const chat = await open((_, call) =>
    call === 1 ? calls(['weather', {}]) : call === 2 ? calls(['launch', {}]) : says('Done'),
  )
  await chat.say('Go')
  await chat.press('Yes')
  await chat.shows(
    'user: Go',
    'assistant: [tool-weather output-available][launch output-available]Done',
    'ready',
  )
  expect(chat.requests).toHaveLength(3)
})

it('stops an answer, and gets the next one', async () => {
  const chat = await open((_, call) =>
    call === 1 ? [{ type: 'text-delta', text: 'One' }, new Promise(() => {})] : says('Two'),
  )
  await chat.say('Count')
  await chat.shows('user: Count', 'assistant: One', 'streaming')
  await chat.press('Stop')
  await chat.shows('user: Count', 'assistant: One', 'ready')
  await chat.say('Go on')
  await chat.shows('user: Count', 'assistant: One', 'user: Go on', 'assistant: Two', 'ready')
  expect(await chat.stored()).toEqual(['user: Count', 'assistant: One', 'user: Go on', 'assistant: Two'])
})

it('resumes after the page was loaded again', async () => {
  let go = () => {}
  const gate = new Promise<void>((resolve) => (go = resolve))
  const chat = await open(() => [{ type: 'text-delta', text: 'One' }, gate, ...says(' two')])
  await chat.say('Count')
  await chat.shows('user: Count', 'assistant: One', 'streaming')
  await chat.load('&resume')
  await chat.shows('user: Count', 'assistant: One', 'streaming')
  go()
  await chat.shows('user: Count', 'assistant: One two', 'ready')
  expect(await chat.stored()).toEqual(['user: Count', 'assistant: One two'])
})

it('attaches a file', async () => {
  const chat = await open(() => says('A picture'))
  const buffer = Buffer.from('iVBORw0KGgo=', 'base64')
  await chat.page.getByLabel('Files').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer })
  await chat.say('What is this?')
  await chat.shows('user: What is this?', 'assistant: A picture', 'ready')
  expect(JSON.stringify(chat.requests[0]!.messages.at(-1))).toContain('iVBORw0KGgo=')
})

const assistantUi = {
  '@ai-sdk/react': '4.0.177',
  '@assistant-ui/react': '0.15.21',
  '@assistant-ui/react-ai-sdk': '1.4.12',
  ai: '7.0.173',
  react: '19.3.1',
  'react-dom': '19.3.1',
}

/** They are many and large: who does not test with them does not get them. */
async function installAssistantUi(): Promise<string> {
  const folder = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'test', 'assistant-ui')
  await mkdir(folder, { recursive: true })
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'assistant-ui-page', private: true, dependencies: assistantUi }),
  )
  await promisify(execFile)('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
  })
  return join(folder, 'node_modules')
}

itInLongTier('assistant-ui sends, executes a tool of its page, answers again and edits', async () => {
  const modules = await installAssistantUi()
  await using other = await servePage(join(import.meta.dirname, 'assistant-ui-page.ts'), {
    alias: Object.fromEntries(Object.keys(assistantUi).map((name) => [name, join(modules, name)])),
  })
  const script: Script = (_, call) => (call === 1 ? calls(['weather', {}]) : says(`Answer ${call}`))
  const chat = await open(script, other.origin)
  const first = ['user: Weather?', 'assistant: [weather "sun"]Answer 2']
  await chat.say('Weather?')
  await chat.shows(...first, 'ready')
  await chat.say('More')
  await chat.shows(...first, 'user: More', 'assistant: Answer 3', 'ready')
  await chat.press('Again')
  await chat.shows(...first, 'user: More', 'assistant: Answer 4', 'ready')
  await chat.press('Edit')
  await chat.page.getByLabel('Changed').fill('Less')
  await chat.press('Save')
  await chat.shows(...first, 'user: Less', 'assistant: Answer 5', 'ready')
  expect(await chat.stored()).toEqual([
    'user: Weather?',
    'assistant: Answer 2',
    'user: Less',
    'assistant: Answer 5',
  ])
})
