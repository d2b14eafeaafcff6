import { describe, expect, it } from 'vitest'
import { createVisibleStream, escapeJson, hasHidden, toPieces, toVisible } from './visible.ts'

const attacks = [
  ['an escape sequence', '\u001b[2J', '<U+001B>[2J'],
  ['a title of the window', '\u001b]0;root\u0007', '<U+001B>]0;root<U+0007>'],
  ['a link of a terminal', '\u001b]8;;http://evil\u001b\\x', '<U+001B>]8;;http://evil<U+001B>\\x'],
  ['an escape in one byte', 'a\u009b31mb', 'a<U+009B>31mb'],
  ['a return to the begin of the line', 'rm -rf /\rls', 'rm -rf /<U+000D>ls'],
  ['backspaces', 'rm\b\bls', 'rm<U+0008 ×2>ls'],
  ['a delete', 'a\u007f', 'a<U+007F>'],
  ['NUL', 'a\0b', 'a<U+0000>b'],
  ['vertical tab, form feed and next line', 'a\v\f\u0085', 'a<U+000B><U+000C><U+0085>'],
  ['separators of lines', 'a\u2028b\u2029', 'a<U+2028>b<U+2029>'],
  ['an override', 'a\u202Egnp.exe\u202C', 'a<U+202E>gnp.exe<U+202C>'],
  ['an isolate', '\u2066a\u2069', '<U+2066>a<U+2069>'],
  ['marks of direction within a word', 'a\u200Eb\u200Fc\u061Cd', 'a<U+200E>b<U+200F>c<U+061C>d'],
  ['words without width', 'pay\u200Bpal\u2060x\uFEFF', 'pay<U+200B>pal<U+2060>x<U+FEFF>'],
  ['tags that spell something', 'hi\u{E0072}\u{E006D}', 'hi<U+E0072><U+E006D>'],
  ['tags behind an emoji', '😀\u{E0072}\u{E007F}', '😀<U+E0072><U+E007F>'],
  ['variation selectors as data', '😀\uFE01\uFE02\u{E0101}', '😀<U+FE01><U+FE02><U+E0101>'],
  ['fillers', 'a\u3164b\u115f', 'a<U+3164>b<U+115F>'],
  ['half of a pair', 'a\uD83D', 'a<U+D83D>'],
  ['notes between lines', '\uFFF9a\uFFFB', '<U+FFF9>a<U+FFFB>'],
  ['its own notation', '<U+202E> < U+', '<U+003C>U+202E> < U+'],
] as const

describe.each([{}, { isExact: true }, { isLine: true }, { isExact: true, isLine: true }])(
  'read as %j',
  (reading) => {
    it.each(attacks)('shows %s', (_, text, shown) => {
      expect(toVisible(text, reading)).toBe(shown)
      expect(hasHidden(text, reading)).toBe(true)
    })
  },
)

it('leaves what people write alone in prose', () => {
  for (const text of [
    'plain, with\ttabs\nand lines',
    '中文，かな、한국어',
    'שלום \u200Fעולם (א\u200F) مرحبا\u061C.',
    'می\u200Cخواهم क्\u200Dष ខ្មែរ\u200Bខ្មែរ',
    '👩‍👩‍👧 👩🏽‍🚀 ❤️‍🔥 🏳️‍🌈 1️⃣ 🏃‍♂️ ☎︎',
    '\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}',
    'Donau\u00ADdampf e\u0301 a\u00A0b 葛\u{E0100}城',
    'a < b, <u>x</u>, C:\\u202e',
  ])
    expect(toVisible(text)).toBe(text)
  expect(toVisible('one\r\ntwo')).toBe('one\ntwo')
})

it('is strict where a character decides what is done', () => {
  const shown = (text: string) => toVisible(text, { isExact: true })
  expect(shown('ls\u00A0-l\u3000x\u2009y')).toBe('ls<U+00A0>-l<U+3000>x<U+2009>y')
  expect(shown('👩‍👧')).toBe('👩<U+200D>👧')
  expect(shown('a\u2800b\uE000\u00ADc')).toBe('a<U+2800>b<U+E000><U+00AD>c')
  expect(shown('a\r\nb')).toBe('a<U+000D>\nb')
  expect(shown('עברית 中文 e\u0301 é')).toBe('עברית 中文 e\u0301 é')
})

it('marks what pushes the rest out of sight', () => {
  const shown = (text: string) => toVisible(text, { isExact: true })
  expect(shown(`ls${' '.repeat(500)}; rm`)).toBe('ls<U+0020 ×500>; rm')
  expect(shown(`ls${' \t'.repeat(50)}; rm`)).toBe('ls<U+0020 ×100>; rm')
  expect(shown(`ls${'\n'.repeat(201)}rm`)).toBe('ls\n<U+000A ×200>\nrm')
  expect(shown(`ls\n${'   \n'.repeat(200)}rm`)).toBe('ls\n<U+000A ×200>\nrm')
  expect(shown(`${'\u00A0'.repeat(300)}rm`)).toBe('<U+00A0 ×300>rm')
  expect(shown('if x:\n\n\n        y')).toBe('if x:\n\n\n        y')
})

it('shows the ends of a name, and what would break its line', () => {
  const shown = (text: string) => toVisible(text, { isExact: true, isLine: true })
  expect(shown(' a b ')).toBe('<U+0020>a b<U+0020>')
  expect(shown('a\nb\tc')).toBe('a<U+000A>b<U+0009>c')
  expect(toVisible('a\nb\tc', { isLine: true })).toBe('a<U+000A>b<U+0009>c')
})

it('tells marks from text, and loses nothing', () => {
  expect(toPieces('a\u202Eb')).toEqual([
    { text: 'a' },
    { text: '<U+202E>', mark: { code: 'U+202E', count: 1 } },
    { text: 'b' },
  ])
})

it('shows the same however a stream was cut', () => {
  const texts = [
    ...attacks.map(([, text]) => text),
    'a 👩‍👩‍👧 می\u200Cخواهم one\r\ntwo <U <',
    '\u001b'.repeat(200),
    '',
  ]
  const all = texts.join(' ')
  const read = (text: string, size: number) => {
    const stream = createVisibleStream()
    let shown = ''
    for (let at = 0; at < text.length; at += size)
      shown += stream
        .add(text.slice(at, at + size))
        .map((piece) => piece.text)
        .join('')
    return (
      shown +
      stream
        .end()
        .map((piece) => piece.text)
        .join('')
    )
  }
  const withoutCounts = (text: string) =>
    text.replace(/<(U\+\w+) ×(\d+)>/g, (_, code, n) => `<${code}>`.repeat(n))
  for (const text of [...texts, all])
    for (const size of [1, 2, 3, 7, 1_000])
      expect(withoutCounts(read(text, size))).toBe(withoutCounts(toVisible(text)))
})

it('marks a long text in time that grows with its length', () => {
  const hostile = ['\u001b', '\n ', ' ', '<U', '\u200d', '😀\u200d', '\t\n'].map((part) =>
    part.repeat(200_000),
  )
  for (const text of hostile)
    for (const isExact of [true, false]) expect(toVisible(text, { isExact })).toBeTypeOf('string')
})

it('writes JSON that is safe to print and means the same', () => {
  for (const [, text] of attacks) {
    const json = escapeJson(JSON.stringify({ [text]: [text, '中文 é'] }, undefined, 2))
    expect(JSON.parse(json)).toEqual({ [text]: [text, '中文 é'] })
    expect(toVisible(json)).toBe(json.replaceAll('<U+', '<U+003C>U+'))
  }
})
