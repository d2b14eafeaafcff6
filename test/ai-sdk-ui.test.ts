import {
  AbstractChat,
  type ChatInit,
  type ChatState,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { messageText } from '../src/core/protocol/message-text.ts'
import { defineTool } from '../src/core/tools/tool.ts'
import type { ParleyOptions } from '../src/parley.ts'
import { calls, says, type Script } from './chat-harness.ts'
import { databases, sqliteDatabase, type TestDatabase } from './harness.ts'
import { serveParley } from './served-parley.ts'

/** The chat of the AI SDK as its frameworks use it: only where they keep their state differs. */
class PageChat extends AbstractChat<UIMessage> {
  readonly shown: ChatState<UIMessage>

  constructor({ messages = [], ...init }: ChatInit<UIMessage>) {
    const state: ChatState<UIMessage> = {
      status: 'ready',
      error: undefined,
      messages,
      pushMessage: (message) => void (state.messages = [...state.messages, message]),
      popMessage: () => void (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (index, message) => void (state.messages = state.messages.with(index, { ...message })),
      snapshot: (value) => structuredClone(value),
    }
    super({ ...init, state })
    this.shown = state
  }

  texts(): string[] {
    return this.messages.map(({ role, parts }) =>
      [role, ...parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))].join(': '),
    )
  }
}

const weather = {
  name: 'weather',
  description: 'Tells the weather of a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

async function open(database: TestDatabase, script: Script, options: Partial<ParleyOptions> = {}) {
  const host = await serveParley(database, script, options)
  const { parley, url } = host
  const openChat = async ({
    id: known,
    body,
    headers,
    ...init
  }: ChatInit<UIMessage> & { body?: object; headers?: Record<string, string> } = {}) => {
    const id = known ?? (await parley.sessions.create()).id
    const api = `${url}/api/sessions/${id}/chat`
    return new PageChat({ id, transport: new DefaultChatTransport({ api, body, headers }), ...init })
  }
  return Object.assign(host, {
    openChat,
    texts: async (id: string) =>
      (await parley.sessions.messages(id)).items.map((message) => `${message.role}: ${messageText(message)}`),
  })
}

const withOtherIds = (events: ReturnType<Script>) =>
  events.map((event) =>
    event instanceof Promise || event instanceof Error || !('toolCallId' in event)
      ? event
      : { ...event, toolCallId: `other-${event.toolCallId}` },
  )

const counts = (): Script => (_, call) => says(`Answer ${call}`)

describe.each(databases)('a chat of the AI SDK on %s', (_name, openDatabase) => {
  it('regenerates an answer in the same session, which keeps the old one as a variant', async () => {
    await using database = await openDatabase()
    await using host = await open(database, counts())
    const chat = await host.openChat()
    await chat.sendMessage({ text: 'One' })
    await chat.sendMessage({ text: 'Two' })
    await chat.regenerate()
    expect(chat.error).toBeUndefined()
    const now = ['user: One', 'assistant: Answer 1', 'user: Two', 'assistant: Answer 3']
    expect(chat.texts()).toEqual(now)
    expect(await host.texts(chat.id)).toEqual(now)
    expect(JSON.stringify(host.requests[2])).not.toContain('Answer 2')
    const { items } = await host.parley.sessions.variants(chat.id)
    expect(items).toHaveLength(2)
    const kept = items.find(({ sessionId }) => sessionId !== chat.id)!
    expect(await host.texts(kept.sessionId)).toEqual([...now.slice(0, 3), 'assistant: Answer 2'])
    await chat.regenerate({ messageId: chat.messages[1]!.id })
    expect(await host.texts(chat.id)).toEqual(['user: One', 'assistant: Answer 4'])
    expect(chat.texts()).toEqual(['user: One', 'assistant: Answer 4'])
    const audit = await host.parley.audit({ session: chat.id, action: 'rollback' })
    expect(audit.items).toHaveLength(2)
  })

  it('edits a message, and what followed it is kept as a variant', async () => {
    await using database = await openDatabase()
    await using host = await open(database, counts())
    const chat = await host.openChat()
    await chat.sendMessage({ text: 'One' })
    await chat.sendMessage({ text: 'Two' })
    await chat.sendMessage({ text: 'Uno', messageId: chat.messages[0]!.id })
    expect(chat.error).toBeUndefined()
    expect(await host.texts(chat.id)).toEqual(['user: Uno', 'assistant: Answer 3'])
    expect(chat.texts()).toEqual(['user: Uno', 'assistant: Answer 3'])
    expect((await host.parley.sessions.variants(chat.id)).items).toHaveLength(2)
  })

  it('goes on from an earlier message, as clients do that edit in their own way', async () => {
    await using database = await openDatabase()
    await using host = await open(database, counts())
    const chat = await host.openChat()
    await chat.sendMessage({ text: 'One' })
    await chat.sendMessage({ text: 'Two' })
    await chat.sendMessage({ text: 'Three' })
    chat.messages = chat.messages.slice(0, 2)
    await chat.sendMessage({ text: 'Dos' })
    const now = ['user: One', 'assistant: Answer 1', 'user: Dos', 'assistant: Answer 4']
    expect(chat.texts()).toEqual(now)
    expect(await host.texts(chat.id)).toEqual(now)
    const { items } = await host.parley.sessions.variants(chat.id)
    expect(await host.texts(items.at(-1)!.sessionId)).toHaveLength(6)
    // one that sends its last message alone goes on from the end
    chat.messages = []
    await chat.sendMessage({ text: 'Tres' })
    expect(await host.texts(chat.id)).toEqual([...now, 'user: Tres', 'assistant: Answer 5'])
  })

  it('executes tools of the page, whose results continue the turn', async () => {
    await using database = await openDatabase()
    const looks: Script = (_, call) =>
      call === 1
        ? [
            { type: 'text-delta', text: 'Looking.' },
            ...calls(['weather', { city: 'Rome' }], ['weather', { city: 'Oslo' }]),
          ]
        : call === 2
          ? withOtherIds(calls(['weather', { city: 'Bonn' }]))
          : says('Sunny')
    await using host = await open(database, looks)
    const chat = await host.openChat({
      body: { tools: [weather], builtInTools: false },
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall({ toolCall }) {
        if (toolCall.dynamic) return
        const { city } = toolCall.input as { city: string }
        const call = { tool: toolCall.toolName, toolCallId: toolCall.toolCallId }
        void (city === 'Oslo'
          ? chat.addToolOutput({ ...call, state: 'output-error', errorText: 'No such city' })
          : chat.addToolResult({ ...call, output: { city, degrees: 31 } }))
      },
    })
    await chat.sendMessage({ text: 'Weather?' })
    await expect
      .poll(() => [chat.status, chat.texts().at(-1)])
      .toEqual(['ready', 'assistant: Looking.: Sunny'])
    expect(chat.error).toBeUndefined()
    expect(chat.messages).toHaveLength(2)
    const tools = [
      { type: 'tool-weather', state: 'output-available', output: { city: 'Rome' } },
      { type: 'tool-weather', state: 'output-error', errorText: 'No such city' },
      { type: 'tool-weather', state: 'output-available', output: { city: 'Bonn' } },
    ]
    expect(chat.messages[1]!.parts.filter(({ type }) => type.startsWith('tool-'))).toMatchObject(tools)
    expect(host.requests).toHaveLength(3)
    const { items } = await host.parley.sessions.messages(chat.id)
    expect(items.map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id))
    expect(items[1]!.parts.filter(({ type }) => type === 'dynamic-tool')).toMatchObject(
      tools.map(({ type: _, ...tool }) => tool),
    )
  })

  it('is answered what it decided after a restart', async () => {
    await using database = await openDatabase()
    const launch = defineTool({
      name: 'launch',
      description: 'Launches',
      input: z.strictObject({}),
      execute: async () => 'launched',
    })
    const script: Script = ({ messages }) =>
      messages.some(({ role }) => role === 'tool') ? says('Done') : calls(['launch', {}])
    const options = {
      tools: [launch],
      shutdownMs: 0,
      permissions: { rules: [{ tool: 'launch', decision: 'ask' as const }] },
    }
    const first = await open(database, script, options)
    const before = await first.openChat()
    await before.sendMessage({ text: 'Go' })
    await first[Symbol.asyncDispose]()
    await using second = await open(database, script, options)
    const chat = await second.openChat({ id: before.id, messages: before.messages })
    const [asked] = chat.messages[1]!.parts.flatMap((part) =>
      part.type === 'dynamic-tool' && part.state === 'approval-requested' ? [part] : [],
    )
    await chat.addToolApprovalResponse({ id: asked!.approval.id, approved: true })
    await chat.sendMessage()
    expect(chat.error).toBeUndefined()
    expect(chat.texts()).toEqual(['user: Go', 'assistant: Done'])
    expect(chat.messages[1]!.parts).toContainEqual(expect.objectContaining({ output: 'launched' }))
  })

  it('asks the person who uses the page, whose yes and no continue the turn', async () => {
    await using database = await openDatabase()
    const made: string[] = []
    const launch = defineTool({
      name: 'launch',
      description: 'Launches',
      input: z.strictObject({ what: z.string() }),
      execute: async ({ what }) => {
        made.push(what)
        return `launched ${what}`
      },
    })
    await using host = await open(
      database,
      ({ messages }) =>
        messages.some(({ role }) => role === 'tool')
          ? says('Done')
          : calls(
              ['launch', { what: 'kite' }],
              ['launch', { what: 'rocket' }],
              ['weather', { city: 'Rome' }],
            ),
      { tools: [launch], permissions: { rules: [{ tool: 'launch', decision: 'ask' }] } },
    )
    const chat = await host.openChat({
      body: { tools: [weather] },
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
      onToolCall({ toolCall }) {
        if (toolCall.dynamic) return
        void chat.addToolOutput({ tool: 'weather', toolCallId: toolCall.toolCallId, output: 'sun' })
      },
    })
    await chat.sendMessage({ text: 'Go' })
    expect(chat.error).toBeUndefined()
    expect(chat.status).toBe('ready')
    const asked = chat.messages[1]!.parts.flatMap((part) =>
      part.type === 'dynamic-tool' && part.state === 'approval-requested' ? [part] : [],
    )
    expect(asked.map(({ input }) => input)).toEqual([{ what: 'kite' }, { what: 'rocket' }])
    expect(made).toEqual([])
    await chat.addToolApprovalResponse({ id: asked[0]!.approval.id, approved: true })
    await chat.addToolApprovalResponse({ id: asked[1]!.approval.id, approved: false, reason: 'Too loud' })
    await expect.poll(() => [chat.status, chat.texts().at(-1)]).toEqual(['ready', 'assistant: Done'])
    expect(made).toEqual(['kite'])
    expect(chat.messages[1]!.parts.filter((part) => 'toolCallId' in part)).toMatchObject([
      { state: 'output-available', output: 'launched kite' },
      { state: 'output-denied' },
      { state: 'output-available', output: 'sun' },
    ])
    expect(JSON.stringify(host.requests[1])).toContain('Too loud')
    expect((await host.parley.approvals.list({ status: 'approved' })).items).toHaveLength(1)
  })
})

describe('a chat of the AI SDK', () => {
  const gated = () => {
    let go = () => {}
    const gate = new Promise<void>((resolve) => (go = resolve))
    return { gate, go: () => go() }
  }

  it('says what it likes beside its messages, and nobody else does', async () => {
    await using database = await sqliteDatabase()
    await using host = await open(database, counts())
    const chat = await host.openChat({
      body: { callSettings: { maxTokens: 5 }, config: {}, tools: {}, mine: 1 },
    })
    await chat.sendMessage({ text: 'One' })
    expect(chat.error).toBeUndefined()
    expect(chat.texts()).toEqual(['user: One', 'assistant: Answer 1'])
    const refused = await fetch(`${host.url}/api/sessions/${chat.id}/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'Two', mine: 1 }),
    })
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('mine')])
  })

  it('brings tools by their names, as assistant-ui does', async () => {
    await using database = await sqliteDatabase()
    await using host = await open(database, counts())
    const { name, description, inputSchema } = weather
    const chat = await host.openChat({
      body: { tools: { [name]: { description, parameters: inputSchema } }, builtInTools: false },
    })
    await chat.sendMessage({ text: 'One' })
    expect(host.requests[0]!.tools).toEqual([weather])
  })

  it('is shown a waiting turn when it comes back, and continues it', async () => {
    await using database = await sqliteDatabase()
    await using host = await open(database, (_, call) =>
      call === 1 ? calls(['weather', { city: 'Rome' }]) : says('Sunny'),
    )
    const before = await host.openChat({ body: { tools: [weather] } })
    await before.sendMessage({ text: 'Weather?' })
    const after = await host.openChat({
      id: before.id,
      messages: before.messages.slice(0, 1),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    })
    await after.resumeStream()
    expect(after.status).toBe('ready')
    expect(after.messages[1]!.parts.at(-1)).toMatchObject({ type: 'tool-weather', state: 'input-available' })
    await after.addToolOutput({ tool: 'weather', toolCallId: 'call-weather-0', output: 'sun' })
    await expect.poll(() => after.texts()).toEqual(['user: Weather?', 'assistant: Sunny'])
    // the other page is late: the first answer stands, and it sees how the turn went on
    await before.addToolOutput({ tool: 'weather', toolCallId: 'call-weather-0', output: 'rain' })
    await before.sendMessage()
    expect(before.error).toBeUndefined()
    expect(before.texts()).toEqual(['user: Weather?', 'assistant: Sunny'])
    expect(before.messages[1]!.parts).toContainEqual(expect.objectContaining({ output: 'sun' }))
  })

  it('leaves a turn that waits for it by sending something else', async () => {
    await using database = await sqliteDatabase()
    await using host = await open(database, (_, call) =>
      call === 1 ? calls(['weather', { city: 'Rome' }]) : says('Fine'),
    )
    const chat = await host.openChat({ body: { tools: [weather] } })
    await chat.sendMessage({ text: 'Weather?' })
    await chat.sendMessage({ text: 'Never mind' })
    expect(chat.error).toBeUndefined()
    expect(chat.texts().slice(-2)).toEqual(['user: Never mind', 'assistant: Fine'])
    expect((await host.parley.toolCalls.list({ status: 'waiting' })).items).toEqual([])
  })

  it('stops watching a turn and, when it goes on, the turn', async () => {
    await using database = await sqliteDatabase()
    const { gate } = gated()
    await using host = await open(database, (_, call) =>
      call === 1 ? [{ type: 'text-delta', text: 'One ' }, gate] : says('Two'),
    )
    const chat = await host.openChat()
    const sending = chat.sendMessage({ text: 'Count' })
    await expect.poll(() => chat.texts()[1]).toBe('assistant: One ')
    await chat.stop()
    await sending
    expect((await host.parley.sessions.get(chat.id)).chatStatus).toBe('chatting')
    await chat.sendMessage({ text: 'Go on' })
    expect(chat.texts()).toEqual(['user: Count', 'assistant: One ', 'user: Go on', 'assistant: Two'])
    expect(await host.texts(chat.id)).toEqual(chat.texts())
  })

  it('stops the turn itself where it says so', async () => {
    await using database = await sqliteDatabase()
    const { gate } = gated()
    await using host = await open(database, () => [{ type: 'text-delta', text: 'One ' }, gate])
    const chat = await host.openChat({ headers: { 'x-parley-on-disconnect': 'stop' } })
    const sending = chat.sendMessage({ text: 'Count' })
    await expect.poll(() => chat.texts()[1]).toBe('assistant: One ')
    await chat.stop()
    await sending
    await expect.poll(async () => (await host.parley.sessions.get(chat.id)).chatStatus).toBe('idle')
    expect(await host.texts(chat.id)).toEqual(['user: Count', 'assistant: One '])
    const wrong = await host.openChat({ headers: { 'x-parley-on-disconnect': 'pause' } })
    await wrong.sendMessage({ text: 'Count' })
    expect(wrong.error?.message).toContain('x-parley-on-disconnect')
    expect(await host.texts(wrong.id)).toEqual([])
  })

  it('regenerates an answer that is being written', async () => {
    await using database = await sqliteDatabase()
    const { gate } = gated()
    await using host = await open(database, (_, call) =>
      call === 1 ? [{ type: 'text-delta', text: 'One ' }, gate] : says('Two'),
    )
    const chat = await host.openChat()
    const sending = chat.sendMessage({ text: 'Count' })
    await expect.poll(() => chat.texts()[1]).toBe('assistant: One ')
    await chat.stop()
    await sending
    await chat.regenerate()
    expect(chat.error).toBeUndefined()
    expect(chat.texts()).toEqual(['user: Count', 'assistant: Two'])
    expect(await host.texts(chat.id)).toEqual(chat.texts())
  })

  it('keeps what came by itself since it sent something', async () => {
    await using database = await sqliteDatabase()
    await using host = await open(database, counts())
    const chat = await host.openChat()
    await chat.sendMessage({ text: 'One' })
    await host.parley.store.appendMessages('default', chat.id, [
      {
        id: 'msg_woken',
        role: 'user',
        parts: [{ type: 'text', text: 'Results' }],
        metadata: { source: 'tasks' },
      },
      { id: 'msg_told', role: 'assistant', parts: [{ type: 'text', text: 'It is done' }] },
    ])
    await chat.sendMessage({ text: 'Two' })
    expect(await host.texts(chat.id)).toEqual([
      'user: One',
      'assistant: Answer 1',
      'user: Results',
      'assistant: It is done',
      'user: Two',
      'assistant: Answer 2',
    ])
  })

  it('regenerates a whole round of a room', async () => {
    await using database = await sqliteDatabase()
    await using host = await open(database, counts())
    await host.parley.agents.create({ name: 'milk', description: 'A cow' })
    await host.parley.agents.create({ name: 'wool', description: 'A sheep' })
    const { id } = await host.parley.sessions.create({ agents: ['milk', 'wool'] })
    const chat = await host.openChat({ id })
    await chat.sendMessage({ text: 'Hello' })
    await chat.sendMessage({ text: 'And?' })
    expect(await host.texts(id)).toHaveLength(6)
    await chat.regenerate()
    expect(chat.error).toBeUndefined()
    const now = await host.texts(id)
    expect(now).toHaveLength(6)
    expect([now[3], now.slice(4).toSorted()]).toEqual([
      'user: And?',
      ['assistant: Answer 5', 'assistant: Answer 6'],
    ])
  })

  it('takes a repeated request for an edit once', async () => {
    await using database = await sqliteDatabase()
    await using host = await open(database, counts())
    const chat = await host.openChat({ headers: { 'idempotency-key': 'one' } })
    await chat.sendMessage({ text: 'One' })
    const again = await host.openChat({
      id: chat.id,
      messages: chat.messages,
      headers: { 'idempotency-key': 'two' },
    })
    await again.regenerate()
    again.messages = chat.messages
    await again.regenerate()
    expect(again.texts()).toEqual(['user: One', 'assistant: Answer 2'])
    expect(host.requests).toHaveLength(2)
  })

  it('tries again what never arrived', async () => {
    await using database = await sqliteDatabase()
    await using host = await open(database, counts())
    const api = `${host.url}/api/sessions/${(await host.parley.sessions.create()).id}/chat`
    let isDown = true
    const transport = new DefaultChatTransport({
      api,
      fetch: (...given) => (isDown ? Promise.reject(new TypeError('fetch failed')) : fetch(...given)),
    })
    const chat = await host.openChat({ transport })
    await chat.sendMessage({ text: 'One' })
    expect(chat.status).toBe('error')
    isDown = false
    await chat.regenerate()
    expect(chat.texts()).toEqual(['user: One', 'assistant: Answer 1'])
  })

  it('attaches files', async () => {
    await using database = await sqliteDatabase()
    await using host = await open(database, counts())
    const chat = await host.openChat()
    const url = 'data:image/png;base64,iVBORw0KGgo='
    await chat.sendMessage({
      text: 'What is this?',
      files: [{ type: 'file', mediaType: 'image/png', filename: 'a.png', url }],
    })
    expect(chat.error).toBeUndefined()
    expect(JSON.stringify(host.requests[0]!.messages.at(-1))).toContain('iVBORw0KGgo=')
    const { items } = await host.parley.sessions.messages(chat.id)
    expect(items[0]!.parts[0]).toMatchObject({ type: 'file', mediaType: 'image/png', filename: 'a.png', url })
    await chat.sendMessage({ files: [{ type: 'file', mediaType: 'image/png', url }] })
    expect(chat.texts().at(-1)).toBe('assistant: Answer 2')
  })

  it('is refused an answer that nobody waits for', async () => {
    await using database = await sqliteDatabase()
    await using host = await open(database, counts())
    const chat = await host.openChat()
    await chat.sendMessage({ text: 'One' })
    await chat.sendMessage()
    expect(chat.error?.message).toContain('end \\"messages\\" with one of the user')
    const other = await host.openChat()
    other.messages = [
      ...chat.messages.slice(0, 1),
      {
        ...chat.messages[1]!,
        parts: [{ type: 'tool-weather', toolCallId: 'c1', state: 'output-available', input: {}, output: 1 }],
      },
    ]
    await other.sendMessage()
    expect(other.error?.message).toContain('is no answer of this session')
    chat.messages = other.messages
    await chat.sendMessage()
    expect(chat.error?.message).toContain('waits for none of what it brings')
    expect(await host.texts(chat.id)).toEqual(['user: One', 'assistant: Answer 1'])
  })
})
