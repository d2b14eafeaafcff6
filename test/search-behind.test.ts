/** What a search says wherever one can be made, while the index is behind the log. */
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { messageText } from '../src/core/protocol/message-text.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { finishIndex } from '../src/core/store/catch-up-index.ts'
import { createSearchTool } from '../src/extensions/documents/search-tool.ts'
import { createParley } from '../src/parley.ts'
import { createApp } from '../src/server/app.ts'
import { createMetrics } from '../src/server/metrics.ts'
import { processRunner } from './command-line.ts'
import { temporaryFolder } from './harness.ts'

const imported = 3_000
const document = JSON.stringify({
  title: 'Imported',
  messages: Array.from({ length: imported }, (_, index) => ({ role: 'user', content: `apple ${index}` })),
})
const indexing = { messages: imported }
const note = '3,000 messages are still being indexed and were not searched.'

// what works by timers, as the index, stays where it is
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] }))
afterEach(() => void vi.useRealTimers())

it('reports it in the library, over HTTP, in a slash command and to models, and nothing when it is done', async () => {
  using folder = temporaryFolder()
  await using parley = await createParley({ dataDir: folder.path })
  const deps = {
    ...parley,
    clock: systemClock,
    logger: pino({ level: 'silent' }),
    version: '0.0.0',
    limits: { bodyBytes: 1_000_000, jsonDepth: 20, pageSize: 50 },
  }
  const app = createApp(
    { ...deps, metrics: createMetrics(deps) },
    { apiKeys: [], allowedHosts: ['*'], allowedOrigins: [] },
  )
  const get = async (path: string): Promise<unknown> => (await app.request(path)).json()
  const tool = createSearchTool(parley.store)
  const { id: asker } = await parley.sessions.create({ title: 'Asker' })
  const useTool = (types?: string[]) =>
    tool.execute(tool.input.parse({ query: 'apple', types }), {
      scope: 'default',
      sessionId: asker,
      runId: 'run_1',
      toolCallId: 'call_1',
      workspaces: { granted: [] },
      signal: new AbortController().signal,
    })
  const command = async (words: string) =>
    messageText((await parley.sessions.chat(asker, `/search ${words}`)).message!)

  const { id } = await parley.sessions.import(document)
  expect(await parley.search({ q: 'apple' })).toEqual({ items: [], indexing })
  expect(await get('/api/search?q=apple')).toEqual({ items: [], indexing })
  const none = { items: [], nextCursor: null, indexing }
  expect(await parley.sessions.list({ q: 'apple' })).toEqual(none)
  expect(await get('/api/sessions?q=apple')).toEqual(none)
  // a title is found at once
  expect(await get('/api/sessions?q=imported')).toMatchObject({ items: [{ id }], indexing })
  expect(await get('/api/sessions')).not.toHaveProperty('indexing')
  expect(await useTool()).toEqual({ items: [], note })
  expect(await useTool(['document'])).toEqual({ items: [] })
  // the command itself is what was said last, and is found
  expect(await command('apple')).toBe(`- Asker (${asker})\n\n${note}`)

  await finishIndex(parley.store)
  for (const found of [await parley.search({ q: 'apple' }), await get('/api/sessions?q=apple')]) {
    expect(found).toMatchObject({ items: expect.arrayContaining([expect.anything()]) as unknown[] })
    expect(found).not.toHaveProperty('indexing')
  }
  expect(await useTool()).not.toHaveProperty('note')
  expect(await command('apple')).toBe(`- Asker (${asker})\n- Imported (${id})`)
})

it('is reported at the terminal, where a command that found it finishes the index', async () => {
  using folder = temporaryFolder()
  vi.useRealTimers()
  const dataDir = join(folder.path, 'data')
  const command = processRunner(folder.path)
  const run = (args: string[], input?: string) => command([...args, '--data-dir', dataDir], { input })
  const first = await run(['sessions', 'import', '-'], document)
  expect(first).toMatchObject({ code: 0 })
  const complete = await run(['sessions', 'list', '-q', 'apple'])
  expect(complete.stdout).toContain('Imported')
  expect(complete.stderr).toBe('')

  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] })
  {
    await using parley = await createParley({ dataDir })
    await parley.sessions.import(document.replaceAll('apple', 'pear'))
  }
  vi.useRealTimers()
  const behind = await run(['sessions', 'list', '-q', 'pear', '--json'])
  expect(JSON.parse(behind.stdout)).toEqual({ items: [], nextCursor: null, indexing })
  expect(behind.stderr).toContain(note)
  const after = await run(['sessions', 'list', '-q', 'pear'])
  expect(after.stdout).toContain('Imported')
  expect(after.stderr).toBe('')
})
