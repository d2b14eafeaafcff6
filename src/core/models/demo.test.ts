import { describe, expect, it } from 'vitest'
import type { ModelEvent, ModelMessage, ModelRequest } from './adapter.ts'
import { createDemoAdapter } from './demo.ts'

const demo = createDemoAdapter('demo/parley', { delayMs: 0 })

const user = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] })
const reply = (text: string): ModelMessage => ({ role: 'assistant', content: [{ type: 'text', text }] })
const result = (toolName: string, output: string, isError = false): ModelMessage => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: 'c', toolName, output, isError }],
})
const called = (toolName: string): ModelMessage => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId: 'c', toolName, input: {} }],
})

const ask = (messages: ModelMessage[], more: Partial<ModelRequest> = {}): Promise<ModelEvent[]> =>
  Array.fromAsync(
    demo.stream(
      { system: 'Be kind.', messages, tools: [], cacheKey: 'k', ...more },
      new AbortController().signal,
    ),
  )

const textOf = (events: ModelEvent[], type = 'text-delta') =>
  events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('')

const callsOf = (events: ModelEvent[]) =>
  events.flatMap((event) =>
    event.type === 'tool-call' ? [{ name: event.toolName, input: event.input }] : [],
  )

describe('the demo model', () => {
  it('says that it is one, in the language it was spoken to', async () => {
    const [english, chinese] = [await ask([user('Hello there')]), await ask([user('你好')])]
    expect(textOf(english)).toMatch(/demo model.*offline.*“Hello there”/s)
    expect(textOf(chinese)).toMatch(/演示模型.*离线.*“你好”/s)
    for (const events of [english, chinese]) {
      expect(events.length).toBeGreaterThan(20)
      expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' })
    }
  })

  it('gives the same request the same events', async () => {
    const messages = [user('use look {"at": "door"}\nuse stop')]
    expect(await ask(messages, { thinking: true })).toEqual(await ask(messages, { thinking: true }))
  })

  it('does not take the context that Parley adds for something said', async () => {
    const context = { type: 'text' as const, text: '<context>\nfail\n</context>' }
    const events = await ask([{ role: 'user', content: [context, { type: 'text', text: 'Hello' }] }])
    expect(textOf(events)).toContain('“Hello”')
  })

  it('counts tokens, and what a provider would have had in its cache', async () => {
    const usageOf = async (messages: ModelMessage[]) => {
      const end = (await ask(messages)).at(-1)!
      return end.type === 'finish' ? end.usage : {}
    }
    const one = await usageOf([user('Hello there, demo')])
    expect(one).toMatchObject({ cacheReadTokens: 0, reasoningTokens: 0 })
    expect(one.inputTokens).toBeGreaterThan(3)
    expect(one.outputTokens).toBeGreaterThan(50)
    const two = await usageOf([user('Hello there, demo'), reply('Hi.'), user('And again')])
    expect(two.cacheReadTokens).toBe(one.inputTokens)
  })

  it('remembers what it was told', async () => {
    const earlier = [user('My cat is called Mao'), reply('Good.'), user('She is three'), reply('Good.')]
    const text = textOf(await ask([...earlier, user('What did I say?')]))
    expect(text).toMatch(/1\. My cat is called Mao\n2\. She is three/)
    expect(textOf(await ask([...earlier, user('我刚才说了什么？')]))).toContain('1. My cat is called Mao')
    expect(textOf(await ask([user('what did I say?')]))).toContain('not told me anything')
  })

  it('shows its reasoning when asked to, and when told what to think', async () => {
    expect(textOf(await ask([user('Hello')], { thinking: true }), 'reasoning-delta')).toContain('“Hello”')
    const told = await ask([user('think about the sea\nlong 3')])
    expect(textOf(told, 'reasoning-delta')).toBe('about the sea')
    expect(told.find(({ type }) => type === 'reasoning-end')).toEqual({ type: 'reasoning-end' })
    expect(textOf(await ask([user('思考 大海')]), 'reasoning-delta')).toBe('大海')
    expect(textOf(await ask([user('Hello')]), 'reasoning-delta')).toBe('')
  })

  it('answers with so many words', async () => {
    expect(textOf(await ask([user('long 40')])).split(' ')).toHaveLength(40)
    expect(textOf(await ask([user('长文 40')]))).toHaveLength(40)
  })

  it('answers with exactly the JSON it was given', async () => {
    expect(textOf(await ask([user('Please:\njson {"a": [1, 2]}\nmore words')]))).toBe('{"a": [1, 2]}')
    expect(textOf(await ask([user('json {\n  "a": 1\n}')]))).toBe('{\n  "a": 1\n}')
  })

  it.each([
    ['fail', 'server'],
    ['失败', 'server'],
    ['fail rate-limit', 'rate-limit'],
    ['Please\nfail auth', 'auth'],
  ])('fails when told to: %j', async (text, kind) => {
    await expect(ask([user(text)])).rejects.toMatchObject({ kind })
  })

  it('does not take a sentence for a command', async () => {
    for (const text of [
      'fail fast is a good rule',
      'slow down, please',
      'I use tools',
      'Use the notes you have',
      'json is a format',
    ])
      expect(textOf(await ask([user(text)]))).toContain(`“${text}”`)
  })

  it('stops in the middle of a word that takes long', async () => {
    const stop = new AbortController()
    const slow = createDemoAdapter('demo/parley', { delayMs: 1_000 })
    const request = { system: '', messages: [user('slow\nlong 100')], tools: [], cacheKey: 'k' }
    const reason = new Error('enough')
    const heard: ModelEvent[] = []
    await expect(async () => {
      for await (const event of slow.stream(request, stop.signal)) {
        heard.push(event)
        setTimeout(() => stop.abort(reason), 5)
      }
    }).rejects.toBe(reason)
    expect(heard).toHaveLength(1)
  })
})

describe('its tools', () => {
  it('are called by lines, all at once', async () => {
    const events = await ask([user('Please\nuse look {"at": "door"}\ncall stop\nuse broken {"a":')])
    expect(callsOf(events)).toEqual([
      { name: 'look', input: '{"at": "door"}' },
      { name: 'stop', input: '{}' },
      { name: 'broken', input: '{"a":' },
    ])
    const ids = events.flatMap((event) => (event.type === 'tool-call' ? [event.toolCallId] : []))
    expect(new Set(ids).size).toBe(3)
    expect(events.at(-1)).toMatchObject({ reason: 'tool-calls' })
    expect(textOf(events)).toBe('I call look, stop, broken.')
  })

  it('are reported on when they have answered', async () => {
    const events = await ask([user('use look'), called('look'), result('look', 'the sea')])
    expect(callsOf(events)).toEqual([])
    expect(textOf(events)).toBe('look answered: the sea')
    expect(textOf(await ask([user('调用 look'), called('look'), result('look', '没有', true)]))).toBe(
      'look 出错了：没有',
    )
  })

  it('are called one after another with then', async () => {
    const said = user('use look\nthen use stop {"n": 1}')
    expect(callsOf(await ask([said]))).toEqual([{ name: 'look', input: '{}' }])
    const after = [said, called('look'), result('look', 'a')]
    expect(callsOf(await ask(after))).toEqual([{ name: 'stop', input: '{"n": 1}' }])
    expect(textOf(await ask([...after, called('stop'), result('stop', 'b')]))).toBe(
      'look answered: a\n\nstop answered: b',
    )
  })
})

describe('its result', () => {
  const tool = (inputSchema: Record<string, unknown>) => ({
    name: 'set_result',
    description: '',
    inputSchema,
  })
  const system = 'When you are done, call set_result.'
  const plain = tool({ type: 'object', properties: { result: { type: 'string' } }, required: ['result'] })

  it('is handed in after the answer, once', async () => {
    const events = await ask([user('long 3')], { system, tools: [plain] })
    expect(textOf(events)).toBe('The demo model')
    expect(callsOf(events)).toEqual([{ name: 'set_result', input: '{"result":"The demo model"}' }])
    const after = await ask([user('long 3'), called('set_result'), result('set_result', 'ok')], {
      system,
      tools: [plain],
    })
    expect(callsOf(after)).toEqual([])
    expect(textOf(after)).toBe('Done.')
  })

  it('comes after the tools that were asked for', async () => {
    const more = { system, tools: [plain] }
    expect(callsOf(await ask([user('use look')], more))).toEqual([{ name: 'look', input: '{}' }])
    const after = await ask([user('use look'), called('look'), result('look', 'sea')], more)
    expect(callsOf(after)).toEqual([{ name: 'set_result', input: '{"result":"look answered: sea"}' }])
  })

  it('has the shape that the tool asks for', async () => {
    const shaped = tool({
      type: 'object',
      properties: { ok: { type: 'boolean' }, data: { type: 'object' }, mood: { enum: ['fine', 'bad'] } },
      required: ['ok', 'data', 'mood'],
    })
    const inputOf = async (text: string) =>
      callsOf(await ask([user(text)], { system, tools: [shaped] }))[0]?.input
    expect(await inputOf('json {"a": 1}')).toBe('{"ok":true,"data":{"a":1},"mood":"fine"}')
    expect(await inputOf('json {"ok": false, "data": {}, "mood": "bad"}')).toBe(
      '{"ok":false,"data":{},"mood":"bad"}',
    )
  })

  it('is not handed in where nobody asks for it', async () => {
    expect(callsOf(await ask([user('long 3')], { tools: [plain] }))).toEqual([])
    expect(callsOf(await ask([user('long 3')], { system }))).toEqual([])
  })
})
