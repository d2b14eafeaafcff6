import fc from 'fast-check'
import { expect, it } from 'vitest'
import { getDocument } from '../src/extensions/documents/documents.ts'
import { getTodoList } from '../src/extensions/documents/todos.ts'
import { openTurns } from './document-harness.ts'
import { anyDatabase } from './harness.ts'
import { takeSeed } from './seed.ts'

/** A release runs many more. */
const runs = Math.max(1, Math.round(Number(process.env.PARLEY_TEST_FUZZ ?? 1_000) / 100))

type Turns = Awaited<ReturnType<typeof openTurns>>

const words = fc.constantFrom('', 'one', 'two', 'three\nlines\nlong', '人工智能')
const operation = fc.record({
  tool: fc.constantFrom('document' as const, 'todo' as const),
  action: fc.constantFrom('create', 'update', 'update', 'delete', 'add', 'remove'),
  /** Which of the things that there are. */
  pick: fc.nat({ max: 3 }),
  text: words,
})
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

const story = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.array(operation, { maxLength: 5 }).map((turn) => ({ turn })) },
    { weight: 1, arbitrary: fc.nat({ max: 20 }).map((undoTo) => ({ undoTo })) },
  ),
  { minLength: 1, maxLength: 10 },
)

it.each(anyDatabase)('every undo leads back to what was there, on %s', async (name, openDatabase) => {
  await fc.assert(
    fc.asyncProperty(story, async (chapters) => {
      await using turns = await openTurns(openDatabase)
      const before: unknown[] = []
      const versions = new Map<string, number>()
      for (const chapter of chapters) {
        if ('turn' in chapter) {
          before.push(await stateOf(turns))
          const turn = turns.inTurn(before.length - 1)
          for (const one of chapter.turn) await act(turns, turn, one)
        } else if (before.length > 0) {
          const to = chapter.undoTo % before.length
          expect(await turns.undo(to)).toEqual([])
          await turns.test.store.cutLog(turns.session.sessionId, to)
          expect(await stateOf(turns)).toEqual(before[to])
          before.length = to
        }
        await expectVersionsToRise(turns, versions)
      }
    }),
    { numRuns: name === 'SQLite' ? runs : Math.ceil(runs / 4), seed: takeSeed() },
  )
})

async function idsOf({ test: { store } }: Turns): Promise<{ documents: string[]; lists: string[] }> {
  const documents = await store.listDocuments('default', { limit: 100 })
  const lists = await store.listTodoLists('default', { limit: 100 })
  return {
    documents: documents.items.map(({ id }) => id).sort(),
    lists: lists.items.map(({ id }) => id).sort(),
  }
}

/** All that a reader can see but times and versions, which only go on. */
async function stateOf(turns: Turns): Promise<unknown> {
  const { store, person } = turns.test
  const { documents, lists } = await idsOf(turns)
  return {
    documents: await Promise.all(
      documents.map(async (id) => {
        const { title, folder, content } = await getDocument(store, person, id)
        return { id, title, folder, content }
      }),
    ),
    lists: await Promise.all(
      lists.map(async (id) => {
        const { title, folder, items } = await getTodoList(store, person, id)
        return { id, title, folder, items }
      }),
    ),
  }
}

async function act(turns: Turns, turn: ReturnType<Turns['inTurn']>, { tool, action, pick, text }: Operation) {
  const { documents, lists } = await idsOf(turns)
  if (tool === 'document') {
    const id = documents[pick % documents.length]
    if (action === 'create' || id === undefined)
      return turn.document({ action: 'create', title: `t ${text.length}`, content: text })
    if (action === 'delete') return turn.document({ action: 'delete', id })
    if (action === 'remove') return turn.document({ action: 'restore', id, version: 1 })
    return turn.document({
      action: 'update',
      id,
      content: text,
      folder: action === 'add' ? 'away' : undefined,
    })
  }
  const list_id = lists[pick % lists.length]
  if (action === 'create' || list_id === undefined)
    return turn.todo({ action: 'create_list', list_title: 'list', item_titles: ['a', 'b'] })
  if (action === 'delete') return turn.todo({ action: 'delete_list', list_id })
  if (action === 'add')
    return turn.todo({ action: 'add_items', list_id, item_titles: [`item ${text.length}`] })
  const { items } = await getTodoList(turns.test.store, turns.test.person, list_id)
  const item = items[pick % items.length]
  if (!item) return
  const named = { list_id, item_id: item.id }
  if (action === 'remove') return turn.todo({ action: 'delete_item', ...named })
  return turn.todo({ action: 'update_item', ...named, description: text, status: 'done', position: pick })
}

async function expectVersionsToRise(turns: Turns, seen: Map<string, number>): Promise<void> {
  for (const id of (await idsOf(turns)).documents) {
    const { version } = await turns.test.store.requireDocument('default', id)
    expect(version).toBeGreaterThanOrEqual(seen.get(id) ?? 1)
    seen.set(id, version)
  }
}
