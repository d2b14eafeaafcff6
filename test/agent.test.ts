import { setImmediate as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { AgentOptions } from '../src/agent/agent-options.ts'
import { createAgent, type Agent } from '../src/agent/agent.ts'
import type { AgentSession } from '../src/agent/agent-session.ts'
import type { FinishedRequest, RecordHandler } from '../src/agent/agent-record.ts'
import type { ModelAdapter, ModelRequest } from '../src/core/models/adapter.ts'
import { ModelFault } from '../src/core/models/fault.ts'
import { ParleyError } from '../src/core/protocol/error.ts'
import { messageText } from '../src/core/protocol/message-text.ts'
import type { NewMessage, Part } from '../src/core/protocol/message.ts'
import type { RecordSettings } from '../src/core/protocol/record.ts'
import type { WindowSettings } from '../src/core/protocol/window.ts'
import type { MemoUpdate } from '../src/core/sessions/window/window-handlers.ts'
import { createParley } from '../src/parley.ts'
import { defineTool } from '../src/core/tools/tool.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { temporaryFolder } from './harness.ts'
import { createGate } from './gates.ts'
import { isMemoRequest } from './window-harness.ts'

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers',
  input: z.strictObject({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => ({ sum: a + b }),
})

/** What a request told the model, a line for each message. */
const sent = ({ messages }: ModelRequest) =>
  messages.map(({ role, content }) => {
    const texts = content.map((part) =>
      part.type === 'text' ? part.text : part.type === 'tool-result' ? part.output : `(${part.type})`,
    )
    return `${role}: ${texts.join(' ')}`
  })

const lastSaid = (request: ModelRequest) => sent(request).at(-1)!.replace('user: ', '')

/** Says what it was told, so that every answer shows which question it belongs to. */
const createEcho = () => createScripted((request) => says(`re: ${lastSaid(request)}`))

function openEcho(options: Omit<AgentOptions, 'model'> = {}) {
  const model = createEcho()
  const agent = createAgent({ ...options, model })
  return { model, agent, [Symbol.asyncDispose]: () => agent.close() }
}

function openScripted(script: Script, options: Omit<AgentOptions, 'model'> = {}) {
  const model = createScripted(script)
  const agent = createAgent({ ...options, model })
  return { model, agent, [Symbol.asyncDispose]: () => agent.close() }
}

const said = (messages: readonly NewMessage[]) =>
  messages.map(({ role, parts, content }) => `${role}: ${content ?? messageText({ parts: parts ?? [] })}`)
const logOf = async (session: AgentSession) => said(await session.log())
const historyOf = async (agent: Agent) => said(await agent.chatHistory())

const pair = (text: string): NewMessage[] => [
  { role: 'user', content: text },
  { role: 'assistant', content: `re: ${text}` },
]
const pairLines = (...texts: string[]) => texts.flatMap((text) => [`user: ${text}`, `assistant: re: ${text}`])

const failure = (code: string) => ({ code: 'turn_failed', details: expect.objectContaining({ code }) })

/** Keeps what the user said, word for word: a memo that shows exactly which messages it took in. */
function keepFacts() {
  const updates: MemoUpdate[] = []
  const memoUpdateHandler = (update: MemoUpdate) => {
    updates.push(update)
    const told = update.messages.filter(({ role }) => role === 'user').map((message) => messageText(message))
    return { ...update.memo, facts: [...((update.memo.facts as string[] | undefined) ?? []), ...told] }
  }
  return { updates, handlers: { memoUpdateHandler } }
}

describe('an agent without a session', () => {
  it('sends its instructions as the whole system prompt, and nothing before the input', async () => {
    const model = createEcho()
    await using agent = createAgent({ model, instructions: 'You are Bo.' })
    const { text, parts, usage, run } = await agent.ask('Hi')
    expect(text).toBe('re: Hi')
    expect(messageText({ parts })).toBe('re: Hi')
    expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 5 })
    expect(run.status).toBe('completed')
    expect(model.requests[0]!.system).toBe('You are Bo.')
    expect(sent(model.requests[0]!)).toEqual(['user: Hi'])
  })

  it('knows only the history it was given, and records nothing', async () => {
    await using open = openEcho()
    const { agent, model } = open
    await agent.setChatHistory(pair('before'))
    await agent.ask('one')
    await agent.ask('two')
    expect(model.requests.map(sent)).toEqual([
      [...pairLines('before'), 'user: one'],
      [...pairLines('before'), 'user: two'],
    ])
    expect(await historyOf(agent)).toEqual(pairLines('before'))
    expect(agent.session).toBeUndefined()
  })

  it('replaces history with set, keeps what is said twice with add, and forgets it with reset', async () => {
    await using open = openEcho()
    const { agent } = open
    await agent.addChatHistory(pair('old'))
    await agent.setChatHistory(pair('new'))
    await agent.addChatHistory(pair('new'))
    await agent.addChatHistory({ role: 'user', content: 'single' })
    expect(await historyOf(agent)).toEqual([...pairLines('new', 'new'), 'user: single'])
    await agent.resetChatHistory()
    expect(await agent.chatHistory()).toEqual([])
  })

  it('does not see what another agent was told', async () => {
    await using one = openEcho()
    await using other = openEcho()
    await one.agent.addChatHistory(pair('secret'))
    await one.agent.ask('a')
    await other.agent.ask('b')
    expect(other.model.requests.map(sent)).toEqual([['user: b']])
    one.agent.enableSessionLite()
    other.agent.activateSession('same-name')
    one.agent.activateSession('same-name')
    await one.agent.ask('mine')
    expect(await historyOf(other.agent)).toEqual([])
  })

  it('leaves its history alone when a request fails', async () => {
    await using open = openScripted(() => [new ModelFault('auth', 'no key')])
    await open.agent.setChatHistory(pair('before'))
    await expect(open.agent.ask('one')).rejects.toMatchObject(failure('model_auth'))
    expect(await historyOf(open.agent)).toEqual(pairLines('before'))
  })

  it('answers many requests at once, each after the same history', async () => {
    await using open = openEcho()
    await open.agent.setChatHistory(pair('before'))
    const texts = Array.from({ length: 20 }, (_, index) => `q${index}`)
    const answers = await Promise.all(texts.map((text) => open.agent.ask(text)))
    expect(answers.map(({ text }) => text)).toEqual(texts.map((text) => `re: ${text}`))
    for (const request of open.model.requests) expect(sent(request).slice(0, -1)).toEqual(pairLines('before'))
  })

  it('sends the history of the moment it was asked', async () => {
    await using open = openEcho()
    await open.agent.setChatHistory(pair('then'))
    const asked = Promise.resolve(open.agent.ask('q'))
    await open.agent.setChatHistory(pair('later'))
    await asked
    expect(sent(open.model.requests[0]!)).toEqual([...pairLines('then'), 'user: q'])
  })

  it('sends all of its history, whatever is set for sessions', async () => {
    const turns = Array.from({ length: 30 }, (_, index) => pair(`t${index}`)).flat()
    const cutsAll = { lite: ({ messages }: { messages: unknown[] }) => ({ window: messages.slice(-2) }) }
    await using open = openEcho({
      session: { mode: 'memo', limit: { messages: 4 }, resize: { every_n_turns: 1 } },
      handlers: { policyHandler: () => 'lite', resizeHandlers: cutsAll },
    })
    await open.agent.setChatHistory(turns)
    await open.agent.ask('q')
    expect(sent(open.model.requests[0]!)).toEqual([...said(turns), 'user: q'])
  })

  it('leaves nothing behind in the store that its sessions live in', async () => {
    using folder = temporaryFolder()
    await using parley = await createParley({ dataDir: folder.path })
    await using open = openEcho({ parley })
    await open.agent.setChatHistory(pair('before'))
    await open.agent.ask('q')
    expect((await parley.sessions.list()).items).toEqual([])
  })

  it.each<[string, unknown]>([
    ['no list', 'hello'],
    ['no messages', [5]],
    ['an unknown role', [{ role: 'tool', content: 'x' }]],
    ['neither content nor parts', [{ role: 'user' }]],
    ['unknown keys', [{ role: 'user', content: 'x', seq: 1 }]],
  ])('refuses a history that is %s, and keeps the one it had', async (_what, given) => {
    await using open = openEcho()
    const { agent } = open
    await agent.setChatHistory(pair('before'))
    await expect(agent.setChatHistory(given as NewMessage[])).rejects.toMatchObject({
      code: 'invalid_request',
    })
    await expect(agent.addChatHistory(given as NewMessage[])).rejects.toMatchObject({
      code: 'invalid_request',
    })
    expect(await historyOf(agent)).toEqual(pairLines('before'))
  })

  it.each([['nothing', ''] as const, ['a number', 5], ['null', null], ['undefined', undefined]])(
    'refuses %s as an input, watched or awaited',
    async (_what, input) => {
      await using open = openEcho()
      await expect(open.agent.ask(input)).rejects.toMatchObject({ code: 'invalid_request' })
      const watch = async () => {
        for await (const _ of open.agent.ask(input));
      }
      await expect(watch()).rejects.toMatchObject({ code: 'invalid_request' })
      expect(open.model.requests).toEqual([])
    },
  )

  it('refuses a model or a window that there is not', async () => {
    await using open = openEcho()
    await expect(open.agent.ask('q', { model: 'nobody/nothing' })).rejects.toThrow(ParleyError)
    const window = { limit: { messages: -1 } }
    await expect(open.agent.ask('q', { window })).rejects.toMatchObject({ code: 'invalid_request' })
    expect(() => createAgent({ session: window })).toThrow(/limit.messages/)
  })

  it('sends one tool of each name, also when it has one called recall', async () => {
    const recall = defineTool({ ...add, name: 'recall' } as Parameters<typeof defineTool>[0])
    await using open = openEcho({ tools: [recall, add] })
    await open.agent.ask('q')
    expect(open.model.requests[0]!.tools.map(({ name }) => name).sort()).toEqual(['add', 'recall'])
  })
})

describe('what is handed in', () => {
  const given = (): NewMessage[] => [
    {
      role: 'user',
      parts: [{ type: 'text', text: 'hello' }],
      metadata: { tags: ['a'] },
    },
    {
      role: 'assistant',
      parts: [
        { type: 'text', text: 'hi' },
        {
          type: 'dynamic-tool',
          toolName: 'look',
          toolCallId: 'c1',
          state: 'output-available',
          input: { at: 'x' },
          output: { rows: [1] },
        },
      ],
    },
  ]
  const spoil = (messages: NewMessage[]) => {
    messages[0]!.parts![0]!.text = 'spoilt'
    ;(messages[0]!.metadata!.tags as string[]).push('spoilt')
    ;(messages[1]!.parts![1]!.output as { rows: unknown[] }).rows.push('spoilt')
    messages.push({ role: 'user', content: 'spoilt' })
  }

  describe.each([
    ['without a session', () => {}],
    ['with a session', (agent: Agent) => void agent.attachSession()],
  ] as const)('%s', (_name, prepare) => {
    it.each(['setChatHistory', 'addChatHistory'] as const)(
      '%s takes a copy of it at once',
      async (method) => {
        await using open = openEcho()
        prepare(open.agent)
        const messages = given()
        const done = open.agent[method](messages)
        spoil(messages)
        await done
        await open.agent.ask('q')
        expect(JSON.stringify(await open.agent.chatHistory())).not.toContain('spoilt')
        expect(JSON.stringify(open.model.requests)).not.toContain('spoilt')
      },
    )

    it('chatHistory gives a copy away', async () => {
      await using open = openEcho()
      prepare(open.agent)
      await open.agent.setChatHistory(given())
      spoil(await open.agent.chatHistory())
      await open.agent.ask('q')
      expect(JSON.stringify(await open.agent.chatHistory())).not.toContain('spoilt')
      expect(JSON.stringify(open.model.requests)).not.toContain('spoilt')
    })

    it('what chatHistory gives can be set again', async () => {
      await using open = openEcho()
      prepare(open.agent)
      await open.agent.setChatHistory([...pair('one'), ...pair('two')])
      const history = await open.agent.chatHistory()
      await open.agent.setChatHistory(history.slice(2))
      expect(await historyOf(open.agent)).toEqual(pairLines('two'))
      await open.agent.addChatHistory(history.slice(0, 2))
      expect(await historyOf(open.agent)).toEqual(pairLines('two', 'one'))
    })
  })

  it('an input is recorded as it was when it was asked', async () => {
    await using open = openEcho()
    open.agent.attachSession().setRecord({ input: { paths: ['question.text'] } })
    const input = { question: { text: 'asked' } }
    const asked = Promise.resolve(open.agent.ask(input))
    input.question.text = 'spoilt'
    await asked
    expect((await logOf(open.agent.session!))[0]).toBe('user: asked')
    expect(lastSaid(open.model.requests[0]!)).toContain('asked')
  })

  it('settings are copied, and so are those that are read', async () => {
    await using open = openEcho()
    const session = open.agent.attachSession()
    const settings = { limit: { messages: 10 } }
    const record: RecordSettings = { output: { paths: ['a'] } }
    session.setSettings(settings).setRecord(record)
    settings.limit.messages = 1
    record.output!.paths.push('b')
    session.settings.limit!.messages = 2
    session.record.output!.paths.push('c')
    expect(session.settings).toEqual({ limit: { messages: 10 } })
    expect(session.record).toEqual({ output: { paths: ['a'] } })
  })
})

describe('an attached session', () => {
  it('takes over what the agent does to its history, and gives it back when detached', async () => {
    await using open = openEcho()
    const { agent, model } = open
    await agent.setChatHistory(pair('in memory'))
    const session = agent.attachSession()
    expect(agent.session).toBe(session)
    expect(await agent.chatHistory()).toEqual([])
    await agent.addChatHistory(pair('one'))
    await agent.addChatHistory({ role: 'user', content: 'two' })
    expect(await historyOf(agent)).toEqual([...pairLines('one'), 'user: two'])
    expect(await logOf(session)).toEqual([...pairLines('one'), 'user: two'])

    agent.detachSession()
    expect(agent.session).toBeUndefined()
    await agent.ask('q')
    expect(sent(model.requests[0]!)).toEqual([...pairLines('in memory'), 'user: q'])
    expect(await historyOf(agent)).toEqual(pairLines('in memory'))
    expect(await logOf(session)).toEqual([...pairLines('one'), 'user: two'])

    expect(agent.attachSession(session)).toBe(session)
    expect(await historyOf(agent)).toEqual([...pairLines('one'), 'user: two'])
  })

  it('gives a request the history it has, and records question and answer after it', async () => {
    await using open = openEcho()
    const { agent, model } = open
    const session = agent.attachSession()
    await agent.ask('one')
    await agent.ask('two')
    expect(model.requests.map(sent)).toEqual([['user: one'], [...pairLines('one'), 'user: two']])
    expect(await logOf(session)).toEqual(pairLines('one', 'two'))
    expect((await session.log()).map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
    expect(await historyOf(agent)).toEqual(pairLines('one', 'two'))
  })

  it('resizes when something is added, and sends what is left', async () => {
    await using open = openEcho()
    const session = open.agent.enableSessionLite({ messages: 4 })
    await open.agent.addChatHistory([...pair('one'), ...pair('two')])
    expect((await session.window()).resizes).toEqual([])
    await open.agent.addChatHistory(pair('three'))
    expect((await session.window()).resizes).toMatchObject([
      { type: 'lite', reason: 'max_keep_messages_count', severity: 50, outcome: 'resized', startSeq: 5 },
    ])
    expect(await historyOf(open.agent)).toEqual(pairLines('three'))
    expect(await logOf(session)).toEqual(pairLines('one', 'two', 'three'))
    await open.agent.ask('q')
    expect(sent(open.model.requests[0]!)).toEqual([...pairLines('three'), 'user: q'])
  })

  it('cuts before a request what the requests before it made too long', async () => {
    await using open = openEcho()
    const session = open.agent.enableSessionLite({ messages: 4 })
    for (const text of ['one', 'two', 'three', 'four', 'five', 'six']) await open.agent.ask(text)
    for (const request of open.model.requests) {
      expect(request.messages.length).toBeLessThanOrEqual(5)
      expect(sent(request)[0]).toMatch(/^user: /)
    }
    expect(sent(open.model.requests[3]!)).toEqual([...pairLines('three'), 'user: four'])
    expect(await logOf(session)).toEqual(pairLines('one', 'two', 'three', 'four', 'five', 'six'))
  })

  it('tells as its history what the next request is sent after, also when limits have just changed', async () => {
    await using open = openEcho()
    const session = open.agent.attachSession()
    await session.add(['one', 'two', 'three', 'four'].flatMap(pair))
    session.setLimit({ messages: 4 })
    const history = await historyOf(open.agent)
    await open.agent.ask('q')
    expect(sent(open.model.requests[0]!).slice(0, -1)).toEqual(history)
    expect(history[0]).toMatch(/^user: /)
  })

  it('keeps a window that one request asks for out of its settings', async () => {
    await using open = openEcho()
    const session = open.agent.attachSession()
    await session.add(['one', 'two', 'three', 'four'].flatMap(pair))
    await open.agent.ask('q', { window: { limit: { messages: 2 } } })
    expect(sent(open.model.requests[0]!)).toEqual([...pairLines('four'), 'user: q'])
    expect(await session.window()).toMatchObject({ settings: {}, effective: { maxMessages: 400 } })
    expect(session.settings).toEqual({})
  })

  it('shortens an input by the window of its own request', async () => {
    await using open = openEcho()
    open.agent.attachSession()
    await open.agent.ask('x'.repeat(5_000), { window: { limit: { chars: 1_000 } } })
    expect(lastSaid(open.model.requests[0]!).length).toBeLessThan(1_000)
    expect((await logOf(open.agent.session!))[0]).toHaveLength('user: '.length + 5_000)
  })

  it('sends a long input shortened, the same way in every request, and does not point to where nothing is', async () => {
    await using open = openScripted(() => says('ok'))
    const { agent, model } = open
    const session = agent.enableSessionLite({ chars: 1_000 })
    await agent.ask('x'.repeat(5_000))
    await agent.ask('next')
    expect(await logOf(session)).toEqual([
      `user: ${'x'.repeat(5_000)}`,
      'assistant: ok',
      'user: next',
      'assistant: ok',
    ])
    const [first, second] = model.requests.map((request) => sent(request)[0]!)
    expect(first!.length).toBeLessThan(1_000)
    expect(first).toContain('characters left out')
    // no message has such a number
    for (const text of [first!, second!]) expect(text).not.toMatch(/message \d{6,}/)
    // what was sent once is what a provider has cached
    expect(second).toBe(first)
  })

  it('replaces with set what the model sees; what is added then comes once', async () => {
    await using open = openEcho()
    const session = open.agent.attachSession()
    await open.agent.addChatHistory(pair('old'))
    await open.agent.setChatHistory(pair('new'))
    expect(await historyOf(open.agent)).toEqual(pairLines('new'))
    await open.agent.addChatHistory(pair('more'))
    expect(await historyOf(open.agent)).toEqual(pairLines('new', 'more'))
    await open.agent.ask('q')
    expect(sent(open.model.requests[0]!)).toEqual([...pairLines('new', 'more'), 'user: q'])
    expect(await logOf(session)).toEqual(pairLines('old', 'new', 'more', 'q'))
  })

  it('resizes after set too, when what was set is too much', async () => {
    await using open = openEcho()
    open.agent.enableSessionLite({ messages: 4 })
    await open.agent.setChatHistory(['one', 'two', 'three'].flatMap(pair))
    expect(await historyOf(open.agent)).toEqual(pairLines('three'))
  })

  it('changes nothing when what is set or added is no history', async () => {
    await using open = openEcho()
    const session = open.agent.attachSession()
    await open.agent.setChatHistory(pair('kept'))
    const [first] = await session.log()
    const bad: unknown[] = ['x', [{ role: 'judge', content: 'x' }], [...pair('a'), { role: 'user' }]]
    for (const given of bad) {
      await expect(open.agent.setChatHistory(given as NewMessage[])).rejects.toMatchObject({
        code: 'invalid_request',
      })
      await expect(open.agent.addChatHistory(given as NewMessage[])).rejects.toMatchObject({
        code: 'invalid_request',
      })
    }
    // all or nothing: the second message takes an id that is in the log already
    const clashing: NewMessage[] = [
      { role: 'user', content: 'x' },
      { role: 'assistant', id: 'twice', content: 'y' },
      { role: 'assistant', id: 'twice', content: 'z' },
    ]
    await expect(open.agent.addChatHistory(clashing)).rejects.toMatchObject({ code: 'conflict' })
    await expect(open.agent.setChatHistory(clashing)).rejects.toMatchObject({ code: 'conflict' })
    expect(await logOf(session)).toEqual(pairLines('kept'))
    expect(await historyOf(open.agent)).toEqual(pairLines('kept'))
    expect(first!.seq).toBe(1)
  })

  it.each<[string, NewMessage]>([
    ['a NUL character', { role: 'user', content: 'a\0b' }],
    ['half a character', { role: 'user', content: 'a\uD83D' }],
    ['a number that JSON does not know', { role: 'user', content: 'x', metadata: { n: Number.NaN } }],
    ['a value that JSON does not know', { role: 'user', content: 'x', metadata: { n: 1n } }],
  ])('refuses %s, which could not be exported later', async (_what, message) => {
    await using open = openEcho()
    const session = open.agent.attachSession()
    await session.add(pair('kept'))
    await expect(session.add(message)).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(session.set([message])).rejects.toMatchObject({ code: 'invalid_request' })
    if (message.content !== 'x')
      await expect(open.agent.ask(message.content)).rejects.toMatchObject({ code: 'invalid_request' })
    await session.load(await session.toJSON())
    expect(await logOf(session)).toEqual(pairLines('kept'))
  })

  it('keeps what a tool was asked and answered, as parts of the answer', async () => {
    await using open = openScripted(
      (_, call) => (call === 1 ? calls(['add', { a: 2, b: 3 }]) : says(`call ${call}`)),
      { tools: [add] },
    )
    const session = open.agent.attachSession()
    const { text, parts } = await open.agent.ask('2 + 3?')
    expect(text).toBe('call 2')
    const [question, reply] = await session.log()
    expect(messageText(question!)).toBe('2 + 3?')
    expect(reply!.parts).toEqual(parts)
    expect(reply!.parts).toContainEqual(
      expect.objectContaining({
        type: 'dynamic-tool',
        toolName: 'add',
        state: 'output-available',
        input: { a: 2, b: 3 },
        output: { sum: 5 },
      }),
    )
    await open.agent.ask('and now?')
    expect(sent(open.model.requests[2]!)).toEqual([
      'user: 2 + 3?',
      'assistant: (tool-call)',
      'tool: {"sum":5}',
      'assistant: call 2',
      'user: and now?',
    ])
  })

  it('is named by its id from then on; one id is one session', async () => {
    await using open = openEcho()
    const { agent, model } = open
    const alice = agent.activateSession('alice')
    await agent.ask('I am Alice')
    const bob = agent.activateSession('bob')
    expect(bob).not.toBe(alice)
    await agent.ask('I am Bob')
    expect(agent.activateSession('alice')).toBe(alice)
    expect(agent.attachSession('alice')).toBe(alice)
    await agent.ask('Who am I?')
    expect([alice.id, bob.id]).toEqual(['alice', 'bob'])
    expect(model.requests.map(sent)).toEqual([
      ['user: I am Alice'],
      ['user: I am Bob'],
      [...pairLines('I am Alice'), 'user: Who am I?'],
    ])
    expect(await logOf(bob)).toEqual(pairLines('I am Bob'))
    agent.detachSession()
    await agent.ask('nobody')
    expect(sent(model.requests.at(-1)!)).toEqual(['user: nobody'])
    expect(await logOf(alice)).toEqual(pairLines('I am Alice', 'Who am I?'))
  })

  it('can be activated by the id it was given', async () => {
    await using open = openEcho()
    const session = open.agent.enableSessionLite({ messages: 30 })
    await open.agent.ask('one')
    open.agent.detachSession()
    const again = open.agent.activateSession(session.id!)
    await open.agent.ask('two')
    expect(await logOf(again)).toEqual(pairLines('one', 'two'))
    expect(await logOf(session)).toEqual(pairLines('one', 'two'))
  })

  it.each(['', 'a b', '../x', '用户', 'x'.repeat(200), 5, null, {}])('refuses %j as an id', async (id) => {
    await using open = openEcho()
    for (const use of [open.agent.activateSession, open.agent.attachSession]) {
      const ask = async () => {
        use(id as string)
        await open.agent.ask('q')
      }
      await expect(ask()).rejects.toMatchObject({ code: 'invalid_request' })
    }
  })

  it('of another agent is shared with it: each brings its own model and instructions', async () => {
    const [oneModel, otherModel] = [createEcho(), createEcho()]
    await using one = createAgent({ model: oneModel, instructions: 'You are one.' })
    await using other = createAgent({ model: otherModel, instructions: 'You are the other.' })
    const session = one.attachSession()
    await one.ask('first')
    expect(other.attachSession(session)).toBe(session)
    await other.ask('second')
    await one.ask('third')
    expect(sent(otherModel.requests[0]!)).toEqual([...pairLines('first'), 'user: second'])
    expect(oneModel.requests.map(sent)[1]).toEqual([...pairLines('first', 'second'), 'user: third'])
    expect(await logOf(session)).toEqual(pairLines('first', 'second', 'third'))
    expect(oneModel.requests.map(({ system }) => system)).toEqual(['You are one.', 'You are one.'])
    expect(otherModel.requests.map(({ system }) => system)).toEqual(['You are the other.'])
  })

  it('of another agent answers with the model that was asked, also when both ask at once', async () => {
    const gate = createGate()
    const oneModel = createScripted(() => [gate.wait(), ...says('from one')])
    const otherModel = createScripted(() => says('from the other'))
    await using one = createAgent({ model: oneModel })
    await using other = createAgent({ model: otherModel })
    other.attachSession(one.attachSession())
    const first = Promise.resolve(one.ask('first'))
    await gate.reached
    const second = Promise.resolve(other.ask('second'))
    await pause()
    gate.open()
    expect([(await first).text, (await second).text]).toEqual(['from one', 'from the other'])
    expect(await logOf(one.session!)).toEqual([
      'user: first',
      'assistant: from one',
      'user: second',
      'assistant: from the other',
    ])
  })

  it('is really switched when one is attached already, with the mode that is asked for', async () => {
    await using open = openEcho()
    const { agent } = open
    const first = agent.enableSessionLite({ messages: 6 })
    await agent.ask('in the first')
    await using elsewhere = openEcho()
    const second = elsewhere.agent.attachSession()

    expect(agent.attachSession(second, { mode: 'memo' })).toBe(second)
    expect(agent.session).toBe(second)
    expect((await second.window()).effective).toMatchObject({ mode: 'memo', memo: true })
    expect((await first.window()).effective).toMatchObject({ mode: 'lite', memo: false, maxMessages: 6 })
    await agent.ask('in the second')
    expect(await logOf(second)).toEqual(pairLines('in the second'))
    expect(await logOf(first)).toEqual(pairLines('in the first'))

    const third = agent.attachSession(undefined, { mode: 'memo' })
    expect(third).not.toBe(second)
    expect((await third.window()).effective).toMatchObject({ mode: 'memo', memo: true })
    expect(agent.attachSession(third, { mode: 'lite' })).toBe(third)
    expect((await third.window()).effective).toMatchObject({ mode: 'lite', memo: false })
    expect(() => agent.attachSession(first, { mode: 'deep' as 'lite' })).toThrow(/mode/)
    expect(agent.session).toBe(third)
  })

  it('does not lose a request to a switch in the middle', async () => {
    const gate = createGate()
    await using open = openScripted(() => [gate.wait(), ...says('late')])
    const first = open.agent.attachSession()
    const asked = Promise.resolve(open.agent.ask('q'))
    await gate.reached
    const second = open.agent.attachSession()
    gate.open()
    await asked
    expect(await logOf(first)).toEqual(['user: q', 'assistant: late'])
    expect(await logOf(second)).toEqual([])
  })
})

describe('settings of a session', () => {
  const limits = { chars: 1_000, messages: 20, tokens: 300, everyNTurns: 5 }
  const written = { limit: { chars: 1_000, messages: 20, tokens: 300 }, resize: { every_n_turns: 5 } }

  it.each([
    ['enableSessionLite', 'lite'],
    ['enableSessionMemo', 'memo'],
  ] as const)('%s writes them, on the session that is attached or on a new one', async (method, mode) => {
    await using open = openEcho()
    const session = open.agent[method](limits)
    expect(open.agent.session).toBe(session)
    expect(session.settings).toEqual({ mode, ...written })
    expect(await session.window()).toMatchObject({
      settings: { mode, ...written },
      effective: {
        mode,
        memo: mode === 'memo',
        maxChars: 1_000,
        maxMessages: 20,
        maxTokens: 300,
        everyNTurns: 5,
      },
    })
    // a second call adds to what is set
    expect(open.agent[method]({ chars: 2_000 })).toBe(session)
    expect(session.settings).toEqual({ mode, ...written, limit: { ...written.limit, chars: 2_000 } })
    expect(await session.window()).toMatchObject({ effective: { maxChars: 2_000, maxMessages: 20 } })
  })

  it('configure, setLimit, useLite and useMemo write the same', async () => {
    await using open = openEcho()
    const { agent } = open
    expect(agent.attachSession().configure({ mode: 'memo', ...limits }).settings).toEqual({
      mode: 'memo',
      ...written,
    })
    expect(agent.attachSession().setLimit(limits).settings).toEqual(written)
    expect(agent.attachSession().useLite(limits).settings).toEqual({ mode: 'lite', ...written })
    expect(agent.attachSession().useMemo(limits).settings).toEqual({ mode: 'memo', ...written })
    expect(agent.attachSession().useMemo({ chars: undefined }).settings.limit ?? {}).toEqual({})
  })

  const enabled = (value: boolean) => (session: AgentSession) =>
    session.setSettings({ memo: { enabled: value } })
  it.each<[string, boolean, (session: AgentSession) => unknown]>([
    ['useLite', true, (session) => session.useLite()],
    ['useMemo', false, (session) => session.useMemo()],
    ['configure', true, (session) => session.configure({ mode: 'lite' })],
    ['configure', false, (session) => session.configure({ mode: 'memo' })],
    ['setSettings', true, (session) => session.setSettings({ mode: 'lite' })],
    ['setSettings', false, (session) => session.setSettings({ mode: 'memo' })],
  ])('%s does not change memo.enabled %s, whichever comes first', async (_method, value, setMode) => {
    await using open = openEcho()
    for (const isStoredBetween of [false, true])
      for (const steps of [
        [enabled(value), setMode],
        [setMode, enabled(value)],
      ]) {
        const session = open.agent.attachSession()
        for (const step of steps) {
          step(session)
          if (isStoredBetween) await session.log()
        }
        const { effective } = await session.window()
        expect(effective).toMatchObject({ mode: value ? 'lite' : 'memo', memo: value })
      }
  })

  it('memo.enabled of the agent goes before the mode of a session, and the session before the agent', async () => {
    await using open = openEcho({ session: { memo: { enabled: false } } })
    const session = open.agent.enableSessionMemo()
    expect((await session.window()).effective).toMatchObject({ mode: 'memo', memo: false })
    session.setSettings({ memo: { enabled: true } })
    expect((await session.window()).effective).toMatchObject({ mode: 'memo', memo: true })
  })

  it('limit goes before resize, whichever comes first and wherever it is set', async () => {
    const resize: WindowSettings = { resize: { max_messages_text_length: 500, max_keep_messages_count: 9 } }
    const setLimit = (session: AgentSession) => session.setLimit({ chars: 300, messages: 4 })
    const setResize = (session: AgentSession) => session.setSettings(resize)
    await using open = openEcho()
    for (const steps of [
      [setLimit, setResize],
      [setResize, setLimit],
    ])
      for (const isStoredBetween of [false, true]) {
        const session = open.agent.attachSession()
        for (const step of steps) {
          step(session)
          if (isStoredBetween) await session.log()
        }
        expect((await session.window()).effective).toMatchObject({ maxChars: 300, maxMessages: 4 })
      }
    const session = open.agent.attachSession().setSettings(resize).setLimit({ chars: 300 })
    expect((await session.window()).effective).toMatchObject({ maxChars: 300, maxMessages: 9 })
    await using limited = openEcho({ session: { limit: { messages: 50 } } })
    expect((await limited.agent.attachSession().setSettings(resize).window()).effective).toMatchObject({
      maxChars: 500,
      maxMessages: 50,
    })
  })

  it.each<[string, object]>([
    ['negative', { messages: -1 }],
    ['fractional', { chars: 1.5 }],
    ['NaN', { chars: Number.NaN }],
    ['endless', { tokens: Number.POSITIVE_INFINITY }],
    ['text', { messages: '5' }],
    ['null', { everyNTurns: null }],
    ['unknown', { char: 5 }],
  ])('refuses a limit that is %s, and stays as it was', async (_what, limit) => {
    await using open = openEcho()
    const session = open.agent.enableSessionLite({ messages: 8 })
    const before = session.settings
    const given = limit as { messages?: number }
    for (const set of [
      () => session.setLimit(given),
      () => session.configure({ mode: 'memo', ...given }),
      () => session.useMemo(given),
      () => open.agent.enableSessionMemo(given),
    ]) {
      expect(set).toThrow(ParleyError)
      expect(session.settings).toEqual(before)
    }
    expect(await session.window()).toMatchObject({ settings: before, effective: { mode: 'lite' } })
  })

  it.each([
    ['max_current_chars', /limit\.chars/],
    ['keep_last_messages', /limit\.messages/],
  ])('refuses %s of earlier systems, and names what there is now', async (key, now) => {
    await using open = openEcho()
    const session = open.agent.attachSession()
    expect(() => session.setSettings({ resize: { [key]: 5 } })).toThrow(now)
    expect(() => createAgent({ session: { resize: { [key]: 5 } } })).toThrow(now)
    expect(session.settings).toEqual({})
  })

  it('loses none that is set while another call is under way', async () => {
    await using open = openEcho()
    for (let wait = 0; wait < 120; wait++) {
      const session = open.agent.attachSession().setLimit({ chars: 1_000 })
      const reading = session.log()
      for (let tick = 0; tick < wait; tick++) await Promise.resolve()
      session.setLimit({ messages: 7 })
      await reading
      expect(session.settings, `after ${wait} ticks`).toEqual({ limit: { chars: 1_000, messages: 7 } })
      expect((await session.window()).effective).toMatchObject({ maxChars: 1_000, maxMessages: 7 })
    }
  })
})

describe('a request is recorded once', () => {
  it('when it is awaited, however often', async () => {
    await using open = openEcho()
    const session = open.agent.attachSession()
    const turn = open.agent.ask('q')
    expect((await turn).text).toBe('re: q')
    expect((await turn).text).toBe('re: q')
    expect(await logOf(session)).toEqual(pairLines('q'))
    expect(open.model.requests).toHaveLength(1)
  })

  it('when it is watched to its end', async () => {
    await using open = openScripted(() => says('Hel', 'lo'))
    const session = open.agent.attachSession()
    const deltas: string[] = []
    for await (const { chunk } of open.agent.ask('q'))
      if (chunk.type === 'text-delta') deltas.push(chunk.delta)
    // it is there as soon as the stream has ended
    expect(await logOf(session)).toEqual(['user: q', 'assistant: Hello'])
    expect(deltas).toEqual(['Hel', 'lo'])
  })

  it('when it is watched and awaited, by several at once', async () => {
    await using open = openEcho()
    const session = open.agent.attachSession()
    const turn = open.agent.ask('q')
    const watch = async () => {
      let text = ''
      for await (const { chunk } of turn) if (chunk.type === 'text-delta') text += chunk.delta
      return text
    }
    const [one, other, { text }] = await Promise.all([watch(), watch(), turn])
    expect([one, other, text]).toEqual(['re: q', 're: q', 're: q'])
    expect(await watch()).toBe('re: q')
    expect(await logOf(session)).toEqual(pairLines('q'))
    expect(open.model.requests).toHaveLength(1)
  })

  it.each([[true], [false]])(
    'when whoever watched it left in the middle (awaited afterwards: %s)',
    async (isAwaited) => {
      const gate = createGate()
      await using open = openScripted(() => [
        { type: 'text-delta', text: 'one ' },
        gate.wait(),
        ...says('two'),
      ])
      const session = open.agent.attachSession()
      const turn = open.agent.ask('q')
      for await (const { chunk } of turn) if (chunk.type === 'text-delta') break
      expect(await logOf(session)).toEqual([])
      gate.open()
      if (isAwaited) expect((await turn).text).toBe('one two')
      await expect.poll(() => logOf(session)).toEqual(['user: q', 'assistant: one two'])
      await pause()
      expect(await logOf(session)).toHaveLength(2)
      expect(open.model.requests).toHaveLength(1)
    },
  )

  it('and not at all when nobody watches or awaits it: nothing begins', async () => {
    await using open = openEcho()
    const session = open.agent.attachSession()
    open.agent.ask('q')
    // would have had to wait for it
    await open.agent.ask('next')
    expect(await logOf(session)).toEqual(pairLines('next'))
    expect(open.model.requests).toHaveLength(1)
  })
})

describe('a request that fails leaves no half pair', () => {
  const spoiltHandlers: [string, RecordHandler][] = [
    [
      'throws',
      () => {
        throw new Error('no room')
      },
    ],
    [
      'throws no error',
      () => {
        // oxlint-disable-next-line no-throw-literal -- people do
        throw null
      },
    ],
    ['rejects', async () => Promise.reject(new Error('no room'))],
    ['answers nothing', () => undefined as never],
    ['answers a text', () => 'nonsense' as never],
    ['answers a wrong role', () => [{ role: 'judge', content: 'x' }] as never],
    ['answers one that is right and one that is not', () => [...pair('x'), { role: 'user' }] as never],
    [
      'answers the same id twice',
      () => [
        { id: 'same', role: 'user', content: 'x' },
        { id: 'same', role: 'assistant', content: 'y' },
      ],
    ],
    ['answers an id of the log', () => [{ id: 'known', role: 'user', content: 'x' }]],
    [
      'answers what cannot be stored',
      () => [{ role: 'user', content: 'x', metadata: { big: 1n } as Record<string, unknown> }],
    ],
  ]

  async function expectNothingLeft(agent: Agent, fail: () => Promise<unknown>): Promise<ParleyError> {
    const session = agent.attachSession()
    await session.add([{ id: 'known', role: 'user', content: 'before' }, pair('before')[1]!])
    const before = [await session.log(), await session.window(), await session.toJSON()]
    const error = (await fail().then(
      () => undefined,
      (thrown: unknown) => thrown,
    )) as ParleyError
    expect(error).toBeInstanceOf(ParleyError)
    expect(error.code).toBe('turn_failed')
    expect([await session.log(), await session.window(), await session.toJSON()]).toEqual(before)
    return error
  }

  it.each<[string, string, Script]>([
    [
      'the model fails',
      'model_auth',
      () => [{ type: 'text-delta', text: 'half' }, new ModelFault('auth', 'key gone')],
    ],
    ['the model says nothing', 'empty_answer', () => says('')],
    [
      'the answer is withheld',
      'content_filter',
      () => [
        { type: 'text-delta', text: 'ha' },
        { type: 'finish', reason: 'content-filter', usage: {} },
      ],
    ],
    ['the model throws anything', 'internal', () => [new TypeError('bug')]],
  ])('when %s', async (_why, code, script) => {
    let isBroken = true
    await using open = openScripted((request, call) =>
      isBroken ? script(request, call) : says(`re: ${lastSaid(request)}`),
    )
    const error = await expectNothingLeft(open.agent, async () => open.agent.ask('lost'))
    if (code !== 'internal') expect(error.details).toMatchObject({ code, status: 'failed' })
    isBroken = false
    await open.agent.ask('again')
    expect(sent(open.model.requests.at(-1)!)).toEqual([...pairLines('before'), 'user: again'])
    expect(await logOf(open.agent.session!)).toEqual(pairLines('before', 'again'))
  })

  it('also for one that only watches: it hears of the failure, and the stream ends', async () => {
    await using open = openScripted(() => [
      { type: 'text-delta', text: 'half' },
      new ModelFault('auth', 'key gone'),
    ])
    const session = open.agent.attachSession()
    const chunks: { type: string }[] = []
    for await (const { chunk } of open.agent.ask('lost')) chunks.push(chunk)
    expect(chunks).toContainEqual({ type: 'error', errorText: 'key gone' })
    expect(await logOf(session)).toEqual([])
  })

  it('when it takes too many steps', async () => {
    let number = 0
    await using open = openScripted(() => calls(['add', { a: 1, b: number++ }]), {
      tools: [add],
      limits: { maxSteps: 3 },
    })
    const error = await expectNothingLeft(open.agent, async () => open.agent.ask('lost'))
    expect(error.details).toMatchObject({ code: 'step_limit' })
    expect(open.model.requests).toHaveLength(3)
  })

  it('when it is stopped in the middle, awaited or watched', async () => {
    for (const isWatched of [false, true]) {
      const gate = createGate()
      await using open = openScripted(() => [{ type: 'text-delta', text: 'half' }, gate.wait(), ...says('!')])
      const error = await expectNothingLeft(open.agent, async () => {
        const controller = new AbortController()
        const turn = open.agent.ask('lost', { signal: controller.signal })
        const watched = (async () => {
          if (isWatched) for await (const _ of turn);
        })()
        const asked = isWatched ? watched.then(() => turn) : Promise.resolve(turn)
        asked.catch(() => {}) // looked at below
        await gate.reached
        controller.abort()
        await asked
      })
      expect(error.details).toMatchObject({ code: 'stopped', status: 'cancelled' })
    }
  })

  it('when it was stopped before it began; the model is not asked', async () => {
    await using open = openEcho()
    const error = await expectNothingLeft(open.agent, async () =>
      open.agent.ask('lost', { signal: AbortSignal.abort() }),
    )
    expect(error.details).toMatchObject({ code: 'stopped' })
    expect(open.model.requests).toEqual([])
  })

  it('when it is stopped while it waits for another; the other one is answered', async () => {
    const gate = createGate()
    await using open = openScripted((request) => [gate.wait(), ...says(`re: ${lastSaid(request)}`)])
    const session = open.agent.attachSession()
    const first = Promise.resolve(open.agent.ask('first'))
    first.catch(() => {}) // looked at below
    await gate.reached
    const controller = new AbortController()
    const second = Promise.resolve(open.agent.ask('second', { signal: controller.signal }))
    second.catch(() => {}) // looked at below
    await pause()
    controller.abort()
    await expect(second).rejects.toMatchObject({
      code: 'turn_failed',
      details: expect.objectContaining({ status: 'cancelled' }),
    })
    gate.open()
    expect((await first).text).toBe('re: first')
    expect(await logOf(session)).toEqual(pairLines('first'))
  })

  it('after it ended, its signal stops nothing any more', async () => {
    const gate = createGate()
    await using open = openScripted((request, call) =>
      call === 1 ? says('one') : [gate.wait(), ...says(`re: ${lastSaid(request)}`)],
    )
    open.agent.attachSession()
    const controller = new AbortController()
    await open.agent.ask('first', { signal: controller.signal })
    const second = Promise.resolve(open.agent.ask('second'))
    await gate.reached
    controller.abort()
    await pause()
    gate.open()
    expect((await second).text).toBe('re: second')
  })

  it.each(spoiltHandlers)('when the handler of the record %s', async (_what, handler) => {
    await using open = openEcho()
    open.agent.setRecordHandler(handler)
    const error = await expectNothingLeft(open.agent, async () => open.agent.ask('lost'))
    expect(error.message).not.toBe('')
    open.agent.setRecordHandler()
    await open.agent.ask('again')
    expect(await logOf(open.agent.session!)).toEqual(pairLines('before', 'again'))
  })

  it.each(spoiltHandlers.filter(([what]) => what.startsWith('answers')))(
    'and says what is wrong when the handler of the record %s',
    async (_what, handler) => {
      await using open = openEcho()
      open.agent.setRecordHandler(handler)
      const error = await expectNothingLeft(open.agent, async () => open.agent.ask('lost'))
      expect(error.details).toMatchObject({ code: 'record_failed' })
    },
  )

  it('when the agent is closed in the middle: it ends, and nobody else answers it', async () => {
    using folder = temporaryFolder()
    await using parley = await createParley({ dataDir: folder.path })
    const gate = createGate()
    const agent = createAgent({ model: createScripted(() => [gate.wait(), ...says('!')]), parley })
    const session = agent.activateSession('shared')
    const asked = Promise.resolve(agent.ask('lost'))
    const ended = asked.then(
      ({ text }) => `answered: ${text}`,
      (error: ParleyError) => error.code,
    )
    await gate.reached
    await agent.close()
    expect(await ended).toBe('turn_failed')
    expect((await parley.sessions.messages('shared')).items).toEqual([])
    gate.open()
    expect(session.id).toBe('shared')
  })
})

describe('a closed agent', () => {
  it('refuses what comes later, and can be closed again', async () => {
    const { agent } = openEcho()
    const session = agent.attachSession()
    await agent.ask('q')
    await agent.close()
    await expect(agent.ask('late')).rejects.toThrow('The agent is closed.')
    await expect(session.log()).rejects.toThrow('The agent is closed.')
    agent.detachSession()
    await expect(agent.ask('late')).rejects.toThrow('The agent is closed.')
    await agent.close()
  })

  it('refuses what comes later also when it was never used', async () => {
    const { agent } = openEcho()
    await agent.close()
    await expect(agent.ask('late')).rejects.toThrow('The agent is closed.')
    expect(() => agent.attachSession()).toThrow('The agent is closed.')
    await expect(agent.addChatHistory(pair('late'))).rejects.toThrow('The agent is closed.')
    await agent.close()
  })

  it('ends what was under way', async () => {
    const gate = createGate()
    const { agent } = openScripted(() => [gate.wait(), ...says('!')])
    const asked = Promise.resolve(agent.ask('q'))
    const ended = asked.then(
      () => 'answered',
      () => 'failed',
    )
    await gate.reached
    await agent.close()
    expect(await ended).toBe('failed')
  })
})

describe('what is recorded', () => {
  const answer = {
    answer: { text: 'yes', why: { first: 'a', second: [1, 2] } },
    score: 3,
    none: null,
  }
  const json = JSON.stringify(answer)

  it.each<[string, RecordSettings['output'], string]>([
    ['by a path with dots', { paths: ['answer.text'] }, 'yes'],
    ['by a path with slashes', { paths: ['/answer/text'] }, 'yes'],
    ['as text when it is a number', { paths: ['score'] }, '3'],
    ['out of a list', { paths: ['answer.why.second.1'] }, '2'],
    ['as YAML when it is an object', { paths: ['answer.why'] }, 'first: a\nsecond:\n  - 1\n  - 2'],
    [
      'from every path that leads to something',
      { paths: ['missing', 'answer.text', 'score'] },
      '[answer.text]:\nyes\n[score]:\n3',
    ],
    [
      'the same with mode all',
      { paths: ['answer/text', 'score', 'score.deeper'], mode: 'all' },
      '[answer/text]:\nyes\n[score]:\n3',
    ],
    [
      'from the first that leads to something with mode first',
      { paths: ['missing', 'answer.text', 'score'], mode: 'first' },
      'yes',
    ],
    ['whole when no path leads anywhere', { paths: ['missing', 'answer.text.deeper'] }, json],
    [
      'whole when a path names what every object has',
      { paths: ['constructor', '__proto__', 'answer.toString', 'answer.text.length'] },
      json,
    ],
  ])('of an answer: %s', async (_how, output, expected) => {
    await using open = openScripted(() => says(json))
    const session = open.agent.attachSession().setRecord({ output })
    const { text, data } = await open.agent.ask('q')
    // whoever asked gets all of it
    expect([text, data]).toEqual([json, answer])
    expect(await logOf(session)).toEqual(['user: q', `assistant: ${expected}`])
    await open.agent.ask('next')
    expect(sent(open.model.requests[1]!)).toEqual(['user: q', `assistant: ${expected}`, 'user: next'])
  })

  it('of an answer in a fence: by a path too', async () => {
    await using open = openScripted(() => says(`\`\`\`json\n${json}\n\`\`\``))
    const session = open.agent.attachSession().setRecord({ output: { paths: ['score'] } })
    expect((await open.agent.ask('q')).data).toEqual(answer)
    expect(await logOf(session)).toEqual(['user: q', 'assistant: 3'])
  })

  it('of an answer in words: the words', async () => {
    await using open = openScripted(() => says('In words.'))
    const session = open.agent.attachSession().setRecord({ output: { paths: ['score'] } })
    const { data } = await open.agent.ask('q')
    expect(data).toBeUndefined()
    expect(await logOf(session)).toEqual(['user: q', 'assistant: In words.'])
  })

  it('of an answer that was watched: by a path too', async () => {
    await using open = openScripted(() => says(...(json.match(/.{1,5}/g) ?? [])))
    const session = open.agent.attachSession().setRecord({ output: { paths: ['answer.text'] } })
    for await (const _ of open.agent.ask('q'));
    expect(await logOf(session)).toEqual(['user: q', 'assistant: yes'])
  })

  it.each<[string, unknown, RecordSettings['input'], string]>([
    ['by a path', { question: 'Where?', city: { name: 'Rome' } }, { paths: ['question'] }, 'Where?'],
    [
      'by paths of both kinds',
      { question: 'Where?', city: { name: 'Rome' } },
      { paths: ['question', 'city/name'] },
      '[question]:\nWhere?\n[city/name]:\nRome',
    ],
    [
      'by the first path',
      { question: 'Where?', city: { name: 'Rome' } },
      { paths: ['nothing', 'city', 'question'], mode: 'first' },
      'name: Rome',
    ],
    ['whole when no path leads anywhere', { a: 1 }, { paths: ['b'] }, 'a: 1'],
    ['whole when it is a text', 'Where?', { paths: ['question'] }, 'Where?'],
    ['as YAML when nothing is chosen', { a: { b: [1] } }, undefined, 'a:\n  b:\n    - 1'],
  ])('of an input: %s', async (_how, input, paths, expected) => {
    await using open = openScripted(() => says('ok'))
    const session = open.agent.attachSession().setRecord(paths ? { input: paths } : {})
    await open.agent.ask(input)
    expect(await logOf(session)).toEqual([`user: ${expected}`, 'assistant: ok'])
    // the model was told all of it
    for (const word of JSON.stringify(input).match(/\w+/g)!)
      expect(lastSaid(open.model.requests[0]!)).toContain(word)
  })

  it.each<[string, unknown]>([
    ['no paths', { output: { paths: [] } }],
    ['an empty path', { output: { paths: [''] } }],
    ['a text for paths', { input: { paths: 'answer' } }],
    ['an unknown mode', { output: { paths: ['a'], mode: 'last' } }],
    ['an unknown key', { outputs: { paths: ['a'] } }],
    ['nothing', undefined],
  ])('cannot be set to %s', async (_what, settings) => {
    await using open = openScripted(() => says(json))
    const session = open.agent.attachSession().setRecord({ output: { paths: ['score'] } })
    expect(() => session.setRecord(settings as RecordSettings)).toThrow(ParleyError)
    expect(session.record).toEqual({ output: { paths: ['score'] } })
    await open.agent.ask('q')
    expect(await logOf(session)).toEqual(['user: q', 'assistant: 3'])
  })

  it('is what the handler says, which goes before paths; without one it is question and answer again', async () => {
    await using open = openScripted(() => says(json))
    const session = open.agent.attachSession().setRecord({ output: { paths: ['score'] } })
    const finished: FinishedRequest[] = []
    open.agent.setRecordHandler(async (request) => {
      finished.push(structuredClone(request))
      // what it gets is its own
      request.parts.splice(0)
      await pause()
      return [
        { role: 'user', content: 'Q' },
        { role: 'assistant', parts: [{ type: 'text', text: 'A' }] },
        { role: 'user', content: 'extra' },
      ]
    })
    const { parts } = await open.agent.ask({ question: 'Where?' })
    expect(messageText({ parts })).toBe(json)
    expect(finished).toMatchObject([
      { input: { question: 'Where?' }, text: json, data: answer, parts: [{}, { type: 'text', text: json }] },
    ])
    expect(await logOf(session)).toEqual(['user: Q', 'assistant: A', 'user: extra'])
    open.agent.setRecordHandler(() => [])
    expect((await open.agent.ask('unrecorded')).text).toBe(json)
    expect(await logOf(session)).toHaveLength(3)
    open.agent.setRecordHandler()
    await open.agent.ask('plain')
    expect((await logOf(session)).slice(3)).toEqual(['user: plain', 'assistant: 3'])
  })

  it('is not asked of the handler without a session', async () => {
    await using open = openEcho()
    let count = 0
    open.agent.setRecordHandler(() => {
      count++
      return []
    })
    await open.agent.ask('q')
    expect(count).toBe(0)
  })
})

describe('the memo of a session', () => {
  it('takes in what leaves the window and goes before it in the prompt', async () => {
    const { handlers, updates } = keepFacts()
    await using open = openEcho({ handlers })
    const session = open.agent.enableSessionMemo({ messages: 4 })
    await session.add(['one', 'two', 'three'].flatMap(pair))
    expect(await session.memo()).toEqual({ facts: ['one', 'two'] })
    expect(updates.map(({ messages }) => messages.length)).toEqual([4])
    await open.agent.ask('q')
    const [head, ...rest] = sent(open.model.requests[0]!)
    expect(head).toMatch(/<memo>[^]*one[^]*two[^]*<\/memo>/)
    expect(head).not.toContain('three')
    expect(rest).toEqual([...pairLines('three'), 'user: q'])
  })

  it('is asked of the model of the agent when no handler keeps it', async () => {
    await using open = openScripted((request) =>
      isMemoRequest(request) ? says('{"facts": ["from the model"]}') : says('ok'),
    )
    const session = open.agent.enableSessionMemo({ messages: 4 })
    await session.add(['one', 'two', 'three'].flatMap(pair))
    expect(await session.memo()).toEqual({ facts: ['from the model'] })
  })

  it('goes with reset; the log stays, and a later update does not bring old messages back', async () => {
    const { handlers, updates } = keepFacts()
    await using open = openEcho({ handlers })
    const session = open.agent.enableSessionMemo({ messages: 4 })
    await session.add(['one', 'two', 'three'].flatMap(pair))
    await open.agent.resetChatHistory()
    expect(await session.memo()).toEqual({})
    expect(await open.agent.chatHistory()).toEqual([])
    expect(await logOf(session)).toEqual(pairLines('one', 'two', 'three'))
    await open.agent.ask('four')
    expect(sent(open.model.requests[0]!)).toEqual(['user: four'])
    await session.add(['five', 'six'].flatMap(pair))
    await session.resize()
    expect(await session.memo()).toEqual({ facts: ['four', 'five', 'six'] })
    const taken = updates.slice(1).flatMap(({ messages }) => messages.map(({ seq }) => seq))
    expect(taken).toEqual([7, 8, 9, 10, 11, 12])
  })

  it('goes with set too', async () => {
    const { handlers } = keepFacts()
    await using open = openEcho({ handlers })
    const session = open.agent.enableSessionMemo({ messages: 4 })
    await session.add(['one', 'two', 'three'].flatMap(pair))
    await open.agent.setChatHistory(pair('new'))
    expect(await session.memo()).toEqual({})
    await session.resize()
    expect(await session.memo()).toEqual({ facts: ['new'] })
  })

  it('stays with keepMemo, and what was cleared away is not taken in', async () => {
    const { handlers } = keepFacts()
    await using open = openEcho({ handlers })
    const session = open.agent.enableSessionMemo({ messages: 4 })
    await session.add(['one', 'two', 'three'].flatMap(pair))
    await open.agent.resetChatHistory({ keepMemo: true })
    expect(await session.memo()).toEqual({ facts: ['one', 'two'] })
    expect(await open.agent.chatHistory()).toEqual([])
    await open.agent.ask('four')
    const [head, ...rest] = sent(open.model.requests[0]!)
    expect(head).toContain('<memo>')
    expect(rest).toEqual(['user: four'])
    await session.resize()
    expect(await session.memo()).toEqual({ facts: ['one', 'two', 'four'] })
  })

  it('stays gone when an update was under way at the reset', async () => {
    const gate = createGate()
    const { handlers } = keepFacts()
    await using open = openEcho({
      handlers: {
        async memoUpdateHandler(update) {
          await gate.wait()
          return handlers.memoUpdateHandler(update)
        },
      },
    })
    const session = open.agent.enableSessionMemo({ messages: 4 })
    for (const text of ['one', 'two', 'three']) await open.agent.ask(text)
    await gate.reached
    await session.reset()
    gate.open()
    await session.ready()
    await open.agent.ask('four')
    expect(await session.memo()).toEqual({})
    expect(sent(open.model.requests.at(-1)!)).toEqual(['user: four'])
    expect(await historyOf(open.agent)).toEqual(pairLines('four'))
  })

  it('takes in nothing from before a reset when it is switched on after it', async () => {
    const { handlers } = keepFacts()
    await using open = openEcho({ handlers })
    const session = open.agent.enableSessionLite()
    await session.add(pair('one'))
    await session.reset()
    await session.add(pair('two'))
    session.useMemo()
    await session.resize()
    expect(await session.memo()).toEqual({ facts: ['two'] })
  })

  it('takes in what left before it was switched on', async () => {
    const { handlers } = keepFacts()
    await using open = openEcho({ handlers })
    const session = open.agent.enableSessionLite({ messages: 4 })
    await session.add(['one', 'two', 'three'].flatMap(pair))
    expect(await session.memo()).toEqual({})
    session.useMemo()
    await session.resize()
    expect(await session.memo()).toEqual({ facts: ['one', 'two', 'three'] })
  })

  it('can be judged and resized by hand', async () => {
    await using open = openEcho({ handlers: keepFacts().handlers })
    const session = open.agent.enableSessionMemo()
    await session.add(['one', 'two'].flatMap(pair))
    expect(await session.judgeResize()).toBeUndefined()
    expect(await session.judgeResize('lite')).toMatchObject({
      type: 'lite',
      reason: 'force',
      severity: 1_000,
    })
    expect(await session.resize()).toMatchObject({ type: 'deep', outcome: 'resized', startSeq: 3 })
    await expect(session.resize('sideways')).rejects.toThrow(/sideways/)
    expect(await historyOf(open.agent)).toEqual(pairLines('two'))
  })
})

describe('a session as text', () => {
  const secrets: AgentOptions = {
    model: 'openai/some-model',
    models: { openai: { apiKey: 'sk-secret' } },
    instructions: 'private instructions',
    session: {
      limit: { chars: 123_456 },
      memo: { instruct: 'inherited words', max_length: 4_321 },
    },
  }

  /** A session with a memo, a window that begins in the middle, and settings of its own. */
  async function openTold() {
    const agent = createAgent({ ...secrets, handlers: keepFacts().handlers })
    const session = agent.activateSession('told')
    session.setSettings({ mode: 'memo', limit: { messages: 4 }, resize: { every_n_turns: 50 } })
    await session.add(['one', 'two', 'three'].flatMap(pair))
    await session.add(pair('four'))
    return { agent, session, [Symbol.asyncDispose]: () => agent.close() }
  }

  const look = async (session: AgentSession) => {
    const { settings, startSeq } = await session.window()
    return {
      settings,
      startSeq,
      log: await session.log(),
      messages: await session.messages(),
      memo: await session.memo(),
    }
  }

  it.each(['toJSON', 'toYAML'] as const)('%s comes back whole with load', async (write) => {
    await using told = await openTold()
    const text = await told.session[write]()
    const { handlers, updates } = keepFacts()
    await using open = openEcho({ handlers })
    const session = open.agent.attachSession()
    await session.load(text)
    expect(session.settings).toEqual(told.session.settings)
    const loaded = await look(session)
    expect(loaded).toEqual(await look(told.session))
    expect(loaded).toMatchObject({
      settings: { mode: 'memo', limit: { messages: 4 }, resize: { every_n_turns: 50 } },
      startSeq: 5,
      memo: { facts: ['one', 'two'] },
    })
    expect(session.id).toBe('told')
    expect(await session[write]()).toBe(text)
    // the memo goes on where it was
    await session.add(pair('five'))
    expect(updates.flatMap(({ messages }) => messages.map(({ seq }) => seq))).toEqual([5, 6, 7, 8])
    expect(await session.memo()).toEqual({ facts: ['one', 'two', 'three', 'four'] })
    await open.agent.ask('q')
    const [head, ...rest] = sent(open.model.requests[0]!)
    expect(head).toContain('<memo>')
    expect(rest).toEqual([...pairLines('five'), 'user: q'])
  })

  it.each(['toJSON', 'toYAML'] as const)('%s holds nothing inherited and no secret', async (write) => {
    await using told = await openTold()
    const text = await told.session[write]()
    for (const word of ['sk-secret', 'openai', 'private', 'inherited', '123456', '4321'])
      expect(text).not.toContain(word)
    expect(text).toContain('every_n_turns')
    await using plain = createAgent(secrets)
    const session = plain.attachSession()
    await session.add(pair('x'))
    expect(JSON.parse(await session.toJSON()).session.window).toBeUndefined()
  })

  it('keeps what a reset hid hidden, and exports it all the same', async () => {
    await using open = openEcho()
    const session = open.agent.attachSession()
    await session.add(pair('hidden'))
    await session.reset()
    const text = await session.toJSON()
    await using other = openEcho()
    const loaded = other.agent.attachSession()
    await loaded.load(text)
    expect(await logOf(loaded)).toEqual(pairLines('hidden'))
    expect(await other.agent.chatHistory()).toEqual([])
    await other.agent.ask('q')
    expect(sent(other.model.requests[0]!)).toEqual(['user: q'])
  })

  it('can be loaded where its id is taken, and leaves that session alone', async () => {
    await using open = openEcho()
    const first = open.agent.activateSession('first')
    await open.agent.ask('one')
    const text = await first.toJSON()
    await open.agent.ask('two')
    const copy = open.agent.attachSession()
    await copy.load(text)
    expect(copy.id).not.toBe('first')
    expect(await logOf(copy)).toEqual(pairLines('one'))
    expect(await logOf(first)).toEqual(pairLines('one', 'two'))
    await open.agent.ask('three')
    expect(await logOf(copy)).toEqual(pairLines('one', 'three'))
    expect(await logOf(first)).toEqual(pairLines('one', 'two'))
  })

  type Document = { version: number; session: Record<string, unknown>; messages: Record<string, unknown>[] }
  const edit = (change: (document: Document) => void) => (text: string) => {
    const document = JSON.parse(text) as Document
    change(document)
    return JSON.stringify(document)
  }
  const memoWith = (more: object) =>
    edit(({ session }) => {
      session.memo = { ...(session.memo as object), ...more }
    })

  it.each<[string, (json: string, yaml: string) => unknown]>([
    ['empty', () => ''],
    ['only blanks', () => ' \n '],
    ['garbage', () => 'not a session'],
    ['a number', () => 5],
    ['nothing', () => undefined],
    ['an object', () => ({})],
    ['another format', edit((document) => Object.assign(document, { format: 'agently.session' }))],
    ['another version', edit((document) => Object.assign(document, { version: 2 }))],
    ['with a key that nobody knows', edit((document) => Object.assign(document, { extra: 1 }))],
    ['JSON that was cut off', (json) => json.slice(0, json.length / 2)],
    ['JSON without its last bracket', (json) => json.trimEnd().slice(0, -1)],
    ['YAML that was cut off', (_json, yaml) => yaml.slice(0, yaml.length / 2)],
    ['YAML without its last line', (_json, yaml) => yaml.replace(/\.\.\.\n$/, '')],
    ['with a cursor beyond the log', memoWith({ throughSeq: 9 })],
    ['with a cursor before the log', memoWith({ throughSeq: -1 })],
    ['with half a cursor', memoWith({ throughSeq: 1.5 })],
    ['with a cursor in words', memoWith({ throughSeq: 'four' })],
    ['without a cursor', memoWith({ throughSeq: undefined })],
    ['with a list for a memo', memoWith({ memo: [] })],
    [
      'with a window beyond the log',
      edit(({ session }) => {
        session.windowStart = 10
      }),
    ],
    [
      'with a window before the log',
      edit(({ session }) => {
        session.windowStart = 0
      }),
    ],
    [
      'with settings that are none',
      edit(({ session }) => {
        session.window = { limit: { messages: -4 } }
      }),
    ],
    [
      'with a memo that its own schema refuses',
      edit(({ session }) => {
        session.window = {
          mode: 'memo',
          memo: {
            schema: {
              type: 'object',
              properties: { n: { type: 'number' } },
              required: ['n'],
              additionalProperties: false,
            },
          },
        }
      }),
    ],
    ['with a wrong message', edit(({ messages }) => Object.assign(messages[3]!, { role: 'judge' }))],
    ['with one id twice', edit(({ messages }) => Object.assign(messages[3]!, { id: messages[2]!.id }))],
    ['two sessions', () => JSON.stringify([{ messages: [] }, { messages: [] }])],
  ])('is refused when it is %s; the session stays as it was', async (_what, spoil) => {
    using folder = temporaryFolder()
    await using parley = await createParley({ dataDir: folder.path })
    await using told = await openTold()
    const text = spoil(await told.session.toJSON(), await told.session.toYAML())
    await using open = openEcho({ parley })
    const session = open.agent.activateSession('mine')
    session.setSettings({ mode: 'memo', limit: { messages: 30 } })
    await open.agent.ask('kept')
    const before = await look(session)
    const error = (await session.load(text as string).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )) as ParleyError
    expect(error).toBeInstanceOf(ParleyError)
    expect(error.code).toBe('invalid_request')
    expect(error.message.length).toBeGreaterThan(20)
    expect(session.id).toBe('mine')
    expect(session.settings).toEqual({ mode: 'memo', limit: { messages: 30 } })
    expect(await look(session)).toEqual(before)
    // not even half of it is in the store
    expect((await parley.sessions.list()).items.map(({ id }) => id)).toEqual(['mine'])
    await open.agent.ask('goes on')
    expect(await logOf(session)).toEqual(pairLines('kept', 'goes on'))
  })

  it('is refused wherever it was cut off', async () => {
    await using told = await openTold()
    const [json, yaml] = [(await told.session.toJSON()).trimEnd(), (await told.session.toYAML()).trimEnd()]
    await using open = openEcho()
    const session = open.agent.attachSession()
    for (const text of [json, yaml])
      for (let length = 0; length < text.length; length += 29)
        await expect(session.load(text.slice(0, length)), `${length} characters`).rejects.toMatchObject({
          code: 'invalid_request',
        })
    expect(await session.log()).toEqual([])
  })
})

describe('many things at once', () => {
  const texts = (prefix: string) => Array.from({ length: 20 }, (_, index) => `${prefix}${index}`)

  const expectPairs = (log: string[], expected: string[]) => {
    const questions = log.filter((_, index) => index % 2 === 0)
    expect([...questions].sort()).toEqual(expected.map((text) => `user: ${text}`).sort())
    expect(log).toEqual(questions.flatMap((line) => pairLines(line.replace('user: ', ''))))
  }

  it('make one session of one that is new', async () => {
    using folder = temporaryFolder()
    await using parley = await createParley({ dataDir: folder.path })
    await using open = openEcho({ parley })
    const session = open.agent.attachSession()
    await Promise.all([
      ...texts('a').map((text) => session.add(pair(text))),
      ...texts('q').map((text) => open.agent.ask(text)),
      session.memo(),
      session.window(),
      open.agent.chatHistory(),
    ])
    expect((await parley.sessions.list()).items).toHaveLength(1)
    expectPairs(await logOf(session), [...texts('a'), ...texts('q')])
  })

  it('lose nothing and keep pairs together', async () => {
    await using open = openEcho()
    const session = open.agent.attachSession()
    const [answers] = await Promise.all([
      Promise.all(texts('q').map((text) => open.agent.ask(text))),
      Promise.all(texts('a').map((text) => open.agent.addChatHistory(pair(text)))),
    ])
    expect(answers.map(({ text }) => text)).toEqual(texts('q').map((text) => `re: ${text}`))
    expectPairs(await logOf(session), [...texts('a'), ...texts('q')])
    expect((await session.log()).map(({ seq }) => seq)).toEqual(Array.from({ length: 80 }, (_, n) => n + 1))
  })

  it('lose nothing when the window is cut and the memo updated all the while', async () => {
    const { handlers } = keepFacts()
    await using open = openEcho({
      handlers: {
        async memoUpdateHandler(update) {
          await pause()
          return handlers.memoUpdateHandler(update)
        },
      },
    })
    const session = open.agent.enableSessionMemo({ messages: 6 })
    await Promise.all([
      ...texts('q').map((text) => open.agent.ask(text)),
      ...texts('a').map((text) => open.agent.addChatHistory(pair(text))),
      ...texts('').map((text) => session.setLimit({ chars: 100_000 + Number(text) })),
    ])
    const log = await logOf(session)
    expectPairs(log, [...texts('a'), ...texts('q')])
    await session.resize()
    const { facts } = (await session.memo()) as { facts: string[] }
    expect(facts.map((text) => `user: ${text}`)).toEqual(log.filter((line) => line.startsWith('user: ')))
    for (const request of open.model.requests)
      expect(
        sent(request).find((line) => !line.includes('<memo>') && !line.includes('<left_window>')),
      ).toMatch(/^user: /)
  })

  it('go on in many sessions of one agent, each in its own', async () => {
    await using open = openEcho()
    const asks = texts('user-').flatMap((id) => {
      open.agent.activateSession(id)
      return [open.agent.ask(`${id} one`), open.agent.ask(`${id} two`)].map((turn) => Promise.resolve(turn))
    })
    await Promise.all(asks)
    for (const id of texts('user-'))
      expectPairs(await logOf(open.agent.activateSession(id)), [`${id} one`, `${id} two`])
  })

  it('leave the log in order when failing requests are among them', async () => {
    await using open = openScripted((request) =>
      lastSaid(request).startsWith('bad')
        ? [{ type: 'text-delta', text: 'half' }, new ModelFault('bad-request', 'no')]
        : says(`re: ${lastSaid(request)}`),
    )
    const session = open.agent.attachSession()
    const ended = await Promise.allSettled(
      texts('').flatMap((text) => [open.agent.ask(`good${text}`), open.agent.ask(`bad${text}`)]),
    )
    expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(20)
    expectPairs(await logOf(session), texts('good'))
  })
})

describe('sessions in a Parley', () => {
  it('survive closing and reopening, with window, memo and settings', async () => {
    using folder = temporaryFolder()
    const { handlers } = keepFacts()
    {
      await using parley = await createParley({ dataDir: folder.path })
      await using open = openEcho({ parley, handlers })
      const session = open.agent.activateSession('long-lived')
      session.useMemo({ messages: 4 })
      await session.add(['one', 'two', 'three'].flatMap(pair))
      await open.agent.ask('four')
    }
    await using parley = await createParley({ dataDir: folder.path })
    await using open = openEcho({ parley, handlers })
    const session = open.agent.activateSession('long-lived')
    expect(await logOf(session)).toEqual(pairLines('one', 'two', 'three', 'four'))
    expect(await historyOf(open.agent)).toEqual(pairLines('three', 'four'))
    expect(await session.memo()).toEqual({ facts: ['one', 'two'] })
    expect(await session.window()).toMatchObject({
      settings: { mode: 'memo', limit: { messages: 4 } },
      startSeq: 5,
    })
    await open.agent.ask('five')
    expect(sent(open.model.requests[0]!).slice(1)).toEqual([...pairLines('three', 'four'), 'user: five'])
    // the same session as the Parley itself shows it
    const { items } = await parley.sessions.messages('long-lived')
    expect(said(items)).toEqual(await logOf(session))
  })

  it('tell their settings after reopening, and add to them', async () => {
    using folder = temporaryFolder()
    await using parley = await createParley({ dataDir: folder.path })
    {
      await using open = openEcho({ parley })
      await open.agent.activateSession('kept').useMemo({ messages: 4 }).log()
    }
    await using open = openEcho({ parley })
    const session = open.agent.activateSession('kept')
    await session.log()
    expect(session.settings).toEqual({ mode: 'memo', limit: { messages: 4 } })
    session.setLimit({ chars: 9_000 })
    expect(session.settings).toEqual({ mode: 'memo', limit: { messages: 4, chars: 9_000 } })
    expect((await session.window()).settings).toEqual({ mode: 'memo', limit: { messages: 4, chars: 9_000 } })
  })

  it('have the instructions of the agent that asks, also when they are new', async () => {
    using folder = temporaryFolder()
    await using parley = await createParley({ dataDir: folder.path })
    const model = createEcho()
    for (const instructions of ['First version.', 'Second version.']) {
      await using agent = createAgent({ model, parley, instructions })
      agent.activateSession('kept')
      await agent.ask('q')
    }
    expect(model.requests.map(({ system }) => system)).toEqual(['First version.', 'Second version.'])
  })

  it('are answered by their agent, also when the Parley was busy in them', async () => {
    using folder = temporaryFolder()
    const gate = createGate()
    const model = createScripted(() => [gate.wait(), ...says('from Parley')])
    const models = { model: 'extra/test', extra: { extra: () => model } }
    await using parley = await createParley({ dataDir: folder.path, models })
    const { id } = await parley.sessions.create()
    const first = Promise.resolve(parley.sessions.chat(id, 'first'))
    await gate.reached
    await using open = openScripted(() => says('from the agent'), { parley })
    const session = open.agent.attachSession(id)
    const second = Promise.resolve(open.agent.ask('second'))
    await pause()
    gate.open()
    expect((await second).text).toBe('from the agent')
    await first
    expect((await logOf(session)).slice(2)).toEqual(['user: second', 'assistant: from the agent'])
  })

  it('leave the Parley open when the agent is closed', async () => {
    using folder = temporaryFolder()
    await using parley = await createParley({ dataDir: folder.path })
    const { agent } = openEcho({ parley })
    agent.activateSession('kept')
    await agent.ask('q')
    await agent.close()
    expect((await parley.sessions.messages('kept')).items).toHaveLength(2)
    await parley.sessions.chat('kept', 'hello')
    expect((await parley.sessions.messages('kept')).items).toHaveLength(4)
  })
})

describe('the recall tool of an agent', () => {
  /** Makes the calls one after another, and answers what the tool said to each. */
  async function recall(agent: Agent, model: ModelAdapter & { orders: unknown[] }, ...inputs: unknown[]) {
    model.orders = inputs.map((input) => input)
    const { parts } = await agent.ask('look it up')
    return parts
      .filter((part): part is Part => part.type === 'dynamic-tool')
      .map(({ output, errorText }) => String(output ?? `error: ${String(errorText)}`))
  }
  function createCaller(): ModelAdapter & { orders: unknown[]; requests: ModelRequest[] } {
    const model = createScripted(() => {
      const order = caller.orders.shift()
      return order === undefined ? says('found') : calls(['recall', order])
    })
    const caller = Object.assign(model, { orders: [] as unknown[] })
    return caller
  }
  const facts = Array.from({ length: 30 }, (_, index) => pair(`fact ${index} about topic${index % 3}`))

  it('finds what left the window, and pages through it', async () => {
    const model = createCaller()
    await using agent = createAgent({ model })
    const session = agent.enableSessionLite({ messages: 4 })
    await session.add([...pair('The code word is 青花瓷 porcelain'), ...facts.flat()])
    expect((await session.messages()).length).toBeLessThanOrEqual(4)
    const [found, chinese, first, second, between, none] = await recall(
      agent,
      model,
      { query: 'porcelain code' },
      { query: '青花' },
      { query: 'topic1', limit: 2 },
      { query: 'topic1', limit: 2, before: 59 },
      { after: 2, before: 6, limit: 50 },
      { query: 'never said' },
    )
    expect(found).toMatch(/^\[2\] assistant, .*\n\n\[1\] user, .*: The code word is 青花瓷 porcelain$/)
    expect(chinese).toContain('[1] user')
    expect(first!.match(/^\[\d+\]/gm)).toEqual(['[60]', '[59]'])
    expect(second!.match(/^\[\d+\]/gm)).toEqual(['[54]', '[53]'])
    expect(between!.match(/^\[\d+\]/gm)).toEqual(['[3]', '[4]', '[5]'])
    expect(none).toBe('No such messages.')
  })

  it('reads a long message whole, piece by piece', async () => {
    const model = createCaller()
    await using agent = createAgent({ model })
    const session = agent.enableSessionLite({ messages: 4 })
    const long = Array.from({ length: 3_000 }, (_, index) => `word${index}`).join(' ')
    await session.add([{ role: 'user', content: long }, pair('x')[1]!, ...facts.flat()])
    const pieces = await recall(
      agent,
      model,
      { message: 1 },
      { message: 1, offset: 8_000 },
      { message: 1, offset: 16_000 },
      { message: 1, offset: 24_000 },
    )
    const texts = pieces.map((piece) =>
      piece.replace(/^\[1\] user, \S+: /, '').replace(/\n\[\d+ more characters: offset \d+\]$/, ''),
    )
    expect(texts.join('')).toBe(long)
    expect(pieces[0]).toMatch(new RegExp(`\\[${long.length - 8_000} more characters: offset 8000\\]$`))
  })

  it('finds nothing of other sessions, and nothing of a request that failed', async () => {
    using folder = temporaryFolder()
    await using parley = await createParley({ dataDir: folder.path })
    const model = createCaller()
    await using agent = createAgent({ model, parley })
    await agent.activateSession('other').add(pair('the treasure is in the garden'))
    agent.activateSession('mine')
    await agent.addChatHistory(pair('hello'))
    const found = await recall(agent, model, { query: 'treasure' }, {}, { message: 3 }, { after: 0 })
    expect(found[0]).toBe('No such messages.')
    expect(found[1]).not.toContain('treasure')
    expect(found[2]).toMatch(/^error: .*no message 3/i)
    expect(found[3]).not.toContain('treasure')
  })

  it.each<[string, unknown]>([
    ['no JSON', '{query'],
    ['a text', '"treasure"'],
    ['an unknown key', { search: 'x' }],
    ['an empty query', { query: '' }],
    ['a query without letters', { query: '!?!' }],
    ['a query with after', { query: 'x', after: 1 }],
    ['a negative place', { before: -1 }],
    ['half a place', { message: 1.5 }],
    ['a place in words', { before: 'ten' }],
    ['a limit of nothing', { limit: 0 }],
    ['a limit of too much', { limit: 51 }],
    ['a negative offset', { message: 1, offset: -1 }],
    ['a message that there is not', { message: 999 }],
    ['another session', { query: 'x', sessionId: 'other' }],
  ])('tells the model what is wrong with %s', async (_what, input) => {
    const model = createCaller()
    await using agent = createAgent({ model })
    const session = agent.attachSession()
    await session.add(pair('x'))
    const [answered] = await recall(agent, model, input)
    expect(answered).toMatch(/^error: .{10,}/)
    // the request itself goes on, and the model sees what was wrong
    expect(sent(model.requests.at(-1)!).at(-1)).toMatch(/^tool: .{10,}/)
    expect(await logOf(session)).toHaveLength(4)
  })

  it('is not blind to what was reset', async () => {
    const model = createCaller()
    await using agent = createAgent({ model })
    const session = agent.attachSession()
    await session.add(pair('forgotten words'))
    await session.reset()
    expect((await recall(agent, model, { query: 'forgotten' }))[0]).toContain('forgotten words')
  })
})

describe('the permissions of an agent', () => {
  const rings = (request: ModelRequest, call: number) =>
    call === 1 ? calls(['add', { a: 1, b: 2 }]) : says(sent(request).at(-1)!)
  const ask = async (permissions: AgentOptions['permissions']) => {
    await using opened = openScripted(rings, { tools: [add], permissions })
    return (await opened.agent.ask('go')).text
  }

  it('let every call be made where none are set, and where no rule speaks of the tool', async () => {
    expect(await ask(undefined)).toContain('{"sum":3}')
    expect(await ask({ rules: [{ tool: 'subtract', decision: 'deny' }] })).toContain('{"sum":3}')
  })

  it('refuse what a rule forbids, and tell the model why', async () => {
    const text = await ask({ rules: [{ tool: 'a*', decision: 'deny', message: 'No sums today.' }] })
    expect(text).toContain('No sums today.')
    expect(text).not.toContain('sum":3')
  })

  it('ask the program where a rule says so, and refuse where it cannot be asked', async () => {
    const rules = [{ tool: 'add', decision: 'ask' as const }]
    const asked: unknown[] = []
    const answering = (answer: boolean) => (call: unknown) => (asked.push(call), answer)
    expect(await ask({ rules, onAsk: answering(true) })).toContain('{"sum":3}')
    expect(await ask({ rules, onAsk: answering(false) })).toContain('Not allowed')
    expect(await ask({ rules })).toContain('Not allowed')
    const call = { tool: 'add', action: 'call', input: { a: 1, b: 2 }, resources: [] }
    expect(asked).toEqual([expect.objectContaining(call), expect.objectContaining(call)])
  })

  it('do not go before a no of the session that is stored', async () => {
    using folder = temporaryFolder()
    await using parley = await createParley({ dataDir: folder.path })
    const { id } = await parley.sessions.create({ permissionRules: [{ tool: 'add', decision: 'deny' }] })
    await using opened = openScripted(rings, {
      tools: [add],
      parley,
      permissions: { rules: [{ tool: 'add', decision: 'allow' }] },
    })
    opened.agent.activateSession(id)
    expect((await opened.agent.ask('go')).text).toContain('Not allowed')
  })
})
