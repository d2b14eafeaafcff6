import { Search } from 'lucide-react'
import { expect, it } from 'vitest'
import { toPalette, type PaletteItem } from './palette-items.ts'

const item = (id: string, label: string, more: Partial<PaletteItem> = {}): PaletteItem => ({
  id,
  label,
  icon: Search,
  perform() {},
  ...more,
})
const groups = [
  {
    value: 'Commands',
    items: [item('new', 'New session', { words: '新会话' }), item('copy', 'Copy answer')],
  },
  { value: 'Sessions', items: [item('s1', 'Something else', { isFound: true })] },
]
const shown = (query: string, recent: string[] = []) =>
  toPalette(groups, { query, recent, recentLabel: 'Recent' }).map(({ value, items }) => [
    value,
    ...items.map(({ id }) => id),
  ])

it('shows what was chosen lately first, and not twice', () => {
  expect(shown('', ['copy', 'gone'])).toEqual([
    ['Recent', 'copy'],
    ['Commands', 'new'],
    ['Sessions', 's1'],
  ])
})
it('wants every word, in any order and in either language', () => {
  expect(shown('sess new')[0]).toEqual(['Commands', 'new'])
  expect(shown('新会')[0]).toEqual(['Commands', 'new'])
})
it('keeps what the server found, and no empty groups', () => {
  expect(shown('zzz', ['copy'])).toEqual([['Sessions', 's1']])
})
