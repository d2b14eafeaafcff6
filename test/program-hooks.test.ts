import { describe, expect, it } from 'vitest'
import { createAgent } from '../src/agent/agent.ts'
import type { Hook } from '../src/core/hooks/hook.ts'
import { messageText } from '../src/core/protocol/message-text.ts'
import { defineExtension } from '../src/extension.ts'
import { createParley, type ParleyOptions } from '../src/parley.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { countStatements, holdTimers } from './counted-statements.ts'
import { createGate } from './gates.ts'
import { sqliteDatabase, toOptions, type TestDatabase } from './harness.ts'

async function open(
  database: TestDatabase,
  hooks: readonly Hook[],
  { script = () => says('Hello'), ...options }: Partial<ParleyOptions> & { script?: Script } = {},
) {
  const model = createScripted(script)
  const parley = await createParley({
    ...toOptions(database),
    models: { model: model.id, extra: { scripted: () => model } },
    hooks,
    ...options,
  })
  return Object.assign(parley, { model })
}

describe('hooks of a program', () => {
  it('see a turn and its model calls begin and end, in this order', async () => {
    await using database = await sqliteDatabase()
    const seen: [event: string, given: object][] = []
    const ended = createGate()
    const hook = (event: string) =>
      ({
        event,
        run(given: object) {
          seen.push([event, given])
          if (event === 'PostTurn') void ended.wait()
        },
      }) as Hook
    await using parley = await open(
      database,
      ['PostTurn', 'PreModelCall', 'PostModelCall', 'PreTurn'].map(hook),
      { script: (_request, call) => (call === 1 ? calls(['nothing', {}]) : says('Done')) },
    )
    const { id: sessionId } = await parley.sessions.create({ instructions: 'Be brief.' })
    const { run, message } = await parley.sessions.chat(sessionId, 'Hello')
    await ended.reached
    const place = { scope: 'default', sessionId, runId: run.id }
    const call = (step: number) => ({ ...place, step, model: 'scripted/test' })
    expect(seen.map(([event]) => event)).toEqual([
      'PreTurn',
      'PreModelCall',
      'PostModelCall',
      'PreModelCall',
      'PostModelCall',
      'PostTurn',
    ])
    const [begun, first, firstEnd, second, , end] = seen.map(([, given]) => given)
    expect(begun).toMatchObject({ ...place, parts: [{ type: 'text', text: 'Hello' }] })
    const [sent] = parley.model.requests
    expect(first).toEqual(
      JSON.parse(
        JSON.stringify({ ...call(1), system: sent!.system, messages: sent!.messages, tools: sent!.tools }),
      ),
    )
    expect(firstEnd).toEqual({
      ...call(1),
      finishReason: 'tool-calls',
      usage: { inputTokens: 10, outputTokens: 5 },
    })
    expect(second).toMatchObject(call(2))
    expect(end).toEqual({
      ...place,
      status: 'completed',
      code: 'stop',
      usage: { inputTokens: 20, outputTokens: 10 },
      message: { id: message!.id, parts: message!.parts },
    })
  })

  it('refuse a turn with a reason, which is in the log, and ask no model', async () => {
    await using database = await sqliteDatabase()
    const ends: string[] = []
    await using parley = await open(database, [
      {
        event: 'PreTurn',
        run: ({ parts }) =>
          JSON.stringify(parts).includes('secret')
            ? { decision: 'deny', reason: 'No secrets here.' }
            : undefined,
      },
      { event: 'PostTurn', run: ({ status, code, error }) => void ends.push(`${status} ${code} ${error}`) },
    ])
    const { id } = await parley.sessions.create()
    const { run } = await parley.sessions.chat(id, 'a secret')
    expect(run).toMatchObject({
      status: 'failed',
      outcome: { code: 'refused_by_hook', message: 'No secrets here.' },
    })
    expect(parley.model.requests).toEqual([])
    await expect.poll(() => ends).toEqual(['failed refused_by_hook No secrets here.'])
    const { items } = await parley.sessions.messages(id)
    expect(items.map(({ role, metadata }) => [role, (metadata as { error?: object })?.error])).toEqual([
      ['user', undefined],
      ['assistant', { code: 'refused_by_hook', message: 'No secrets here.' }],
    ])
    expect((await parley.sessions.get(id)).chatStatus).toBe('idle')
    const { message } = await parley.sessions.chat(id, 'a word')
    expect(messageText(message!)).toBe('Hello')
  })

  it('that fail hold nothing up, unless they say so', async () => {
    await using database = await sqliteDatabase()
    const fail = () => {
      throw new Error('broken')
    }
    const events = ['PreTurn', 'PostTurn', 'PreModelCall', 'PostModelCall'] as const
    const failing = events.map((event) => ({ event, run: fail }) as Hook)
    {
      await using parley = await open(database, failing)
      const { id } = await parley.sessions.create()
      expect((await parley.sessions.chat(id, 'Hello')).run.status).toBe('completed')
    }
    await using parley = await open(database, [
      { event: 'PreTurn', id: 'guard', onFailure: 'deny', timeoutMs: 20, run: () => new Promise(() => {}) },
    ])
    const { id } = await parley.sessions.create()
    expect((await parley.sessions.chat(id, 'Hello')).run.outcome).toMatchObject({
      code: 'refused_by_hook',
      message: 'The hook guard failed, and nothing is done without it: It took longer than 20 ms.',
    })
  })

  it('do not keep a turn from being stopped', async () => {
    await using database = await sqliteDatabase()
    for (const event of ['PreTurn', 'PreModelCall'] as const) {
      const gate = createGate()
      await using parley = await open(database, [{ event, run: () => gate.wait() } as Hook])
      const { id } = await parley.sessions.create()
      const turn = parley.sessions.chat(id, 'Hello').then((answer) => answer)
      await gate.reached
      await parley.sessions.stop(id)
      expect((await turn).run, event).toMatchObject({ status: 'cancelled', outcome: { code: 'stopped' } })
      expect(parley.model.requests).toEqual([])
    }
  })

  it('are asked about agents of a program too', async () => {
    await using database = await sqliteDatabase()
    await using parley = await open(database, [
      { event: 'PreTurn', run: () => ({ decision: 'deny', reason: 'Closed.' }) },
    ])
    await using agent = createAgent({ parley })
    await expect(agent.ask('Hello')).rejects.toThrow('Closed.')
  })

  it('of extensions are asked as well', async () => {
    await using database = await sqliteDatabase()
    const steps: number[] = []
    const watching = defineExtension({
      name: 'watching',
      create: () => ({
        service: undefined,
        on: {
          refuse: async (_run, parts) =>
            JSON.stringify(parts).includes('no') ? { code: 'closed', message: 'Closed.' } : undefined,
          afterModelCall: async ({ step }) => void steps.push(step),
        },
      }),
    })
    await using parley = await open(database, [], { extensions: [watching] })
    const { id } = await parley.sessions.create()
    await parley.sessions.chat(id, 'yes')
    expect(steps).toEqual([1])
    expect((await parley.sessions.chat(id, 'no')).run.outcome).toMatchObject({ code: 'closed' })
  })

  it('cost no statement', async () => {
    const count = async (hooks: readonly Hook[]) => {
      using _ = holdTimers()
      await using database = await sqliteDatabase()
      await using parley = await open(database, hooks)
      const { id } = await parley.sessions.create()
      await parley.sessions.chat(id, 'One')
      await expect.poll(async () => (await parley.sessions.get(id)).chatStatus).toBe('idle')
      using counted = countStatements()
      await parley.sessions.chat(id, 'Two')
      return counted.texts.length
    }
    const events = ['PreTurn', 'PostTurn', 'PreModelCall', 'PostModelCall'] as const
    expect(await count(events.map((event) => ({ event, run: () => undefined }) as Hook))).toBe(
      await count([]),
    )
  })
})
