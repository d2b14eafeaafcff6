import type { Sessions } from '../src/core/chat/session-operations.ts'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { createClient } from '../src/client/index.ts'
import { settingAt } from '../src/config/settings.ts'
import { createParley, type Parley } from '../src/index.ts'
import { createApp, createMetrics, serve } from '../src/server/index.ts'
import { resolveWindow } from '../src/core/sessions/window/window-settings.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { createScripted, says } from './chat-harness.ts'
import { anyDatabase, toOptions, type OpenDatabase } from './harness.ts'
import { holdAnswers } from './http/held-answers.ts'

/** A Parley whose model sums up by quoting what it was given last, and the same one over HTTP. */
async function openBoth(openDatabase: OpenDatabase) {
  const database = await openDatabase()
  const model = createScripted(({ cacheKey, messages }) => {
    if (!cacheKey?.endsWith(':memo')) return says('an answer')
    const asked = /question \d/.exec(JSON.stringify(messages))?.[0] ?? 'nothing'
    return says(JSON.stringify({ recent_summary: `from ${asked} on` }))
  })
  const parley: Parley = await createParley({
    ...toOptions(database),
    models: { model: 'scripted/test', extra: { scripted: () => model } },
    session: { resize: { every_n_turns: 50 } },
  })
  const app = createApp(
    {
      ...parley,
      clock: systemClock,
      logger: pino({ level: 'silent' }),
      metrics: createMetrics(),
      version: 'test',
      limits: { bodyBytes: 1e7, jsonDepth: 64, pageSize: 200 },
    },
    { apiKeys: [], allowedHosts: [], allowedOrigins: [] },
  )
  const server = await serve(holdAnswers(app), { host: '127.0.0.1', port: 0 })
  return {
    library: parley.sessions,
    client: createClient({ baseUrl: server.url }).sessions,
    async [Symbol.asyncDispose]() {
      await Promise.all([server.stop(1_000), parley.close()])
      await database[Symbol.asyncDispose]()
    },
  }
}

type Step = (sessions: Sessions, id: string) => Promise<unknown>
const scope = 'notes'

const steps: [name: string, Step][] = [
  ['the window at first', (sessions, id) => sessions.window(id, { scope })],
  [
    'new settings',
    (sessions, id) => sessions.setWindow(id, { scope, mode: 'memo', limit: { messages: 50 } }),
  ],
  ['a light resize', (sessions, id) => sessions.resize(id, { scope, type: 'lite' })],
  ['a deep one', (sessions, id) => sessions.resize(id, { scope })],
  ['the window since', (sessions, id) => sessions.window(id, { scope })],
  ['the memo', (sessions, id) => sessions.memo(id, { scope })],
  [
    'an edit',
    (sessions, id) =>
      sessions.setMemo(id, { scope, memo: { tasks: ['t'] }, pinned: ['tasks'], baseVersion: 1 }),
  ],
  ['a stale edit', (sessions, id) => sessions.setMemo(id, { scope, memo: {}, baseVersion: 1 })],
  ['a wrong memo', (sessions, id) => sessions.setMemo(id, { scope, memo: { tasks: 't' } })],
  ['no memo at all', (sessions, id) => sessions.setMemo(id, { scope })],
  ['an undo', (sessions, id) => sessions.undoMemo(id, { scope })],
  ['an undo to a version', (sessions, id) => sessions.undoMemo(id, { scope, version: 2 })],
  ['an undo too far', (sessions, id) => sessions.undoMemo(id, { scope, version: 99 })],
  ['an earlier version', (sessions, id) => sessions.memo(id, { scope, version: 1 })],
  ['a version that is not there', (sessions, id) => sessions.memo(id, { scope, version: 99 })],
  ['the versions', (sessions, id) => sessions.memoVersions(id, { scope })],
  ['a page of them', (sessions, id) => sessions.memoVersions(id, { scope, limit: 2 })],
  ['the next page', (sessions, id) => sessions.memoVersions(id, { scope, limit: 2, cursor: '3' })],
  ['a page that is too long', (sessions, id) => sessions.memoVersions(id, { scope, limit: 1_000 })],
  ['a cursor of nothing', (sessions, id) => sessions.memoVersions(id, { scope, cursor: 'x' })],
  [
    'an old key',
    (sessions, id) => sessions.setWindow(id, { scope, resize: { max_current_chars: 1 as never } }),
  ],
  ['a negative limit', (sessions, id) => sessions.setWindow(id, { scope, limit: { chars: -1 } })],
  ['a resize of a type that is not there', (sessions, id) => sessions.resize(id, { scope, type: 'nightly' })],
  ['settings taken back', (sessions, id) => sessions.setWindow(id, { scope })],
  ['another scope', (sessions) => sessions.window('ses_1', { scope: 'blue' })],
  ['another scope for the memo', (sessions) => sessions.memo('ses_1')],
]

it.each(anyDatabase)(
  'the client answers and refuses as the library does, on %s',
  async (_name, openDatabase) => {
    await using both = await openBoth(openDatabase)
    const ask = async (sessions: Sessions) => {
      const { id } = await sessions.create({ scope })
      for (let turn = 1; turn <= 3; turn++) await sessions.chat(id, { scope, content: `question ${turn}` })
      const answers: Record<string, unknown> = {}
      for (const [name, step] of steps)
        answers[name] = await step(sessions, id).catch(({ code, message }) => ({ code, message }))
      return toPlain(answers, id)
    }
    const byLibrary = await ask(both.library)
    expect(await ask(both.client)).toEqual(byLibrary)
    expect(byLibrary).toMatchObject({
      'the window at first': { effective: { everyNTurns: 50, memo: false }, messages: 6 },
      'a light resize': { outcome: 'resized', memoVersion: 1, startSeq: 1 },
      'a deep one': { outcome: 'resized', startSeq: 5 },
      'the memo': { memo: { recent_summary: 'from question 1 on' }, model: 'scripted/test' },
      'a stale edit': { code: 'conflict' },
      'an undo too far': { code: 'not_found' },
      'an old key': { code: 'invalid_request', message: expect.stringContaining('limit.chars') },
      'another scope': { code: 'not_found' },
    })
    // and what the one wrote, the other reads
    const { id } = await both.client.create({ window: { mode: 'memo' } })
    await both.library.setMemo(id, { memo: { facts: ['shared'] } })
    expect(await both.client.memo(id)).toEqual(toPlain(await both.library.memo(id)))
    expect(await both.client.window(id)).toEqual(toPlain(await both.library.window(id)))
  },
)

/** As it would be in JSON; times and the id differ between two sessions that are otherwise the same. */
const toPlain = (value: unknown, id?: string) =>
  JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      id !== undefined && key === 'createdAt' ? 'then' : inner,
    ).replaceAll(id ?? '\0', 'ses_1'),
  ) as Record<string, unknown>

it('the documented defaults are those of the engine', () => {
  const { mode, maxChars, maxMessages, maxTokens, everyNTurns, memo } = resolveWindow()
  const documented = (key: Parameters<typeof settingAt>[0]) => settingAt(key).defaultText
  expect(documented('session.mode')).toBe(`\`${mode}\``)
  expect(documented('session.limit.chars')).toBe(`\`${maxChars}\``)
  expect(documented('session.limit.messages')).toBe(`\`${maxMessages}\``)
  expect(maxTokens).toBe(0)
  expect(documented('session.limit.tokens')).toContain('70 % of what the model takes in')
  expect(documented('session.resize.every_n_turns')).toBe(`\`${everyNTurns}\``)
  expect(documented('session.memo.max_length')).toBe(`\`${memo.maxLength}\``)
  expect(documented('session.memo.timeout_ms')).toBe(`\`${memo.timeoutMs}\``)
  const keys = Object.keys((memo.schema as { properties: object }).properties)
  for (const key of keys) expect(settingAt('session.memo.schema').description).toContain(key)
})
