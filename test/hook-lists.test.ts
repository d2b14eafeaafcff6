import { describe, expect, it } from 'vitest'
import type { OnSettled } from '../src/core/tasks/task-deps.ts'
import type { TurnHooks } from '../src/core/chat/turn-hooks.ts'
import { createScripted, openChat, says } from './chat-harness.ts'
import { databases } from './harness.ts'
import { api, openTasks, scope, submit } from './task-harness.ts'

/** Throws when it is called first. */
function failOnce() {
  let calls = 0
  return async () => {
    if (++calls === 1) throw new Error('not now')
  }
}

describe.each(databases)('several who contribute to one hook on %s', (_name, openDatabase) => {
  it('see the end of a turn in order and in its transaction; what one throws undoes all of it', async () => {
    const calls: string[] = []
    const record = (who: string): TurnHooks => ({
      async onEnd(tx, { session, code }) {
        calls.push(`${who} ${code}`)
        await tx.recordEvent(session.scope, { type: `${who}-ended`, sessionId: session.id, data: { code } })
      },
    })
    await using chat = await openChat(
      openDatabase,
      createScripted(() => says('done')),
      { hooks: [record('one'), { onEnd: failOnce() }, record('two')] },
    )
    const { runId } = await chat.ask('go')
    // the end that failed was undone, and that of a run that is given up stored in its place
    expect(calls).toEqual(['one stop', 'one internal', 'two internal'])
    expect((await chat.store.getRun('default', runId))?.outcome).toMatchObject({ code: 'internal' })
    const events = await chat.store.listEvents('default', { after: 0, limit: 100 })
    expect(events.filter(({ type }) => type.endsWith('-ended'))).toMatchObject([
      { type: 'one-ended', data: { code: 'internal' } },
      { type: 'two-ended', data: { code: 'internal' } },
    ])
  })

  it('learn from a turn in order; what one throws keeps no other back, and fails no turn', async () => {
    const calls: string[] = []
    const learn = (who: string): TurnHooks => ({
      afterTurn: async (_, { id }) => void calls.push(`${id} ${who}`),
    })
    const afterTurn = () => Promise.reject(new Error('broken'))
    await using chat = await openChat(
      openDatabase,
      createScripted(() => says('done')),
      { hooks: [learn('one'), { afterTurn }, learn('two')] },
    )
    const { runId } = await chat.ask('go')
    expect((await chat.store.getRun('default', runId))?.status).toBe('completed')
    await expect.poll(() => calls).toEqual([`${runId} one`, `${runId} two`])
  })

  it('are told of the end of a task in order and in its transaction; what one throws undoes all of it', async () => {
    await using parley = await openTasks(openDatabase, submit)
    const calls: string[] = []
    const record =
      (who: string): OnSettled =>
      async (tx, session) => {
        calls.push(who)
        await tx.recordEvent(scope, { type: `${who}-settled`, sessionId: session.id, data: {} })
      }
    parley.background.onSettled(record('one'), failOnce(), record('two'))
    const { sessionId, promise } = await parley.background.trigger(scope, { prompt: 'Do it' }, api)
    expect(await promise).toMatchObject({ output: 'done' })
    expect(calls).toEqual(['one', 'one', 'two'])
    const events = await parley.eventsOf(sessionId)
    expect(events.filter((type) => type.endsWith('-settled'))).toEqual(['one-settled', 'two-settled'])
  })
})
