import { describe, expect, it } from 'vitest'
import { diffMemos } from './memo-diff.ts'
import { diffByLines, diffByWords } from './text-diff.ts'

describe('the diff of two texts', () => {
  it('tells line by line what was added and removed, and leaves out what is far from it', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`)
    const changed = lines.with(10, 'other')
    expect(
      diffByLines(lines.join('\n'), changed.join('\n')).map(({ kind, text, count }) => [kind, count ?? text]),
    ).toEqual([
      ['gap', 7],
      ['same', 'line 7'],
      ['same', 'line 8'],
      ['same', 'line 9'],
      ['removed', 'line 10'],
      ['added', 'other'],
      ['same', 'line 11'],
      ['same', 'line 12'],
      ['same', 'line 13'],
      ['gap', 6],
    ])
  })

  it('tells words apart, in Chinese too', () => {
    const changed = (before: string, after: string) =>
      diffByWords(before, after).filter(({ kind }) => kind !== 'same')
    expect(changed('the quick fox', 'the slow fox')).toEqual([
      { kind: 'removed', text: 'quick' },
      { kind: 'added', text: 'slow' },
    ])
    expect(changed('我们使用数据库', '我们使用文件').map(({ kind }) => kind)).toEqual(['removed', 'added'])
    expect(diffByWords('我们使用数据库', '我们使用文件')[0]).toEqual({ kind: 'same', text: '我们使用' })
  })

  it('loses nothing of either text', () => {
    const [before, after] = ['a\n\nb \r\n c', 'a\nb  c\n\n']
    const spans = diffByWords(before, after)
    const side = (gone: string) =>
      spans
        .filter(({ kind }) => kind !== gone)
        .map(({ text }) => text)
        .join('')
    expect([side('added'), side('removed')]).toEqual([before, after])
  })

  it('gives up on long texts without anything in common, and shows both whole', () => {
    const text = (seed: number) =>
      Array.from({ length: 60_000 }, (_, index) => `${seed}-${(index * 7_919) % 60_013}`).join('\n')
    const kinds = new Set(diffByLines(text(1), text(2)).map(({ kind }) => kind))
    expect(kinds).toEqual(new Set(['removed', 'added']))
  })
})

it('compares memos key by key, one entry in each line', () => {
  const before = { facts: ['a', 'b'], profile: { name: 'Ada' }, same: 'x' }
  const after = { facts: ['a', 'c'], recent_summary: 'new', same: 'x' }
  expect(diffMemos(before, after)).toEqual([
    { key: 'facts', before: '- a\n- b', after: '- a\n- c' },
    { key: 'profile', before: 'name: Ada', after: '' },
    { key: 'recent_summary', before: '', after: 'new' },
  ])
})
