import { describe, expect, it } from 'vitest'
import {
  createDocument,
  getDocument,
  listVersions,
  updateDocument,
} from '../src/extensions/documents/documents.ts'
import { keepDocument } from '../src/extensions/documents/undo-changes.ts'
import { takeLock } from '../src/extensions/documents/locks.ts'
import { createTodoList, getTodoList } from '../src/extensions/documents/todos.ts'
import { createChangeRecorder } from '../src/core/sessions/change-recorder.ts'
import { openTurns } from './document-harness.ts'
import { databases } from './harness.ts'

describe.each(databases)('undo of documents and todo lists on %s', (_name, openDatabase) => {
  it('deletes a document that a turn created', async () => {
    await using turns = await openTurns(openDatabase)
    const { test, inTurn, undo } = turns
    const turn = inTurn(0)
    const { id } = await turn.document({ action: 'create', title: 'Plan', content: 'one' })
    await turn.document({ action: 'update', id, content: 'two' })
    expect(await undo(0)).toEqual([])
    await expect(getDocument(test.store, test.person, id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await undo(0)).toEqual([])
  })

  it('writes what a document was as a new version', async () => {
    await using turns = await openTurns(openDatabase)
    const { test, inTurn, undo } = turns
    const { store, person, limits } = test
    const { id } = await createDocument(limits, store, person, { title: 'Plan', content: 'one' })
    const turn = inTurn(2)
    await turn.document({ action: 'update', id, content: 'two', title: 'Other', folder: 'away' })
    await turn.document({ action: 'update', id, content: 'three' })
    await inTurn(4).document({ action: 'update', id, content: 'four' })
    expect(await undo(2)).toEqual([])
    expect(await getDocument(store, person, id)).toMatchObject({
      title: 'Plan',
      folder: '',
      content: 'one',
      version: 5,
    })
    expect(await undo(2)).toEqual([])
    expect((await listVersions(store, { pageSize: 10 }, person, id, {})).items).toHaveLength(5)
    expect(await store.listLocks('default', { limit: 10 })).toEqual([])
  })

  it('undoes the later turns alone', async () => {
    await using turns = await openTurns(openDatabase)
    const { test, inTurn, undo } = turns
    const { id } = await inTurn(0).document({ action: 'create', title: 'Plan', content: 'one' })
    await inTurn(2).document({ action: 'update', id, content: 'two' })
    await inTurn(4).document({ action: 'update', id, content: 'three' })
    await undo(4)
    expect(await getDocument(test.store, test.person, id)).toMatchObject({ content: 'two', version: 4 })
  })

  it('brings back a document that a turn deleted, with its versions', async () => {
    await using turns = await openTurns(openDatabase)
    const { test, inTurn, undo } = turns
    const { store, person, limits } = test
    const { id } = await createDocument(limits, store, person, { title: 'Plan', content: 'one' })
    await inTurn(0).document({ action: 'delete', id })
    expect(await undo(0)).toEqual([])
    expect(await getDocument(store, person, id)).toMatchObject({ content: 'one', version: 1 })
    await inTurn(2).document({ action: 'update', id, content: 'two' })
    await inTurn(2).document({ action: 'delete', id })
    expect(await undo(2)).toEqual([])
    expect(await getDocument(store, person, id)).toMatchObject({ content: 'one', version: 3 })
  })

  it('keeps nothing of a call that is refused', async () => {
    await using turns = await openTurns(openDatabase)
    const { test, session, inTurn } = turns
    const turn = inTurn(0)
    await expect(turn.document({ action: 'update', id: 'doc_none', content: 'x' })).rejects.toThrow()
    await expect(turn.todo({ action: 'delete_list', list_id: 'tdl_none' })).rejects.toThrow()
    const { id } = await createDocument(test.limits, test.store, test.person, { title: 'Plan' })
    await expect(turn.document({ action: 'update', id, edits: [{ old: 'x', new: 'y' }] })).rejects.toThrow()
    expect(await test.store.listSnapshotsSince(session.sessionId, 0)).toEqual([])
  })

  it('keeps how a document is when it is changed, not how it was read', async () => {
    await using turns = await openTurns(openDatabase)
    const { test, inTurn, undo } = turns
    const { store, person, limits } = test
    const { id } = await createDocument(limits, store, person, { title: 'Plan', content: 'one' })
    const turn = inTurn(0)
    await turn.document({ action: 'read', id })
    await updateDocument(limits, store, person, id, { content: 'two' })
    await turn.document({ action: 'update', id, content: 'three' })
    await undo(0)
    expect(await getDocument(store, person, id)).toMatchObject({ content: 'two', version: 4 })
  })

  it('leaves alone what another session works on, and says so', async () => {
    await using turns = await openTurns(openDatabase)
    const { test, session, inTurn, undo } = turns
    const { store, person, limits } = test
    const { id } = await createDocument(limits, store, person, { title: 'Plan', content: 'one' })
    await inTurn(0).document({ action: 'update', id, content: 'two' })
    await store.releaseLock({ type: 'document', id }, session.sessionId)
    const other = await test.addSession()
    await takeLock(limits, store, other, { type: 'document', id })
    expect(await undo(0)).toEqual([`Session ${other.sessionId} holds it.`])
    expect(await getDocument(store, person, id)).toMatchObject({ content: 'two' })
  })

  it('does not reach into another scope', async () => {
    await using turns = await openTurns(openDatabase)
    const { test, session, undo } = turns
    const { store, limits, person } = test
    await store.ensureScope('other')
    const stranger = { ...person, scope: 'other' }
    const { id } = await createDocument(limits, store, stranger, { title: 'Theirs', content: 'one' })
    const changes = createChangeRecorder(store, { id: session.sessionId }, 0)
    await store.transaction((tx) => keepDocument(tx, { scope: 'default', changes }, id))
    expect((await store.listSnapshotsSince(session.sessionId, 0))[0]?.content).toBeUndefined()
    await undo(0)
    expect(await getDocument(store, stranger, id)).toMatchObject({ content: 'one' })
  })

  it('brings a todo list back whole', async () => {
    await using turns = await openTurns(openDatabase)
    const { test, inTurn, undo } = turns
    const { store, person } = test
    const items = [
      { title: 'a', description: 'first' },
      { title: 'b', status: 'done' as const },
    ]
    const before = await createTodoList(store, person, { title: 'Today', folder: 'x', items })
    const place = { list_id: before.id }
    const turn = inTurn(0)
    await turn.todo({
      action: 'update_item',
      ...place,
      item_id: before.items[1]!.id,
      status: 'todo',
      position: 0,
    })
    await turn.todo({ action: 'add_items', ...place, item_titles: ['c'] })
    await turn.todo({ action: 'delete_item', ...place, item_id: before.items[0]!.id })
    await test.newEvents('todo-changed')
    expect(await undo(0)).toEqual([])
    const after = await getTodoList(store, person, before.id)
    expect({ ...after, updatedAt: before.updatedAt }).toEqual(before)
    expect(await test.newEvents('todo-changed')).toMatchObject([{ action: 'rollback', completed: [] }])
  })

  it('deletes a todo list that a turn created, and brings back one that it deleted', async () => {
    await using turns = await openTurns(openDatabase)
    const { test, inTurn, undo } = turns
    const { store, person } = test
    const kept = await createTodoList(store, person, { title: 'Kept', items: [{ title: 'a' }] })
    const turn = inTurn(0)
    const made = await turn.todo({ action: 'create_list', list_title: 'Made' })
    await turn.todo({ action: 'delete_list', list_id: kept.id })
    expect(await undo(0)).toEqual([])
    await expect(getTodoList(store, person, made.id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await getTodoList(store, person, kept.id)).toMatchObject({ title: 'Kept', items: kept.items })
  })
})
