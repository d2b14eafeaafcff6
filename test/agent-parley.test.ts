import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { AgentOptions } from '../src/agent/agent-options.ts'
import { createAgent } from '../src/agent/agent.ts'
import { createParley, type ParleyOptions } from '../src/parley.ts'
import { messageText } from '../src/core/protocol/message-text.ts'
import type { NewMessage } from '../src/core/protocol/message.ts'
import type { MemoUpdate } from '../src/core/sessions/window/window-handlers.ts'
import { defineTool } from '../src/core/tools/tool.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { temporaryFolder } from './harness.ts'

const made: string[] = []
const write = defineTool({
  name: 'write',
  description: 'Writes a line',
  input: z.strictObject({ text: z.string() }),
  access: ({ text }) => ({ action: 'write', effect: 'write', resources: [`line:${text}`] }),
  execute: async ({ text }) => {
    made.push(text)
    return `wrote ${text}`
  },
})
/** Calls the tool once, then says what came of it. */
const writes: Script = (request, call) =>
  call % 2 === 1
    ? calls(['write', { text: `line ${call}` }])
    : says(JSON.stringify(request.messages.at(-1)!.content))

const models = (script: Script) => {
  const found: Record<string, ReturnType<typeof createScripted>> = {}
  const create = (name: string) =>
    (found[name] ??= Object.assign(createScripted(script), { id: `own/${name}` }))
  return { found, settings: { model: 'own/usual', extra: { own: create } } }
}

async function open(script: Script, options: Partial<ParleyOptions> = {}, agentOptions: AgentOptions = {}) {
  const folder = temporaryFolder()
  const { found, settings } = models(script)
  const parley = await createParley({ dataDir: folder.path, models: settings, ...options })
  const agent = createAgent({ parley, ...agentOptions })
  return {
    parley,
    agent,
    found,
    async [Symbol.asyncDispose]() {
      await agent.close()
      await parley.close()
      folder[Symbol.dispose]()
    },
  }
}

const pair = (text: string): NewMessage[] => [
  { role: 'user', content: text },
  { role: 'assistant', content: `re: ${text}` },
]
const ok: Script = () => says('ok')

describe('an agent of a Parley', () => {
  it('answers with the models of the Parley: the default one, one by its name, and that of its scope', async () => {
    await using opened = await open(ok)
    const { parley, agent, found } = opened
    agent.attachSession()
    await agent.ask('one')
    expect(Object.keys(found)).toEqual(['usual'])
    await agent.ask('two', { model: 'own/other' })
    expect(found.other!.requests).toHaveLength(1)
    await parley.settings.update({ model: 'own/of-scope' })
    await agent.ask('three')
    expect(found['of-scope']!.requests).toHaveLength(1)
    agent.detachSession()
    await agent.ask('without a session')
    expect(found['of-scope']!.requests).toHaveLength(2)
    expect(found.usual!.requests).toHaveLength(1)
    await expect(agent.ask('four', { model: 'own' })).rejects.toMatchObject({ code: 'invalid_request' })
  })

  it('answers with its own model where it names one, whatever is set for the scope', async () => {
    await using opened = await open(ok)
    const { parley, found } = opened
    await parley.settings.update({ model: 'own/of-scope' })
    await using named = createAgent({ parley, model: 'own/named' })
    named.attachSession()
    await named.ask('one')
    const adapter = createScripted(ok)
    await using handed = createAgent({ parley, model: adapter })
    handed.attachSession()
    await handed.ask('one')
    expect([found.named!.requests.length, adapter.requests.length]).toEqual([1, 1])
    expect(found['of-scope']!.requests).toEqual([])
    const { id } = await parley.sessions.create({ model: 'own/of-session' })
    handed.attachSession(id)
    await handed.ask('two')
    expect(found['of-session']!.requests).toHaveLength(1)
  })

  it('goes by the settings of the Parley, then of the scope, then its own, then those of the session', async () => {
    await using opened = await open(
      ok,
      { session: { limit: { messages: 40, chars: 5_000, tokens: 900 }, memo: { max_length: 700 } } },
      { session: { limit: { chars: 7_000, tokens: 800 } } },
    )
    await opened.parley.settings.update({ window: { limit: { chars: 6_000 }, mode: 'memo' } })
    const session = opened.agent.attachSession().setLimit({ tokens: 700 })
    expect(await session.window()).toMatchObject({
      settings: { limit: { tokens: 700 } },
      effective: { mode: 'memo', maxMessages: 40, maxChars: 7_000, maxTokens: 700 },
    })
    // nothing of that is the session's own
    expect(JSON.parse(await session.toJSON()).session.window).toEqual({ limit: { tokens: 700 } })
  })

  it('has the limits of turns and the handlers of windows that the Parley has', async () => {
    const updates: MemoUpdate[] = []
    const memoUpdateHandler = (update: MemoUpdate) => {
      updates.push(update)
      return { facts: ['of the Parley'] }
    }
    await using opened = await open(
      (_, call) => calls(['write', { text: `line ${call}` }]),
      {
        chat: { maxSteps: 3 },
        windowHandlers: { memoUpdateHandler },
        permissions: { mode: 'bypassPermissions' },
      },
      { tools: [write] },
    )
    const session = opened.agent.enableSessionMemo({ messages: 4 })
    await expect(opened.agent.ask('go')).rejects.toMatchObject({ details: { code: 'step_limit' } })
    await session.add(['one', 'two', 'three'].flatMap(pair))
    expect(await session.memo()).toEqual({ facts: ['of the Parley'] })
    expect(updates).toHaveLength(1)
  })

  it('works in the scope that it is given, and sees nothing of others', async () => {
    await using opened = await open(ok, { scopes: {} }, { scope: 'notes' })
    const { parley, agent } = opened
    agent.activateSession('mine')
    await agent.ask('hello')
    expect((await parley.sessions.list({ scope: 'notes' })).items.map(({ id }) => id)).toEqual(['mine'])
    expect((await parley.sessions.list()).items).toEqual([])
    const { id } = await parley.sessions.create()
    const theirs = agent.activateSession(id)
    await expect(theirs.log()).rejects.toMatchObject({ code: 'conflict' })
    expect(() => createAgent({ parley, scope: 'no such name!' })).toThrow(/scope .*"no such name!"/)
  })
})

describe('the guard of a Parley', () => {
  const inSession = [true, false]

  it.each(inSession)(
    'refuses an agent what a rule of the Parley forbids (with a session: %s)',
    async (isIn) => {
      await using opened = await open(
        writes,
        { permissions: { rules: [{ tool: 'write', decision: 'deny', message: 'Not here.' }] } },
        { tools: [write], permissions: { rules: [{ tool: 'write', decision: 'allow' }], onAsk: () => true } },
      )
      if (isIn) opened.agent.attachSession()
      expect((await opened.agent.ask('go')).text).toContain('Not here.')
    },
  )

  it.each(inSession)('refuses what the scope forbids (with a session: %s)', async (isIn) => {
    await using opened = await open(writes, {}, { tools: [write], permissions: { onAsk: () => true } })
    await opened.parley.settings.update({ permissionRules: [{ tool: 'write', decision: 'deny' }] })
    if (isIn) opened.agent.attachSession()
    expect((await opened.agent.ask('go')).text).toContain('Not allowed')
  })

  it.each(inSession)('asks its hooks (with a session: %s)', async (isIn) => {
    const seen: string[] = []
    await using opened = await open(
      writes,
      {
        permissions: { mode: 'bypassPermissions' },
        hooks: [
          {
            event: 'PreToolUse',
            id: 'watch',
            run: ({ tool }) => {
              seen.push(tool)
              return { decision: 'deny', reason: 'The hook says no.' }
            },
          },
        ],
      },
      { tools: [write] },
    )
    if (isIn) opened.agent.attachSession()
    expect((await opened.agent.ask('go')).text).toContain('The hook says no.')
    expect(seen).toEqual(['write'])
  })

  it.each(inSession)('asks the program where the mode asks, once (with a session: %s)', async (isIn) => {
    const asked: string[] = []
    const answers = [true, false]
    await using opened = await open(
      writes,
      {},
      { tools: [write], permissions: { onAsk: ({ tool }) => (asked.push(tool), answers.shift()!) } },
    )
    if (isIn) opened.agent.attachSession()
    expect((await opened.agent.ask('go')).text).toContain('wrote line 1')
    expect((await opened.agent.ask('again')).text).toMatch(/Not allowed|said no/)
    expect(asked).toEqual(['write', 'write'])
    expect((await opened.parley.approvals.list()).items).toEqual([])
  })

  it('asks the people of the Parley where the program answers nothing', async () => {
    await using opened = await open(writes, {}, { tools: [write] })
    const session = opened.agent.attachSession()
    const asked = Promise.resolve(opened.agent.ask('go'))
    await expect.poll(async () => (await opened.parley.approvals.list()).items.length).toBe(1)
    const [ask] = (await opened.parley.approvals.list()).items
    expect(ask).toMatchObject({ sessionId: session.id, toolName: 'write' })
    await opened.parley.approvals.decide(ask!.id, { decision: 'approve' })
    expect((await asked).text).toContain('wrote line 1')
  })

  it('refuses what nobody could be asked about: without a session people see none', async () => {
    await using opened = await open(writes, {}, { tools: [write] })
    expect((await opened.agent.ask('go')).text).toContain('Nobody is there to be asked')
    expect((await opened.parley.sessions.list()).items).toEqual([])
  })

  it('lets the program answer what only the Parley asks about', async () => {
    await using opened = await open(
      writes,
      { permissions: { rules: [{ tool: 'write', decision: 'ask' }] } },
      {
        tools: [write],
        permissions: {
          mode: 'bypassPermissions',
          rules: [{ tool: 'write', decision: 'allow' }],
          onAsk: () => true,
        },
      },
    )
    opened.agent.attachSession()
    expect((await opened.agent.ask('go')).text).toContain('wrote line 1')
  })
})

describe('a session that is loaded', () => {
  const text = async () => {
    await using agent = createAgent({ model: createScripted(ok) })
    const session = agent.activateSession('told')
    session.useMemo({ messages: 30 }).setRecord({ output: { paths: ['answer'] } })
    await session.add(pair('hello'))
    return await session.toJSON()
  }
  const lines = (messages: readonly NewMessage[]) => messages.map(({ parts = [] }) => messageText({ parts }))

  it('keeps the id that it was given, and has the settings of the text', async () => {
    await using opened = await open(ok)
    const { parley, agent } = opened
    for (const isStored of [false, true]) {
      const id = isStored ? 'stored' : 'fresh'
      const session = agent.activateSession(id)
      if (isStored)
        await session
          .setLimit({ chars: 9_000 })
          .setRecord({ input: { paths: ['x'] } })
          .log()
      await session.load(await text())
      expect([session.id, session.settings, session.record]).toEqual([
        id,
        { mode: 'memo', limit: { messages: 30 } },
        { output: { paths: ['answer'] } },
      ])
      expect(lines(await session.log())).toEqual(['hello', 're: hello'])
      expect(agent.activateSession(id)).toBe(session)
      expect((await parley.sessions.messages(id)).items).toHaveLength(2)
      expect((await parley.sessions.get(id)).window).toEqual(session.settings)
    }
    expect((await parley.sessions.list()).items.map(({ id }) => id).sort()).toEqual(['fresh', 'stored'])
  })

  it('is refused by one that has messages, or whose id another scope has; nothing changes', async () => {
    await using opened = await open(ok)
    const { parley, agent } = opened
    const full = agent.activateSession('full').setLimit({ messages: 9 })
    await agent.ask('kept')
    await parley.sessions.create({ scope: 'other' })
    await using elsewhere = createAgent({ parley, scope: 'other' })
    const taken = elsewhere.activateSession('full')
    const before = await full.toJSON()
    for (const session of [full, taken])
      await expect(session.load(await text())).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('"full"'),
      })
    expect(await full.toJSON()).toBe(before)
    expect(full.settings).toEqual({ limit: { messages: 9 } })
    expect((await parley.sessions.list()).items).toHaveLength(1)
  })
})

describe('what is recorded of a session', () => {
  const record = { input: { paths: ['question'] }, output: { paths: ['answer'], mode: 'first' as const } }
  const script: Script = () => says('{"answer": "yes", "why": "because"}')

  it('is kept with it: another agent records the same, and so does a fork', async () => {
    await using opened = await open(script)
    const { parley, agent } = opened
    agent.activateSession('kept').setRecord(record)
    await agent.ask({ question: 'Where?', noise: 1 })
    await using next = createAgent({ parley })
    const session = next.activateSession('kept')
    await next.ask({ question: 'When?', noise: 2 })
    expect(session.record).toEqual(record)
    const texts = (await session.log()).map((message) => messageText(message))
    expect(texts).toEqual(['Where?', 'yes', 'When?', 'yes'])
    const [first] = await session.log()
    const fork = await parley.sessions.fork('kept', { messageId: first!.id })
    expect(fork.record).toEqual(record)
  })

  it.each(['toJSON', 'toYAML'] as const)('is part of %s, and comes back with load', async (method) => {
    await using agent = createAgent({ model: createScripted(script) })
    const session = agent.attachSession().setRecord(record)
    await agent.ask({ question: 'Where?' })
    const text = await session[method]()
    await using other = createAgent({ model: createScripted(script) })
    const loaded = other.attachSession()
    await loaded.load(text)
    expect(loaded.record).toEqual(record)
    expect(await loaded[method]()).toBe(text)
    await other.ask({ question: 'When?' })
    expect((await loaded.log()).map((message) => messageText(message))).toEqual([
      'Where?',
      'yes',
      'When?',
      'yes',
    ])
    loaded.setRecord({})
    await loaded.log()
    expect(loaded.record).toEqual({})
  })
})

describe('handlers of a session', () => {
  const keeps = (name: string) => ({ memoUpdateHandler: () => ({ facts: [name] }) })

  it('hold for that session alone, in its calls and in its turns, and go before those of the agent', async () => {
    await using agent = createAgent({ model: createScripted(ok), handlers: keeps('agent') })
    const plain = agent.activateSession('plain').useMemo({ messages: 4 })
    const own = agent.activateSession('own').useMemo({ messages: 4 }).setHandlers(keeps('session'))
    for (const session of [plain, own]) {
      agent.attachSession(session)
      for (const text of ['one', 'two', 'three']) await agent.ask(text)
      await session.messages()
    }
    expect([await plain.memo(), await own.memo()]).toEqual([{ facts: ['agent'] }, { facts: ['session'] }])
    own.setHandlers({ memoUpdateHandler: undefined })
    await own.resize()
    expect(await own.memo()).toEqual({ facts: ['agent'] })
  })

  it('decide when and how: the policy, and a type of its own beside those of the agent', async () => {
    await using agent = createAgent({
      model: createScripted(ok),
      handlers: {
        resizeHandlers: { own: () => ({}), lite: ({ messages }) => ({ window: messages.slice(-2) }) },
      },
    })
    const session = agent.attachSession().setHandlers({
      policyHandler: ({ messages }) => (messages.length > 6 ? 'own' : null),
      resizeHandlers: { own: ({ messages }) => ({ window: messages.slice(-4) }) },
    })
    for (const text of ['one', 'two', 'three', 'four']) await agent.ask(text)
    expect((await session.messages()).map(({ seq }) => seq)).toEqual([5, 6, 7, 8])
    expect(await session.window()).toMatchObject({ messages: 4, resizes: [{ type: 'own' }] })
    await session.resize('lite')
    expect(await session.messages()).toHaveLength(2)
    expect(await session.judgeResize()).toBeUndefined()
  })

  it.each<[string, unknown, RegExp]>([
    ['a text', { policyHandler: 'lite' }, /policyHandler must be a function, not "lite"/],
    [
      'a type that is none',
      { resizeHandlers: { lite: 5 } },
      /resizeHandlers\.lite must be a function, not 5/,
    ],
    ['an unknown name', { policy: () => null }, /There is no handler "policy".*policyHandler/],
    ['no object', 'lite', /an object of functions, not "lite"/],
  ])('are refused when one is %s, and stay as they were', async (_what, given, message) => {
    await using agent = createAgent({ model: createScripted(ok) })
    const session = agent.attachSession().setHandlers(keeps('session'))
    const before = session.handlers
    expect(() => session.setHandlers(given as object)).toThrow(message)
    expect(session.handlers).toEqual(before)
    expect(() => createAgent({ handlers: given as object })).toThrow(message)
    using folder = temporaryFolder()
    await expect(createParley({ dataDir: folder.path, windowHandlers: given as object })).rejects.toThrow(
      message,
    )
  })
})
