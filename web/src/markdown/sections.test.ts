import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toSections } from './sections.ts'

const paragraph = `${'Some words that say something. '.repeat(40)}\n\n`
const long = paragraph.repeat(20)

describe('the sections of a text', () => {
  it('are one where it is short, and several that join to it where it is long', () => {
    expect(toSections(paragraph)).toEqual([paragraph])
    const sections = toSections(long)
    expect(sections.length).toBeGreaterThan(3)
    expect(sections.join('')).toBe(long)
    for (const section of sections.slice(1)) expect(section).toMatch(/^Some words/)
  })

  it('stay as they are while the text grows', () => {
    const block = fc.constantFrom(
      paragraph,
      '## A heading\n\n',
      '- one\n- two\n\n- three\n\n',
      '1. one\n\n2. two\n\n',
      '```ts\nconst a = 1\n\nPlain words\n```\n\n',
      '$$\na\n\nWords\n$$\n\n',
      '| a | b |\n|---|---|\n| 1 | 2 |\n\n',
      '> said\n\n',
    )
    fc.assert(
      fc.property(fc.array(block, { minLength: 10, maxLength: 60 }), fc.nat(), (blocks, at) => {
        const text = blocks.join('')
        const whole = toSections(text)
        const early = toSections(text.slice(0, at % text.length))
        expect(whole.join('')).toBe(text)
        // all but the last, which still grows
        expect(whole.slice(0, early.length - 1)).toEqual(early.slice(0, -1))
      }),
    )
  })

  it.each([
    ['a fence', '````md\n', '```\n\nWords in it\n\n', '````\n'],
    ['a formula', '$$\n', 'a\n\nWords in it\n\n', '$$\n'],
  ])('leave %s whole', (_, open, inside, close) => {
    const block = open + inside.repeat(600) + close
    const sections = toSections(`${long}${block}\n${long}`)
    expect(sections.filter((section) => section.includes(open))).toHaveLength(1)
    expect(sections.find((section) => section.includes(open))).toContain(block)
  })

  it('are one where something refers to the end of the text', () => {
    expect(toSections(`${long}[a]: https://example.com\n`)).toHaveLength(1)
    expect(toSections(`${long}[^1]: a note\n`)).toHaveLength(1)
  })

  it('do not begin within a list or a table', () => {
    const list = Array.from({ length: 900 }, (_, index) => `${index + 1}. point\n\n`).join('')
    expect(toSections(list)).toEqual([list])
  })
})
