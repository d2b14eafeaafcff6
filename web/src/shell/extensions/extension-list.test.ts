import { expect, it } from 'vitest'
import { readPages } from './extension-list.ts'

const page = { title: 'Polls', source: 'extensions/polls/page.js', isTrusted: true }

it('reads the pages of extensions, with a title for each language', () => {
  const items = [
    { name: 'polls', page },
    { name: 'maps', page: { title: { en: 'Maps', zh: '地图' }, source: 'extensions/maps/page.html' } },
    { name: 'quiet' },
  ]
  expect(readPages({ items })).toEqual([
    { name: 'polls', title: { en: 'Polls', zh: 'Polls' }, source: page.source, isTrusted: true },
    {
      name: 'maps',
      title: { en: 'Maps', zh: '地图' },
      source: 'extensions/maps/page.html',
      isTrusted: false,
    },
  ])
})

it.each([
  'https://elsewhere.example/page.js',
  '//elsewhere.example/page.js',
  '/api/sessions',
  'a/../../b.js',
  'data:,',
])('takes no page from %s', (source) => {
  expect(readPages({ items: [{ name: 'polls', page: { ...page, source } }] })).toEqual([])
})

it.each([undefined, null, [], { items: 'none' }, { items: [null, 1, { name: 1, page }] }])(
  'reads %j as none',
  (answer) => {
    expect(readPages(answer)).toEqual([])
  },
)
