import { describe, expect, it } from 'vitest'
import type { WindowSettings } from '../src/core/protocol/window.ts'
import { exportSession } from '../src/core/sessions/export.ts'
import { importSession } from '../src/core/sessions/import.ts'
import type { MemoUpdate } from '../src/core/sessions/window/window-handlers.ts'
import {
  getMemo,
  listMemoVersions,
  putMemo,
  putWindow,
  undoMemo,
} from '../src/core/sessions/window/window-and-memo.ts'
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
  textsOf,
  toolCall,
  user,
  type TestWindows,
} from './window-harness.ts'

const memoOf6: WindowSettings = { mode: 'memo', limit: { messages: 6 } }
/** Remembers which messages it was given; its memo stays small however many they are. */
function recordUpdates(seen: number[][]) {
  return ({ memo, messages }: MemoUpdate) => {
    seen.push(seqsOf(messages))
    return { ...memo, recent_summary: `through ${messages.at(-1)!.seq}` }
  }
}

const everything = async ({ store, id, log }: TestWindows) => ({
  state: await store.getWindowState(id),
  memo: await store.getMemo(id),
  resizes: await store.listResizes(id, 1_000),
  log: await log(),
})

describe.each(anyDatabase)('the memo of a window on %s', (_name, openDatabase) => {
  it('takes in both messages when a lite resize is forced', async () => {
    const seen: number[][] = []
    await using window = await openWindows(openDatabase, {
      settings: { mode: 'memo' },
      handlers: { memoUpdateHandler: recordUpdates(seen) },
    })
    await window.append(user('I like tea'), assistant('Noted'))
    const resize = await window.windows.resize(await window.session(), 'lite')
    expect(seen).toEqual([[1, 2]])
    expect(resize).toMatchObject({ type: 'lite', outcome: 'resized', memoVersion: 1, startSeq: 1 })
    const opened = await window.windows.open(await window.session())
    expect(opened.memo).toMatchObject({ version: 1, throughSeq: 2, memo: { recent_summary: 'through 2' } })
    expect(textsOf(opened.messages)).toEqual(['I like tea', 'Noted'])
  })

  it('takes in each message once, whatever the type of the resize', async () => {
    const seen: number[][] = []
    await using window = await openWindows(openDatabase, {
      settings: { mode: 'memo', limit: { chars: 1_000, messages: 12 }, resize: { every_n_turns: 7 } },
      handlers: { memoUpdateHandler: recordUpdates(seen) },
    })
    for (let turn = 0; turn < 60; turn++) {
      await window.talk(1, turn % 20 < 10 ? 150 : 20)
      await window.windows.open(await window.session())
    }
    const types = (await window.store.listResizes(window.id, 100)).map(({ type }) => type)
    expect(new Set(types)).toEqual(new Set(['deep', 'lite']))
    const state = (await window.store.getWindowState(window.id))!
    expect(seen.flat()).toEqual(Array.from({ length: state.startSeq - 1 }, (_, index) => index + 1))
    expect(seen.length).toBeLessThanOrEqual(types.length)
  })

  it('is asked of the model with what leaves, and stored with who made it from what', async () => {
    const model = createScripted(() => says('```json\n{"memo": {"facts": ["the user has ', 'a cat"]}}\n```'))
    await using window = await openWindows(openDatabase, { settings: memoOf6, model })
    await window.append(user('I have a cat'), assistant('Nice', toolCall('call-1', { colour: 'black' })))
    await window.talk(3)
    const opened = await window.windows.open(await window.session())
    expect(model.requests).toHaveLength(1)
    const [{ system, messages, tools }] = model.requests as [(typeof model.requests)[0]]
    expect(system).toMatch(/memo of a conversation/)
    expect(system).toContain('"recent_summary"')
    expect(tools).toEqual([])
    const [{ content }] = messages as unknown as [{ content: { text: string }[] }]
    const given = JSON.parse(content[0]!.text)
    expect(given.current_memo).toEqual({})
    expect(given.messages[0]).toBe('[1] user: I have a cat')
    expect(given.messages[1]).toMatch(/^\[2\] assistant: Nice\n\(called look with .*"black"/s)
    expect(given.messages).toHaveLength(opened.startSeq - 1)
    expect(opened.memo).toMatchObject({
      version: 1,
      memo: { facts: ['the user has a cat'] },
      author: 'model',
      model: 'scripted/test',
      fromSeq: 1,
      toSeq: opened.startSeq - 1,
      throughSeq: opened.startSeq - 1,
      sizeBefore: 0,
      sizeAfter: JSON.stringify({ facts: ['the user has a cat'] }).length,
    })
    const view = await window.windows.view(await window.session())
    expect(view.resizes[0]).toMatchObject({ memoVersion: 1, usage: { inputTokens: 10, outputTokens: 5 } })
  })

  it('gets to know of attachments what they are, not what is in them', async () => {
    const updates: MemoUpdate[] = []
    await using window = await openWindows(openDatabase, {
      settings: { mode: 'memo' },
      handlers: {
        memoUpdateHandler(update) {
          updates.push(update)
          return {}
        },
      },
    })
    const data = `data:image/png;base64,${'A'.repeat(5_000)}`
    await window.append(
      { role: 'user', parts: [{ type: 'text', text: 'see' }, file('cat.png', data)] },
      { role: 'user', parts: [{ type: 'file', mediaType: 'text/plain', url: 'https://example.org/a.txt' }] },
      assistant('seen'),
    )
    await window.windows.resize(await window.session(), 'lite')
    expect(updates[0]!.attachments).toEqual([
      {
        type: 'file',
        message: 1,
        ref: 'cat.png',
        meta: { mime_type: 'image/png', size: data.length },
      },
      { type: 'file', message: 2, ref: 'https://example.org/a.txt', meta: { mime_type: 'text/plain' } },
    ])
  })

  it('stays out of the way in lite mode, and memo.enabled decides against the mode in both directions', async () => {
    let updates = 0
    const handlers = { memoUpdateHandler: () => ({ facts: [String(++updates)] }) }
    for (const window of [
      { limit: { messages: 6 } },
      { mode: 'memo', memo: { enabled: false }, limit: { messages: 6 } },
    ] satisfies WindowSettings[]) {
      await using lite = await openWindows(openDatabase, { window, handlers })
      await lite.talk(5)
      const opened = await lite.windows.open(await lite.session())
      expect(opened.memo).toBeUndefined()
      expect(opened.left).toBeUndefined()
    }
    expect(updates).toBe(0)
    await using memo = await openWindows(openDatabase, {
      window: { mode: 'lite', memo: { enabled: true }, limit: { messages: 6 } },
      handlers,
    })
    await memo.talk(5)
    expect((await memo.windows.open(await memo.session())).memo).toMatchObject({ memo: { facts: ['1'] } })
  })

  it('takes in everything so far when a session goes from lite to memo', async () => {
    const seen: number[][] = []
    await using window = await openWindows(openDatabase, {
      settings: { limit: { messages: 6 } },
      handlers: { memoUpdateHandler: recordUpdates(seen) },
    })
    for (let turn = 0; turn < 20; turn++) {
      await window.talk(1)
      await window.windows.open(await window.session())
    }
    expect(seen).toEqual([])
    const before = (await window.store.getWindowState(window.id))!
    expect(before.startSeq).toBeGreaterThan(30)
    await putWindow(window.store, window.windows, caller, window.id, { mode: 'memo' })
    const waiting = await window.windows.open(await window.session())
    expect(waiting.left).toMatchObject({ fromSeq: 1, toSeq: waiting.startSeq - 1 })
    await window.talk(3)
    const opened = await window.windows.open(await window.session())
    expect(seen.flat()).toEqual(Array.from({ length: opened.startSeq - 1 }, (_, index) => index + 1))
    expect(opened.left).toBeUndefined()
  })

  it('takes a very long log in over several resizes, and says what still waits', async () => {
    const seen: number[][] = []
    await using window = await openWindows(openDatabase, {
      settings: { mode: 'memo', limit: { messages: 20 } },
      handlers: {
        memoUpdateHandler(update) {
          const usage = seen.length
          seen.push(seqsOf(update.messages))
          return { recent_summary: `update ${usage}` }
        },
      },
    })
    // one call takes in 200,000 characters at most, one resize eight calls
    await window.talk(100, 10_000)
    const first = await window.windows.open(await window.session(), { limit: { chars: 0 } })
    expect(seen.length).toBeLessThanOrEqual(8)
    const [resize] = await window.store.listResizes(window.id, 1)
    const took = seen.flat()
    expect(took).toEqual(Array.from({ length: took.length }, (_, index) => index + 1))
    expect(first.memo).toMatchObject({ throughSeq: took.length })
    expect(first.startSeq - 1 - took.length).toBeGreaterThan(0)
    expect(resize!.message).toBe(`${first.startSeq - 1 - took.length} messages wait for the next memo update`)
    expect(first.left).toMatchObject({ fromSeq: took.length + 1, toSeq: first.startSeq - 1 })
    expect((await getMemo(window.store, window.windows, caller, window.id)).waiting).toBe(
      first.startSeq - 1 - took.length,
    )
    await window.windows.resize(await window.session(), 'lite')
    await window.windows.resize(await window.session(), 'lite')
    expect(seen.flat()).toEqual(Array.from({ length: 200 }, (_, index) => index + 1))
    expect((await window.windows.open(await window.session())).left).toBeUndefined()
  })

  it('adds the tokens of all its calls up', async () => {
    const model = createScripted(() => says('{"facts": []}'))
    await using window = await openWindows(openDatabase, {
      settings: { mode: 'memo', limit: { chars: 30_000 } },
      model,
    })
    await window.talk(6, 9_000)
    const resize = await window.windows.resize(await window.session())
    expect(model.requests.length).toBeGreaterThan(1)
    expect(resize.usage).toEqual({
      inputTokens: 10 * model.requests.length,
      outputTokens: 5 * model.requests.length,
    })
  })

  it('keeps its place in the log over export and import', async () => {
    const seen: number[][] = []
    await using window = await openWindows(openDatabase, {
      settings: memoOf6,
      handlers: { memoUpdateHandler: recordUpdates(seen) },
    })
    await window.talk(5)
    await window.windows.open(await window.session())
    await putMemo(window.store, window.windows, caller, window.id, { pinned: ['constraints'] })
    const taken = seen.flat().length
    const document = await exportSession(window.store, window.windows, caller, window.id)
    expect(document.session.memo).toEqual({
      memo: { recent_summary: `through ${taken}` },
      pinned: ['constraints'],
      throughSeq: taken,
    })
    await window.store.deleteSession('default', window.id)
    const copy = await importSession(window.store, window.windows, caller, document)
    expect(await exportSession(window.store, window.windows, caller, copy.id)).toEqual(document)
    seen.length = 0
    await window.windows.open(copy)
    const state = (await window.store.getWindowState(copy.id))!
    expect(seen.flat()).toEqual(
      Array.from({ length: state.startSeq - 1 - taken }, (_, index) => taken + 1 + index),
    )
    expect((await window.store.getMemo(copy.id))!.throughSeq).toBeGreaterThanOrEqual(taken)
  })

  it.each<[string, (memo: { memo: object; throughSeq: number }) => object, RegExp]>([
    [
      'took in more than there is',
      (memo) => ({ ...memo, throughSeq: 11 }),
      /taken in 11 messages; the document has 10/,
    ],
    [
      'does not keep to its schema',
      (memo) => ({ ...memo, memo: { mood: 'happy' } }),
      /does not keep to its schema/,
    ],
  ])('of a document that %s is refused, and nothing is stored', async (_what, change, message) => {
    await using window = await openWindows(openDatabase, {
      window: {
        ...memoOf6,
        memo: {
          schema: {
            type: 'object',
            properties: { mood: { type: 'array' }, recent_summary: { type: 'string' } },
          },
        },
      },
      handlers: { memoUpdateHandler: recordUpdates([]) },
    })
    await window.talk(5)
    await window.windows.open(await window.session())
    const document = await exportSession(window.store, window.windows, caller, window.id)
    await window.store.deleteSession('default', window.id)
    const broken = {
      ...document,
      session: { ...document.session, memo: change(document.session.memo!) as typeof document.session.memo },
    }
    await expect(importSession(window.store, window.windows, caller, broken)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(message),
    })
    expect(await window.store.getSession('default', window.id)).toBeUndefined()
    await importSession(window.store, window.windows, caller, document)
  })
})

describe.each(anyDatabase)('a memo that cannot be updated on %s', (_name, openDatabase) => {
  it('stays as it was; what left is named in the prompt, and taken in by the next resize', async () => {
    const seen: number[][] = []
    let isBroken = false
    const update = recordUpdates(seen)
    const model = createScripted(() => says('ok'))
    await using chat = await openChat(openDatabase, model, {
      session: memoOf6,
      windowHandlers: {
        memoUpdateHandler(given) {
          if (isBroken) throw new Error('no luck today')
          return update(given)
        },
      },
    })
    const ask = async (turn: number) => {
      await chat.ask(`question ${turn}`)
      await chat.settled()
    }
    for (let turn = 1; turn <= 4; turn++) await ask(turn)
    const memo = await chat.store.getMemo(chat.sessionId)
    expect(memo).toMatchObject({ version: 1, throughSeq: 4 })
    isBroken = true
    for (let turn = 5; turn <= 6; turn++) await ask(turn)
    expect(await chat.store.getMemo(chat.sessionId)).toEqual(memo)
    const state = (await chat.store.getWindowState(chat.sessionId))!
    expect(state.startSeq).toBe(9)
    expect(await chat.store.listResizes(chat.sessionId, 1)).toMatchObject([
      {
        outcome: 'resized',
        message: 'the memo was not updated: The memo update handler failed: no luck today',
        startSeq: 9,
      },
    ])
    const [head, ...rest] = model.requests.at(-1)!.messages
    const text = JSON.stringify(head)
    expect(text).toContain('through 4')
    expect(text).toContain('<left_window>')
    expect(text).toMatch(/Messages 5 to 8 .*- question 3\\n- question 4/)
    expect(text).not.toContain('question 2')
    expect(rest).toHaveLength(3)
    isBroken = false
    for (let turn = 7; turn <= 8; turn++) await ask(turn)
    const after = (await chat.store.getWindowState(chat.sessionId))!
    expect(seen.flat()).toEqual(Array.from({ length: after.startSeq - 1 }, (_, index) => index + 1))
    const last = JSON.stringify(model.requests.at(-1)!.messages)
    expect(last).not.toContain('left_window')
    expect(last).toContain(`through ${after.startSeq - 1}`)
    const log = await chat.store.listMessages('default', chat.sessionId, { after: 0, limit: 100 })
    expect(textsOf(log)).toEqual(
      Array.from({ length: 8 }, (_, turn) => [`question ${turn + 1}`, 'ok']).flat(),
    )
  })

  it.each<[string, string[], RegExp]>([
    ['is no JSON', ['I cannot do that'], /memo|JSON/],
    ['is a list', ['["a"]'], /must answer an object/],
    ['has a key that the schema does not', ['{"mood": "happy"}'], /does not keep to its schema.*mood/],
    ['has a wrong type', ['{"facts": "one"}'], /does not keep to its schema.*facts/],
    ['is too long', [`{"recent_summary": "${'x'.repeat(600)}"}`], /characters; 500 are allowed/],
    ['never ends', Array.from({ length: 1_000 }, () => 'x'.repeat(50)), /wrote more than 2000 characters/],
  ])('because the answer %s: nothing changes when it was forced', async (_what, texts, message) => {
    let isBroken = false
    const model = createScripted(() => says(...(isBroken ? texts : ['{"facts": ["a"]}'])))
    await using window = await openWindows(openDatabase, {
      settings: { mode: 'memo', memo: { max_length: 500 } },
      model,
    })
    await window.talk(2)
    await window.windows.resize(await window.session(), 'lite')
    await window.talk(2)
    const before = await everything(window)
    expect(before.memo).toMatchObject({ version: 1, throughSeq: 4 })
    isBroken = true
    for (const type of ['lite', 'deep'])
      await expect(window.windows.resize(await window.session(), type)).rejects.toMatchObject({
        code: 'turn_failed',
        message: expect.stringMatching(message),
      })
    expect(await everything(window)).toEqual(before)
  })

  it('stays, window included, when the resize could wait; two in a row stop it with the reason', async () => {
    let updates = 0
    await using window = await openWindows(openDatabase, {
      settings: { mode: 'memo', resize: { every_n_turns: 3 } },
      handlers: {
        async memoUpdateHandler() {
          updates++
          throw new Error('no luck today')
        },
      },
    })
    for (let turn = 0; turn < 12; turn++) {
      await window.talk(1)
      await window.windows.open(await window.session())
    }
    expect(updates).toBe(2)
    const view = await window.windows.view(await window.session())
    expect(view).toMatchObject({ startSeq: 1, messages: 24, stopped: expect.stringMatching(/no luck today/) })
    expect(view.resizes.map(({ outcome, message }) => [outcome, message])).toEqual([
      ['failed', 'the memo was not updated: The memo update handler failed: no luck today'],
      ['failed', 'the memo was not updated: The memo update handler failed: no luck today'],
    ])
    expect(await window.store.getMemo(window.id)).toBeUndefined()
  })

  it('does not let the window of a preset of rounds grow without end', async () => {
    await using window = await openWindows(openDatabase, {
      settings: { mode: 'memo', preset: 'rounds-4-3' },
      handlers: { memoUpdateHandler: () => Promise.reject(new Error('no luck today')) },
    })
    for (let turn = 0; turn < 30; turn++) {
      await window.talk(1)
      const { messages, left } = await window.windows.open(await window.session())
      expect(messages.length, `turn ${turn}`).toBeLessThanOrEqual(14)
      expect(left?.toSeq ?? 0).toBe(messages[0]!.seq - 1)
    }
  })

  it('keeps what it took in before it failed', async () => {
    const seen: number[][] = []
    const update = recordUpdates(seen)
    await using window = await openWindows(openDatabase, {
      settings: { mode: 'memo', limit: { chars: 30_000 } },
      handlers: {
        memoUpdateHandler(given) {
          if (seen.length === 1) throw new Error('no luck today')
          return update(given)
        },
      },
    })
    await window.talk(5, 9_000)
    const opened = await window.windows.open(await window.session())
    const taken = seen.flat().length
    expect(taken).toBeGreaterThan(0)
    expect(opened.memo).toMatchObject({ throughSeq: taken, toSeq: taken })
    expect(opened.left).toMatchObject({ fromSeq: taken + 1, toSeq: opened.startSeq - 1 })
  })
})

describe.each(anyDatabase)('a memo in use on %s', (_name, openDatabase) => {
  it('is a fragment of its own before the window, visible in the preview and with the run', async () => {
    const model = createScripted((request) =>
      says(isMemoRequest(request) ? '{"facts": ["the user has a cat"]}' : 'ok'),
    )
    await using chat = await openChat(openDatabase, model, { session: memoOf6 })
    const place = { scope: 'default', sessionId: chat.sessionId }
    for (let turn = 1; turn <= 2; turn++) await chat.ask(`question ${turn}`)
    const before = await chat.chats.previewPrompt(place)
    expect(before.fragments.map(({ name }) => name)).not.toContain('memo')
    await chat.ask('question 3')
    await chat.settled()
    const { runId } = await chat.ask('question 4')
    const preview = await chat.chats.previewPrompt(place)
    const fragment = preview.fragments.find(({ name }) => name === 'memo')
    expect(fragment).toMatchObject({
      placement: 'head',
      text: expect.stringMatching(/^<memo>\n.*\nfacts:\n {2}- the user has a cat\n.*<\/memo>$/s),
    })
    const [head] = preview.messages
    expect(head).toMatchObject({ role: 'user', content: [{ type: 'text', text: fragment!.text }] })
    expect(preview.fragments.map(({ name }) => name)).not.toContain('left_window')
    const { steps } = await chat.chats.inspectRun('default', runId)
    expect(steps[0]!.fragments).toContainEqual({
      name: 'memo',
      placement: 'head',
      hash: fragment!.hash,
      tokens: fragment!.tokens,
    })
    const prompts = model.requests.filter((request) => !isMemoRequest(request))
    expect(prompts.at(-1)!.messages[0]).toEqual({ role: head!.role, content: head!.content })
    expect(prompts[0]!.system).toBe(prompts.at(-1)!.system)
    // what the engine notes down for itself is none of the model's business
    expect(JSON.stringify(model.requests)).not.toContain('last_resize')
  })

  it('keeps pinned keys through every kind of update', async () => {
    let answer: object = {}
    await using window = await openWindows(openDatabase, {
      settings: memoOf6,
      model: createScripted(() => says(JSON.stringify(answer))),
    })
    await window.talk(1)
    await putMemo(window.store, window.windows, caller, window.id, {
      memo: { facts: ['mine'], preferences: ['tea'] },
      pinned: ['facts', 'tasks'],
    })
    const resize = async (handlers?: Parameters<typeof window.windows.resize>[2]) => {
      await window.talk(1)
      await window.windows.resize(await window.session(), 'lite', handlers)
      const { memo, pinned } = (await window.store.getMemo(window.id))!
      expect(memo.facts).toEqual(['mine'])
      expect(memo).not.toHaveProperty('tasks')
      expect(pinned).toEqual(['facts', 'tasks'])
      return memo
    }
    answer = { facts: ['theirs'], preferences: ['coffee'], tasks: ['new'] }
    expect(await resize()).toEqual({ facts: ['mine'], preferences: ['coffee'] })
    answer = {}
    expect(await resize()).toEqual({ facts: ['mine'] })
    expect(await resize({ memoUpdateHandler: () => ({ facts: [], decisions: ['x'] }) })).toEqual({
      facts: ['mine'],
      decisions: ['x'],
    })
    expect(
      await resize({ resizeHandlers: { lite: () => ({ memo: { facts: ['other'], tasks: ['y'] } }) } }),
    ).toEqual({ facts: ['mine'] })
  })

  it('goes back to an earlier version with its place in the log, which is taken in again', async () => {
    const seen: number[][] = []
    await using window = await openWindows(openDatabase, {
      settings: memoOf6,
      handlers: { memoUpdateHandler: recordUpdates(seen) },
    })
    const { store, windows, id } = window
    await expect(undoMemo(store, windows, caller, id, {})).rejects.toMatchObject({ code: 'invalid_request' })
    await window.talk(4)
    await windows.open(await window.session())
    await window.talk(3)
    await windows.open(await window.session())
    const versions = await listMemoVersions(store, { pageSize: 50 }, caller, id, {})
    const [second, first] = versions.items
    expect(versions.items).toHaveLength(2)
    expect(second!.throughSeq).toBeGreaterThan(first!.throughSeq)
    const undone = await undoMemo(store, windows, caller, id, {})
    expect(undone).toMatchObject({
      version: 3,
      author: 'undo',
      memo: first!.memo,
      throughSeq: first!.throughSeq,
      waiting: second!.throughSeq - first!.throughSeq,
      diff: [
        {
          key: 'recent_summary',
          before: second!.memo.recent_summary,
          after: first!.memo.recent_summary,
        },
      ],
    })
    const opened = await windows.open(await window.session())
    expect(opened.left).toMatchObject({ fromSeq: first!.throughSeq + 1, toSeq: second!.throughSeq })
    seen.length = 0
    await windows.resize(await window.session(), 'lite')
    expect(seen.flat()[0]).toBe(first!.throughSeq + 1)
    expect(seen.flat().at(-1)).toBe(14)

    await undoMemo(store, windows, caller, id, { version: 0 })
    expect(await store.getMemo(id)).toMatchObject({ memo: {}, throughSeq: 0 })
    await expect(undoMemo(store, windows, caller, id, { version: 99 })).rejects.toMatchObject({
      code: 'not_found',
    })
    seen.length = 0
    await windows.resize(await window.session(), 'lite')
    expect(seen.flat()).toEqual(Array.from({ length: 14 }, (_, index) => index + 1))
  })

  it('keeps an edit that was made while it was being updated, and the window keeps to its limit', async () => {
    const gate = createGate()
    let isHeld = true
    const seen: number[][] = []
    const update = recordUpdates(seen)
    await using window = await openWindows(openDatabase, {
      settings: memoOf6,
      handlers: {
        async memoUpdateHandler(given) {
          if (isHeld) await gate.wait()
          return update(given)
        },
      },
    })
    await window.talk(5)
    const opening = window.windows.open(await window.session())
    await gate.reached
    await putMemo(window.store, window.windows, caller, window.id, { memo: { facts: ['edited'] } })
    isHeld = false
    gate.open()
    const opened = await opening
    expect(opened.messages.length).toBeLessThanOrEqual(6)
    expect(opened.memo?.memo).toMatchObject({ facts: ['edited'] })
    await window.talk(3)
    const next = await window.windows.open(await window.session())
    expect(next.messages.length).toBeLessThanOrEqual(6)
    expect(next.memo).toMatchObject({
      memo: { facts: ['edited'], recent_summary: `through ${next.startSeq - 1}` },
      throughSeq: next.startSeq - 1,
    })
    expect(next.left).toBeUndefined()
  })

  it('refuses an edit of a version that is not the newest any more', async () => {
    await using window = await openWindows(openDatabase, { settings: memoOf6 })
    const { store, windows, id } = window
    await putMemo(store, windows, caller, id, { memo: { facts: ['a'] }, baseVersion: 0 })
    await expect(
      putMemo(store, windows, caller, id, { memo: { facts: ['b'] }, baseVersion: 0 }),
    ).rejects.toMatchObject({ code: 'conflict' })
    await expect(putMemo(store, windows, caller, id, { memo: { mood: 'x' } })).rejects.toMatchObject({
      code: 'invalid_request',
    })
    expect(await getMemo(store, windows, caller, id)).toMatchObject({ version: 1, memo: { facts: ['a'] } })
  })

  it('does not count messages as taken in that came while it was being updated', async () => {
    const gate = createGate()
    const seen: number[][] = []
    const update = recordUpdates(seen)
    await using window = await openWindows(openDatabase, {
      settings: memoOf6,
      handlers: {
        async memoUpdateHandler(given) {
          if (seen.length === 0) await gate.wait()
          return update(given)
        },
      },
    })
    await window.talk(3)
    const forced = window.windows.resize(await window.session())
    await gate.reached
    await window.talk(4)
    gate.open()
    const resize = await forced
    expect(seen).toEqual([[1, 2, 3, 4, 5, 6]])
    expect(resize).toMatchObject({ startSeq: 5, outcome: 'resized' })
    expect(await window.store.getMemo(window.id)).toMatchObject({ throughSeq: 6 })
    const opened = await window.windows.open(await window.session())
    expect(opened.messages.at(-1)!.seq).toBe(14)
    expect(seen.flat()).toEqual(Array.from({ length: opened.startSeq - 1 }, (_, index) => index + 1))
    expect(await window.log()).toHaveLength(14)
  })

  it('is not waited for when the next input comes during an update', async () => {
    const gate = createGate()
    const model = createScripted(() => says('ok'))
    let updates = 0
    await using chat = await openChat(openDatabase, model, {
      session: { mode: 'memo', resize: { every_n_turns: 3 } },
      windowHandlers: {
        async memoUpdateHandler() {
          if (++updates === 1) await gate.wait()
          return { facts: [`update ${updates}`] }
        },
      },
    })
    for (let turn = 1; turn <= 3; turn++) await chat.ask(`question ${turn}`)
    await gate.reached
    await chat.ask('question 4')
    expect(model.requests.at(-1)!.messages).toHaveLength(7)
    gate.open()
    await chat.settled()
    await chat.ask('question 5')
    expect(updates).toBe(1)
    const prompt = JSON.stringify(model.requests.at(-1)!.messages)
    expect(prompt).toContain('update 1')
    expect(prompt).not.toContain('question 2')
    expect(prompt).toContain('question 3')
  })
})
