import { expect, it } from 'vitest'
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

const picture = { id: '1', name: 'a.png', mediaType: 'image/png', url: 'data:image/png;base64,', bytes: 0 }

it('brings back what was typed, for each session its own', () => {
  const storage = createStorage()
  const before = createUnsentStore(storage)
  before.change('one', { text: 'half a thou' })
  before.change('two', { text: 'other', thinking: true })
  const after = createUnsentStore(storage)
  expect(after.read('one')).toEqual({ ...nothing, text: 'half a thou' })
  expect(after.read('two')).toMatchObject({ text: 'other', thinking: true })
  expect(after.read('three')).toEqual(nothing)
})

it('stores nothing when there is nothing', () => {
  const storage = createStorage()
  const store = createUnsentStore(storage)
  store.change('one', { text: 'a' })
  expect(storage.length).toBe(1)
  store.change('one', { text: '' })
  expect(storage.length).toBe(0)
})

it('brings back what was on its way when the page was closed', () => {
  const storage = createStorage()
  const before = createUnsentStore(storage)
  before.change('one', { text: '', sending: 'sent or not?' })
  before.change('one', { text: 'and more' })
  expect(createUnsentStore(storage).read('one').text).toBe('sent or not?\nand more')
})

it('puts what failed before what was typed since', () => {
  const now = { ...nothing, text: 'second', sending: 'first' }
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
  expect(createUnsentStore(storage).read('one')).toEqual(nothing)
})

it('works where nothing can be stored', () => {
  const full = {
    ...createStorage(),
    setItem: () => {
      throw new Error('full')
    },
  }
  const store = createUnsentStore(full)
  store.change('one', { text: 'a' })
  expect(store.read('one').text).toBe('a')
})
