import { expect, it } from 'vitest'
import { inputTexts, shorten, touchedBy } from './ask-texts.ts'

const asked = (input: unknown, more: object = {}) => ({
  action: 'write',
  input,
  resources: [],
  outside: [],
  ...more,
})

it('tells all of an input once, whatever it is', () => {
  const resources = ['/ws/a.md', 'ls -l']
  const input = {
    action: 'write',
    command: 'ls -l',
    path: 'a.md',
    content: 'one\ntwo',
    deep: { a: [1] },
    none: null,
  }
  expect(inputTexts(asked(input, { resources }))).toEqual([
    { name: 'path', text: 'a.md' },
    { name: 'content', text: 'one\ntwo' },
    { name: 'deep', text: '{\n  "a": [\n    1\n  ]\n}' },
    { name: 'none', text: 'null' },
  ])
  expect(inputTexts(asked('text'))).toEqual([{ name: 'input', text: 'text' }])
  expect(inputTexts(asked(undefined))).toEqual([])
})

it('keeps a text apart from what only looks like it', () => {
  for (const text of ['true', '1', '', '"a"', ' null ', '[1]', '{"a": 1}'])
    expect(inputTexts(asked({ text }))).toEqual([{ name: 'text', text: JSON.stringify(text) }])
  expect(inputTexts(asked({ value: true }))).toEqual([{ name: 'value', text: 'true' }])
  expect(inputTexts(asked({ action: 'delete' }))).toEqual([{ name: 'action', text: 'delete' }])
})

it('names what is outside first, and everything', () => {
  const many = Array.from({ length: 30 }, (_, index) => `/ws/${index}`)
  expect(touchedBy(asked({}, { resources: [...many, '/etc/x'], outside: ['/etc/x'] }))).toEqual([
    '/etc/x',
    ...many,
  ])
})

it('counts what it leaves out', () => {
  expect(shorten('short')).toEqual({ text: 'short' })
  expect(shorten('x'.repeat(2_000))).toEqual({ text: 'x'.repeat(2_000) })
  expect(shorten('x'.repeat(5_000))).toEqual({
    text: 'x'.repeat(2_000),
    left: { characters: 3_000, lines: 0 },
  })
  const lines = Array.from({ length: 50 }, (_, index) => `line ${index + 1}`).join('\n')
  expect(shorten(lines)).toMatchObject({ left: { lines: 30 } })
  expect(shorten(lines).text.endsWith('\nline 20')).toBe(true)
  const pairs = `a${'😀'.repeat(1_500)}`
  expect(shorten(pairs).text.isWellFormed()).toBe(true)
  expect(shorten(pairs).text.length + shorten(pairs).left!.characters).toBe(pairs.length)
})
