import { describe, expect, it } from 'vitest'
import { createDocumentTool } from '../src/extensions/documents/document-tool.ts'
import { createDocument, getDocument, updateDocument } from '../src/extensions/documents/documents.ts'
import { createLockTool } from '../src/extensions/documents/lock-tool.ts'
import { createSearchTool } from '../src/extensions/documents/search-tool.ts'
import { createTodoTool } from '../src/extensions/documents/todo-tool.ts'
import { createTodoList, getTodoList } from '../src/extensions/documents/todos.ts'
import { openDocuments } from './document-harness.ts'
import { anyDatabase, type OpenDatabase } from './harness.ts'

async function openTools(openDatabase: OpenDatabase) {
  const test = await openDocuments(openDatabase)
  const { store, limits } = test
  return {
    test,
    session: await test.addSession(),
    document: createDocumentTool(store, limits),
    todo: createTodoTool(store),
    lock: createLockTool(store, limits),
    search: createSearchTool(store),
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  }
}

describe.each(anyDatabase)('tools for documents on %s', (_name, openDatabase) => {
  it('create, read, edit and delete a document', async () => {
    await using tools = await openTools(openDatabase)
    const { test, session, document } = tools
    const call = (input: object) => test.call(document, session, input)
    const { id } = await call({
      action: 'create',
      title: 'Plan',
      folder: 'plans',
      content: 'one\ntwo\nthree',
    })
    expect(await call({ action: 'read', id, from_line: 2, to_line: 2 })).toMatchObject({
      content: 'two',
      lines: 3,
      version: 1,
    })
    const edits = [
      { old: 'one', new: '1' },
      { old: 'three', new: '3' },
    ]
    expect(await call({ action: 'update', id, edits })).toMatchObject({ version: 2 })
    expect(await call({ action: 'read', id })).toMatchObject({ content: '1\ntwo\n3' })
    expect(await call({ action: 'diff', id })).toMatchObject({ added: 2, removed: 2 })
    expect(await call({ action: 'restore', id, version: 1 })).toMatchObject({ version: 3 })
    expect((await call({ action: 'versions', id })).items[0]).toMatchObject({
      version: 3,
      sessionId: session.sessionId,
      author: { type: 'agent' },
    })
    expect((await call({ action: 'list' })).items).toMatchObject([{ id, title: 'Plan', folder: 'plans' }])
    await call({ action: 'delete', id })
    await expect(call({ action: 'read', id })).rejects.toThrow('There is no document')
  })

  it('make all edits or none', async () => {
    await using tools = await openTools(openDatabase)
    const { test, session, document } = tools
    const call = (input: object) => test.call(document, session, input)
    const { id } = await call({ action: 'create', title: 'Plan', content: 'one two two' })
    const first = { old: 'one', new: '1' }
    await expect(call({ action: 'update', id, edits: [first, { old: 'four', new: '4' }] })).rejects.toThrow(
      'Edit 2: "four" is not in the document',
    )
    await expect(call({ action: 'update', id, edits: [first, { old: 'two', new: '2' }] })).rejects.toThrow(
      'more than once',
    )
    expect(await getDocument(test.store, test.person, id)).toMatchObject({
      content: 'one two two',
      version: 1,
    })
    // and nobody is kept off it for that
    expect((await test.store.listLocks('default', { limit: 10 })).length).toBe(0)
  })

  it('read a long document in pieces that end with a line', async () => {
    await using tools = await openTools(openDatabase)
    const { test, session, document } = tools
    const line = 'x'.repeat(30_000)
    const made = { title: 'Long', content: [line, line, 'end'].join('\n') }
    const { id } = await createDocument(test.limits, test.store, test.person, made)
    const first = await test.call(document, session, { action: 'read', id })
    expect(first).toMatchObject({ from_line: 1, to_line: 1, more: 'Read on with from_line 2.' })
    const rest = await test.call(document, session, { action: 'read', id, from_line: 2 })
    expect([first.content, rest.content].join('\n')).toBe(made.content)
    await expect(test.call(document, session, { action: 'read', id, from_line: 4 })).rejects.toThrow(
      '3 lines',
    )
  })

  it.each([
    [{ action: 'create' }, '"create" needs "title"'],
    [{ action: 'update', content: 'x' }, '"update" needs "id"'],
    [{ action: 'update', id: 'doc_1' }, 'needs "content"'],
    [{ action: 'update', id: 'doc_1', content: 'x', edits: [{ old: 'a', new: 'b' }] }, 'not both'],
    [{ action: 'restore', id: 'doc_1' }, 'needs "version"'],
    [{ action: 'update', id: 'doc_1', content: 'x' }, 'There is no document'],
  ])('tell what is wrong with %j', async (input, message) => {
    await using tools = await openTools(openDatabase)
    const { test, session, document } = tools
    await expect(test.call(document, session, input)).rejects.toThrow(message)
  })

  it('do a call that is made again once', async () => {
    await using tools = await openTools(openDatabase)
    const { test, session, document, todo } = tools
    const create = { action: 'create', title: 'Plan', content: 'one' }
    const first = await test.call(document, session, create, { name: 'a' })
    expect(await test.call(document, session, create, { name: 'a' })).toEqual(first)
    expect((await test.call(document, session, create, { name: 'b' })).id).not.toBe(first.id)
    const append = { action: 'update', id: first.id, edits: [{ old: 'one', new: 'one one' }] }
    await test.call(document, session, append, { name: 'c' })
    await test.call(document, session, append, { name: 'c' })
    expect(await getDocument(test.store, test.person, first.id)).toMatchObject({
      content: 'one one',
      version: 2,
    })
    const remove = { action: 'delete', id: first.id }
    await test.call(document, session, remove, { name: 'd' })
    expect(await test.call(document, session, remove, { name: 'd' })).toEqual({ id: first.id, deleted: true })

    const list = { action: 'create_list', list_title: 'Today', item_titles: ['a'] }
    const made = await test.call(todo, session, list, { name: 'e' })
    expect(await test.call(todo, session, list, { name: 'e' })).toEqual(made)
    const add = { action: 'add_items', list_id: made.id, item_titles: ['b'] }
    await test.call(todo, session, add, { name: 'f' })
    expect((await test.call(todo, session, add, { name: 'f' })).items).toHaveLength(2)
  })

  it('keep a todo list', async () => {
    await using tools = await openTools(openDatabase)
    const { test, session, todo } = tools
    const call = (input: object) => test.call(todo, session, input)
    const made = await call({ action: 'create_list', list_title: 'Today', item_titles: ['a', 'b', 'c'] })
    const [a, b, c] = made.items.map((item: { id: string }) => item.id)
    const place = { list_id: made.id }
    await call({ action: 'update_item', ...place, item_id: c, position: 0 })
    await call({ action: 'update_item', ...place, item_id: a, status: 'done', description: 'well' })
    await call({ action: 'delete_item', ...place, item_id: b })
    expect(await call({ action: 'list', ...place })).toMatchObject({
      counts: { todo: 1, doing: 0, done: 1 },
      items: [
        { id: c, title: 'c', status: 'todo' },
        { id: a, title: 'a', status: 'done', description: 'well' },
      ],
    })
    const { items } = await getTodoList(test.store, test.person, made.id)
    expect(items.map(({ position }) => position)).toEqual([0, 1])
    expect((await call({ action: 'list' })).items).toMatchObject([
      { id: made.id, counts: { todo: 1, doing: 0, done: 1 } },
    ])
    const changed = await test.newEvents('todo-changed')
    expect(changed.map(({ completed }) => completed)).toEqual([[], [], [{ id: a, title: 'a' }], []])
    await expect(call({ action: 'update_item', ...place, item_id: a })).rejects.toThrow('needs "title"')
    await expect(call({ action: 'delete_item', ...place, item_id: b })).rejects.toThrow('no todo item')
    await call({ action: 'delete_list', ...place })
    await expect(call({ action: 'list', ...place })).rejects.toThrow('no todo list')
  })

  it('refuse a list that would be too long, and leave it as it is', async () => {
    await using tools = await openTools(openDatabase)
    const { test, session, todo } = tools
    const titles = Array.from({ length: 500 }, (_, index) => `item ${index}`)
    const list = { action: 'create_list', list_title: 'Long', item_titles: titles }
    const { id } = await test.call(todo, session, list)
    const add = test.call(todo, session, { action: 'add_items', list_id: id, item_titles: ['one more'] })
    await expect(add).rejects.toThrow('at most 500 items')
    expect((await getTodoList(test.store, test.person, id)).items).toHaveLength(500)
  })

  it('check a document out and in, and say who holds it', async () => {
    await using tools = await openTools(openDatabase)
    const { test, session, document, lock } = tools
    const other = await test.addSession()
    const { id } = await test.call(document, session, { action: 'create', title: 'Plan', content: 'one' })
    const taken = await test.call(lock, session, { action: 'checkout', id, reason: 'rewriting' })
    expect(taken).toMatchObject({ resourceId: id, fence: 1, sessionId: session.sessionId })
    expect(await test.call(lock, other, { action: 'status', id })).toMatchObject({
      holder: { reason: 'rewriting' },
      isOwn: false,
    })
    await expect(test.call(document, other, { action: 'update', id, content: 'x' })).rejects.toThrow(
      /holds the document .* \(rewriting\)\. Try again later/,
    )
    await expect(test.call(lock, other, { action: 'checkin', id })).rejects.toThrow('holds the document')
    expect((await test.call(lock, session, { action: 'status' })).items).toHaveLength(1)
    await test.call(lock, session, { action: 'checkin', id })
    await test.call(document, other, { action: 'update', id, content: 'x' })

    const { id: listId } = await createTodoList(test.store, test.person, { title: 'Today' })
    expect(await test.call(lock, session, { action: 'claim', id: listId })).toMatchObject({
      resourceType: 'todo_list',
    })
    expect(await test.call(lock, session, { action: 'release', id: listId })).toMatchObject({
      released: true,
    })
  })

  it('find words in messages, documents and todo lists of the scope, and of no other', async () => {
    await using tools = await openTools(openDatabase)
    const { test, session, search } = tools
    const { store, limits, person } = test
    const message = { role: 'user' as const, parts: [{ type: 'text', text: '关于人工智能的问题' }] }
    await store.appendMessages('default', session.sessionId, [message])
    const made = await createDocument(limits, store, person, { title: '报告', content: '人工智能\n很好' })
    const list = await createTodoList(store, person, { title: 'AI', items: [{ title: '学习人工智能' }] })
    await store.ensureScope('other')
    const stranger = { ...person, scope: 'other' }
    await createDocument(limits, store, stranger, { title: 'Other', content: '人工智能' })
    const find = async (input: object) => (await test.call(search, session, input)).items
    expect(await find({ query: '人工智能' })).toMatchObject([
      { type: 'message', id: `${session.sessionId}/1` },
      { type: 'document', id: made.id, title: '报告', text: '人工智能 很好' },
      { type: 'todo_list', id: list.id, text: '[todo] 学习人工智能' },
    ])
    expect(await find({ query: '智能', types: ['todo_list'] })).toHaveLength(1)
    expect(await find({ query: '蓝色' })).toEqual([])
  })

  it('tell what a call would do before it is done', async () => {
    await using tools = await openTools(openDatabase)
    const { document, todo, lock } = tools
    const nowhere = { granted: [] }
    expect(document.access!({ action: 'update', id: 'doc_1' }, nowhere)).toEqual({
      action: 'update',
      effect: 'write',
      resources: ['document:doc_1'],
    })
    expect(document.access!({ action: 'read', id: 'doc_1' }, nowhere)).toMatchObject({ effect: 'read' })
    expect(todo.access!({ action: 'add_items', list_id: 'tdl_1' }, nowhere)).toEqual({
      action: 'add_items',
      effect: 'write',
      resources: ['todo_list:tdl_1'],
    })
    expect(lock.access!({ action: 'claim', id: 'tdl_1' }, nowhere)).toMatchObject({
      effect: 'read',
      resources: ['todo_list:tdl_1'],
    })
  })

  it('refuse a session whose lock somebody else had since, until it has read and checked out again', async () => {
    await using tools = await openTools(openDatabase)
    const { test, session, document, lock } = tools
    const { store, limits, person } = test
    const { id } = await test.call(document, session, { action: 'create', title: 'Plan', content: 'one' })
    await test.call(lock, session, { action: 'checkout', id })
    await store.revokeLock({ type: 'document', id })
    await updateDocument(limits, store, person, id, { content: 'theirs' })
    const write = { action: 'update', id, content: 'mine' }
    await expect(test.call(document, session, write)).rejects.toThrow('Read it again, check it out again')
    await test.call(lock, session, { action: 'checkout', id })
    expect(await test.call(document, session, write)).toMatchObject({ version: 3 })
  })
})
