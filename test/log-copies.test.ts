import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLogCopies } from '../src/core/sessions/window/log-copies.ts'
import type { MessageToAppend } from '../src/core/store/queries/messages.ts'
import type { Store } from '../src/core/store/store.ts'
import { anyDatabase, sqliteDatabase } from './harness.ts'
import { tries } from './property-runs.ts'

const scope = 'home'
const said = (role: 'user' | 'assistant', text: string): MessageToAppend => ({
  role,
  parts: [{ type: 'text', text }],
})

/** The store, and how many messages were read from it. */
function counting(store: Store) {
  const read = { messages: 0 }
  const watched: Store = {
    ...store,
    async readWindow(...where) {
      const window = await store.readWindow(...where)
      read.messages += window?.messages.length ?? 0
      return window
    },
  }
  return { watched, read }
}

// of the log, where something happens to it
const share = fc.nat({ max: 99 }).map((percent) => percent / 100)

/** What happens to a log between two turns. */
const change = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('turn' as const), context: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('answer' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('rollback' as const), share }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('edit' as const), share }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('cut' as const), share }),
  },
)

describe.each(anyDatabase)('copies of windows, on %s', (_name, openDatabase) => {
  it('are what the store has, whatever happened to the log, wherever', async () => {
    await using database = await openDatabase()
    await using store = await database.open()
    // what another process does to the same database
    await using other = await database.open()
    await store.ensureScope(scope)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(change, fc.constantFrom(undefined, 1, 3, 8), fc.boolean()), {
          minLength: 12,
          maxLength: 40,
        }),
        async (steps) => {
          const { id } = await store.createSession({ scope })
          const copies = createLogCopies()
          let count = 0
          for (const [step, limit, isRead] of steps) {
            const { lastSeq = 0, ...state } = (await other.getWindowState(id))!
            const place = 'share' in step ? Math.ceil(step.share * lastSeq) : 0
            if (step.do === 'turn') {
              const [input] = await other.appendMessages(scope, id, [said('user', `${count++}`)])
              // a turn reads its window, and says then what it sends along with its input
              await copies.read(store, id, limit)
              if (step.context) await other.setMessageContext(id, input!.seq, `<c>${count}</c>`)
              await other.appendMessages(scope, id, [said('assistant', `${count++}`)])
            } else if (step.do === 'answer')
              await other.appendMessages(scope, id, [said('assistant', `${count++}`)])
            else if (step.do === 'rollback') await other.transaction((tx) => tx.cutLog(id, place))
            else if (step.do === 'cut') await other.moveWindow(id, { lastSeq, ...state }, Math.max(1, place))
            else {
              const message = (await other.readLog(id, place, place))[0]
              if (message)
                await other.setMessageParts(id, message.id, [{ type: 'text', text: `edited ${count++}` }])
            }
            if (isRead)
              expect(await copies.read(store, id, limit)).toEqual(await store.readWindow(id, { limit }))
          }
          copies.clear()
        },
      ),
      tries(40),
    )
  })
})

describe('copies of windows', () => {
  it('leave a turn what is new to read', async () => {
    await using database = await sqliteDatabase()
    await using store = await database.open()
    await store.ensureScope(scope)
    const { id } = await store.createSession({ scope })
    await store.appendMessages(
      scope,
      id,
      Array.from({ length: 400 }, (_, index) => said(index % 2 === 0 ? 'user' : 'assistant', `${index}`)),
    )
    const { watched, read } = counting(store)
    const copies = createLogCopies()
    for (let turn = 0; turn < 5; turn++) {
      await store.appendMessages(scope, id, [said('user', 'next')])
      await copies.read(watched, id, 500)
      await store.appendMessages(scope, id, [said('assistant', 'answer')])
    }
    expect(read.messages).toBe(401 + 4 * 3)
    copies.clear()
  })

  it('take no more memory than they may, and none once nobody has used them for a while', async () => {
    await using database = await sqliteDatabase()
    await using store = await database.open()
    await store.ensureScope(scope)
    let time = 0
    const copies = createLogCopies({ now: () => time, most: 4_000 })
    const ids: string[] = []
    for (let index = 0; index < 10; index++) {
      const { id } = await store.createSession({ scope })
      await store.appendMessages(scope, id, [said('user', 'x'.repeat(700)), said('assistant', 'answer')])
      await copies.read(store, id)
      ids.push(id)
      expect(copies.characters).toBeLessThanOrEqual(4_000)
    }
    expect(copies.characters).toBeGreaterThan(700)
    const { id: large } = await store.createSession({ scope })
    await store.appendMessages(scope, large, [said('user', 'x'.repeat(3_000)), said('assistant', 'answer')])
    const before = copies.characters
    await copies.read(store, large)
    expect(copies.characters).toBe(before)
    time = 1_000_000
    copies.forgetUnused()
    expect(copies.characters).toBe(0)
    await copies.read(store, ids[0]!)
    expect(copies.characters).toBeGreaterThan(700)
    copies.clear()
    expect(copies.characters).toBe(0)
  })
})
