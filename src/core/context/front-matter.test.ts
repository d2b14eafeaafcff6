import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tries } from '../../../test/property-runs.ts'
import { flagField, listField, parseFrontMatter, textField } from './front-matter.ts'

const wrap = (yaml: string) => `---\n${yaml}\n---\nbody`

describe('front matter', () => {
  it('is split from the body', () => {
    expect(parseFrontMatter('---\ntitle: 规则\nn: 1\n---\n\n# Body\n---\nmore')).toEqual({
      fields: { title: '规则', n: 1 },
      body: '# Body\n---\nmore',
    })
  })

  it.each([
    ['no front matter', '# Hello'],
    ['nothing', ''],
    ['front matter that is never closed', '---\ntitle: x\nbody'],
    ['a line that only starts like one', '---title: x\n---\n'],
    ['an end that is indented', '---\ntitle: x\n ---\nbody'],
    ['a rule above plain words', '---\nHello\n---\nbody'],
    ['a rule above a list', '---\n- a\n- b\n---\nbody'],
    ['front matter that is not at the start', '\n---\ntitle: x\n---\n'],
  ])('leaves a text with %s as it is', (_, text) => {
    expect(parseFrontMatter(text)).toEqual({ fields: {}, body: text })
  })

  it('may be empty', () => {
    expect(parseFrontMatter('---\n---\nbody')).toEqual({ fields: {}, body: 'body' })
    expect(parseFrontMatter('---\n# only a comment\n---')).toEqual({ fields: {}, body: '' })
  })

  it('may come from Windows: byte order mark, CRLF, trailing spaces', () => {
    expect(parseFrontMatter('\uFEFF---  \r\ntitle: x\r\n--- \r\nbody\r\nend')).toEqual({
      fields: { title: 'x' },
      body: 'body\nend',
    })
  })

  it('reads what other tools write without quotes', () => {
    const { fields } = parseFrontMatter(
      wrap('description: Use this: always\nglobs: *.ts,*.tsx\nlist:\n  - **/*.md\nalwaysApply: false'),
    )
    expect(fields).toEqual({
      description: 'Use this: always',
      globs: '*.ts,*.tsx',
      list: ['**/*.md'],
      alwaysApply: false,
    })
  })
})

const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]']
  .concat(
    [...'bcdefgh'].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[at]}`).join(', ')}]`),
  )
  .join('\n')

describe('hostile front matter', () => {
  it.each([
    ['a bomb of aliases', bomb, 'aliases'],
    ['an alias in a list that leads nowhere', 'a: [*nowhere]', 'alias'],
    ['a tag', 'a: !!js/function "x"', 'tag'],
    ['the same key twice', 'a: 1\na: 2', 'unique'],
    ['a key that is a list', '? [a]\n: b', 'string'],
    ['an open quote', 'a: "b', 'quote'],
    ['endless nesting', `a: ${'['.repeat(8_000)}`, ''],
    ['too much of it', `a: ${'x'.repeat(20_000)}`, 'more than 16,384 characters'],
  ])('is taken as text: %s', (_, yaml, words) => {
    const text = wrap(yaml)
    const { fields, body, fault } = parseFrontMatter(text)
    expect({ fields, body }).toEqual({ fields: {}, body: text })
    expect(fault?.toLowerCase()).toContain(words)
  })

  it('cannot touch a prototype', () => {
    const { fields } = parseFrontMatter(wrap('__proto__:\n  enabled: true\nconstructor: x'))
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype)
    expect(({} as Record<string, unknown>)['enabled']).toBeUndefined()
    expect(flagField({ fields, body: '' }, 'enabled')).toBeUndefined()
  })

  it('never throws, and comes to an end with a million characters', () => {
    const odd = fc.string({ unit: fc.constantFrom(...'-\n: a*&![]{}"\'|>#%\t'), maxLength: 60 })
    fc.assert(
      fc.property(odd, (yaml) => typeof parseFrontMatter(wrap(yaml)).body === 'string'),
      tries(500),
    )
    for (const part of ['---\n', '--- ', '\n---x', 'a: b: c\n', '- '])
      expect(parseFrontMatter(`---\n${part.repeat(1_000_000 / part.length)}`).fields).toEqual({})
  })
})

it('reads fields by their type only', () => {
  const matter = parseFrontMatter(
    wrap('text: " x "\nempty: ""\nnumber: 1\nflag: true\nlist: [a, 1, " b "]\nmany: a b'),
  )
  expect(textField(matter, 'text')).toBe('x')
  expect(['empty', 'number', 'none', 'toString'].map((name) => textField(matter, name))).toEqual(
    Array(4).fill(undefined),
  )
  expect(flagField(matter, 'flag')).toBe(true)
  expect(flagField(matter, 'text')).toBeUndefined()
  expect(listField(matter, 'list', () => [])).toEqual(['a', 'b'])
  expect(listField(matter, 'many', (text) => text.split(' '))).toEqual(['a', 'b'])
})
