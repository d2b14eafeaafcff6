import { describe, expect, it } from 'vitest'
import { createAgent } from '../src/agent/agent.ts'
import type { ModelRequest } from '../src/core/models/adapter.ts'
import { ModelFault } from '../src/core/models/fault.ts'
import type { WindowSettings } from '../src/core/protocol/window.ts'
import { createScripted, openChat, says, type Script, type TestChat } from './chat-harness.ts'
import { createGate } from './gates.ts'
import { anyDatabase } from './harness.ts'
import { assistant, isMemoRequest, textsOf, user } from './window-harness.ts'

const never = () => new Promise<never>(() => {})
const lengths = (requests: readonly ModelRequest[]) => requests.map(({ messages }) => messages.length)
const withoutMemos = (requests: readonly ModelRequest[]) =>
  requests.filter((request) => !isMemoRequest(request))

/** Answers at once; a memo waits until it is let through. */
function createHeld() {
  const gate = createGate()
  const script: Script = (request) =>
    isMemoRequest(request) ? [gate.wait(), ...says('{"facts": ["kept"]}')] : says('x'.repeat(90))
  return { gate, model: createScripted(script) }
}

const tell = (chat: TestChat, turns: number) =>
  chat.store.appendMessages(
    'default',
    chat.sessionId,
    Array.from({ length: turns }, (_, turn) => [user(`q${turn}`), assistant(`a${turn}`)]).flat(),
  )

describe.each(anyDatabase)('an answer on %s', (_name, openDatabase) => {
  it.each<[string, WindowSettings['limit'], number]>([
    ['characters', { chars: 700 }, 150],
    ['tokens', { chars: 0, tokens: 190 }, 150],
    ['messages', { chars: 0, messages: 4 }, 10],
  ])('does not wait for the memo when the question crosses the limit of %s', async (_what, limit, length) => {
    const { gate, model } = createHeld()
    await using chat = await openChat(openDatabase, model, { session: { mode: 'memo', limit } })
    // none of them would come if it waited
    for (let turn = 1; turn <= 4; turn++) await chat.ask(`question ${turn} `.padEnd(length, 'word '))
    await gate.reached
    const prompts = withoutMemos(model.requests)
    expect(lengths(prompts)).toEqual([1, 3, 5, 7])
    expect(await chat.store.listResizes(chat.sessionId, 10)).toEqual([])
    gate.open()
    await chat.settled()
    expect(await chat.store.getMemo(chat.sessionId)).toMatchObject({ memo: { facts: ['kept'] } })
    await chat.ask('next')
    const [head, ...rest] = withoutMemos(model.requests).at(-1)!.messages
    expect(JSON.stringify(head)).toContain('kept')
    expect(rest.length).toBeLessThan(7)
    expect(rest[0]!.role).toBe('user')
  })

  it.each(['policyHandler', 'resizeHandlers', 'memoUpdateHandler'])(
    'does not wait for a %s that never comes back',
    async (name) => {
      const model = createScripted(() => says('ok'))
      await using chat = await openChat(openDatabase, model, {
        session: { mode: 'memo', limit: { messages: 6 }, memo: { timeout_ms: 3_600_000 } },
        windowHandlers: { [name]: name === 'resizeHandlers' ? { lite: never } : never },
      })
      for (let turn = 1; turn <= 6; turn++) await chat.ask(`question ${turn}`)
      expect(lengths(model.requests)).toEqual([1, 3, 5, 7, 9, 11])
    },
  )

  it('waits for the memo when the window is far over its limit, and sees it then', async () => {
    const { gate, model } = createHeld()
    await using chat = await openChat(openDatabase, model, {
      session: { mode: 'memo', limit: { messages: 6 } },
    })
    await tell(chat, 20)
    const asked = chat.ask('question')
    await gate.reached
    expect(withoutMemos(model.requests)).toEqual([])
    gate.open()
    await asked
    const [prompt] = withoutMemos(model.requests)
    expect(JSON.stringify(prompt!.messages[0])).toContain('kept')
    expect(prompt!.messages.length).toBeLessThanOrEqual(7)
  })

  it('is given after a resize when the model says that it cannot take so much', async () => {
    const order: string[] = []
    const model = createScripted((request) => {
      if (isMemoRequest(request)) return (order.push('memo'), says('{"facts": ["kept"]}'))
      const isTooMuch = JSON.stringify(request.messages).length > 1_000
      order.push(isTooMuch ? 'too much' : 'answer')
      return isTooMuch ? [new ModelFault('too-large', 'maximum context length')] : says('x'.repeat(90))
    })
    await using chat = await openChat(openDatabase, model, {
      session: { mode: 'memo', limit: { chars: 700 } },
    })
    for (let turn = 1; turn <= 2; turn++) await chat.ask(`question ${turn} `.padEnd(150, '.'))
    const { runId, events } = await chat.ask(`question 3 `.padEnd(400, '.'))
    expect(order).toEqual(['answer', 'answer', 'too much', 'memo', 'answer'])
    expect(await chat.store.getRun('default', runId)).toMatchObject({ status: 'completed' })
    expect(events.filter(({ chunk }) => chunk.type === 'start')).toHaveLength(1)
    // what is told of the call is what was sent at last
    const sent = await chat.chats.inspectStep('default', runId, 1)
    expect(sent.isExact).toBe(true)
    expect(sent.windowStart).toBe((await chat.store.getWindowState(chat.sessionId))!.startSeq)
    expect(sent.messages.map(({ role, content }) => ({ role, content }))).toEqual(
      model.requests.at(-1)!.messages,
    )
  })

  it('fails when the model cannot take so much and there is nothing to cut', async () => {
    const model = createScripted(() => [new ModelFault('too-large', 'maximum context length')])
    await using chat = await openChat(openDatabase, model, { session: { mode: 'memo' } })
    const { runId } = await chat.ask('question')
    expect(await chat.store.getRun('default', runId)).toMatchObject({
      status: 'failed',
      outcome: { code: 'model_too_large' },
    })
    expect(model.requests).toHaveLength(1)
  })
})

describe.each(anyDatabase)('a limit of a few messages on %s', (_name, openDatabase) => {
  it.each<[number, 'lite' | 'memo', number[]]>([
    [4, 'lite', [1, 3, 3, 3, 3]],
    [4, 'memo', [1, 3, 3, 3, 3]],
    [5, 'lite', [1, 3, 5, 3, 5, 3]],
    [8, 'lite', [1, 3, 5, 7, 5, 7, 5]],
    [8, 'memo', [1, 3, 5, 7, 5, 7, 5]],
  ])('of %i in mode %s keeps about the same share of them at a cut', async (messages, mode, expected) => {
    const model = createScripted((request) => says(isMemoRequest(request) ? '{}' : 'ok'))
    await using chat = await openChat(openDatabase, model, { session: { mode, limit: { messages } } })
    for (let turn = 1; turn <= expected.length; turn++) {
      await chat.ask(`question ${turn}`)
      await chat.settled()
    }
    expect(lengths(withoutMemos(model.requests))).toEqual(expected)
  })
})

it('an agent answers before its memo is kept, and counts question and answer', async () => {
  const { gate, model } = createHeld()
  await using agent = createAgent({ model })
  const session = agent.enableSessionMemo({ messages: 4 })
  for (const text of ['one', 'two', 'three', 'four']) await agent.ask(text)
  await gate.reached
  expect(lengths(withoutMemos(model.requests))).toEqual([1, 3, 5, 7])
  gate.open()
  expect(textsOf(await session.messages()).at(0)).not.toBe('one')
  expect(await session.memo()).toEqual({ facts: ['kept'] })
})
