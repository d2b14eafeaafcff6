import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ChatLimits } from '../src/core/chat/turn-limits.ts'
import { createClient } from '../src/client/index.ts'
import { createChatCompletionsAdapter } from '../src/core/models/chat-completions.ts'
import { createParley } from '../src/parley.ts'
import type { ChatAnswer } from '../src/core/protocol/chat.ts'
import type { Chunk } from '../src/core/protocol/chunk.ts'
import { messageText } from '../src/core/protocol/message-text.ts'
import { createApp, createMetrics, serve } from '../src/server/index.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { defineTool } from '../src/core/tools/tool.ts'
import { temporaryFolder } from './harness.ts'
import { openaiChat } from './providers/openai-chat.ts'
import { split, startProviderServer, type Behaviour, type WireReply } from './providers/provider-server.ts'
import { holdAnswers } from './http/held-answers.ts'

const canaryKey = 'canary-key-1234567890'

interface ChatMessage {
  role: string
  content: unknown
  tool_calls?: { id: string }[]
  tool_call_id?: string
}

/** Real HTTP on both sides: our client, our server, and a provider that misbehaves. */
async function openTurns({
  limits,
  idleTimeoutMs,
}: { limits?: Partial<ChatLimits>; idleTimeoutMs?: number } = {}) {
  const folder = temporaryFolder()
  const provider = await startProviderServer(openaiChat)
  const baseUrl = `${provider.url}/v1`
  const noted: string[] = []
  const note = defineTool({
    name: 'note',
    description: 'Writes a line',
    input: z.strictObject({ text: z.string() }),
    async execute({ text }) {
      noted.push(text)
      return 'noted'
    },
  })
  const parley = await createParley({
    dataDir: folder.path,
    models: {
      model: 'openai/test',
      openai: { apiKey: canaryKey, baseUrl },
      ...(idleTimeoutMs !== undefined && {
        extra: {
          openai: (model) =>
            createChatCompletionsAdapter('openai/test', model, { baseUrl, apiKey: canaryKey, idleTimeoutMs }),
        },
      }),
    },
    tools: [note],
    chat: limits,
  })
  const { store, chats } = parley
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
  const client = createClient({ baseUrl: server.url })
  const { id: sessionId } = await client.sessions.create()

  /** What the run stored, whatever the client was told. */
  const storedEvents = async (runId: string) =>
    (await store.listRunEvents(runId, { limit: 10_000 })).flatMap(({ events }) => events as unknown[])

  return {
    provider,
    client,
    sessionId,
    noted,
    store,
    sent: (index: number) =>
      (JSON.parse(provider.requests[index]!.body.toString()) as { messages: ChatMessage[] }).messages,
    /** Says something and answers what the client saw and what the store has. */
    async ask(content: string, mode: Mode = 'streamed', onEvent?: (chunks: Chunk[]) => void) {
      const turn = client.sessions.chat(sessionId, content)
      const chunks: Chunk[] = []
      if (mode === 'streamed')
        for await (const { chunk } of turn) {
          chunks.push(chunk)
          onEvent?.(chunks)
        }
      const answer: ChatAnswer = await turn
      const run = (await store.getRun('default', answer.run.id))!
      const log = await store.listMessages('default', sessionId, { limit: 100 })
      return { chunks, answer, run, last: log.at(-1)! }
    },
    async expectNoKey(...seen: unknown[]) {
      const { items: runs } = await store.listRuns('default', { sessionId, limit: 100 })
      const messages = await store.listMessages('default', sessionId, { limit: 1_000 })
      const inside = await Promise.all(
        runs.map(async ({ id }) => [
          await storedEvents(id),
          await store.listRunSteps(id),
          await chats.inspectRun('default', id),
        ]),
      )
      expect(JSON.stringify([seen, runs, messages, inside])).not.toContain(canaryKey)
      const entries = readdirSync(folder.path, { recursive: true, withFileTypes: true })
      for (const { parentPath, name } of entries.filter((entry) => entry.isFile()))
        expect(readFileSync(join(parentPath, name)).includes(canaryKey), `the key is in ${name}`).toBe(false)
    },
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]()
      await server.stop(0)
      await parley.close()
      folder[Symbol.dispose]()
    },
  }
}

type Mode = 'streamed' | 'whole'

const refuse = (
  status: number,
  message: string,
  more: { type?: string; headers?: Record<string, string> } = {},
): Behaviour => ({
  status,
  headers: more.headers,
  body: openaiChat.errorBody({ type: more.type ?? 'error', message }),
})

const calling = (input: string, name = 'note', id = 'call_1'): WireReply => ({
  text: 'Let me see.',
  toolCalls: [{ id, name, input }],
})

const words = 'One two three four'
const [firstWords] = split(words, 3)

interface Fault {
  name: string
  script?: Behaviour[]
  otherwise?: Behaviour
  limits?: Partial<ChatLimits>
  idleTimeoutMs?: number
  /** How it ends, and what the model was asked for that. */
  status: 'completed' | 'failed'
  code: string
  requests: number
  text: string
  /** What the client is told; undefined where the turn went well in the end. */
  error?: RegExp
  /** Kinds of the faults that were tried again. */
  retried?: string[]
  /** What the tool got to do. */
  noted?: string[]
}

const fails = (code: string, requests: number, text = '') =>
  ({ status: 'failed', code, requests, text }) as const
const passes = (requests: number) => ({ status: 'completed', code: 'stop', requests, text: 'ok' }) as const

const faults: Fault[] = [
  {
    name: 'a key that is not valid',
    script: [refuse(401, `Incorrect API key provided: ${canaryKey}.`, { type: 'invalid_request_error' })],
    ...fails('model_auth', 1),
    error: /^openai\/test answered 401: Incorrect API key provided: \[key\]/,
  },
  {
    name: 'a rate limit that may be tried again at once',
    script: [refuse(429, 'slow down', { headers: { 'retry-after': '0' } })],
    ...passes(2),
    retried: ['rate-limit'],
  },
  {
    name: 'a rate limit that asks for a second',
    script: [refuse(429, 'slow down', { headers: { 'retry-after': '1' } })],
    ...passes(2),
    retried: ['rate-limit'],
  },
  {
    name: 'a rate limit that does not say for how long',
    script: [refuse(429, 'slow down')],
    ...passes(2),
    retried: ['rate-limit'],
  },
  {
    name: 'a rate limit that asks for a day',
    script: [refuse(429, 'slow down', { headers: { 'retry-after': '86400' } })],
    ...fails('model_rate_limit', 1),
    error: /answered 429: slow down/,
  },
  {
    name: 'a quota that is used up',
    script: [
      refuse(429, 'You exceeded your current quota', {
        type: 'insufficient_quota',
        headers: { 'retry-after': '0' },
      }),
    ],
    ...fails('model_quota', 1),
    error: /answered 429: You exceeded your current quota/,
  },
  {
    name: 'a server error that passes',
    script: [refuse(500, 'oops')],
    ...passes(2),
    retried: ['server'],
  },
  {
    name: 'a server error that stays',
    otherwise: refuse(500, `oops with ${canaryKey}`),
    ...fails('model_server', 4),
    error: /answered 500: oops with \[key\]/,
    retried: ['server', 'server', 'server'],
  },
  {
    name: 'a connection that is cut after the head of the response',
    script: [{ reply: { text: words }, cutAfter: 0 }],
    ...passes(2),
    retried: ['network'],
  },
  {
    name: 'a connection that is cut before the first word',
    script: [{ reply: { text: words }, cutAfter: 1 }],
    ...passes(2),
    retried: ['network'],
  },
  {
    name: 'a connection that is cut after the first words',
    script: [{ reply: { text: words }, cutAfter: 2 }],
    ...fails('model_network', 1, firstWords!),
    error: /broke off before its answer was complete/,
  },
  {
    name: 'a stream that ends properly in the middle of the answer',
    script: [{ reply: { text: words }, endAfter: 2 }],
    ...fails('model_network', 1, firstWords!),
    error: /broke off before its answer was complete/,
  },
  {
    name: 'a connection that is cut inside a tool call',
    // the role, the three pieces of text, the name of the tool, and one piece of its input
    script: [{ reply: calling('{"text":"a longer line"}'), cutAfter: 6 }],
    ...fails('model_network', 1, 'Let me see.'),
    error: /broke off before its answer was complete/,
    noted: [],
  },
  {
    name: 'a connection that is cut inside a tool call without words before it',
    script: [
      {
        reply: { toolCalls: [{ id: 'call_1', name: 'note', input: '{"text":"a longer line"}' }] },
        cutAfter: 3,
      },
    ],
    // the client was told of the call: a second try would tell it of another one
    ...fails('model_network', 1),
    error: /broke off before its answer was complete/,
    noted: [],
  },
  {
    name: 'an event that is no JSON before the first word',
    script: [{ reply: { text: words }, insert: { at: 1, text: `data: {oops ${canaryKey}\n\n` } }],
    ...fails('model_malformed', 1),
    error: /sent what cannot be read/,
  },
  {
    name: 'an event that is no JSON after the first words',
    script: [{ reply: { text: words }, insert: { at: 2, text: 'data: {"choices":[{\n\n' } }],
    ...fails('model_malformed', 1, firstWords!),
    error: /sent what cannot be read/,
  },
  {
    name: 'a page of HTML in place of a stream',
    script: [{ status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Log in</h1>' }],
    ...fails('model_malformed', 1),
    error: /answered with text\/html in place of a stream of events/,
  },
  {
    name: 'an error inside the stream',
    script: [
      {
        reply: { text: words },
        insert: { at: 2, text: openaiChat.errorFrame({ type: 'x', message: `no, ${canaryKey}` }) },
      },
    ],
    ...fails('model_server', 1, firstWords!),
    error: /broke off: no, \[key\]/,
  },
  {
    name: 'a tool input that is no JSON',
    script: [{ reply: calling('{"text": ') }],
    ...passes(2),
    text: 'Let me see.\nok',
    noted: [],
  },
  {
    name: 'a tool input that does not fit',
    script: [{ reply: calling('{"txt":"a"}') }],
    ...passes(2),
    text: 'Let me see.\nok',
    noted: [],
  },
  {
    name: 'a tool that does not exist',
    script: [{ reply: calling('{}', 'rm_rf') }],
    ...passes(2),
    text: 'Let me see.\nok',
    noted: [],
  },
  {
    name: 'an empty answer',
    script: [{ reply: {} }],
    ...fails('empty_answer', 1),
    error: /The model answered with nothing/,
  },
  {
    name: 'an answer of nothing but spaces',
    script: [{ reply: { text: ' \n ' } }],
    ...fails('empty_answer', 1, ' \n '),
    error: /The model answered with nothing/,
  },
  {
    name: 'an answer of nothing but reasoning',
    script: [{ reply: { reasoning: 'Hmm.' } }],
    ...fails('empty_answer', 1),
    error: /The model answered with nothing/,
  },
  {
    name: 'a refusal',
    script: [{ reply: { text: 'I cannot help with that.', finish: 'refusal' } }],
    ...fails('content_filter', 1, 'I cannot help with that.'),
    error: /The provider withheld the answer/,
  },
  {
    name: 'a filter in the middle of the answer',
    script: [{ reply: { text: words, finish: 'content-filter' } }],
    ...fails('content_filter', 1, words),
    error: /The provider withheld the answer/,
  },
  {
    name: 'an answer that is cut by the limit of the model',
    script: [{ reply: { text: words, finish: 'length' } }],
    ...passes(1),
    code: 'length',
    text: words,
  },
  {
    name: 'a model that makes the same call for ever',
    otherwise: { reply: { toolCalls: [{ id: 'call_1', name: 'note', input: '{"text":"again"}' }] } },
    ...fails('tool_loop', 5),
    error: /the same call 5 times in a row/,
    noted: Array<string>(5).fill('again'),
  },
  {
    name: 'a model that calls a tool that does not exist for ever',
    otherwise: { reply: { toolCalls: [{ id: 'call_1', name: 'rm_rf', input: '{}' }] } },
    ...fails('tool_loop', 5),
    error: /the same call 5 times in a row/,
    noted: [],
  },
  {
    name: 'a model that makes another call for ever',
    script: ['a', 'b', 'c', 'd'].map((text) => ({
      reply: { toolCalls: [{ id: `call_${text}`, name: 'note', input: JSON.stringify({ text }) }] },
    })),
    limits: { maxSteps: 4 },
    ...fails('step_limit', 4),
    error: /The turn ended after 4 steps/,
    noted: ['a', 'b', 'c', 'd'],
  },
  {
    name: 'a model that never answers',
    otherwise: { never: true },
    idleTimeoutMs: 1_000,
    limits: { maxAttempts: 2 },
    ...fails('model_timeout', 2),
    retried: ['timeout'],
    error: /sent nothing for 1 s/,
  },
  {
    name: 'a model that falls silent in the middle of its answer',
    script: [{ reply: { text: words }, stallAfter: 2 }],
    idleTimeoutMs: 5_000,
    ...fails('model_timeout', 1, firstWords!),
    error: /sent nothing for 5 s/,
  },
]

// a title in place of `$name`, which would be cut short
const named = faults.map((fault): [string, Fault] => [fault.name, fault])

const ofType = <Type extends Chunk['type']>(chunks: Chunk[], type: Type) =>
  chunks.filter((chunk): chunk is Extract<Chunk, { type: Type }> => chunk.type === type)

/** The text as a client puts it together; parts are told apart as in `messageText`. */
function shownText(chunks: Chunk[]): string {
  const texts = new Map<string, string>()
  for (const { id, delta } of ofType(chunks, 'text-delta')) texts.set(id, (texts.get(id) ?? '') + delta)
  return [...texts.values()].join('\n')
}

describe.each<Mode>(['streamed', 'whole'])('a turn, %s, with', (mode) => {
  it.each(named)('%s ends as it is documented and lets the next turn pass', async (_, fault) => {
    const { limits, idleTimeoutMs } = fault
    await using turns = await openTurns({ limits, idleTimeoutMs })
    const { provider, noted, sent } = turns
    provider.script(...(fault.script ?? []))
    if (fault.otherwise) provider.otherwise(fault.otherwise)

    const { chunks, answer, run, last } = await turns.ask('hi', mode)
    expect(run).toMatchObject({ status: fault.status, outcome: { code: fault.code } })
    expect(provider.requests).toHaveLength(fault.requests)
    expect(provider.requests[0]!.headers.authorization).toBe(`Bearer ${canaryKey}`)
    if (fault.noted) expect(noted).toEqual(fault.noted)

    const error = fault.error && { code: fault.code, message: expect.stringMatching(fault.error) as string }
    expect(last.role).toBe('assistant')
    expect(messageText(last)).toBe(fault.text)
    expect(last.metadata).toMatchObject({ runId: run.id, ...(error && { error }) })
    if (!error) expect(last.metadata).not.toHaveProperty('error')

    expect(answer).toMatchObject({
      message: { id: last.id, parts: last.parts },
      run: { id: run.id, status: fault.status, outcome: { code: fault.code, ...error } },
    })
    if (mode === 'streamed') {
      expect(ofType(chunks, 'error').map(({ errorText }) => errorText)).toEqual(error ? [error.message] : [])
      expect(shownText(chunks)).toBe(fault.text)
      const retries = chunks.filter(({ type }) => type === 'data-retry') as { data: { kind: string } }[]
      expect(retries.map(({ data }) => data.kind)).toEqual(fault.retried ?? [])
      expect(ofType(chunks, 'finish')).toHaveLength(1)
      expect(chunks.at(-1)!.type).toBe('finish')
    }
    await expect.poll(() => provider.openRequests).toBe(0)

    // whatever it left in the log, the conversation goes on
    provider.otherwise({ reply: { text: 'and on' } })
    const next = await turns.ask('go on', mode)
    expect(next.run).toMatchObject({ status: 'completed', outcome: { code: 'stop' } })
    expect(messageText(next.last)).toBe('and on')
    const messages = sent(provider.requests.length - 1)
    expect(messages.at(-1)).toMatchObject({ role: 'user' })
    expect(messages.flatMap(({ tool_calls }) => tool_calls?.map(({ id }) => id) ?? [])).toEqual(
      messages.flatMap(({ tool_call_id }) => tool_call_id ?? []),
    )
    await turns.expectNoKey(chunks, answer, next)
  })
})

it.each([
  ['is no JSON', calling('{"text": '), /The input is not valid JSON/],
  ['does not fit', calling('{"txt":"a"}'), /The input does not fit/],
  ['is for a tool that does not exist', calling('{}', 'rm_rf'), /There is no tool "rm_rf".*note/],
])('a tool input that %s is given back to the model and shown to the client', async (_, reply, problem) => {
  await using turns = await openTurns()
  turns.provider.script({ reply })
  const { chunks, last } = await turns.ask('hi')
  const [shown] = ofType(chunks, 'tool-input-error')
  expect(shown).toMatchObject({ toolCallId: 'call_1', errorText: expect.stringMatching(problem) })
  expect(turns.sent(1).at(-1)).toEqual({ role: 'tool', tool_call_id: 'call_1', content: shown!.errorText })
  expect(last.parts.find(({ type }) => type === 'dynamic-tool')).toMatchObject({
    state: 'output-error',
    errorText: shown!.errorText,
  })
  expect(ofType(chunks, 'tool-output-available')).toEqual([])
  expect(turns.noted).toEqual([])
})

describe('a stop reaches the provider', () => {
  it.each<[string, Behaviour, text: string]>([
    ['while a model never answers', { never: true }, ''],
    ['in the middle of an answer', { reply: { text: words }, stallAfter: 2 }, firstWords!],
    [
      'in the middle of a tool call',
      { reply: calling('{"text":"a longer line"}'), stallAfter: 6 },
      'Let me see.',
    ],
  ])('%s', async (_, behaviour, text) => {
    await using turns = await openTurns()
    const { provider, client, sessionId } = turns
    provider.script(behaviour)
    let shown = ''
    const asked = turns.ask('hi', 'streamed', (chunks) => (shown = shownText(chunks)))
    await expect.poll(() => provider.requests.length).toBe(1)
    await expect.poll(() => shown).toBe(text)
    expect(provider.openRequests).toBe(1)
    expect(await client.sessions.stop(sessionId)).toMatchObject({ stopped: { sessionId } })

    const { chunks, answer, run, last } = await asked
    expect(run).toMatchObject({ status: 'cancelled', outcome: { code: 'stopped' } })
    expect(answer.run).toMatchObject({ status: 'cancelled', outcome: { code: 'stopped' } })
    expect(messageText(last)).toBe(text)
    expect(last.metadata).toMatchObject({ stopped: true })
    // a call that was begun has an end, and was not run
    for (const part of last.parts.filter(({ type }) => type === 'dynamic-tool'))
      expect(part).toMatchObject({ state: 'output-error', errorText: expect.stringContaining('not run') })
    expect(ofType(chunks, 'abort')).toHaveLength(1)
    expect(ofType(chunks, 'error')).toEqual([])
    expect(chunks.at(-1)!.type).toBe('finish')
    await expect.poll(() => provider.openRequests).toBe(0)
    expect(provider.requests).toHaveLength(1)
    expect(turns.noted).toEqual([])
    expect((await turns.ask('go on')).run).toMatchObject({ status: 'completed' })
    await turns.expectNoKey(chunks, answer)
  })

  it('and ends the wait for another try', async () => {
    await using turns = await openTurns()
    const { provider, client, sessionId } = turns
    provider.script(refuse(429, 'slow down', { headers: { 'retry-after': '50' } }))
    const turn = client.sessions.chat(sessionId, 'hi')
    const chunks: Chunk[] = []
    for await (const { chunk } of turn) {
      chunks.push(chunk)
      if (chunk.type === 'data-retry') await client.sessions.stop(sessionId)
    }
    expect((await turn).run).toMatchObject({ status: 'cancelled', outcome: { code: 'stopped' } })
    expect(chunks.at(-1)!.type).toBe('finish')
    expect(provider.requests).toHaveLength(1)
  })
})
