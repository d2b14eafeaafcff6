import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ModelEvent } from '../src/core/models/adapter.ts'
import type { Part } from '../src/core/protocol/message.ts'
import { defineTool } from '../src/core/tools/tool.ts'
import { createScripted, openChat, says } from './chat-harness.ts'
import { databases, type OpenDatabase } from './harness.ts'

interface Call {
  id?: string
  name?: string
  input: string
}

/** A session whose model makes the calls that it is given at once, and then says that it is done. */
async function openSession(openDatabase: OpenDatabase) {
  const noted: unknown[] = []
  let made: Call[] = []
  const note = defineTool({
    name: 'note',
    description: 'Writes a line',
    input: z.strictObject({ text: z.string().max(100_000), count: z.number().optional() }),
    async execute(input) {
      noted.push(input)
      return 'noted'
    },
  })
  const model = createScripted(({ messages }) =>
    messages.at(-1)!.role === 'user'
      ? [
          ...made.map(({ id = 'call_1', name = 'note', input }): ModelEvent => ({
            type: 'tool-call',
            toolCallId: id,
            toolName: name,
            input,
          })),
          { type: 'finish', reason: 'tool-calls', usage: {} },
        ]
      : says('Done.'),
  )
  const chat = await openChat(openDatabase, model, { tools: [note] })
  return {
    /** A turn, and what came of it. */
    async turn(...given: Call[]) {
      made = given
      noted.length = 0
      const { runId } = await chat.ask('go')
      const run = (await chat.store.getRun('default', runId))!
      const last = (await chat.store.listMessages('default', chat.sessionId, { limit: 1 })).at(-1)!
      const told = JSON.stringify(
        model.requests.at(-1)!.messages.findLast(({ role }) => role === 'tool')?.content,
      )
      const parts = last.parts.filter(({ type }) => type === 'dynamic-tool') as (Part & {
        errorText?: string
      })[]
      return { noted: [...noted], status: run.status, parts, told }
    },
    [Symbol.asyncDispose]: () => chat[Symbol.asyncDispose](),
  }
}

const nested = (depth: number) => `{"text":${'['.repeat(depth)}${']'.repeat(depth)}}`

/** What a model writes in place of `{"text":"a line"}`. */
const invalid: [name: string, input: string][] = [
  ['breaks off in a text', '{"text":"a li'],
  ['breaks off after a key', '{"text":'],
  ['breaks off before its end', '{"text":"a line"'],
  ['is nothing', ''],
  ['is null', 'null'],
  ['is a list', '["a line"]'],
  ['is a text', '"a line"'],
  ['is a number', '5'],
  ['is a word', 'undefined'],
  ['has a number for a text', '{"text":1}'],
  ['has null for a text', '{"text":null}'],
  ['has a list for a text', '{"text":["a line"]}'],
  ['has an object for a text', '{"text":{"toString":"a line"}}'],
  ['has another key', '{"txt":"a line"}'],
  ['has a key too many', '{"text":"a line","more":1}'],
  ['has what it needs behind a prototype', '{"__proto__":{"text":"a line"}}'],
  ['has what it needs behind a constructor', '{"constructor":{"prototype":{"text":"a line"}}}'],
  ['has a number that is too large', '{"text":"a line","count":1e999}'],
  ['has no quotes around a key', '{text:"a line"}'],
  ['has single quotes', "{'text':'a line'}"],
  ['has a comma too many', '{"text":"a line",}'],
  ['has a comment', '{"text":"a line"/* yes */}'],
  ['is two objects', '{"text":"a line"}{"text":"another"}'],
  ['stands in a block of code', '```json\n{"text":"a line"}\n```'],
  ['is nested without end', nested(50_000)],
  ['is longer than it may be', JSON.stringify({ text: 'x'.repeat(10_000_000) })],
]

const readable: [name: string, input: string, read: unknown][] = [
  ['twice the same key', '{"text":"one","text":"two"}', { text: 'two' }],
  ['a NUL', '{"text":"a\\u0000b"}', { text: 'a\0b' }],
  ['half a character', '{"text":"a\\ud800b"}', { text: 'a\ud800b' }],
  ['spaces around it', ' \n{"text":"one"}\t', { text: 'one' }],
]

describe.each(databases)('an input of a tool on %s', (_name, openDatabase) => {
  it('that is none is never run, the model is told in a few words, and the session goes on', async () => {
    await using session = await openSession(openDatabase)
    expect(invalid.length).toBeGreaterThanOrEqual(25)
    for (const [name, input] of invalid) {
      const { noted, status, parts, told } = await session.turn({ input })
      expect({ noted, status, calls: parts.length }, name).toEqual({
        noted: [],
        status: 'completed',
        calls: 1,
      })
      expect(parts[0], name).toMatchObject({
        state: 'output-error',
        errorText: expect.stringMatching(/The input/),
      })
      expect(parts[0]!.errorText!.length, name).toBeLessThan(2_000)
      expect(told, name).toContain('The input')
    }
  })

  it('that is odd is read as JSON says, and can be stored', async () => {
    await using session = await openSession(openDatabase)
    for (const [name, input, read] of readable) {
      const { noted, status, parts } = await session.turn({ input })
      expect({ noted, status, state: parts[0]?.state }, name).toEqual({
        noted: [read],
        status: 'completed',
        state: 'output-available',
      })
    }
  })

  it('with a prototype of its own leaves all objects as they were', async () => {
    await using session = await openSession(openDatabase)
    const { noted, status } = await session.turn({ input: '{"text":"a","__proto__":{"polluted":true}}' })
    expect(status).toBe('completed')
    for (const input of noted) expect(input).toEqual({ text: 'a' })
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it('of a tool that there is not is not run', async () => {
    await using session = await openSession(openDatabase)
    for (const name of ['', ' ', 'Note', 'note ', 'toString', '__proto__', 'x'.repeat(10_000)]) {
      const { noted, status, parts, told } = await session.turn({ name, input: '{"text":"a"}' })
      expect({ noted, status, state: parts[0]?.state }, name).toEqual({
        noted: [],
        status: 'completed',
        state: 'output-error',
      })
      expect(told, name).toContain('There is no tool')
    }
  })

  it('of one of 200 calls at once has its own result', async () => {
    await using session = await openSession(openDatabase)
    const made = Array.from({ length: 200 }, (_, index) => ({
      id: `call_${index}`,
      input: index % 10 === 3 ? '{"text":' : JSON.stringify({ text: `line ${index}` }),
    }))
    const { noted, status, parts } = await session.turn(...made)
    expect(noted).toHaveLength(180)
    expect(status).toBe('completed')
    expect(parts.map(({ toolCallId, state }) => [toolCallId, state])).toEqual(
      made.map(({ id }, index) => [id, index % 10 === 3 ? 'output-error' : 'output-available']),
    )
  })

  it('of calls that have the same id is run once for each, and each has a result', async () => {
    await using session = await openSession(openDatabase)
    const inputs = ['{"text":"one"}', '{"text":"two"}', '{"text":']
    const { noted, status, parts } = await session.turn(...inputs.map((input) => ({ input })))
    expect(noted).toEqual([{ text: 'one' }, { text: 'two' }])
    expect(status).toBe('completed')
    expect(parts.map(({ state }) => state)).toEqual(['output-available', 'output-available', 'output-error'])
  })
})
