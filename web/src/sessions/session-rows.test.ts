import { describe, expect, it } from 'vitest'
import type { SessionListItem } from '../../../src/client/index.ts'
import { toListQuery } from './session-group.ts'
import type { SessionGroup } from '../shell/define-web.ts'
import { foldGroups, markWords, toRows } from './session-rows.ts'

const session = (id: string): SessionListItem => ({
  id,
  scope: 'default',
  kind: 'interactive',
  title: id,
  chatStatus: 'idle',
  messageCount: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
})
const hit = (sessionId: string, messageId: string) => ({
  sessionId,
  messageId,
  title: sessionId,
  seq: 1,
  snippet: 'words',
})

it('takes the parts of one thing together, where the newest of them is', () => {
  const step = (id: string, sourceId: string): SessionListItem => ({
    ...session(id),
    title: `digest: ${id}`,
    kind: 'background',
    bgMeta: { triggerType: 'workflow', source: 'workflow', sourceId, label: id },
  })
  const runs: SessionGroup = {
    of: ({ bgMeta }) =>
      bgMeta?.sourceId === undefined ? undefined : { id: bgMeta.sourceId, name: 'digest' },
    load: () => Promise.reject(new Error('not drawn here')),
  }
  const rows = foldGroups(
    toRows([step('c', 'run_2'), session('a'), step('b', 'run_1'), step('a', 'run_2')], [], true),
    [runs],
  )
  expect(rows.map(({ key }) => key)).toEqual(['run_2', 'a', 'run_1'])
  expect(rows[0]).toMatchObject({ type: 'group', name: 'digest', sessions: [{ id: 'c' }, { id: 'a' }] })
})

describe('rows of the list', () => {
  const keys = (...args: Parameters<typeof toRows>) => toRows(...args).map(({ key }) => key)
  it('puts what was found below its session', () => {
    expect(keys([session('a'), session('b')], [hit('b', 'm1'), hit('a', 'm2')], true)).toEqual([
      'a',
      'a/m2',
      'b',
      'b/m1',
    ])
  })
  it('shows at most three of a session', () => {
    expect(
      keys(
        [session('a')],
        ['1', '2', '3', '4'].map((id) => hit('a', id)),
        true,
      ),
    ).toHaveLength(4)
  })
  it('shows what is elsewhere when it is known that no page holds it', () => {
    expect(keys([session('a')], [hit('b', 'm')], false)).toEqual(['a'])
    expect(keys([session('a')], [hit('b', 'm')], true)).toEqual(['a', 'elsewhere', 'b/m'])
  })
})

describe('marking words', () => {
  const marked = (text: string, words: string) =>
    markWords(text, words).map((piece) => (piece.isMarked ? `[${piece.text}]` : piece.text))
  it('finds them whatever their case, and signs as they are', () => {
    expect(marked('An Index of a.b', 'index a.b')).toEqual(['An ', '[Index]', ' of ', '[a.b]'])
    expect(marked('axb', 'a.b')).toEqual(['axb'])
  })
  it('marks Chinese words without spaces around', () => {
    expect(marked('迁移索引', '索引')).toEqual(['迁移', '[索引]'])
  })
  it('leaves the text alone without words', () => {
    expect(marked('text', ' ')).toEqual(['text'])
  })
})

describe('groups', () => {
  it('tells rooms from other sessions of a person', () => {
    expect(toListQuery({ group: 'rooms', archived: false })).toMatchObject({ kind: 'interactive', mode: '*' })
    expect(toListQuery({ group: 'mine', archived: false })).toMatchObject({ kind: 'interactive', mode: '' })
  })
  it('asks for sessions without a parent, and for all tasks', () => {
    expect(toListQuery({ group: 'mine', archived: false })).toMatchObject({
      kind: 'interactive',
      roots: 'true',
    })
    expect(toListQuery({ group: 'background', archived: true })).toMatchObject({
      kind: 'background',
      archived: 'true',
    })
    expect(toListQuery({ group: 'background', archived: true })).not.toHaveProperty('roots')
  })
})
