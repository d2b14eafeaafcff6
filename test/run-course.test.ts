/** What is left of the steps and events of a run when it is over, and what replay and inspector make of it. */
import { join } from 'node:path'
import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ModelEvent } from '../src/core/models/adapter.ts'
import type { Chunk, RunEvent } from '../src/core/protocol/chunk.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { pack } from '../src/core/store/event-batch.ts'
import { openPostgres } from '../src/core/store/postgres/open.ts'
import { openSqlite } from '../src/core/store/sqlite/open.ts'
import { defineTool } from '../src/core/tools/tool.ts'
import { calls, createScripted, openChat, says, type Script, type TestChat } from './chat-harness.ts'
import { createGate } from './gates.ts'
import { databases, type OpenDatabase, type TestDatabase } from './harness.ts'
import { tries } from './property-runs.ts'

const look = defineTool({
  name: 'look',
  description: 'Looks at something.',
  input: z.strictObject({ at: z.string() }),
  async execute({ at }) {
    if (at === 'nothing') throw new Error('There is nothing.')
    return { seen: at }
  },
})

/** A chat, and its database beside it. */
async function open(openDatabase: OpenDatabase, script: Script) {
  let database: TestDatabase | undefined
  const chat = await openChat(
    async (options) => (database = await openDatabase(options)),
    createScripted(script),
    {
      tools: [look],
    },
  )
  const { DATABASE_URL: url, PARLEY_DATA_DIR: folder } = database!.environment
  const backend = url
    ? openPostgres({ url, poolSize: 1 })
    : openSqlite({ file: join(folder!, 'parley.db'), synchronous: 'FULL', busyTimeoutMs: 5_000 }, systemClock)
  const read = async <Row>(query: string) => (await sql.raw<Row>(query).execute(backend.db)).rows
  return {
    ...chat,
    read,
    /** Of the columns of all rows of a run, in bytes. */
    async sizeOf(runId: string) {
      const sizes: Record<string, number> = {}
      for (const [table, column] of [
        ['runs', 'id'],
        ['run_steps', 'run_id'],
        ['run_events', 'run_id'],
      ] as const) {
        const rows = await read<object>(`select * from ${table} where ${column} = '${runId}'`)
        const values = rows.flatMap((row) => Object.values(row) as unknown[])
        sizes[table] = values.reduce<number>(
          (sum, value) => sum + (value === null ? 0 : Buffer.byteLength(String(value))),
          0,
        )
      }
      return sizes
    },
    [Symbol.asyncDispose]: async () => {
      await backend.close()
      await chat[Symbol.asyncDispose]()
    },
  }
}

async function replay({ chats }: TestChat, runId: string, after = 0): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const batch of chats.observe(runId, { after, signal: AbortSignal.timeout(60_000) }))
    events.push(...batch)
  return events
}

const asStored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

async function expectSame(chat: TestChat, runId: string, seen: RunEvent[]) {
  for (const after of [0, ...seen.map(({ seq }) => seq)])
    expect(await replay(chat, runId, after)).toEqual(asStored(seen.filter(({ seq }) => seq > after)))
}

const finish = (reason: 'stop' | 'tool-calls'): ModelEvent => ({
  type: 'finish',
  reason,
  usage: { inputTokens: 7, outputTokens: 3 },
})
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
const spoken = fc.array(
  fc.oneof(
    text.map((said): ModelEvent => ({ type: 'text-delta', text: said })),
    text.map((said): ModelEvent => ({ type: 'reasoning-delta', text: said })),
    text.map((signature): ModelEvent => ({
      type: 'reasoning-end',
      providerMetadata: { test: { signature } },
    })),
  ),
  { maxLength: 12 },
)
const callsOf = fc
  .array(
    fc.record({
      at: fc.oneof(text, fc.constant('nothing'), fc.constant(7)),
      isSaid: fc.boolean(),
      spaces: fc.constantFrom(0, 2),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((wanted) =>
    wanted.flatMap(({ at, isSaid, spaces }, index): ModelEvent[] => {
      const call = { toolCallId: `call-${index}`, toolName: 'look' }
      const input = JSON.stringify({ at }, null, spaces)
      return [
        ...(isSaid
          ? ([
              { type: 'tool-input-start', ...call },
              { type: 'tool-input-delta', toolCallId: call.toolCallId, text: input.slice(0, 4) },
              { type: 'tool-input-delta', toolCallId: call.toolCallId, text: input.slice(4) },
            ] as const)
          : []),
        { type: 'tool-call', ...call, input },
      ]
    }),
  )
const turns = fc.record({
  steps: fc.array(fc.tuple(spoken, callsOf), { maxLength: 3 }),
  last: spoken,
  end: fc.constantFrom(finish('stop'), new Error('The model broke off.')),
})

describe.each(databases)('a run that is over, on %s', (_name, openDatabase) => {
  it('replays after each of its events what an observer saw live', async () => {
    let script: (ModelEvent | Error)[][] = []
    await using chat = await open(openDatabase, () => script.shift() ?? says('and no more'))
    await fc.assert(
      fc.asyncProperty(turns, async ({ steps, last, end }) => {
        script = [
          ...steps.map(([said, called]) => [...said, ...called, finish('tool-calls')]),
          [...last, end],
        ]
        const { runId, events } = await chat.ask('do it')
        await expectSame(chat, runId, events)
        expect(await chat.sizeOf(runId)).toMatchObject({ run_steps: 0, run_events: 0 })
      }),
      // what shrinks it goes on in the same session, whose log grows
      { ...tries(25), endOnFailure: true },
    )
  })

  it('replays what was stored while it was running, and leaves none of it twice', async () => {
    const [first, second] = [createGate(), createGate()]
    await using chat = await open(openDatabase, ({ messages }) =>
      messages.at(-1)!.role === 'tool'
        ? [
            { type: 'text-delta', text: 'And then ' },
            second.wait(),
            { type: 'text-delta', text: 'there was.' },
            finish('stop'),
          ]
        : [
            { type: 'text-delta', text: 'There is ' },
            first.wait(),
            { type: 'text-delta', text: 'something.' },
            ...calls(['look', { at: 'it' }]),
          ],
    )
    const asked = chat.ask('what is it?')
    const isStored = (words: string) => async () =>
      (await chat.read(`select 1 from run_events where events like '%${words}%'`)).length
    await expect.poll(isStored('There is ')).toBe(1)
    first.open()
    await expect.poll(isStored('And then ')).toBe(1)
    const { id: runId } = (await chat.store.listRuns('default', { limit: 1 })).items[0]!
    const before = {
      steps: await chat.store.listRunSteps(runId),
      prompt: await chat.chats.inspectRun('default', runId),
      step: await chat.chats.inspectStep('default', runId, 1),
    }
    expect(before.steps).toHaveLength(1)
    second.open()
    const { events } = await asked
    await expectSame(chat, runId, events)
    const steps = await chat.store.listRunSteps(runId)
    expect(steps.slice(0, 1)).toEqual(before.steps)
    expect(steps[1]!.parts.at(-1)).toMatchObject({ text: 'And then there was.' })
    expect((await chat.chats.inspectRun('default', runId)).steps.slice(0, 1)).toEqual(before.prompt.steps)
    expect(await chat.chats.inspectStep('default', runId, 1)).toEqual(before.step)
    expect(await chat.sizeOf(runId)).toMatchObject({ run_steps: 0, run_events: 0 })
    const [row] = await chat.read<{ course: string }>(`select course from runs where id = '${runId}'`)
    expect(row!.course).not.toMatch(/There is|something|there was/)
  })

  it('replays what a dead owner had emitted of finished work, and then what the next one did', async () => {
    await using chat = await open(openDatabase, () => says('And it ', 'goes on.'))
    const { store, sessionId } = chat
    const input = chat.input('go')
    const begun = { scope: 'default', sessionId, kind: 'turn', input }
    const dead = await store.startRun(begun, { owner: 'dead', leaseMs: -1 })
    await store.appendMessages('default', sessionId, [{ ...input.message, role: 'user' }])
    const call = { toolCallId: 'c', toolName: 'look', input: { at: 'it' } }
    const output = { seen: 'something' }
    const part = { type: 'dynamic-tool', ...call, state: 'output-available', output }
    const chunks: Chunk[] = [
      { type: 'start', messageId: dead.run.id.replace('run_', 'msg_') },
      { type: 'start-step' },
      { type: 'tool-input-available', ...call, dynamic: true },
      { type: 'tool-output-available', toolCallId: 'c', output, dynamic: true },
      { type: 'finish-step' },
      { type: 'start-step' },
      { type: 'text-start', id: 'void' },
      { type: 'text-delta', id: 'void', delta: 'cut off' },
    ]
    const emitted = chunks.map((chunk, index): RunEvent => ({ seq: index + 1, chunk }))
    for (const [from, to] of [
      [0, 3],
      [3, 5],
      [5, 8],
    ] as const)
      await store.appendRunEvents(dead.lease, pack(emitted.slice(from, to)))
    const record = {
      model: 'm',
      scenario: 's',
      epoch: 1,
      fragments: [],
      toolList: '',
      messages: 1,
      usage: {},
    }
    const parts = [{ type: 'step-start' }, part]
    await store.putRunStep(dead.lease, { step: 1, parts, prompt: record, lastEventSeq: 5 })
    await chat.chats.answerOf(dead.run, AbortSignal.timeout(60_000))
    const events = await replay(chat, dead.run.id)
    expect(events.slice(0, 5)).toEqual(emitted.slice(0, 5))
    expect(events[5]!.seq).toBeGreaterThan(1_000_000_000)
    const said = events.map(({ chunk }) => (chunk.type === 'text-delta' ? chunk.delta : '')).join('')
    expect(said).toBe('And it goes on.')
    await expectSame(chat, dead.run.id, events)
    expect((await store.listRunSteps(dead.run.id)).map((step) => step.parts)).toEqual([
      parts,
      [{ type: 'step-start' }, { type: 'text', text: 'And it goes on.', state: 'done' }],
    ])
    expect(await chat.sizeOf(dead.run.id)).toMatchObject({ run_steps: 0, run_events: 0 })
    const [row] = await chat.read<{ course: string }>(`select course from runs where id = '${dead.run.id}'`)
    expect(row!.course).not.toMatch(/something|goes on|cut off/)
  })

  it('is answered the same when its reply was rolled back or changed', async () => {
    await using chat = await open(openDatabase, ({ messages }) =>
      messages.at(-1)!.role === 'tool' ? says('I saw ', 'it.') : calls(['look', { at: 'it' }]),
    )
    const { store, sessionId } = chat
    const asked = [await chat.ask('one'), await chat.ask('two')]
    const tell = (runId: string) =>
      Promise.all([store.listRunSteps(runId), chat.chats.inspectRun('default', runId), replay(chat, runId)])
    const before = await Promise.all(asked.map(({ runId }) => tell(runId)))
    const changed = asked[0]!.runId.replace('run_', 'msg_')
    for (const words of ['changed', 'changed again'])
      await store.setMessageParts(sessionId, changed, [{ type: 'text', text: words }])
    await store.transaction((tx) => tx.cutLog(sessionId, 2))
    expect(await store.listMessages('default', sessionId, { limit: 10 })).toHaveLength(2)
    expect(await Promise.all(asked.map(({ runId }) => tell(runId)))).toEqual(before)
    await store.transaction((tx) => tx.cutLog(sessionId, 0))
    expect(await Promise.all(asked.map(({ runId }) => tell(runId)))).toEqual(before)
    for (const { runId, events } of asked) await expectSame(chat, runId, events)
  })

  it('is answered from its outcome when the log has no reply of it, or another', async () => {
    await using chat = await open(openDatabase, () => says('Words ', 'of a pair.'))
    const { runId, events } = await chat.ask('one', { recordsPair: true })
    await expectSame(chat, runId, events)
    expect(await chat.store.listRunSteps(runId)).toMatchObject([
      { step: 1, parts: [{ type: 'step-start' }, { type: 'text', text: 'Words of a pair.' }] },
    ])
    const [row] = await chat.read<{ course: string }>(`select course from runs where id = '${runId}'`)
    expect(row!.course).not.toContain('Words')
  })

  it('takes 900 bytes, and none of the words of its reply, with 50 chunks and no tools called', async () => {
    const words = Array.from({ length: 50 }, (_, index) => `word${index} `)
    await using chat = await open(openDatabase, () => says(...words))
    await chat.ask('What do you say?')
    const { runId } = await chat.ask('What do you say?')
    const sizes = await chat.sizeOf(runId)
    expect(sizes).toMatchObject({ run_steps: 0, run_events: 0 })
    expect(sizes['runs']).toBeLessThan(900)
    const [{ course }] = (await chat.read<{ course: string }>(
      `select course from runs where id = '${runId}'`,
    )) as [{ course: string }]
    expect(course).not.toContain('word4')
    expect(course.length).toBeLessThan(400)
  })
})
