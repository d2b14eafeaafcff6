import { expect, it } from 'vitest'
import { passesFilter } from './event-filter.ts'

const changed = (completed: unknown) => ({
  seq: 1,
  type: 'todo-changed',
  createdAt: '2026-01-01T00:00:00.000Z',
  data: { listId: 'tdl_1', title: 'Home', folder: '', action: 'update', completed },
})
const trigger = { event: 'todo-changed', workflowId: 'wf_1' }
const two = [
  { id: 'tdi_1', title: 'Wash' },
  { id: 'tdi_2', title: 'Cook' },
]

it.each<[string, Record<string, string>, unknown, boolean]>([
  ['nothing was done', {}, [], false],
  ['something was done', {}, two, true],
  ['in the list', { listId: 'tdl_1', title: 'Home' }, two, true],
  ['in another list', { listId: 'tdl_2' }, two, false],
  ['one of the items', { itemTitle: 'Cook' }, two, true],
  ['one of the items by its id', { itemId: 'tdi_1', title: 'Home' }, two, true],
  ['no such item', { itemTitle: 'Home' }, two, false],
  ['an item of both, and none is', { itemId: 'tdi_1', itemTitle: 'Cook' }, two, false],
  ['an event that tells nothing', {}, undefined, false],
])('a trigger of done items: %s', (_title, filter, completed, passes) => {
  expect(passesFilter({ ...trigger, filter }, changed(completed), undefined)).toBe(passes)
})

it('an event hook of the same type waits for any change', () => {
  expect(passesFilter({ event: 'todo-changed', filter: {} }, changed([]), undefined)).toBe(true)
  expect(passesFilter({ event: 'todo-changed', filter: { title: 'x' } }, changed([]), undefined)).toBe(false)
})
