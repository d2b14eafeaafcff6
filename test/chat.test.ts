import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ModelFault } from '../src/core/models/fault.ts'
import { messageText } from '../src/core/protocol/message-text.ts'
import { defineTool } from '../src/core/tools/tool.ts'
import { calls, createScripted, openChat, says } from './chat-harness.ts'
import { anyDatabase } from './harness.ts'

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers',
  input: z.strictObject({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => ({ sum: a + b }),
})

describe.each(anyDatabase)('a turn on %s', (_name, openDatabase) => {
  it('stores the input before and the answer after the model, and tells of both in the stream of the AI SDK', async () => {
    const model = createScripted(() => says('Hel', 'lo'))
    await using chat = await openChat(openDatabase, model)
    const { events, runId } = await chat.ask('Hi')
    expect(events.map(({ chunk }) => chunk.type)).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ])
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    const messages = await chat.store.listMessages('default', chat.sessionId, { limit: 10 })
    expect(messages.map((message) => [message.role, messageText(message)])).toEqual([
      ['user', 'Hi'],
      ['assistant', 'Hello'],
    ])
    expect(messages[1]!.metadata).toMatchObject({ runId, usage: { inputTokens: 10, outputTokens: 5 } })
    expect(await chat.store.getRun('default', runId)).toMatchObject({
      status: 'completed',
      outcome: { code: 'stop' },
    })
    expect(await chat.store.getSession('default', chat.sessionId)).toMatchObject({ chatStatus: 'idle' })
  })

  it('runs tools and asks the model again; the input reaches the model exactly once', async () => {
    const model = createScripted((_, call) =>
      call === 1 ? calls(['add', { a: 2, b: 3 }]) : says('It is 5.'),
    )
    await using chat = await openChat(openDatabase, model, { tools: [add] })
    const { events } = await chat.ask('2 + 3?')
    expect(events.map(({ chunk }) => chunk.type)).toContain('tool-output-available')
    const [first, second] = model.requests
    expect(first!.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: '2 + 3?' }] }])
    expect(second!.messages.slice(0, 1)).toEqual(first!.messages)
    expect(second!.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'call-add-0', toolName: 'add', input: { a: 2, b: 3 } }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'call-add-0',
            toolName: 'add',
            output: '{"sum":5}',
            isError: false,
          },
        ],
      },
    ])
    expect(JSON.stringify(second!.messages).split('2 + 3?')).toHaveLength(2)
  })

  it('tells the model of wrong tool calls, and never runs them', async () => {
    const model = createScripted((_, call) =>
      call === 1 ? calls(['add', '{"a": 1'], ['add', { a: 'x', b: 2 }], ['nothing', {}]) : says('Sorry.'),
    )
    await using chat = await openChat(openDatabase, model, { tools: [add] })
    await chat.ask('go')
    const results = model.requests[1]!.messages.at(-1)
    expect(results).toMatchObject({
      role: 'tool',
      content: [{ isError: true }, { isError: true }, { isError: true }],
    })
    expect(JSON.stringify(results)).toMatch(/not valid JSON.*does not fit.*no tool \\"nothing\\"/)
  })

  it('keeps a prompt a prefix of the next one, over turns with tools', async () => {
    const model = createScripted((_, call) =>
      call % 2 === 1 ? calls(['add', { a: call, b: 1 }]) : says(`answer ${call}`),
    )
    await using chat = await openChat(openDatabase, model, { tools: [add] })
    for (let turn = 0; turn < 5; turn++) await chat.ask(`question ${turn}`)
    const texts = model.requests.map(({ system, messages }) =>
      JSON.stringify([system, ...messages]).slice(0, -1),
    )
    for (let index = 1; index < texts.length; index++)
      expect(texts[index]!.startsWith(texts[index - 1]!)).toBe(true)
  })

  it('replays the static part as it was, and sends what changed on disk along with the next input', async () => {
    let rules = 'Be brief.'
    const model = createScripted(() => says('ok'))
    await using chat = await openChat(openDatabase, model, { disk: () => ({ rules }) })
    await chat.ask('one')
    await chat.ask('two')
    rules = 'Be long.'
    await chat.ask('three')
    await chat.ask('four')
    const [one, two, three, four] = model.requests
    expect(one!.system).toContain('Be brief.')
    expect(new Set(model.requests.map(({ system }) => system)).size).toBe(1)
    expect(JSON.stringify(two!.messages)).not.toContain('Be long.')
    expect(JSON.stringify(three!.messages.at(-1))).toContain('Be long.')
    expect(JSON.stringify(four!.messages.at(-1))).not.toContain('Be long.')
    expect(four!.messages.slice(0, 5)).toEqual(three!.messages)
  })

  it('tries again what may pass, before the first word only', async () => {
    const fault = new ModelFault('overloaded', 'busy', { retryAfterMs: 1 })
    const model = createScripted((_, call) => (call < 3 ? [fault] : says('there')))
    await using chat = await openChat(openDatabase, model)
    const { events, runId } = await chat.ask('hi')
    expect(events.filter(({ chunk }) => chunk.type === 'data-retry')).toHaveLength(2)
    expect(await chat.store.getRun('default', runId)).toMatchObject({ status: 'completed' })
    const cut = createScripted(() => [{ type: 'text-delta', text: 'half' }, fault])
    await using second = await openChat(openDatabase, cut)
    const failed = await second.ask('hi')
    expect(cut.requests).toHaveLength(1)
    expect(await second.store.getRun('default', failed.runId)).toMatchObject({
      status: 'failed',
      outcome: { code: 'model_overloaded', message: 'busy' },
    })
    const [, reply] = await second.store.listMessages('default', second.sessionId, { limit: 10 })
    expect(messageText(reply!)).toBe('half')
  })

  it.each([
    ['an empty answer', () => says(), 'empty_answer'],
    [
      'a filter',
      () => [{ type: 'finish' as const, reason: 'content-filter' as const, usage: {} }],
      'content_filter',
    ],
    ['a wrong key', () => [new ModelFault('auth', 'wrong key')], 'model_auth'],
    ['an endless loop of one call', () => calls(['add', { a: 1, b: 1 }]), 'tool_loop'],
  ])('fails with its own code for %s', async (_what, script, code) => {
    await using chat = await openChat(openDatabase, createScripted(script), { tools: [add] })
    const { events, runId } = await chat.ask('go')
    expect(await chat.store.getRun('default', runId)).toMatchObject({ status: 'failed', outcome: { code } })
    expect(events.map(({ chunk }) => chunk.type)).toContain('error')
    expect(events.at(-1)!.chunk.type).toBe('finish')
  })

  it('ends after so many steps, or when its tokens are spent', async () => {
    const model = createScripted((_, call) => calls(['add', { a: call, b: 1 }]))
    await using chat = await openChat(openDatabase, model, { tools: [add], limits: { maxSteps: 4 } })
    const { runId } = await chat.ask('go')
    expect(await chat.store.getRun('default', runId)).toMatchObject({ outcome: { code: 'step_limit' } })
    expect(model.requests).toHaveLength(4)
    const { runId: second } = await chat.ask('go', { tokenBudget: 30 })
    expect(await chat.store.getRun('default', second)).toMatchObject({
      outcome: { code: 'budget_exhausted' },
    })
    expect(model.requests).toHaveLength(6)
  })

  it('tells of its end when that is stored', async () => {
    await using chat = await openChat(
      openDatabase,
      createScripted(() => says('done')),
    )
    const place = { scope: 'default', sessionId: chat.sessionId }
    const { run, begin } = await chat.chats.admit(chat.store, place, chat.input('go'))
    begin()
    const found: unknown[] = []
    for await (const batch of chat.chats.observe(run.id, { signal: AbortSignal.timeout(100_000) }))
      if (batch.some(({ chunk }) => chunk.type === 'finish'))
        found.push((await chat.store.getRun('default', run.id))?.status)
    expect(found).toEqual(['completed'])
  })

  it('stores events under the numbers they were told with, also when its end could not be stored at first', async () => {
    let hasFailed = false
    const onEnd = async () => {
      if (hasFailed) return
      hasFailed = true
      throw new Error('not now')
    }
    await using chat = await openChat(
      openDatabase,
      createScripted(() => says('done')),
      { hooks: { onEnd } },
    )
    const { events, runId } = await chat.ask('go')
    expect(hasFailed).toBe(true)
    expect(events.map(({ chunk }) => chunk.type).slice(-2)).toEqual(['error', 'finish'])
    const stored = []
    for await (const batch of chat.chats.observe(runId, { signal: AbortSignal.timeout(100_000) }))
      stored.push(...batch)
    expect(stored).toEqual(events)
  })

  it('stops when asked, keeps what was said, and stays stopped', async () => {
    const never = new Promise(() => {})
    const model = createScripted((_, call) =>
      call === 1 ? [{ type: 'text-delta', text: 'so far' }, never] : says('next'),
    )
    await using chat = await openChat(openDatabase, model)
    const place = { scope: 'default', sessionId: chat.sessionId }
    const { run, begin } = await chat.chats.admit(chat.store, place, chat.input('go'))
    begin()
    const waiting = await chat.chats.admit(chat.store, place, chat.input('then'))
    expect(waiting.run.status).toBe('queued')
    await expect.poll(() => model.requests.length).toBe(1)
    await chat.chats.stopSession(place)
    const answer = await chat.chats.answerOf(run, AbortSignal.timeout(100_000))
    expect(answer.run).toMatchObject({ status: 'cancelled' })
    expect(answer.message?.metadata).toMatchObject({ stopped: true })
    expect(messageText(answer.message!)).toBe('so far')
    const after = await chat.chats.answerOf(waiting.run, AbortSignal.timeout(100_000))
    expect(messageText(after.message!)).toBe('next')
    const log = await chat.store.listMessages('default', chat.sessionId, { limit: 10 })
    expect(log.map((message) => messageText(message))).toEqual(['go', 'so far', 'then', 'next'])
  })

  it('stops a tool that is under way, and tells it so', async () => {
    let isToldToStop = false
    const slow = defineTool({
      name: 'slow',
      description: 'Never ends by itself',
      input: z.strictObject({}),
      execute: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            isToldToStop = true
            reject(new Error('told to stop'))
          })
        }),
    })
    const model = createScripted(() => calls(['slow', {}]))
    await using chat = await openChat(openDatabase, model, { tools: [slow] })
    const place = { scope: 'default', sessionId: chat.sessionId }
    const { run, begin } = await chat.chats.admit(chat.store, place, chat.input('go'))
    begin()
    await expect.poll(async () => (await chat.store.listRunSteps(run.id)).length).toBe(1)
    await chat.chats.stopSession(place)
    const { message, run: ended } = await chat.chats.answerOf(run, AbortSignal.timeout(100_000))
    expect(isToldToStop).toBe(true)
    expect(ended.status).toBe('cancelled')
    expect(message!.parts.at(-1)).toMatchObject({
      state: 'output-error',
      errorText: expect.stringContaining('interrupted'),
    })
  })

  it('goes on after a crash: repeats the calls that can be, and tells the model of those that cannot', async () => {
    const again = defineTool({
      name: 'again',
      description: 'x',
      input: z.strictObject({}),
      isIdempotent: true,
      execute: async () => 'done',
    })
    const model = createScripted(() => says('ok'))
    await using chat = await openChat(openDatabase, model, { tools: [again, add] })
    const { store, sessionId } = chat
    const input = chat.input('go', { promptInjection: 'NOTE' })
    const dead = await store.startRun(
      { scope: 'default', sessionId, kind: 'turn', input },
      { owner: 'dead', leaseMs: -1 },
    )
    await store.appendMessages('default', sessionId, [{ ...input.message, role: 'user', context: 'AS SENT' }])
    const call = (toolName: string, given: object) => ({
      type: 'dynamic-tool',
      toolName,
      toolCallId: toolName,
      state: 'input-available',
      input: given,
    })
    const parts = [{ type: 'step-start' }, call('again', {}), call('add', { a: 1, b: 2 })]
    await store.putRunStep(dead.lease, { step: 1, parts, prompt: { usage: {} }, lastEventSeq: 0 })
    const { run, message } = await chat.chats.answerOf(dead.run, AbortSignal.timeout(100_000))
    expect(run).toMatchObject({ status: 'completed', attempt: 2 })
    expect(message!.parts.slice(1, 3)).toMatchObject([
      { state: 'output-available', output: 'done' },
      { state: 'output-error' },
    ])
    expect(JSON.stringify(model.requests[0]!.messages[0])).toMatch(/AS SENT/)
    expect(JSON.stringify(model.requests[0]!.messages[0])).not.toMatch(/NOTE/)
  })

  it('goes on after a crash with the input as it was sent, though another day has begun', async () => {
    let today = 'Monday'
    const model = createScripted(() => says('ok'))
    await using chat = await openChat(openDatabase, model, { disk: () => ({ today }) })
    const { store, sessionId } = chat
    await chat.ask('first')
    const input = chat.input('second')
    const dead = await store.startRun(
      { scope: 'default', sessionId, kind: 'turn', input },
      { owner: 'dead', leaseMs: -1 },
    )
    await store.appendMessages('default', sessionId, [{ ...input.message, role: 'user' }])
    const parts = [{ type: 'step-start' }, { type: 'text', text: 'so far' }]
    await store.putRunStep(dead.lease, { step: 1, parts, prompt: { usage: {} }, lastEventSeq: 0 })
    today = 'Tuesday'
    await chat.chats.answerOf(dead.run, AbortSignal.timeout(100_000))
    expect(model.requests[1]!.messages[2]).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'second' }],
    })
    // the next turn tells of it
    await chat.ask('third')
    expect(JSON.stringify(model.requests[2]!.messages.at(-1))).toContain('Tuesday')
  })

  it('refuses a waiting input whose message the session has already', async () => {
    const never = new Promise(() => {})
    await using chat = await openChat(
      openDatabase,
      createScripted(() => [never]),
    )
    const place = { scope: 'default', sessionId: chat.sessionId }
    const first = chat.input('a')
    ;(await chat.chats.admit(chat.store, place, first)).begin()
    await expect(chat.chats.admit(chat.store, place, first)).rejects.toMatchObject({ code: 'conflict' })
    const second = chat.input('b')
    await chat.chats.admit(chat.store, place, second)
    await expect(chat.chats.admit(chat.store, place, second)).rejects.toMatchObject({ code: 'conflict' })
    expect(await chat.store.listOpenRuns(chat.sessionId)).toHaveLength(2)
  })

  it('gives up on a tool that takes too long, and tells the model', async () => {
    const slow = defineTool({
      name: 'slow',
      description: 'Does not listen',
      input: z.strictObject({}),
      timeoutMs: 30,
      execute: () => new Promise(() => {}),
    })
    const model = createScripted((_, call) =>
      call === 1 ? calls(['slow', {}], ['add', { a: 1, b: 2 }]) : says('ok'),
    )
    await using chat = await openChat(openDatabase, model, { tools: [slow, add] })
    await chat.ask('go')
    expect(model.requests[1]!.messages.at(-1)).toMatchObject({
      content: [
        { isError: true, output: 'The tool took longer than 30 ms.' },
        { isError: false, output: '{"sum":3}' },
      ],
    })
  })

  it('treats a busy session as the policy says', async () => {
    const never = new Promise(() => {})
    const model = createScripted((_, call) =>
      call === 1 ? [{ type: 'text-delta', text: 'one' }, never] : says(`${call}`),
    )
    await using chat = await openChat(openDatabase, model)
    const place = { scope: 'default', sessionId: chat.sessionId }
    const first = await chat.chats.admit(chat.store, place, chat.input('a'))
    first.begin()
    await expect.poll(() => model.requests.length).toBe(1)
    await expect(chat.chats.admit(chat.store, place, chat.input('b'), 'reject')).rejects.toMatchObject({
      code: 'conflict',
    })
    const queued = await chat.chats.admit(chat.store, place, chat.input('c'), 'enqueue')
    const urgent = await chat.chats.admit(chat.store, place, chat.input('d'), 'interrupt')
    urgent.begin()
    await chat.chats.answerOf(queued.run, AbortSignal.timeout(100_000))
    const log = await chat.store.listMessages('default', chat.sessionId, { limit: 10 })
    expect(log.map((message) => messageText(message))).toEqual(['a', 'one', 'd', '2', 'c', '3'])
    expect(await chat.store.getRun('default', first.run.id)).toMatchObject({ status: 'cancelled' })
  })

  it('takes in what is said while it goes on, and answers to it', async () => {
    let go = () => {}
    const gate = new Promise<void>((resolve) => (go = resolve))
    const model = createScripted((_, call) =>
      call === 1 ? [{ type: 'text-delta', text: 'first' }, gate, ...says('!')] : says('second'),
    )
    await using chat = await openChat(openDatabase, model)
    const place = { scope: 'default', sessionId: chat.sessionId }
    const { run, begin } = await chat.chats.admit(chat.store, place, chat.input('go left'))
    begin()
    await expect.poll(() => model.requests.length).toBe(1)
    const steered = await chat.chats.admit(chat.store, place, chat.input('no, right'), 'steer')
    steered.begin()
    expect(steered.run.id).toBe(run.id)
    go()
    const answer = await chat.chats.answerOf(run, AbortSignal.timeout(100_000))
    expect(answer.message!.parts.map(({ type }) => type)).toEqual([
      'step-start',
      'text',
      'data-steer',
      'step-start',
      'text',
    ])
    expect(model.requests[1]!.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(JSON.stringify(model.requests[1]!.messages)).toContain('no, right')
    await chat.ask('and now?')
    expect(model.requests[2]!.messages.slice(0, 3)).toEqual(model.requests[1]!.messages)
    expect(await chat.store.listInbox(chat.sessionId)).toEqual([])
  })

  it('keeps what was said to it for the next turn when it is stopped first', async () => {
    const never = new Promise(() => {})
    const model = createScripted((_, call) => (call === 1 ? [never] : says('heard')))
    await using chat = await openChat(openDatabase, model)
    const place = { scope: 'default', sessionId: chat.sessionId }
    const first = await chat.chats.admit(chat.store, place, chat.input('a'))
    first.begin()
    await expect.poll(() => model.requests.length).toBe(1)
    await chat.chats.admit(chat.store, place, chat.input('b'), 'steer')
    await chat.chats.stopSession(place)
    const texts = async () =>
      (await chat.store.listMessages('default', chat.sessionId, { limit: 10 })).map((message) =>
        messageText(message),
      )
    await expect.poll(texts).toEqual(['a', '', 'b', 'heard'])
  })

  it('can be observed from any place in its events, while it runs and after', async () => {
    const model = createScripted(() => says(...Array.from({ length: 300 }, (_, index) => `w${index} `)))
    await using chat = await openChat(openDatabase, model)
    const { events, runId } = await chat.ask('long')
    for (const cut of [0, 1, 5, 150, 299, events.length - 1]) {
      const rest: typeof events = []
      for await (const batch of chat.chats.observe(runId, {
        after: events[cut]!.seq,
        signal: AbortSignal.timeout(100_000),
      }))
        rest.push(...batch)
      expect([...events.slice(0, cut + 1), ...rest]).toEqual(events)
    }
  })
})
