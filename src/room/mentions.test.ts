import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tries } from '../../test/property-runs.ts'
import { buildLookup } from './lookup.ts'
import { parseMentions } from './mentions.ts'

const lookup = buildLookup([
  { name: 'milk', displayName: '银渐层', nicknames: ['牛奶'] },
  { name: 'coffee', displayName: 'Abyssinian', nicknames: ['咖啡', '咖啡师'] },
  { name: 'Billy', aliases: ['bill-y'] },
])
const parse = (text: string) => parseMentions(text, lookup)
const names = [...lookup.names]

describe('mentions', () => {
  it.each([
    ['@milk hello', ['milk'], 'hello'],
    ['@MILK hello', ['milk'], 'hello'],
    ['Hello @milk and @coffee', ['milk', 'coffee'], 'Hello and'],
    ['@咖啡 @牛奶 @咖啡 谁先说？', ['coffee', 'milk'], '谁先说？'],
    ['@Abyssinian look, @bill-y', ['coffee', 'Billy'], 'look,'],
    ['hello @milk, what now?', ['milk'], 'hello, what now?'],
    ['(ask @milk)', ['milk'], '(ask)'],
    ['line one\n  @milk two\nthree @coffee', ['milk', 'coffee'], 'line one\n  two\nthree'],
    ['one\n\n@milk\n\ntwo', ['milk'], 'one\n\n\n\ntwo'],
    ['@milk@coffee both', ['milk', 'coffee'], 'both'],
    ['_@milk_ now', ['milk'], '_ _ now'],
  ])('are found and taken out: %j', (text, mentions, cleanText) => {
    expect(parse(text)).toEqual({ mentions, cleanText })
  })

  it.each([
    ['@牛奶你好', ['milk'], '你好'],
    ['你好@牛奶请回答', ['milk'], '你好 请回答'],
    ['@咖啡师傅在吗', ['coffee'], '傅在吗'],
    ['@milk你好', ['milk'], '你好'],
    ['@牛奶hello', ['milk'], 'hello'],
    ['PR@牛奶 看一下', ['milk'], 'PR 看一下'],
    ['＠牛奶，＠ｍｉｌｋ：好', ['milk'], '，：好'],
    ['@银渐层和@咖啡', ['milk', 'coffee'], '和'],
  ])('need no spaces in Chinese: %j', (text, mentions, cleanText) => {
    expect(parse(text)).toEqual({ mentions, cleanText })
  })

  it.each([
    'write to a@milk.com or name@milk',
    'a.b+c@milk.org, a-@milk, a_@milk',
    'name@牛奶.com',
    '@milkshake @milk2 @milk_way @milk-way @mil',
    '@nobody @谁 @ milk @',
    'npm i @milk/core, see @milk.dev',
    'https://medium.com/@milk and x.com/@milk',
    'http://a.b/?q=@milk&r=@coffee',
    'use `@milk` or ``a ` @milk``',
    '```\n@milk\n\n@coffee\n```',
    'never closed:\n```js\n@milk decorates',
  ])('are not found in what is no mention, which stays: %j', (text) => {
    expect(parse(text)).toEqual({ mentions: [], cleanText: text })
  })

  it('are found beside code, addresses and unknown words', () => {
    expect(parse('@nobody, a@milk.com, `@Billy`: @coffee?')).toEqual({
      mentions: ['coffee'],
      cleanText: '@nobody, a@milk.com, `@Billy`:?',
    })
    expect(parse('a ` back-tick\n\n@milk and one ` more').mentions).toEqual(['milk'])
    expect(parse('``` @milk ``` @coffee').mentions).toEqual(['coffee'])
    expect(parse('see https://x.com/a，@牛奶').mentions).toEqual(['milk'])
  })

  it.each(['@all hi', '@Everyone hi', '@所有人 hi', '@大家hi'])('call everybody: %j', (text) => {
    expect(parse(text)).toEqual({ mentions: names, cleanText: 'hi' })
  })

  it('keep their order when everybody is called after one', () => {
    expect(parse('@coffee first, then @all').mentions).toEqual(['coffee', 'milk', 'Billy'])
    expect(parseMentions('@all', buildLookup([{ name: 'all' }, { name: 'b' }])).mentions).toEqual(['all'])
  })

  it('leave the text as it is when nothing else is in it', () => {
    for (const text of ['@milk', ' @milk @coffee ', '@牛奶@咖啡'])
      expect(parse(text).cleanText, text).toBe(text)
  })

  it('are read in a time that grows with the text alone', () => {
    // each of these took minutes where a look went over the same letters again and again
    const name = 'a'.repeat(64)
    const long = buildLookup([{ name }, { name: 'milk' }])
    const ticks = Array.from({ length: 1_400 }, (_, index) => `${'`'.repeat(index + 1)}@milk`).join(' ')
    for (const text of [
      '@'.repeat(1e6),
      '@a'.repeat(5e5),
      `@${name.slice(1)}`.repeat(15_625),
      `@milk${' '.repeat(995)}`.repeat(1_000),
      `\`\`\`${'@milk '.repeat(160_000)}`,
      `@m${'\u0301'.repeat(1e6)}`,
      ticks,
    ])
      parseMentions(text, long)
    expect(parseMentions('@milk '.repeat(100_000), long).mentions).toEqual(['milk'])
  })
})

describe('for any text', () => {
  const piece = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom('@milk', '＠Milk', '@牛奶', '@牛', '@all', '@mi', '@', '@咖啡师', '@@'),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(' ', '\n', '\n\n', ',', '.', '-', '_', '/', 'x', '奶', 'lk', 'a@', '://'),
    },
    { weight: 1, arbitrary: fc.constantFrom('`', '``', '```', '\t', '\u0301', '\ud83d', 'ﬁ', '한') },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
  )
  const texts = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''))

  it('only agents that are there are mentioned, each once', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { mentions } = parse(text)
        expect(names).toEqual(expect.arrayContaining(mentions))
        expect(new Set(mentions).size).toBe(mentions.length)
      }),
      tries(400),
    )
  })

  it('what is left mentions nobody, and stays as it is when it is read again', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { cleanText } = parse(text)
        if (cleanText !== text) expect(parse(cleanText)).toEqual({ mentions: [], cleanText })
      }),
      tries(1_000),
    )
  })

  it('nothing but mentions and white space is taken out', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { cleanText } = parse(text)
        const letters = [...cleanText.replaceAll(/\s/g, '')]
        let at = 0
        for (const letter of text) if (letter === letters[at]) at++
        expect(at).toBe(letters.length)
      }),
      tries(100),
    )
  })
})
