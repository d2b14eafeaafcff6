/** What a person agreed to is what a tool gets: byte for byte as JSON, whatever a model sends and a schema makes of it. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Hook } from '../src/core/hooks/hook.ts'
import { createParley, type Parley } from '../src/parley.ts'
import type { Approval } from '../src/core/protocol/approval.ts'
import type { ModelEvent } from '../src/core/models/adapter.ts'
import { defineTool, type Tool } from '../src/core/tools/tool.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { anyDatabase, toOptions, type TestDatabase } from './harness.ts'

/** A tool that remembers what it was made with, as it came. */
function createTool(input: z.ZodType, name = 'act') {
  const received: unknown[] = []
  const tool = defineTool({
    name,
    description: 'Does something',
    input,
    inputSchema: { type: 'object' },
    access: () => ({ action: 'act', effect: 'write', resources: [] }),
    async execute(given) {
      received.push(given)
      return 'done'
    },
  })
  return { tool, received }
}

const callsOnce =
  (input: string): Script =>
  ({ messages }) =>
    messages.at(-1)?.role === 'tool' ? says('Done.') : calls(['act', input])

interface Options {
  tools: Tool[]
  script: Script
  hooks?: Hook[]
}

const open = (database: TestDatabase, { tools, script, hooks }: Options): Promise<Parley> =>
  createParley({
    ...toOptions(database),
    models: { model: 'scripted/test', extra: { scripted: () => createScripted(script) } },
    tools,
    hooks,
    shutdownMs: 200,
  })

async function pending(parley: Parley): Promise<Approval> {
  await expect.poll(async () => (await parley.approvals.list()).items.length).toBe(1)
  return (await parley.approvals.list()).items[0]!
}

async function partOf(parley: Parley, sessionId: string) {
  const find = async () =>
    (await parley.sessions.messages(sessionId)).items
      .flatMap(({ role, parts }) => (role === 'assistant' ? parts : []))
      .find(({ type }) => type === 'dynamic-tool')
  await expect.poll(find).toBeDefined()
  return (await find())!
}

/** Each as the model writes it. */
const inputs = {
  'a NUL': '{"command":"ls\\u0000; rm -rf /"}',
  'halves of surrogate pairs': '{"command":"\\ud83d ls \\ude00"}',
  'a key with NUL and half a pair': '{"command":"ls","\\u0000\\udc00":1}',
  'a key that comes twice': '{"command":"ls","command":"rm -rf /"}',
  'a prototype': '{"command":"ls","__proto__":{"command":"rm"},"constructor":{"prototype":{"x":1}}}',
  'numbers that JSON writes in another way':
    '{"command":"ls","n":[-0,1e400,-1e999,9007199254740993,1e-7,1E2]}',
  'keys in an odd order': '{"z":1,"command":"ls","2":2,"1":1,"b":{"d":1,"c":2}}',
  'blanks and line ends around': '{"command":" \\r\\n ls \\t\\u00a0\\ufeff "}',
  'letters in two forms': '{"command":"e\\u0301 \\u00e9 \\u212b \\ufb01"}',
  'what cannot be seen': '{"command":"ls \\u202e\\u200b\\u2028\\u{}\\udb40\\udc72"}'.replace(
    '\\u{}',
    '\\u0085',
  ),
  'nothing but emptiness': '{"command":"","a":null,"b":[],"c":{}}',
}

const schemas = {
  'as it comes': () => z.record(z.string(), z.unknown()),
  'loosely, with spaces taken off': () => z.looseObject({ command: z.string().trim() }),
  'without what it does not know': () =>
    z.object({ command: z.string(), mode: z.string().default('careful') }),
  'with a default of the moment': () =>
    z.looseObject({ command: z.string(), key: z.string().default(() => randomUUID()) }),
  'as something else each time': () => z.looseObject({ command: z.string().transform((text) => `${text}!`) }),
  'as no JSON': () =>
    z
      .looseObject({
        command: z.string(),
        at: z.coerce.date().default(() => new Date(0)),
        zero: z.number().default(-0),
      })
      .transform((all) => ({ ...all, none: undefined })),
}

describe.each(anyDatabase)('on %s', (_, openDatabase) => {
  describe.each(Object.entries(schemas))('a tool that reads its input %s', (reads, toSchema) => {
    it('gets what was approved', async () => {
      await using database = await openDatabase()
      const { tool, received } = createTool(toSchema())
      let input = ''
      await using parley = await open(database, {
        tools: [tool],
        script: (...given) => callsOnce(input)(...given),
      })
      for (const [name, raw] of Object.entries(inputs)) {
        input = raw
        received.length = 0
        const { id: sessionId } = await parley.sessions.create()
        await parley.sessions.send(sessionId, 'Do it')
        const { id } = await pending(parley)
        const shown = await parley.approvals.get(id)
        await parley.approvals.decide(id, { decision: 'approve' })
        const { state, approval } = await partOf(parley, sessionId)
        if (state === 'output-denied') {
          // what JSON cannot write, and the tool does not read twice in the same way, is not run at all
          expect([reads, name]).toEqual([
            'as something else each time',
            'numbers that JSON writes in another way',
          ])
          expect(approval).toMatchObject({ reason: expect.stringContaining('as it was approved') })
          expect(received).toEqual([])
          continue
        }
        expect(received, name).toHaveLength(1)
        expect(JSON.stringify(received[0]), name).toBe(JSON.stringify(shown.input))
        expectPlain(received[0], name)
      }
    })

    it('gets it from another process too', async () => {
      await using database = await openDatabase()
      const raw = inputs['a NUL'].replace('}', ',"n":-0,"z":1,"a":"\\ud800"}')
      const first = await open(database, { tools: [createTool(toSchema()).tool], script: callsOnce(raw) })
      const { id: sessionId } = await first.sessions.create()
      await first.sessions.send(sessionId, 'Do it')
      const shown = await pending(first)
      await first.close()
      const { tool, received } = createTool(toSchema())
      await using second = await open(database, { tools: [tool], script: callsOnce(raw) })
      await second.approvals.decide(shown.id, { decision: 'approve' })
      await expect.poll(() => received.length).toBe(1)
      expect(JSON.stringify(received[0])).toBe(JSON.stringify(shown.input))
    })

    it('gets what a hook made of it, as it was shown', async () => {
      await using database = await openDatabase()
      const { tool, received } = createTool(toSchema())
      const hook: Hook = {
        id: 'changes',
        event: 'PreToolUse',
        tool: 'act',
        run: () => ({ decision: 'ask', input: { command: '  changed\0 ', n: -0, more: 'x' } }),
      }
      await using parley = await open(database, {
        tools: [tool],
        script: callsOnce('{"command":"ls"}'),
        hooks: [hook],
      })
      const { id: sessionId } = await parley.sessions.create()
      await parley.sessions.send(sessionId, 'Do it')
      const shown = await pending(parley)
      await parley.approvals.decide(shown.id, { decision: 'approve' })
      await expect.poll(() => received.length).toBe(1)
      expect(JSON.stringify(received[0])).toBe(JSON.stringify(shown.input))
    })
  })

  it('refuses what could not be run as it was approved', async () => {
    await using database = await openDatabase()
    let salt = 0
    const toSchema = () => z.looseObject({ command: z.string().transform((text) => `${text} ${++salt}`) })
    const first = await open(database, {
      tools: [createTool(toSchema()).tool],
      script: callsOnce('{"command":"ls"}'),
    })
    const { id: sessionId } = await first.sessions.create()
    await first.sessions.send(sessionId, 'Do it')
    const { id } = await pending(first)
    await first.close()
    const { tool, received } = createTool(toSchema())
    await using second = await open(database, { tools: [tool], script: callsOnce('{"command":"ls"}') })
    await second.approvals.decide(id, { decision: 'approve' })
    expect(await partOf(second, sessionId)).toMatchObject({
      state: 'output-denied',
      approval: { approved: false, reason: expect.stringContaining('as it was approved') },
    })
    expect(received).toEqual([])
  })

  it.each([
    [
      'in one answer',
      (toCalls: (input: string) => ModelEvent[]) => [[...toCalls('a').slice(0, -1), ...toCalls('b')]],
    ],
    ['in the next', (toCalls: (input: string) => ModelEvent[]) => [toCalls('a'), toCalls('b')]],
  ])('asks for each call of its own, also where ids come twice %s', async (_where, toReplies) => {
    await using database = await openDatabase()
    const { tool, received } = createTool(z.strictObject({ command: z.string() }))
    const replies = toReplies((command) => calls(['act', { command }]))
    await using parley = await open(database, {
      tools: [tool],
      script: (_request, call) => replies[call - 1] ?? says('Done.'),
    })
    const { id: sessionId } = await parley.sessions.create()
    await parley.sessions.send(sessionId, 'Do it')
    const asked = new Set<unknown>()
    for (const count of [1, 2]) {
      await expect.poll(async () => (await parley.approvals.list()).items.length).toBeGreaterThan(0)
      const { id, input } = (await parley.approvals.list()).items.at(-1)!
      asked.add((input as { command: string }).command)
      await parley.approvals.decide(id, { decision: 'approve' })
      await expect.poll(() => received.length).toBe(count)
    }
    expect([...asked].toSorted()).toEqual(['a', 'b'])
    expect(received.map((input) => (input as { command: string }).command).toSorted()).toEqual(['a', 'b'])
  })

  it('never lets the yes to one tool count for another', async () => {
    await using database = await openDatabase()
    const paint = createTool(z.strictObject({ command: z.string() }), 'act')
    const erase = createTool(z.strictObject({ command: z.string() }), 'erase')
    const [first] = calls(['act', { command: 'a' }])
    const [second] = calls(['erase', { command: 'a' }])
    const finish = calls()[0]!
    await using parley = await open(database, {
      tools: [paint.tool, erase.tool],
      script: (_request, call) =>
        [
          [first!, finish],
          [{ ...second!, toolCallId: 'call-act-0' } as ModelEvent, finish],
        ][call - 1] ?? says('Done.'),
    })
    const { id: sessionId } = await parley.sessions.create()
    await parley.sessions.send(sessionId, 'Do it')
    await parley.approvals.decide((await pending(parley)).id, { decision: 'approve' })
    await expect.poll(() => paint.received.length).toBe(1)
    const next = await pending(parley)
    expect(next.toolName).toBe('erase')
    await parley.approvals.decide(next.id, { decision: 'deny' })
    await partOf(parley, sessionId)
    expect(erase.received).toEqual([])
  })
})

/** JSON does not tell them apart; a tool would. */
function expectPlain(value: unknown, name: string): void {
  const hasOdd = (one: unknown): boolean =>
    Object.is(one, -0) ||
    (typeof one === 'number' && !Number.isFinite(one)) ||
    (typeof one === 'object' && one !== null && !(one instanceof Date) && Object.values(one).some(hasOdd))
  expect(hasOdd(value), name).toBe(false)
}
