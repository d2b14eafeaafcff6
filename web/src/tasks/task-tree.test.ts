import { describe, expect, it } from 'vitest'
import {
  countStates,
  formatElapsed,
  matchesFilter,
  tasksBelow,
  taskState,
  toLines,
  type Task,
} from './task-tree.ts'

const task = (id: string, more: Partial<Task> = {}): Task => ({
  id,
  scope: 'default',
  kind: 'background',
  title: id,
  chatStatus: 'idle',
  messageCount: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  ...more,
})
const at = (minute: number) => `2026-01-01T00:0${minute}:00.000Z`

describe('the state of a task', () => {
  it('tells a degraded result from a good one', () => {
    expect(taskState({ bgStatus: 'completed' })).toBe('done')
    expect(taskState({ bgStatus: 'completed', bgDegraded: true })).toBe('degraded')
  })
  it('takes every way to fail as failed, and what has not begun as waiting', () => {
    expect(
      (['failed', 'timeout', 'interrupted'] as const).map((bgStatus) => taskState({ bgStatus })),
    ).toEqual(['failed', 'failed', 'failed'])
    expect(taskState({ bgStatus: 'pending' })).toBe('waiting')
  })
  it('is counted', () => {
    const tasks = [task('a', { bgStatus: 'running' }), task('b', { bgStatus: 'running' }), task('c')]
    expect(countStates(tasks)).toMatchObject({ running: 2, waiting: 1, done: 0 })
  })
})

describe('the tree', () => {
  const lines = (tasks: Task[]) => toLines(tasks).map(({ task: { id }, depth }) => `${depth}${id}`)
  it('is sorted by start, newest first, children below their parent', () => {
    expect(
      lines([
        task('old', { createdAt: at(1) }),
        task('new', { createdAt: at(3) }),
        task('child', { createdAt: at(4), parentId: 'old' }),
        task('grandchild', { createdAt: at(5), parentId: 'child' }),
      ]),
    ).toEqual(['0new', '0old', '1child', '2grandchild'])
  })
  it('puts a task whose parent is not there at the edge', () => {
    expect(lines([task('a', { parentId: 'ses_main' })])).toEqual(['0a'])
  })
  it('does not hang on a task that is its own parent', () => {
    expect(lines([task('a', { parentId: 'a' })])).toEqual(['0a'])
  })
  it('finds all levels below a session, in any order', () => {
    const tasks = [
      task('grandchild', { parentId: 'child' }),
      task('child', { bgMeta: { triggerType: 'api', parentSessionId: 'main' } }),
      task('other', { parentId: 'elsewhere' }),
    ]
    expect(tasksBelow(tasks, 'main').map(({ id }) => id)).toEqual(['grandchild', 'child'])
  })
})

it('filters by state and by all words of title and label', () => {
  const one = task('a', {
    title: 'Read the Docs',
    bgMeta: { triggerType: 'api', label: 'reader' },
    bgStatus: 'running',
  })
  expect(matchesFilter(one, { words: 'docs reader' })).toBe(true)
  expect(matchesFilter(one, { words: 'docs writer' })).toBe(false)
  expect(matchesFilter(one, { words: '', state: 'running' })).toBe(true)
  expect(matchesFilter(one, { words: '', state: 'done' })).toBe(false)
})

it('writes times so that they keep their width', () => {
  expect([0, 59_999, 187_000, 3_729_000].map(formatElapsed)).toEqual(['0 s', '59 s', '3:07 min', '1:02:09 h'])
})
