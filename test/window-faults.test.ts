import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import type { WindowSettings } from '../src/core/protocol/window.ts'
import type { WindowHandlers } from '../src/core/sessions/window/window-handlers.ts'
import { createWindows } from '../src/core/sessions/window/windows.ts'
import { createScripted, openChat, says, type TestChat } from './chat-harness.ts'
import { createMeeting } from './gates.ts'
import { databases, sqliteDatabase } from './harness.ts'
import { file, openWindows, seqsOf, sharedDatabase, type TestWindows } from './window-harness.ts'

const handlerNames = ['policy', 'resize', 'attachment', 'memo'] as const
type HandlerName = (typeof handlerNames)[number]

/** Handlers of which one, or none, does not do what it should; the others work, and answer at once. */
function breaking(broken: HandlerName | undefined, work: () => unknown): WindowHandlers {
  return {
    ...(broken === 'policy' && { policyHandler: work }),
    ...(broken === 'resize' && { resizeHandlers: { lite: work, deep: work } }),
    ...(broken === 'attachment' && { attachmentSummaryHandler: work }),
    memoUpdateHandler: broken === 'memo' ? work : ({ messages }) => ({ facts: seqsOf(messages).map(String) }),
  }
}

const throwing = (thrown: unknown) => () => {
  throw thrown
}

const failures: [string, () => unknown][] = [
  ['throws', throwing(new Error('no luck today'))],
  ['rejects', () => Promise.reject(new Error('no luck today'))],
  ['throws a text', throwing('no luck today')],
  ['throws nothing at all', throwing(undefined)],
  ['throws what no database can store', throwing(new Error('no \0 luck \ud800 today'))],
  ['throws very much', throwing(new Error('x'.repeat(100_000)))],
  ['never ends', () => new Promise(() => {})],
]

// PostgreSQL cannot; SQLite can
const storable = 'a reason that not every database can store'
const nonsense: [HandlerName, string, () => unknown][] = [
  ['policy', 'a number', () => 42],
  ['policy', 'an empty text', () => ''],
  ['policy', 'a type that nobody knows', () => 'sideways'],
  ['policy', storable, () => ({ type: 'lite', reason: 'a \0 b' })],
  ['policy', 'a severity that is no number', () => ({ type: 'lite', severity: Number.NaN })],
  ['policy', 'a big number', () => 10n],
  ['resize', 'a text', () => 'done'],
  ['resize', 'a list', () => []],
  ['resize', 'an empty window', () => ({ window: [] })],
  ['resize', 'a window of strangers', () => ({ window: [{ id: 'x' }, null] })],
  ['resize', 'a memo that is none', () => ({ memo: 'short' })],
  ['resize', 'a memo against the schema', () => ({ memo: { mood: 'happy' } })],
  ['memo', 'nothing', () => undefined],
  ['memo', 'a text', () => 'short'],
  ['memo', 'a list', () => ['a']],
  ['memo', 'a memo against the schema', () => ({ mood: 'happy' })],
  ['memo', 'a memo that is too long', () => ({ recent_summary: 'x'.repeat(20_000) })],
  [
    'memo',
    'a memo that contains itself',
    () => {
      const profile: Record<string, unknown> = {}
      profile.self = profile
      return { profile }
    },
  ],
]

// only what never ends is waited for: a slow machine may take its time for everything else
const memoFor = (what: string) => ({ timeout_ms: what === 'never ends' ? 100 : 60_000 })
const settingsFor = (what: string): WindowSettings => ({
  mode: 'memo',
  limit: { messages: 6 },
  memo: memoFor(what),
})
const cases = [
  ...handlerNames.flatMap((name) =>
    failures.map(([what, work]): [HandlerName, string, () => unknown] => [name, what, work]),
  ),
  ...nonsense.map(([name, what, work]): [HandlerName, string, () => unknown] => [
    name,
    `answers ${what}`,
    work,
  ]),
]

const askWithFile = (chat: TestChat, text: string) =>
  chat.ask(text, {
    message: { id: crypto.randomUUID(), parts: [{ type: 'text', text }, file('cat.png')] },
  })

describe.each(databases)('a handler of the window on %s', (databaseName, openDatabase) => {
  // what a handler does is the same everywhere; what of it gets into the database is not
  const here =
    databaseName === 'SQLite' ? cases : cases.filter(([, what]) => /throws$|nothing|can store/.test(what))
  it.each(here)('of the %s: when it %s, no turn fails', async (name, what, work) => {
    const model = createScripted((_, call) => says(`answer ${call}`))
    const chat = await openChat(openDatabase, model, {
      session: settingsFor(what),
      windowHandlers: breaking(name, work),
    })
    try {
      for (let turn = 1; turn <= 9; turn++) {
        const { runId } = await askWithFile(chat, `question ${turn}`)
        expect(await chat.store.getRun('default', runId)).toMatchObject({ status: 'completed' })
        const sent = model.requests.at(-1)!.messages
        expect(JSON.stringify(sent.at(-1))).toContain(`question ${turn}`)
        expect(sent[0]!.role).toBe('user')
        // six, and one for memo and what is not in it yet
        expect(sent.length).toBeLessThanOrEqual(7)
        await chat.settled()
      }
      const log = await chat.store.listMessages('default', chat.sessionId, { after: 0, limit: 100 })
      expect(log).toHaveLength(18)
      const resizes = await chat.store.listResizes(chat.sessionId, 100)
      expect(resizes.length).toBeGreaterThan(0)
      // somebody has to find out why; a flood does not help
      for (const { message } of resizes) expect((message ?? '').length).toBeLessThan(5_000)
      if (name !== 'attachment' && what !== `answers ${storable}`)
        expect(resizes.at(-1)!.message ?? '').toMatch(/\w/)
    } finally {
      await chat[Symbol.asyncDispose]()
    }
  })

  it.each(here)('of the %s: when it %s, no turn fails that could wait for it', async (name, what, work) => {
    const model = createScripted((_, call) => says(`answer ${call}`))
    const chat = await openChat(openDatabase, model, {
      session: { mode: 'memo', resize: { every_n_turns: 2 }, memo: memoFor(what) },
      windowHandlers: breaking(name, work),
    })
    try {
      for (let turn = 1; turn <= 6; turn++) {
        const { runId } = await askWithFile(chat, `question ${turn}`)
        expect(await chat.store.getRun('default', runId)).toMatchObject({ status: 'completed' })
        expect(model.requests.at(-1)!.messages[0]!.role).toBe('user')
      }
      const log = await chat.store.listMessages('default', chat.sessionId, { after: 0, limit: 100 })
      expect(log).toHaveLength(12)
    } finally {
      await chat[Symbol.asyncDispose]()
    }
  })

  it.each(here.filter(([name]) => name !== 'policy'))(
    'of the %s: when it %s, a forced resize says so and changes nothing',
    async (name, what, work) => {
      await using window = await openWindows(openDatabase, { settings: settingsFor(what) })
      await window.append({ role: 'user', parts: [{ type: 'text', text: 'see' }, file('cat.png')] })
      await window.talk(2)
      await window.windows.resize(
        await window.session(),
        'lite',
        breaking(undefined, () => {}),
      )
      await window.append({ role: 'user', parts: [{ type: 'text', text: 'see' }, file('dog.png')] })
      await window.talk(1)
      const before = await everything(window)
      for (const type of ['lite', 'deep']) {
        const error: unknown = await window.windows
          .resize(await window.session(), type, breaking(name, work))
          .then(
            () => 'it did not fail',
            (reason: unknown) => reason,
          )
        expect(error, what).toBeInstanceOf(Error)
        expect((error as Error).message).toMatch(/\w/)
      }
      expect(await everything(window)).toEqual(before)
    },
  )

  it('that never ends does not keep the process from ending', async () => {
    const held = Promise.withResolvers<void>()
    const window = await openWindows(openDatabase, {
      settings: { mode: 'memo', limit: { messages: 6 }, memo: { timeout_ms: 3_600_000 } },
      handlers: {
        memoUpdateHandler() {
          held.resolve()
          return new Promise(() => {})
        },
      },
    })
    await window.talk(5)
    const session = await window.session()
    window.windows.open(session).catch(() => {})
    await held.promise
    await expect(window.windows.stop(100)).resolves.toBeUndefined()
    await window[Symbol.asyncDispose]()
  })

  it('that is cut off by the end of the process has not failed', async () => {
    await using database = await sharedDatabase(openDatabase)
    let id = ''
    for (let start = 0; start < 3; start++) {
      const held = Promise.withResolvers<void>()
      const window = await openWindows(database.open, {
        settings: { mode: 'memo', resize: { every_n_turns: 2 } },
        handlers: {
          memoUpdateHandler: ({ signal }) =>
            new Promise((_, reject) => {
              held.resolve()
              signal.addEventListener('abort', () => reject(signal.reason))
            }),
        },
      })
      id ||= window.id
      const append = (role: 'user' | 'assistant') =>
        window.store.appendMessages('default', id, [{ role, parts: [{ type: 'text', text: 'x' }] }])
      for (let turn = 0; turn < 3; turn++) await append('user').then(() => append('assistant'))
      const opening = window.windows.open(await window.store.requireSession('default', id))
      await held.promise
      await window.windows.stop(0)
      await opening.catch(() => {})
      expect((await window.store.getWindowState(id))!.stopped).toBeUndefined()
      await window[Symbol.asyncDispose]()
    }
  })
})

it('a policy that never ends is not waited for for ever', async () => {
  await using window = await openWindows(sqliteDatabase, {
    settings: settingsFor('never ends'),
    handlers: { policyHandler: () => new Promise(() => {}) },
  })
  await window.talk(5)
  const { messages } = await window.windows.open(await window.session())
  expect(messages.length).toBeLessThanOrEqual(6)
  const [resize] = await window.store.listResizes(window.id, 1)
  expect(resize!.message).toMatch(/policy handler failed: no answer within/)
})

describe.each(databases)('two processes with one session on %s', (_name, openDatabase) => {
  it('resize it once, and both see a window within its limit', async () => {
    await using database = await sharedDatabase(openDatabase)
    let meet: () => Promise<void>
    const options = {
      settings: { ...settingsFor(''), memo: {} },
      handlers: {
        async memoUpdateHandler({ messages }) {
          await meet()
          return { recent_summary: `through ${messages.at(-1)!.seq}` }
        },
      } satisfies WindowHandlers,
    }
    await using one = await openWindows(database.open, options)
    await using two = await openWindows(database.open, options)
    for (let round = 0; round < 5; round++) {
      meet = createMeeting(2)
      await one.talk(4)
      const session = await one.session()
      const log = await one.log()
      const opened = await Promise.all([one.windows.open(session), two.windows.open(session)])
      for (const { messages, memo, left, startSeq } of opened) {
        expect(messages.length).toBeLessThanOrEqual(6)
        expect(messages[0]!.role).toBe('user')
        expect(left?.toSeq ?? memo!.throughSeq).toBe(startSeq - 1)
      }
      expect(await one.store.listResizes(one.id, 100)).toHaveLength(round + 1)
      expect(await one.log()).toEqual(log)
    }
    const memo = (await one.store.getMemo(one.id))!
    expect(memo.version).toBe(5)
    // each message got into the memo once, whoever asked for it
    const versions = await one.store.listMemoVersions(one.id, { limit: 10 })
    expect(versions.toReversed().map(({ fromSeq, toSeq }) => [fromSeq, toSeq])).toEqual(
      versions.toReversed().map(({ toSeq }, index, all) => [(all[index - 1]?.toSeq ?? 0) + 1, toSeq]),
    )
  })

  it('resize it once without a memo, too', async () => {
    await using database = await sharedDatabase(openDatabase)
    let meet = createMeeting(2)
    const options = {
      settings: { limit: { messages: 6 } },
      handlers: {
        resizeHandlers: {
          async lite({ messages }) {
            await meet()
            return { window: messages.slice(-2) }
          },
        },
      } satisfies WindowHandlers,
    }
    await using one = await openWindows(database.open, options)
    await using two = await openWindows(database.open, options)
    await one.talk(4)
    const session = await one.session()
    const opened = await Promise.all([one.windows.open(session), two.windows.open(session)])
    for (const { messages } of opened) expect(seqsOf(messages)).toEqual([7, 8])
    expect(await one.store.listResizes(one.id, 10)).toHaveLength(1)
    await one.talk(1)
    meet = createMeeting(2)
    const forced = await Promise.allSettled([
      one.windows.resize(session, 'lite'),
      two.windows.resize(session, 'lite'),
    ])
    expect(forced.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await one.store.listResizes(one.id, 10)).toHaveLength(2)
  })

  it('do not overwrite each other when both are forced', async () => {
    await using window = await openWindows(openDatabase, { settings: { mode: 'memo' } })
    await window.talk(4)
    let updates = 0
    const meet = createMeeting(2)
    const create = () =>
      createWindows({
        store: window.store,
        logger: pino({ level: 'silent' }),
        requireModel: () => createScripted(() => says('{}')),
        settings: { mode: 'memo' },
        handlers: {
          async memoUpdateHandler() {
            await meet()
            return { facts: [`update ${++updates}`] }
          },
        },
      })
    const session = await window.session()
    const results = await Promise.allSettled([create().resize(session), create().resize(session)])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const refused = results.find((result) => result.status === 'rejected')!
    expect(refused.reason).toMatchObject({ code: 'conflict' })
    expect(await window.store.getMemo(window.id)).toMatchObject({ version: 1 })
    expect(await window.store.listResizes(window.id, 10)).toHaveLength(1)
  })
})

const everything = async ({ store, id, log }: TestWindows) => ({
  state: await store.getWindowState(id),
  memo: await store.getMemo(id),
  resizes: await store.listResizes(id, 1_000),
  log: await log(),
})
