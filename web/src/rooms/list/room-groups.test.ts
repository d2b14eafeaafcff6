import { expect, it } from 'vitest'
import type { SessionListItem } from '../../../../src/client/index.ts'
import type { Thread } from '../../../../src/core/protocol/thread.ts'
import { groupRooms } from './room-groups.ts'

const room = (id: string, thread?: string) => ({ id, ...(thread && { thread }) }) as SessionListItem
const thread = (slug: string) => ({ slug, title: slug.toUpperCase() }) as Thread
const seen = (...args: Parameters<typeof groupRooms>) =>
  groupRooms(...args).map(({ slug, thread: known, rooms }) => [slug, known?.title, rooms.map(({ id }) => id)])

it('keeps the order of rooms, and puts those without a thread last', () => {
  expect(
    seen([room('1'), room('2', 'b'), room('3', 'a'), room('4', 'b')], [thread('a'), thread('b')], {
      withEmpty: true,
    }),
  ).toEqual([
    ['b', 'B', ['2', '4']],
    ['a', 'A', ['3']],
    [undefined, undefined, ['1']],
  ])
})

it('shows threads without rooms only where nothing is searched for', () => {
  expect(seen([], [thread('a')], { withEmpty: true })).toEqual([['a', 'A', []]])
  expect(seen([], [thread('a')], { withEmpty: false })).toEqual([])
})

it('shows rooms of a thread that was not listed', () => {
  expect(seen([room('1', 'gone')], [], { withEmpty: true })).toEqual([['gone', undefined, ['1']]])
})
