import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tries } from '../../../test/property-runs.ts'
import { buildLookup } from './name-lookup.ts'
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
    [' @milk, hello', ['milk'], 'hello'],
    ['@milk: hello', ['milk'], 'hello'],
    ['@milk\n\nhello\n  there', ['milk'], 'hello\n  there'],
    ['@milk@coffee both', ['milk', 'coffee'], 'both'],
    ['@milk, @coffee and @Billy: vote', ['milk', 'coffee', 'Billy'], 'vote'],
    ['@milk can you help?', ['milk'], 'can you help?'],
    ['@milk is this right?', ['milk'], 'is this right?'],
    ['@milk discuss this with us', ['milk'], 'discuss this with us'],
    ['@milk thanks!', ['milk'], 'thanks!'],
    ['@milk: tests are red', ['milk'], 'tests are red'],
    ['@咖啡 @牛奶 @咖啡 谁先说？', ['coffee', 'milk'], '谁先说？'],
    ['@咖啡和@牛奶，谁先说？', ['coffee', 'milk'], '谁先说？'],
    ['@牛奶你好', ['milk'], '你好'],
    ['@咖啡师傅在吗', ['coffee'], '傅在吗'],
    ['@milk你好', ['milk'], '你好'],
    ['@牛奶hello', ['milk'], 'hello'],
    ['＠牛奶，＠ｍｉｌｋ：好', ['milk'], '好'],
    ['@牛奶说说你的想法', ['milk'], '说说你的想法'],
  ])('that address somebody are taken out: %j', (text, mentions, cleanText) => {
    expect(parse(text)).toEqual({ mentions, people: [], addressed: mentions, cleanText })
  })

  it.each([
    ['I think @milk is wrong and @coffee is right', ['milk', 'coffee']],
    ['Hello @milk and @coffee', ['milk', 'coffee']],
    ['hello @milk, what now?', ['milk']],
    ['what now, @milk?', ['milk']],
    ['(ask @milk)', ['milk']],
    ['line one\n  @milk two\nthree @coffee', ['milk', 'coffee']],
    ['one\n\n@milk\n\ntwo', ['milk']],
    ['_@milk_ now', ['milk']],
    ['@milk is wrong', ['milk']],
    ['@milk isn’t wrong', ['milk']],
    ['@milk likes tea and @coffee hates it', ['milk', 'coffee']],
    ['@milk suggested that we wait', ['milk']],
    ['@milk and @coffee agreed on tea', ['milk', 'coffee']],
    ['@milk never answers', ['milk']],
    ['@milk told me so', ['milk']],
    ['@牛奶觉得不对', ['milk']],
    ['@牛奶 不对', ['milk']],
    ["it's @milk's turn, isn't it", ['milk']],
    ["the cats' bowl, @milk, and the dogs' too", ['milk']],
    ["@milk's idea is good", ['milk']],
    ['@milk and @coffee are right', ['milk', 'coffee']],
    ['@milk and I went', ['milk']],
    ['@milk? Are you there?', ['milk']],
    ['你好@牛奶请回答', ['milk']],
    ['PR@牛奶 看一下', ['milk']],
    ['@牛奶的想法不错', ['milk']],
    ['@牛奶是对的，@咖啡不对', ['milk', 'coffee']],
    ['@银渐层和@咖啡', ['milk', 'coffee']],
    ['- @milk one\n- @coffee two', ['milk', 'coffee']],
    ['1. list\n\n    @milk goes on with it', ['milk']],
    ['5" by 6", @milk', ['milk']],
    ['say "hi" @milk "bye"', ['milk']],
    ['a \\\\@milk b', ['milk']],
  ])('within a sentence call, and stay in it: %j', (text, mentions) => {
    expect(parse(text)).toEqual({ mentions, people: [], addressed: [], cleanText: text })
  })

  it('keep those in the sentence when another one is addressed', () => {
    expect(parse('@milk what does @coffee think?')).toEqual({
      mentions: ['milk', 'coffee'],
      people: [],
      addressed: ['milk'],
      cleanText: 'what does @coffee think?',
    })
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
    'as in `` ``` `` and `@milk`',
    '```\n@milk\n\n@coffee\n```',
    'never closed:\n```js\n@milk decorates',
    '~~~\n@milk\n\n@coffee\n~~~',
    'never closed:\n  ~~~~js\n@milk\n~~~\ndecorates @coffee',
    'so:\n\n    @milk\n\n    @coffee\n',
    '\t@milk',
    'a <code>@milk</code>, <CODE class="a">\n@milk\n</code>, <pre>@milk</pre>',
    '> @milk said so\n>@coffee too',
    '  > > @milk said so',
    'he said "@milk is wrong", “@milk”, «ask @milk»',
    "he said '@milk isn't right', and ‘ask @milk’ or ‹@milk›",
    '他说「@牛奶」和“@咖啡”还有"@牛奶"啊',
    '\\@milk and \\\\\\@coffee',
  ])('are not found in what is no mention, which stays: %j', (text) => {
    expect(parse(text)).toEqual({ mentions: [], people: [], addressed: [], cleanText: text })
  })

  it.each([
    ['@nobody, a@milk.com, `@Billy`: @coffee?', ['coffee']],
    ['a ` back-tick\n\n@milk and one ` more', ['milk']],
    ['``` @milk ``` @coffee', ['coffee']],
    ['see https://x.com/a，@牛奶', ['milk']],
    ['> @milk said so\n@coffee do you agree?', ['coffee']],
    ['~~~\n```\n@milk\n~~~\n@coffee', ['coffee']],
    ['```\n~~~\n@milk\n```\n@coffee', ['coffee']],
    ['look: ```\n@milk\n```\n@coffee', ['coffee']],
    ['    @milk\n@coffee', ['coffee']],
    ['<code>@milk</code> @coffee <code> @Billy', ['coffee', 'Billy']],
  ])('are found beside code, quotes, addresses and unknown words: %j', (text, mentions) => {
    expect(parse(text).mentions).toEqual(mentions)
  })

  it.each(['@all hi', '@Everyone hi', '@所有人 hi', '@大家hi'])('call everybody: %j', (text) => {
    expect(parse(text)).toEqual({ mentions: names, people: [], addressed: names, cleanText: 'hi' })
  })

  it('keep their order when everybody is called after one', () => {
    expect(parse('@coffee first, then @all').mentions).toEqual(['coffee', 'milk', 'Billy'])
    expect(parseMentions('@all', buildLookup([{ name: 'all' }, { name: 'b' }])).mentions).toEqual([
      'all',
      'b',
    ])
  })

  it('are found by display names of several words', () => {
    const cats = buildLookup([
      { name: 'coffee', displayName: 'Abyssinian Cat' },
      { name: 'ann' },
      { name: 'lee', displayName: 'Ann  Lee-Mills' },
      { name: 'who', displayName: 'Dr. O’Who' },
    ])
    expect(parseMentions('@Abyssinian Cat, hello', cats)).toMatchObject({
      mentions: ['coffee'],
      cleanText: 'hello',
    })
    expect(parseMentions('@abyssinian cats, @AbyssinianCat', cats).mentions).toEqual(['coffee'])
    expect(parseMentions('ask @Ann Lee-Mills or @Ann Lee or @dr. o’who!', cats).mentions).toEqual([
      'lee',
      'ann',
      'who',
    ])
  })

  it('tell people from agents', () => {
    const table = buildLookup([{ name: 'milk' }], [{ name: 'ada', displayName: 'Ada Lovelace' }])
    expect(parseMentions('@Ada Lovelace, what does @milk say?', table)).toEqual({
      mentions: ['milk'],
      people: ['ada'],
      addressed: ['ada'],
      cleanText: 'what does @milk say?',
    })
  })

  it('leave the text as it is when nothing else is in it', () => {
    for (const text of ['@milk', ' @milk @coffee ', '@牛奶@咖啡', '@milk!', '@milk, @coffee:'])
      expect(parse(text).cleanText, text).toBe(text)
  })

  it('are read in a time that grows with the text alone', () => {
    // each of these took minutes when the same letters were scanned again and again
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
      ...[
        '~~~\n',
        '~~~',
        '> ',
        '    \n',
        '"',
        '“',
        "'",
        "'a",
        '‘',
        '<code>',
        '</code>',
        '<q ',
        '\\',
        '- \n',
        '@milk, ',
      ].map((piece) => piece.repeat(1e6 / piece.length)),
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
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '`',
        '``',
        '```',
        '~~~',
        '    ',
        '> ',
        '"',
        '\\',
        '<code>',
        '</code>',
        '\t',
        '\u0301',
        '\ud83d',
        'ﬁ',
        '한',
      ),
    },
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

  it('nothing is taken out but the first words, and only when they address somebody', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { cleanText, addressed, mentions } = parse(text)
        expect(mentions).toEqual(expect.arrayContaining(addressed))
        if (addressed.length === 0) expect(cleanText).toBe(text)
        else expect(text.trimEnd().endsWith(cleanText) && cleanText !== '').toBe(true)
      }),
      tries(1_000),
    )
  })
})
