import { describe, expect, it } from 'vitest'
import { createParley } from '../src/parley.ts'
import type { ModelEvent } from '../src/core/models/adapter.ts'
import { calls, createScripted } from './chat-harness.ts'
import { anyDatabase, toOptions } from './harness.ts'

const scope = 'default'
const api = { triggerType: 'api' } as const
const tokens = 500_000

/** A first call that uses up everything there is. */
const spendsAll = (events: ModelEvent[]): ModelEvent[] =>
  events.map((event) => (event.type === 'finish' ? { ...event, usage: { inputTokens: 2 * tokens } } : event))

describe.each(anyDatabase)('a turn that its budget ends on %s', (_name, openDatabase) => {
  it('has acknowledged what it took in: it is in the reply and comes to nobody a second time', async () => {
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>()
    const model = createScripted(({ messages }) =>
      JSON.stringify(messages).includes('help out')
        ? calls(['set_result', { output: 'here you are' }])
        : [gate, ...spendsAll(calls(['recall', {}]))],
    )
    await using database = await openDatabase()
    await using parley = await createParley({
      ...toOptions(database),
      models: { model: 'scripted/test', extra: { scripted: () => model } },
    })
    const { background, store, chats, ids } = parley
    const task = await background.trigger(scope, { prompt: 'do it', budget: { tokens } }, api)
    await expect.poll(() => model.requests.length).toBe(1)

    const words = { id: ids.next('msg'), parts: [{ type: 'text', text: 'and look there too' }] }
    await chats.admit(store, { scope, sessionId: task.sessionId }, { message: words }, 'steer')
    const helper = { ...api, announceTarget: task.sessionId }
    await (
      await background.trigger(scope, { prompt: 'help out' }, helper)
    ).promise
    expect(await store.listInbox(task.sessionId)).toHaveLength(2)
    openGate()

    expect(await task.promise).toMatchObject({ status: 'failed', error: expect.stringContaining('tokens') })
    expect(await store.getRun(scope, task.runId)).toMatchObject({ outcome: { code: 'budget_exhausted' } })
    expect(await store.listInbox(task.sessionId)).toEqual([])
    const { items } = await parley.sessions.messages(task.sessionId)
    const parts = items.flatMap((message) => message.parts)
    expect(parts.filter(({ type }) => type === 'data-steer')).toMatchObject([{ id: words.id }])
    expect(parts.filter(({ type }) => type === 'data-task-result')).toMatchObject([
      { data: { output: 'here you are' } },
    ])
    // no turn was made for them either
    const runs = await store.listRuns(scope, { sessionId: task.sessionId, limit: 10 })
    expect(runs.items.map(({ id }) => id)).toEqual([task.runId])
  })
})
