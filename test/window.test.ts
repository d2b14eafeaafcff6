import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import type { ModelRequest } from '../src/core/models/adapter.ts'
import type { WindowSettings } from '../src/core/protocol/window.ts'
import { forkSession } from '../src/core/sessions/fork.ts'
import type { HandlerView, WindowHandlers } from '../src/core/sessions/window/window-handlers.ts'
import { putWindow } from '../src/core/sessions/window/window-and-memo.ts'
import type { Decision } from '../src/core/sessions/window/resize-policy.ts'
import { createWindows } from '../src/core/sessions/window/windows.ts'
import { createScripted, openChat, says } from './chat-harness.ts'
import { anyDatabase } from './harness.ts'
import { createGate } from './gates.ts'
import {
  assistant,
  caller,
  file,
  isMemoRequest,
  openWindows,
  seqsOf,
  sharedDatabase,
  textsOf,
  toolCall,
  user,
} from './window-harness.ts'

const none: WindowSettings = { limit: { chars: 0, messages: 0, tokens: 0 }, resize: { every_n_turns: 0 } }

describe.each(anyDatabase)('the policy of a window on %s', (_name, openDatabase) => {
  it.each<[string, WindowSettings]>([
    ['limit.chars', { limit: { chars: 400 } }],
    ['resize.max_messages_text_length', { resize: { max_messages_text_length: 400 } }],
  ])('asks for a deep resize at %s characters, not before', async (_key, settings) => {
    await using window = await openWindows(openDatabase, { settings })
    await window.append(user('.'.repeat(95)), assistant('.'.repeat(90)), user('.'.repeat(95)))
    await window.append(assistant('.'.repeat(89)))
    expect(await window.windows.judge(await window.session())).toBeUndefined()
    await using full = await openWindows(openDatabase, { settings })
    await full.talk(2, 100)
    expect(await full.windows.judge(await full.session())).toEqual({
      type: 'deep',
      reason: 'max_messages_text_length',
      severity: 100,
    })
  })

  it('asks for a deep resize when the tokens are too many', async () => {
    await using window = await openWindows(openDatabase, {
      settings: { limit: { chars: 0, messages: 0, tokens: 200 } },
    })
    await window.append(user('one two three'), assistant('four five six'))
    expect(await window.windows.judge(await window.session())).toBeUndefined()
    for (let turn = 0; turn < 9; turn++)
      await window.append(user('several words of one question '.repeat(5)), assistant('yes'))
    expect(await window.windows.judge(await window.session())).toEqual({
      type: 'deep',
      reason: 'max_tokens',
      severity: 100,
    })
    const { judged } = await window.windows.open(await window.session())
    expect(judged.size.tokens).toBeLessThanOrEqual(120)
  })

  it.each<[string, WindowSettings]>([
    ['limit.messages', { limit: { messages: 4 } }],
    ['resize.max_keep_messages_count', { resize: { max_keep_messages_count: 4 } }],
  ])('asks for a lite resize over %s, not at it', async (_key, settings) => {
    await using window = await openWindows(openDatabase, { settings })
    await window.talk(2)
    expect(await window.windows.judge(await window.session())).toBeUndefined()
    await window.append(user('one more'))
    expect(await window.windows.judge(await window.session())).toEqual({
      type: 'lite',
      reason: 'max_keep_messages_count',
      severity: 50,
    })
  })

  it('asks for a lite resize after so many turns, counted from the last one', async () => {
    await using window = await openWindows(openDatabase, { settings: { resize: { every_n_turns: 3 } } })
    await window.talk(2)
    expect(await window.windows.judge(await window.session())).toBeUndefined()
    await window.talk(1)
    const due = { type: 'lite', reason: 'every_n_turns', severity: 10 }
    expect(await window.windows.judge(await window.session())).toEqual(due)
    await window.windows.open(await window.session())
    expect(await window.windows.judge(await window.session())).toBeUndefined()
    await window.talk(2)
    expect(await window.windows.judge(await window.session())).toBeUndefined()
    await window.talk(1)
    expect(await window.windows.judge(await window.session())).toEqual(due)
  })

  it('asks for nothing when everything is off, however long the log is', async () => {
    await using window = await openWindows(openDatabase, { settings: none })
    await window.talk(300, 2_000)
    expect(await window.windows.judge(await window.session())).toBeUndefined()
    const opened = await window.windows.open(await window.session())
    expect(opened.messages).toHaveLength(600)
    expect(await window.windows.view(await window.session())).toMatchObject({ startSeq: 1, resizes: [] })
  })

  it('knows no limit of 0 when a resize is forced: lite leaves all, deep leaves the newest turn', async () => {
    await using window = await openWindows(openDatabase, { settings: none })
    await window.talk(5)
    expect(await window.windows.resize(await window.session(), 'lite')).toMatchObject({
      type: 'lite',
      reason: 'force',
      severity: 1_000,
      outcome: 'unchanged',
      startSeq: 1,
    })
    expect(await window.windows.resize(await window.session())).toMatchObject({
      type: 'deep',
      reason: 'force',
      severity: 1_000,
      outcome: 'resized',
      before: { messages: 10, chars: 1_000 },
      after: { messages: 2, chars: 200 },
      startSeq: 9,
    })
    expect(seqsOf((await window.windows.open(await window.session())).messages)).toEqual([9, 10])
  })

  it('takes the settings of the call before those of the session, and these before the configuration', async () => {
    await using window = await openWindows(openDatabase, {
      settings: { limit: { messages: 4 }, resize: { every_n_turns: 2 } },
      window: { limit: { messages: 20 }, resize: { every_n_turns: 0 } },
    })
    await window.talk(6)
    const session = await window.session()
    expect((await window.windows.open(session)).messages).toHaveLength(12)
    expect((await window.windows.open(session, { limit: { messages: 10 } })).messages).toHaveLength(6)
    expect(await window.windows.view(session)).toMatchObject({
      settings: { limit: { messages: 20 } },
      effective: { mode: 'lite', memo: false, maxMessages: 20, maxChars: 400_000, everyNTurns: 0 },
      logMessages: 12,
    })
  })
})

describe.each(anyDatabase)('a resize of a window on %s', (_name, openDatabase) => {
  it('cuts to 60 % of the limit at the beginning of a turn, and says what it did', async () => {
    await using window = await openWindows(openDatabase, { settings: { limit: { chars: 1_000 } } })
    await window.talk(5, 100)
    const before = await window.log()
    const opened = await window.windows.open(await window.session())
    expect(textsOf(opened.messages)).toEqual([
      'question 3',
      'answer 3',
      'question 4',
      'answer 4',
      'question 5',
      'answer 5',
    ])
    expect(await window.windows.view(await window.session())).toMatchObject({
      startSeq: 5,
      messages: 6,
      chars: 600,
      logMessages: 10,
      turnsSinceResize: 0,
      resizes: [
        {
          number: 1,
          type: 'deep',
          reason: 'max_messages_text_length',
          severity: 100,
          outcome: 'resized',
          before: { messages: 10, chars: 1_000 },
          after: { messages: 6, chars: 600 },
          startSeq: 5,
        },
      ],
    })
    expect(await window.log()).toEqual(before)
  })

  it.each([1, 2, 3, 4, 5])(
    'never begins with an answer whose question left, with at most %i messages',
    async (messages) => {
      await using window = await openWindows(openDatabase, { settings: { limit: { messages } } })
      for (let turn = 1; turn <= 8; turn++) {
        await window.append(user(`question ${turn}`))
        const asked = await window.windows.open(await window.session())
        expect(asked.messages[0]!.role).toBe('user')
        expect(asked.messages.length).toBeLessThanOrEqual(messages)
        expect(textsOf(asked.messages).at(-1)).toBe(`question ${turn}`)
        await window.append(assistant(`answer ${turn}`))
        const { messages: next } = await window.windows.peek(await window.session())
        if (messages > 3) expect(next.length).toBeGreaterThan(0)
        // with less room than that, the next input will stand alone
        if (next.length === 0) continue
        expect(next[0]!.role, 'in a preview').toBe('user')
        expect(textsOf(next).at(-1)).toBe(`answer ${turn}`)
      }
    },
  )

  it('keeps the newest turn whole, even when it alone has too many messages', async () => {
    await using window = await openWindows(openDatabase, { settings: { limit: { messages: 3 } } })
    await window.talk(1)
    await window.append(user('work'), ...Array.from({ length: 6 }, (_, step) => assistant(`step ${step}`)))
    const { messages } = await window.windows.open(await window.session())
    expect(seqsOf(messages)).toEqual([3, 4, 5, 6, 7, 8, 9])
  })

  it.each([10, 11])('reads little of a log that is very long, with at most %i messages', async (messages) => {
    await using window = await openWindows(openDatabase)
    await window.append(
      ...Array.from({ length: 3_000 }, (_, turn) => (turn % 2 === 0 ? user('q') : assistant('a'))),
    )
    let most = 0
    const windows = createWindows({
      store: {
        ...window.store,
        async readWindow(...where) {
          const read = await window.store.readWindow(...where)
          most = Math.max(most, read?.messages.length ?? 0)
          return read
        },
      },
      logger: pino({ level: 'silent' }),
      requireModel: () => createScripted(() => says('{}')),
      settings: { limit: { messages } },
    })
    const session = await window.session()
    await windows.peek(session)
    await windows.view(session)
    expect((await windows.open(session)).messages).toHaveLength(6)
    expect(most).toBeLessThan(100)
  })

  it('keeps a call together with its result', async () => {
    await using window = await openWindows(openDatabase, { settings: { limit: { chars: 2_000 } } })
    for (let turn = 1; turn <= 9; turn++)
      await window.append(
        user(`look at ${turn}`),
        assistant('done', toolCall(`call-${turn}`, 'x'.repeat(150))),
      )
    const { messages } = await window.windows.open(await window.session())
    expect(messages.length).toBeLessThan(18)
    expect(messages[0]!.role).toBe('user')
    for (const { role, parts } of messages)
      if (role === 'assistant')
        expect(parts[1]).toMatchObject({ state: 'output-available', output: expect.stringMatching(/x/) })
  })

  it('keeps the newest message whatever the limits', async () => {
    await using window = await openWindows(openDatabase, {
      settings: { limit: { chars: 1, messages: 1, tokens: 1 }, resize: { every_n_turns: 1 } },
    })
    await window.talk(3, 500)
    await window.append(user('the newest'))
    const opened = await window.windows.open(await window.session())
    expect(textsOf(opened.messages)).toEqual(['the newest'])
    expect(textsOf((await window.windows.open(await window.session())).messages)).toEqual(['the newest'])
  })

  it.each([
    ['no type that anybody knows', 'wide', /no resize handler for "wide".*lite, deep/],
    ['a name that every object has', 'constructor', /no resize handler for "constructor"/],
  ])('refuses %s, and changes nothing', async (_what, type, message) => {
    await using window = await openWindows(openDatabase, { settings: { mode: 'memo' } })
    await window.talk(3)
    const before = await window.windows.view(await window.session())
    await expect(window.windows.resize(await window.session(), type)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(message),
    })
    expect(await window.windows.view(await window.session())).toEqual(before)
  })

  it('refuses a session without messages', async () => {
    await using window = await openWindows(openDatabase)
    await expect(window.windows.resize(await window.session())).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'The session has no messages yet.',
    })
    expect((await window.windows.open(await window.session())).messages).toEqual([])
  })

  it('is done once when two are asked for at the same time', async () => {
    await using window = await openWindows(openDatabase, { settings: { limit: { messages: 10 } } })
    await window.talk(10)
    const session = await window.session()
    const opened = await Promise.all([1, 2, 3, 4].map(() => window.windows.open(session)))
    for (const { messages } of opened) expect(messages).toHaveLength(6)
    expect((await window.windows.view(session)).resizes).toHaveLength(1)
  })

  it('goes with the fork: settings, beginning of the window and memo', async () => {
    await using window = await openWindows(openDatabase, {
      window: { mode: 'memo', limit: { messages: 6 } },
      handlers: { memoUpdateHandler: ({ messages }) => ({ facts: textsOf(messages) }) },
    })
    await window.talk(5)
    const opened = await window.windows.open(await window.session())
    expect(opened).toMatchObject({ startSeq: 7, memo: { throughSeq: 6 } })
    const whole = await forkSession(window.store, caller, window.id, {
      messageId: opened.messages.at(-1)!.id,
    })
    const copy = await window.windows.open(whole)
    expect(seqsOf(copy.messages)).toEqual([7, 8, 9, 10])
    expect(await window.store.listResizes(whole.id, 10), 'the fork began where the original did').toEqual([])
    expect(copy.memo).toMatchObject({ throughSeq: 6, memo: opened.memo!.memo })
    expect(copy.left).toBeUndefined()

    // before the beginning of the window: the memo knows more than the fork may
    const [, , , fourth] = await window.log()
    const early = await forkSession(window.store, caller, window.id, { messageId: fourth!.id })
    const part = await window.windows.open(early)
    expect(seqsOf(part.messages)).toEqual([1, 2, 3, 4])
    expect(part.memo).toBeUndefined()
  })
})

describe.each(anyDatabase)('the handlers of a window on %s', (_name, openDatabase) => {
  const overrides = (seen: string[], wrap: <T>(value: T) => T | Promise<T>): WindowHandlers => ({
    policyHandler(view) {
      seen.push(`policy ${view.messages.length}`)
      return wrap(
        view.messages.length > 2
          ? { type: 'tiny', reason: 'because', severity: 7, meta: { a: 1 } }
          : undefined,
      )
    },
    resizeHandlers: {
      tiny(view, decision) {
        seen.push(`resize ${decision.type} ${decision.reason} ${decision.severity}`)
        return wrap({ window: view.messages.slice(-2) })
      },
    },
    attachmentSummaryHandler(part, message) {
      seen.push(`attachment ${String(part.filename)} of ${message.seq}`)
      return wrap({ named: part.filename })
    },
    memoUpdateHandler(update) {
      seen.push(`memo ${update.messages.length} ${JSON.stringify(update.attachments)}`)
      return wrap({ facts: textsOf(update.messages) })
    },
  })

  it.each<[string, <T>(value: T) => T | Promise<T>]>([
    ['sync', (value) => value],
    ['async', async (value) => value],
  ])('replace every part, %s', async (_kind, wrap) => {
    const seen: string[] = []
    await using window = await openWindows(openDatabase, {
      settings: { ...none, mode: 'memo' },
      handlers: overrides(seen, wrap),
    })
    await window.append({ role: 'user', parts: [{ type: 'text', text: 'a' }, file('cat.png')] })
    await window.append(assistant('b'))
    expect(await window.windows.judge(await window.session())).toBeUndefined()
    await window.append(user('c'), assistant('d'))
    expect(await window.windows.judge(await window.session())).toEqual({
      type: 'tiny',
      reason: 'because',
      severity: 7,
      meta: { a: 1 },
    })
    seen.length = 0
    const opened = await window.windows.open(await window.session())
    expect(seen).toEqual([
      'policy 4',
      'resize tiny because 7',
      'attachment cat.png of 1',
      'memo 2 [{"named":"cat.png"}]',
    ])
    expect(textsOf(opened.messages)).toEqual(['c', 'd'])
    expect(opened.memo).toMatchObject({ memo: { facts: ['a', 'b'] }, author: 'handler', throughSeq: 2 })
    expect(await window.windows.view(await window.session())).toMatchObject({
      resizes: [{ type: 'tiny', reason: 'because', severity: 7, outcome: 'resized', memoVersion: 1 }],
    })
  })

  it('go before any setting: a policy that asks for nothing beats every limit', async () => {
    await using window = await openWindows(openDatabase, {
      settings: { limit: { chars: 100, messages: 2 }, resize: { every_n_turns: 1 } },
      handlers: { policyHandler: () => null },
    })
    await window.talk(5)
    expect((await window.windows.open(await window.session())).messages).toHaveLength(10)
  })

  it('go before any setting: a policy that asks for a resize needs no limit', async () => {
    await using window = await openWindows(openDatabase, {
      settings: none,
      handlers: { policyHandler: () => 'deep', resizeHandlers: { deep: keepNewestTurn } },
    })
    await window.talk(5)
    expect(seqsOf((await window.windows.open(await window.session())).messages)).toEqual([9, 10])
  })

  it('of a call go before those of the configuration', async () => {
    await using window = await openWindows(openDatabase, {
      settings: none,
      handlers: { policyHandler: () => undefined, resizeHandlers: { own: () => undefined } },
    })
    await window.talk(4)
    const opened = await window.windows.open(await window.session(), undefined, {
      policyHandler: () => 'own',
      resizeHandlers: { own: keepNewestTurn },
    })
    expect(seqsOf(opened.messages)).toEqual([7, 8])
  })

  it('replace the resizes lite and deep, also when these are forced', async () => {
    const decisions: Decision[] = []
    const handler = (view: HandlerView, decision: Decision) => {
      decisions.push(decision)
      return keepNewestTurn(view)
    }
    await using window = await openWindows(openDatabase, {
      settings: { limit: { messages: 8 } },
      handlers: { resizeHandlers: { lite: handler, deep: handler } },
    })
    await window.talk(5)
    expect(seqsOf((await window.windows.open(await window.session())).messages)).toEqual([9, 10])
    await window.windows.resize(await window.session(), 'deep')
    await window.windows.resize(await window.session(), 'lite')
    expect(decisions.map(({ type, reason }) => [type, reason])).toEqual([
      ['lite', 'max_keep_messages_count'],
      ['deep', 'force'],
      ['lite', 'force'],
    ])
  })

  it('that answer nothing leave the window where a turn begins, with all that it had', async () => {
    await using window = await openWindows(openDatabase, {
      settings: { limit: { messages: 3 } },
      handlers: { resizeHandlers: { lite: () => undefined } },
    })
    await window.talk(4)
    await window.append(user('next'))
    const { messages } = await window.windows.open(await window.session())
    expect(messages[0]!.role).toBe('user')
  })

  it('get copies: whatever they do to them changes nothing', async () => {
    const spoil = (view: HandlerView) => {
      for (const message of view.messages) {
        message.parts.length = 0
        message.role = 'assistant'
      }
      view.messages.length = 0
      view.settings.maxMessages = 99
      Object.assign(view.memo, { spoilt: true })
    }
    await using window = await openWindows(openDatabase, {
      settings: { mode: 'memo', limit: { messages: 6 } },
      handlers: {
        policyHandler(view) {
          spoil(view)
          return 'lite'
        },
        memoUpdateHandler(update) {
          const facts = textsOf(update.messages)
          for (const { parts } of update.messages) parts.length = 0
          Object.assign(update.memo, { spoilt: true })
          return { facts }
        },
      },
    })
    await window.talk(5)
    const log = await window.log()
    const opened = await window.windows.open(await window.session())
    expect(textsOf(opened.messages)).toEqual(['question 4', 'answer 4', 'question 5', 'answer 5'])
    expect(opened.memo!.memo).toEqual({
      facts: [1, 2, 3].flatMap((turn) => [`question ${turn}`, `answer ${turn}`]),
    })
    expect(await window.log()).toEqual(log)
  })
})

const keepNewestTurn = ({ messages }: HandlerView) => ({
  window: messages.slice(messages.findLastIndex(({ role }) => role === 'user')),
})

describe.each(anyDatabase)('the window of whole turns on %s', (_name, openDatabase) => {
  const lengths = (requests: ModelRequest[]) => requests.map(({ messages }) => messages.length)

  it.each<[WindowSettings['preset'], number[]]>([
    ['last-20', [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 11, 13, 15, 17, 19, 11, 13, 15, 17, 19, 11]],
    ['last-10', [1, 3, 5, 7, 9, 5, 7, 9, 5, 7, 9, 5]],
    ['rounds-4-3', [1, 3, 5, 7, 9, 11, 13, 9, 11, 13, 9, 11, 13, 9]],
    ['unlimited', Array.from({ length: 30 }, (_, turn) => turn * 2 + 1)],
  ])('follows the preset %s over many turns', async (preset, expected) => {
    const model = createScripted((_, call) => says(`answer ${call}`))
    await using chat = await openChat(openDatabase, model, { session: { preset } })
    for (let turn = 1; turn <= expected.length; turn++) await chat.ask(`question ${turn}`)
    expect(lengths(model.requests)).toEqual(expected)
    for (const [index, { messages }] of model.requests.entries()) {
      expect(messages[0]!.role).toBe('user')
      expect(messages.at(-1)).toEqual(said(`question ${index + 1}`))
    }
  })

  it('takes the settings of one call for that call', async () => {
    const model = createScripted(() => says('yes'))
    await using chat = await openChat(openDatabase, model)
    for (let turn = 1; turn <= 4; turn++) await chat.ask(`question ${turn}`)
    await chat.ask('cut', { window: { limit: { messages: 4 } } })
    await chat.ask('next')
    await chat.ask('and next')
    expect(lengths(model.requests)).toEqual([1, 3, 5, 7, 3, 3, 5])
  })

  it('shortens an oversized input in the prompt and not in the log, and resizes no more for it', async () => {
    const model = createScripted(() => says('read'))
    await using chat = await openChat(openDatabase, model, {
      session: { mode: 'memo', limit: { chars: 2_000 } },
    })
    for (let turn = 0; turn < 3; turn++) await chat.ask('x'.repeat(300))
    const long = `begin ${'-'.repeat(50_000)} end`
    await chat.ask(long)
    await chat.settled()
    const resizes = async () =>
      (await chat.store.listResizes(chat.sessionId, 100)).filter(({ outcome }) => outcome !== 'failed').length
    const sofar = await resizes()
    expect(sofar).toBe(1)
    for (let turn = 0; turn < 6; turn++) await chat.ask('and now?')
    expect(await resizes()).toBe(sofar)
    const prompts = model.requests.filter((request) => !isMemoRequest(request)).slice(3)
    const texts = prompts.map(({ messages }) => JSON.stringify(messages))
    for (const text of texts) {
      expect(text).toMatch(/begin -+\\n\[… \d+ characters left out/)
      expect(text).toContain('- end')
      expect(text.length).toBeLessThan(3_000)
    }
    // the first of them was sent before the cut that it brought about
    for (let index = 2; index < texts.length; index++)
      expect(texts[index]!.startsWith(texts[index - 1]!.slice(0, -1)), `prompt ${index}`).toBe(true)
    const stored = await chat.store.listMessages('default', chat.sessionId, { after: 6, limit: 1 })
    expect(stored[0]!.parts).toEqual([{ type: 'text', text: long }])
  })

  it('shortens an oversized input to the same text at every turn, whatever else was sent along with it', async () => {
    const model = createScripted(() => says('read'))
    await using chat = await openChat(openDatabase, model, {
      session: { limit: { chars: 2_000 } },
      disk: () => ({ workspace: 'a file and another file. '.repeat(10) }),
    })
    await chat.ask(`begin ${'-'.repeat(5_000)} end`)
    await chat.ask('and now?')
    const [first, second] = model.requests
    expect(JSON.stringify(first!.messages)).toContain('a file and another file.')
    expect(second!.messages[0]).toEqual(first!.messages[0])
  })

  it('shortens an oversized answer and tool result for the turns after it', async () => {
    const model = createScripted((_, call) => says(call === 1 ? 'y'.repeat(30_000) : 'short'))
    await using chat = await openChat(openDatabase, model, { session: { limit: { chars: 2_000 } } })
    for (let turn = 0; turn < 5; turn++) await chat.ask(`question ${turn}`)
    expect(await chat.store.listResizes(chat.sessionId, 10)).toEqual([])
    for (const { messages } of model.requests) expect(JSON.stringify(messages).length).toBeLessThan(3_000)
    const [, answer] = await chat.store.listMessages('default', chat.sessionId, { after: 0, limit: 2 })
    expect(answer!.parts.find(({ type }) => type === 'text')!.text).toHaveLength(30_000)
  })

  it('shortens an input that is recorded with its answer as the next turn will see it', async () => {
    const model = createScripted(() => says('read'))
    await using chat = await openChat(openDatabase, model)
    const window: WindowSettings = { limit: { chars: 2_000 } }
    await chat.ask(`begin ${'-'.repeat(5_000)} end`, { recordsPair: true, window })
    await chat.ask('and now?', { recordsPair: true, window })
    const [first, second] = model.requests
    expect(JSON.stringify(first!.messages).length).toBeLessThan(2_500)
    expect(second!.messages[0]).toEqual(first!.messages[0])
  })

  it('stops after two resizes in a row that do not shrink the prompt, and says why', async () => {
    let updates = 0
    const model = createScripted(() => says('ok'))
    await using chat = await openChat(openDatabase, model, {
      session: { mode: 'memo', limit: { messages: 30 }, resize: { every_n_turns: 3 } },
      windowHandlers: {
        memoUpdateHandler: () => ({ facts: Array.from({ length: ++updates }, () => 'z'.repeat(300)) }),
      },
    })
    for (let turn = 1; turn <= 12; turn++) await chat.ask(`q${turn}`)
    await chat.ask('last')
    expect(updates).toBe(2)
    expect(await chat.store.getWindowState(chat.sessionId)).toMatchObject({
      stopped: 'Two resizes in a row (lite, lite) did not make the prompt shorter.',
    })
    // over its limit it is cut all the same, without asking anybody
    for (let turn = 1; turn <= 12; turn++) await chat.ask(`q${turn}`)
    expect(updates).toBe(2)
    for (const { messages } of model.requests) expect(messages.length).toBeLessThanOrEqual(31)
    const [last] = await chat.store.listResizes(chat.sessionId, 1)
    expect(last).toMatchObject({ outcome: 'resized', message: expect.stringMatching(/stopped: Two resizes/) })
    expect(await chat.store.requireSession('default', chat.sessionId)).toMatchObject({ messageCount: 50 })
  })
})

describe.each(anyDatabase)('a window that stopped being resized on %s', (_name, openDatabase) => {
  async function openStopped() {
    const seen = { updates: 0 }
    const window = await openWindows(openDatabase, {
      settings: { ...none, mode: 'memo', resize: { every_n_turns: 2 } },
      handlers: {
        memoUpdateHandler: () => ({ facts: Array.from({ length: ++seen.updates }, () => 'z'.repeat(400)) }),
      },
    })
    for (let turn = 0; turn < 8; turn++) {
      await window.talk(1, 20)
      await window.windows.open(await window.session())
    }
    const view = await window.windows.view(await window.session())
    expect(view.stopped).toMatch(/Two resizes in a row \(lite, lite\) did not make the prompt shorter/)
    expect(view.resizes).toHaveLength(2)
    expect(seen.updates).toBe(2)
    return { window, seen }
  }

  it('starts again when a resize is forced', async () => {
    const { window, seen } = await openStopped()
    await using _ = window
    await window.windows.resize(await window.session())
    expect(seen.updates).toBe(3)
    expect((await window.windows.view(await window.session())).stopped).toBeUndefined()
    await window.talk(2, 500)
    await window.windows.open(await window.session())
    expect(seen.updates).toBe(4)
  })

  it('starts again with new settings', async () => {
    const { window, seen } = await openStopped()
    await using _ = window
    const view = await putWindow(window.store, window.windows, caller, window.id, {
      resize: { every_n_turns: 1 },
    })
    expect(view.stopped).toBeUndefined()
    await window.windows.open(await window.session())
    expect(seen.updates).toBe(3)
  })

  it('does not start again by itself', async () => {
    const { window, seen } = await openStopped()
    await using _ = window
    for (let turn = 0; turn < 5; turn++) {
      await window.talk(1, 20)
      await window.windows.open(await window.session())
    }
    expect(seen.updates).toBe(2)
    expect((await window.windows.view(await window.session())).resizes).toHaveLength(2)
  })

  it('stops for a policy that asks for a resize at every turn', async () => {
    let asked = 0
    await using window = await openWindows(openDatabase, {
      settings: none,
      handlers: {
        policyHandler() {
          asked++
          return 'lite'
        },
      },
    })
    for (let turn = 0; turn < 6; turn++) {
      await window.talk(1)
      await window.windows.open(await window.session())
    }
    expect(asked).toBe(2)
    const view = await window.windows.view(await window.session())
    expect(view.resizes.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged'])
    expect(view.stopped).toMatch(/Two resizes in a row/)
  })
})

describe.each(anyDatabase)('the window of a process that ends, on %s', (_name, openDatabase) => {
  it('is resized after the next turn of another one, when the first died before it was', async () => {
    await using database = await sharedDatabase(openDatabase)
    const gate = createGate()
    const model = createScripted(() => says('x'.repeat(240)))
    const session: WindowSettings = { mode: 'memo', limit: { chars: 1_000 } }
    // its memo update never comes back: to the database that is the same as having died there
    await using dead = await openChat(database.open, model, {
      session,
      windowHandlers: {
        async memoUpdateHandler() {
          await gate.wait()
          return { facts: ['of the dead'] }
        },
      },
    })
    const place = { scope: 'default', sessionId: dead.sessionId }
    for (let turn = 1; turn <= 4; turn++) await dead.ask(`question ${turn}`)
    await gate.reached
    const before = await dead.store.getWindowState(dead.sessionId)
    expect(before).toMatchObject({ startSeq: 1, memoVersion: 0 })

    await using next = await openChat(database.open, model, {
      session,
      windowHandlers: { memoUpdateHandler: ({ messages }) => ({ facts: [`took ${messages.length}`] }) },
    })
    const ask = async (text: string) => {
      const { run, begin } = await next.chats.admit(next.store, place, next.input(text))
      begin()
      const answer = await next.chats.answerOf(run, AbortSignal.timeout(100_000))
      expect(answer.run.status).toBe('completed')
      return model.requests.at(-1)!.messages
    }
    expect(await ask('go on')).toHaveLength(9)
    await next.settled(dead.sessionId)
    const state = await next.store.getWindowState(dead.sessionId)
    expect(state).toMatchObject({ memoVersion: 1 })
    expect(state!.startSeq).toBeGreaterThan(1)
    const prompt = await ask('and on')
    expect(JSON.stringify(prompt[0])).toContain(`took ${state!.startSeq - 1}`)
    expect(prompt).toHaveLength(1 + 11 - (state!.startSeq - 1))

    // the one that was thought dead comes back too late to change anything
    gate.open()
    await dead.chats.close(5_000)
    expect(await next.store.getWindowState(dead.sessionId)).toMatchObject({
      startSeq: state!.startSeq,
      memoVersion: 1,
    })
    expect((await next.store.getMemo(dead.sessionId))!.memo).toEqual({
      facts: [`took ${state!.startSeq - 1}`],
    })
  })

  it('loses nothing when it is closed in the midst of a memo update', async () => {
    await using database = await sharedDatabase(openDatabase)
    const model = createScripted(() => says('x'.repeat(240)))
    const session: WindowSettings = { mode: 'memo', limit: { chars: 1_000 } }
    const gate = createGate()
    const first = await openChat(database.open, model, {
      session,
      windowHandlers: {
        memoUpdateHandler: ({ signal }) =>
          new Promise((_, reject) => {
            void gate.wait()
            signal.addEventListener('abort', () => reject(signal.reason))
          }),
      },
    })
    const place = { scope: 'default', sessionId: first.sessionId }
    for (let turn = 1; turn <= 4; turn++) await first.ask(`question ${turn}`)
    await gate.reached
    const log = await first.store.listMessages('default', first.sessionId, { after: 0, limit: 100 })
    expect(log).toHaveLength(8)
    await first.chats.close(0)
    await first.store.close()

    await using next = await openChat(database.open, model, {
      session,
      windowHandlers: { memoUpdateHandler: ({ messages }) => ({ facts: seqsOf(messages).map(String) }) },
    })
    for (let turn = 5; turn <= 9; turn++) {
      const { run, begin } = await next.chats.admit(next.store, place, next.input(`question ${turn}`))
      begin()
      const answer = await next.chats.answerOf(run, AbortSignal.timeout(100_000))
      expect(answer.run.status).toBe('completed')
    }
    await next.chats.close(5_000)
    const memo = (await next.store.getMemo(first.sessionId))!
    const { startSeq, stopped } = (await next.store.getWindowState(first.sessionId))!
    expect(stopped).toBeUndefined()
    expect(memo.throughSeq).toBe(startSeq - 1)
    const now = await next.store.listMessages('default', first.sessionId, { after: 0, limit: 8 })
    expect(now).toEqual(log)
  })
})

const said = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] })
