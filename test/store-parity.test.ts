import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ParleyError } from '../src/core/protocol/error.ts'
import type { Store } from '../src/core/store/store.ts'
import { databases } from './harness.ts'
import { takeSeed } from './seed.ts'

/** A release does ten thousand. */
const operations = Number(process.env.PARLEY_TEST_STORE_OPERATIONS ?? 600)
const perRun = 100

const scope = fc.constantFrom('red', 'blue')
// few, so that they meet each other
const id = fc.constantFrom('a', 'b', 'c', 'd', 'e').map((name) => `ses_${name}`)
const text = fc.constantFrom('', 'x', 'Zürich', '汉字', '🦉', "'; drop table sessions; --", '%_\\', '\u2028"')
const number = fc.nat(6)
const operation = fc.oneof(
  fc.record({ type: fc.constant('create' as const), scope, id, text }),
  fc.record({ type: fc.constant('rename' as const), scope, id, text }),
  fc.record({
    type: fc.constant('append' as const),
    scope,
    id,
    texts: fc.array(text, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    type: fc.constant('append' as const),
    scope,
    id,
    texts: fc.array(text, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ type: fc.constant('delete' as const), scope, id }),
  fc.record({ type: fc.constant('archive' as const), scope, id, isArchived: fc.boolean() }),
  fc.record({
    type: fc.constant('messages' as const),
    scope,
    id,
    after: fc.option(number),
    limit: number.map((n) => n + 1),
  }),
  fc.record({
    type: fc.constant('list' as const),
    scope,
    limit: number.map((n) => n + 1),
    archived: fc.constantFrom(false, true, 'all' as const),
  }),
  fc.record({ type: fc.constant('event' as const), scope, text }),
  fc.record({ type: fc.constant('events' as const), scope, after: number }),
  fc.record({ type: fc.constant('undone' as const), scope, id, texts: fc.constant(['never']) }),
)
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never

it(
  `${operations} random operations have the same answers in both databases and in a model in memory`,
  async () => {
    const opened = await Promise.all(databases.map(async ([, open]) => open()))
    await using stack = new AsyncDisposableStack()
    for (const database of opened) stack.use(database)
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: perRun, maxLength: perRun, size: 'max' }),
        async (given) => {
          const stores = await Promise.all(opened.map((database) => database.open()))
          const model = createModel()
          try {
            for (const store of stores) await clear(store)
            for (const [index, one] of given.entries()) {
              const expected = model(one)
              for (const [at, store] of stores.entries())
                expect(
                  await perform(store, one),
                  `${index} on ${databases[at]![0]}: ${JSON.stringify(one)}`,
                ).toEqual(expected)
            }
          } finally {
            for (const store of stores) await store.close()
          }
        },
      ),
      { numRuns: Math.ceil(operations / perRun), seed: takeSeed() },
    )
  },
  60_000 + operations * 60,
)

const begin = 'begun'

async function clear(store: Store): Promise<void> {
  for (const name of ['red', 'blue']) {
    await store.ensureScope(name)
    const { items } = await store.listSessions(name, { archived: 'all', limit: 100 })
    for (const session of items) await store.deleteSession(name, session.id)
    await store.deleteEventsBefore(Number.MAX_SAFE_INTEGER)
    // the newest one stays
    await store.recordEvent(name, { type: begin })
    await store.deleteEventsBefore(Number.MAX_SAFE_INTEGER)
  }
}

const toMessage = (content: string) => ({ role: 'user' as const, parts: [{ type: 'text', text: content }] })

/** What is answered, without times; a refusal is its code. */
async function perform(store: Store, one: Operation): Promise<unknown> {
  try {
    switch (one.type) {
      case 'create':
        return (await store.createSession({ scope: one.scope, id: one.id, title: one.text })).title
      case 'rename':
        return (await store.updateSession(one.scope, one.id, { title: one.text })).title
      case 'archive': {
        const archivedAt = one.isArchived ? '2026-01-01T00:00:00.000Z' : null
        return (await store.updateSession(one.scope, one.id, { archivedAt })).archivedAt !== undefined
      }
      case 'append': {
        const stored = await store.appendMessages(one.scope, one.id, one.texts.map(toMessage))
        return stored.map(({ seq, parts }) => [seq, parts[0]!.text])
      }
      case 'undone':
        return await store.transaction(async (tx) => {
          await tx.appendMessages(one.scope, one.id, one.texts.map(toMessage))
          throw new ParleyError('conflict', 'on purpose')
        })
      case 'delete':
        await store.deleteSession(one.scope, one.id)
        return 'deleted'
      case 'messages': {
        const range = one.after === null ? { limit: one.limit } : { after: one.after, limit: one.limit }
        return (await store.listMessages(one.scope, one.id, range)).map(({ seq, parts }) => [
          seq,
          parts[0]!.text,
        ])
      }
      case 'list': {
        const { items } = await store.listSessions(one.scope, { archived: one.archived, limit: one.limit })
        return items.map(({ id: name, title }) => [name, title])
      }
      case 'event':
        await store.recordEvent(one.scope, { type: 'tested', data: { text: one.text } })
        return 'told'
      case 'events': {
        const [first, ...events] = await store.listEvents(one.scope, { after: 0, limit: 100 })
        expect(first?.type).toBe(begin)
        return events.slice(one.after).map(({ data }) => data.text)
      }
    }
  } catch (error) {
    if (error instanceof ParleyError) return error.code
    throw error
  }
}

/** The same in a few lines: a map of sessions, each with its log, and the events of each scope. */
function createModel(): (one: Operation) => unknown {
  const sessions = new Map<
    string,
    { scope: string; title: string; log: string[]; isArchived: boolean; changed: number }
  >()
  const events: Record<string, string[]> = { red: [], blue: [] }
  let time = 0
  return (one) => {
    const found = 'id' in one ? sessions.get(one.id) : undefined
    const session = found?.scope === one.scope ? found : undefined
    const numbered = (log: string[], from: number) => log.map((said, index) => [from + index + 1, said])
    switch (one.type) {
      case 'create':
        if (found) return 'conflict'
        sessions.set(one.id, {
          scope: one.scope,
          title: one.text,
          log: [],
          isArchived: false,
          changed: ++time,
        })
        return one.text
      case 'event':
        events[one.scope]!.push(one.text)
        return 'told'
      case 'events':
        return events[one.scope]!.slice(one.after)
      case 'list':
        return [...sessions]
          .filter(([, { scope: own }]) => own === one.scope)
          .filter(([, { isArchived }]) => one.archived === 'all' || isArchived === one.archived)
          .sort(([, a], [, b]) => b.changed - a.changed)
          .slice(0, one.limit)
          .map(([name, { title }]) => [name, title])
      case 'messages': {
        const all = numbered(session?.log ?? [], 0)
        return one.after === null ? all.slice(-one.limit) : all.slice(one.after, one.after + one.limit)
      }
    }
    if (!session) return 'not_found'
    switch (one.type) {
      case 'undone':
        return 'conflict'
      case 'delete':
        sessions.delete(one.id)
        return 'deleted'
      case 'rename':
        session.changed = ++time
        return (session.title = one.text)
      case 'archive':
        session.changed = ++time
        return (session.isArchived = one.isArchived)
      case 'append': {
        session.changed = ++time
        const stored = numbered(one.texts, session.log.length)
        session.log.push(...one.texts)
        return stored
      }
    }
  }
}
