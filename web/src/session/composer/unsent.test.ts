import { expect, it } from 'vitest'
import type { Attachment } from './attachments.ts'
import type { FileStore } from './file-store.ts'
import { createUnsentStore, nothing, putBack } from './unsent.ts'

function createStorage(): Storage {
  const items = new Map<string, string>()
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
    get length() {
      return items.size
    },
  } as Storage
}

function createFiles(): FileStore & { kept: Map<string, readonly Attachment[]> } {
  const kept = new Map<string, readonly Attachment[]>()
  return {
    kept,
    read: async (key) => kept.get(key) ?? [],
    async write(key, files) {
      if (files.length > 0) kept.set(key, files)
      else kept.delete(key)
    },
  }
}

const noFiles: FileStore = {
  read: () => Promise.reject(new Error('no database')),
  write: () => Promise.reject(new Error('no database')),
}

const picture = { id: '1', name: 'a.png', mediaType: 'image/png', url: 'data:image/png;base64,', bytes: 0 }

it('brings back what was typed, for each session its own', () => {
  const storage = createStorage()
  const before = createUnsentStore(storage, noFiles)
  before.change('one', { text: 'half a thou' })
  before.change('two', { text: 'other', thinking: true })
  const after = createUnsentStore(storage, noFiles)
  expect(after.read('one')).toEqual({ ...nothing, text: 'half a thou' })
  expect(after.read('two')).toMatchObject({ text: 'other', thinking: true })
  expect(after.read('three')).toEqual(nothing)
})

it('stores nothing when there is nothing', () => {
  const storage = createStorage()
  const store = createUnsentStore(storage, noFiles)
  store.change('one', { text: 'a' })
  expect(storage.length).toBe(1)
  store.change('one', { text: '' })
  expect(storage.length).toBe(0)
})

it('brings back what was on its way when the page was closed', () => {
  const storage = createStorage()
  const before = createUnsentStore(storage, noFiles)
  before.change('one', { text: '', sending: { text: 'sent or not?', attachments: [] } })
  before.change('one', { text: 'and more' })
  expect(createUnsentStore(storage, noFiles).read('one').text).toBe('sent or not?\nand more')
})

it('puts what failed before what was typed since', () => {
  const now = { ...nothing, text: 'second', sending: { text: 'first', attachments: [] } }
  expect(putBack(now, { text: 'first', attachments: [picture] })).toEqual({
    text: 'first\nsecond',
    attachments: [picture],
    sending: undefined,
  })
  expect(putBack(nothing, { text: 'first', attachments: [] }).text).toBe('first')
})

it.each(['{', '[]', 'null', '{"text": 7}'])('takes a broken entry %j for none', (stored) => {
  const storage = createStorage()
  storage.setItem('parley-unsent:one', stored)
  expect(createUnsentStore(storage, noFiles).read('one')).toEqual(nothing)
})

it('works where nothing can be stored', () => {
  const full = {
    ...createStorage(),
    setItem: () => {
      throw new Error('full')
    },
  }
  const store = createUnsentStore(full, noFiles)
  store.change('one', { text: 'a' })
  expect(store.read('one').text).toBe('a')
})

it('brings back what was attached, beside what was attached meanwhile', async () => {
  const storage = createStorage()
  const files = createFiles()
  createUnsentStore(storage, files).change('one', { attachments: [picture] })
  const after = createUnsentStore(storage, files)
  expect(after.read('one').attachments).toEqual([])
  const second = { ...picture, id: '2' }
  after.change('one', { attachments: [second] })
  await expect.poll(() => after.read('one').attachments).toEqual([picture, second])
  expect(files.kept.get('one')).toEqual([picture, second])
})

it('keeps what was attached until it is sent, and no longer', () => {
  const files = createFiles()
  const store = createUnsentStore(createStorage(), files)
  store.change('one', { text: 'look', attachments: [picture] })
  store.change('one', { text: '', attachments: [], sending: { text: 'look', attachments: [picture] } })
  expect(files.kept.get('one')).toEqual([picture])
  store.change('one', { sending: undefined })
  expect(files.kept.size).toBe(0)
})

it('forgets words and files of a session that is gone', async () => {
  const storage = createStorage()
  const files = createFiles()
  createUnsentStore(storage, files).change('one', { text: 'a', attachments: [picture] })
  // in another window, where nothing of it was read
  const other = createUnsentStore(storage, files)
  other.forget('one')
  expect(storage.length).toBe(0)
  expect(files.kept.size).toBe(0)
  expect(other.read('one')).toEqual(nothing)
})
