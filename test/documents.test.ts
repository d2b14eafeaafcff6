import { describe, expect, it } from 'vitest'
import {
  createDocument,
  deleteDocument,
  diffVersions,
  getDocument,
  listDocuments,
  listVersions,
  restoreVersion,
  updateDocument,
} from '../src/extensions/documents/documents.ts'
import { openDocuments } from './document-harness.ts'
import { databases } from './harness.ts'

describe.each(databases)('documents on %s', (_name, openDatabase) => {
  it('makes a version of every other content, and none of the same one', async () => {
    await using test = await openDocuments(openDatabase)
    const { store, limits, person } = test
    const { id, version } = await createDocument(limits, store, person, { title: 'Plan', content: 'one' })
    expect(version).toBe(1)
    const update = (patch: object) => updateDocument(limits, store, person, id, patch)
    expect(await update({ content: 'two' })).toMatchObject({ version: 2, content: 'two', bytes: 3 })
    expect(await update({ content: 'two' })).toMatchObject({ version: 2 })
    expect(await update({ title: 'The plan' })).toMatchObject({ version: 2, title: 'The plan' })
    expect(await update({ content: 'three' })).toMatchObject({ version: 3 })
    const { items } = await listVersions(store, { pageSize: 10 }, person, id, {})
    expect(items.map((item) => [item.version, item.title])).toEqual([
      [3, 'The plan'],
      [2, 'Plan'],
      [1, 'Plan'],
    ])
    expect(items[0]).toMatchObject({ author: { type: 'user', id: 'ann' }, bytes: 5 })
    expect(await getDocument(store, person, id, 1)).toMatchObject({ version: 1, content: 'one', bytes: 3 })
  })

  it('restores a version as a new one, with a number that was never used', async () => {
    await using test = await openDocuments(openDatabase)
    const { store, limits, person } = test
    const { id } = await createDocument(limits, store, person, { title: 'Plan', content: 'one' })
    await updateDocument(limits, store, person, id, { content: 'two' })
    expect(await restoreVersion(limits, store, person, id, { version: 1 })).toMatchObject({
      version: 3,
      content: 'one',
    })
    expect(await updateDocument(limits, store, person, id, { content: 'four' })).toMatchObject({ version: 4 })
    await expect(restoreVersion(limits, store, person, id, { version: 9 })).rejects.toThrow(
      'There is no version',
    )
  })

  it('tells the lines that were added and removed', async () => {
    await using test = await openDocuments(openDatabase)
    const { store, limits, person } = test
    const { id } = await createDocument(limits, store, person, { title: 'Plan', content: 'a\nb\nc\n' })
    await updateDocument(limits, store, person, id, { content: 'a\nx\nc\nd\n' })
    expect(await diffVersions(store, person, id, {})).toEqual({
      from: 1,
      to: 2,
      added: 2,
      removed: 1,
      isCut: false,
      lines: [
        { change: 'removed', line: 2, text: 'b' },
        { change: 'added', line: 2, text: 'x' },
        { change: 'added', line: 4, text: 'd' },
      ],
    })
    expect(await diffVersions(store, person, id, { to: 1 })).toMatchObject({ from: 0, added: 3, removed: 0 })
    expect(await diffVersions(store, person, id, { from: 2, to: 1 })).toMatchObject({ added: 1, removed: 2 })
    await expect(diffVersions(store, person, id, { to: 3 })).rejects.toThrow('There is no version')
  })

  it('refuses a content over the limit, and changes nothing', async () => {
    await using test = await openDocuments(openDatabase, { maxBytes: 10 })
    const { store, limits, person } = test
    const { id } = await createDocument(limits, store, person, { title: 'Plan', content: '0123456789' })
    const update = updateDocument(limits, store, person, id, { content: '三個字と' })
    await expect(update).rejects.toThrow('12 bytes; the most is 10')
    await expect(
      createDocument(limits, store, person, { title: 'Plan', content: '01234567890' }),
    ).rejects.toThrow('11 bytes')
    expect(await getDocument(store, person, id)).toMatchObject({ version: 1, content: '0123456789' })
    expect((await listDocuments(store, { pageSize: 10 }, person, {})).items).toHaveLength(1)
  })

  it('refuses a write that was made from another version than the newest', async () => {
    await using test = await openDocuments(openDatabase)
    const { store, limits, person } = test
    const { id } = await createDocument(limits, store, person, { title: 'Plan', content: 'one' })
    await updateDocument(limits, store, person, id, { content: 'two', ifVersion: 1 })
    const late = updateDocument(limits, store, person, id, { content: 'three', ifVersion: 1 })
    await expect(late).rejects.toMatchObject({ code: 'conflict', details: { version: 2 } })
    expect(await getDocument(store, person, id)).toMatchObject({ content: 'two' })
  })

  it('lists by folder and page, what was changed last first, without what is deleted', async () => {
    await using test = await openDocuments(openDatabase)
    const { store, limits, person } = test
    const make = async (title: string, folder: string) =>
      (await createDocument(limits, store, person, { title, folder })).id
    const [first, , , gone] = [
      await make('a', 'plans'),
      await make('b', 'plans/2027'),
      await make('c', 'plans_2027'),
      await make('d', ''),
    ]
    await updateDocument(limits, store, person, first, { title: 'a!' })
    await deleteDocument(store, person, gone!)
    const titles = async (query: object) =>
      (await listDocuments(store, { pageSize: 10 }, person, query)).items.map(({ title }) => title)
    expect(await titles({})).toEqual(['a!', 'c', 'b'])
    expect(await titles({ folder: 'plans' })).toEqual(['a!', 'b'])
    const page = await listDocuments(store, { pageSize: 10 }, person, { limit: 2 })
    expect(page.items.map(({ title }) => title)).toEqual(['a!', 'c'])
    expect(await titles({ cursor: page.nextCursor })).toEqual(['b'])
    await expect(getDocument(store, person, gone!)).rejects.toMatchObject({ code: 'not_found' })
    await expect(updateDocument(limits, store, person, gone!, { title: 'e' })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('keeps scopes apart', async () => {
    await using test = await openDocuments(openDatabase)
    const { store, limits, person } = test
    const { id } = await createDocument(limits, store, person, { title: 'Plan', content: 'secret' })
    const stranger = { ...person, scope: 'other' }
    await store.ensureScope('other')
    for (const attempt of [
      () => getDocument(store, stranger, id),
      () => getDocument(store, stranger, id, 1),
      () => updateDocument(limits, store, stranger, id, { content: 'mine' }),
      () => deleteDocument(store, stranger, id),
      () => restoreVersion(limits, store, stranger, id, { version: 1 }),
      () => listVersions(store, { pageSize: 10 }, stranger, id, {}),
      () => diffVersions(store, stranger, id, {}),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'not_found' })
    expect((await listDocuments(store, { pageSize: 10 }, stranger, {})).items).toEqual([])
    expect(await store.searchDocuments('other', { text: 'secret', limit: 10 })).toEqual([])
    expect(await getDocument(store, person, id)).toMatchObject({ content: 'secret', version: 1 })
  })

  it('tells what was done, once for each change, and records who did it', async () => {
    await using test = await openDocuments(openDatabase)
    const { store, limits, person } = test
    const { id } = await createDocument(limits, store, person, { title: 'Plan', content: 'one' })
    await updateDocument(limits, store, person, id, { content: 'two' })
    await updateDocument(limits, store, person, id, { content: 'two' })
    await restoreVersion(limits, store, person, id, { version: 1 })
    const saved = await test.newEvents('document-saved')
    expect(saved.map(({ action, version }) => [action, version])).toEqual([
      ['create', 1],
      ['update', 2],
      ['restore', 3],
    ])
    await deleteDocument(store, person, id)
    expect(await test.newEvents('document-deleted')).toEqual([{ documentId: id, title: 'Plan', folder: '' }])
    const { items } = await store.listAudit('default', { limit: 10 })
    expect(items.map(({ action, actor, resourceId }) => [action, actor.id, resourceId])).toEqual(
      ['delete', 'restore', 'update', 'create'].map((action) => [action, 'ann', id]),
    )
  })

  it.each([
    ['quarterly', true],
    ['QUARTER', true],
    ['numbers café', true],
    ['quarterly missing', false],
    ['人工智能', true],
    ['智能', true],
    ['能', true],
    ['工能', false],
    ['2027', true],
  ])('looks for %s', async (text, isFound) => {
    await using test = await openDocuments(openDatabase)
    const { store, limits, person } = test
    const content = 'Quarterly numbers of the Cafe, and 人工智能 in 2027.'
    const { id } = await createDocument(limits, store, person, { title: 'Report', content })
    await createDocument(limits, store, person, { title: 'Another one', content: 'of something else' })
    const found = await store.searchDocuments('default', { text, limit: 10 })
    expect(found.map((document) => document.id)).toEqual(isFound ? [id] : [])
  })

  it('finds a document by its title, by what it says now, and not when it is deleted', async () => {
    await using test = await openDocuments(openDatabase)
    const { store, limits, person } = test
    const { id } = await createDocument(limits, store, person, { title: 'Report', content: 'old words' })
    await updateDocument(limits, store, person, id, { content: 'new words' })
    const find = async (text: string) => (await store.searchDocuments('default', { text, limit: 10 })).length
    expect([await find('report'), await find('new'), await find('old')]).toEqual([1, 1, 0])
    await deleteDocument(store, person, id)
    expect(await find('report')).toBe(0)
    await expect(find('%')).rejects.toThrow('no letters or digits')
  })

  it('lets two who write at once both get a version of their own', async () => {
    await using test = await openDocuments(openDatabase)
    const { store, limits, person } = test
    const { id } = await createDocument(limits, store, person, { title: 'Plan' })
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        updateDocument(limits, store, person, id, { content: (before) => `${before}${index}` }),
      ),
    )
    const document = await getDocument(store, person, id)
    expect(document.version).toBe(9)
    expect([...document.content].sort().join('')).toBe('01234567')
  })
})
