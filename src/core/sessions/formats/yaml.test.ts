import { expect, it } from 'vitest'
import { sampleDocument } from './sample-document.ts'
import { formats } from './format.ts'
import { parseYaml, readYaml, toYaml } from './yaml.ts'

it('reads well: blocks for text, quotes only where needed, no aliases', () => {
  const shared = { a: 1 }
  expect(
    toYaml({ text: 'one\ntwo', word: 'yes', time: '12:30', plain: 'hello', twice: [shared, shared] }),
  ).toBe(
    [
      'text: |-\n  one\n  two',
      'word: "yes"\ntime: "12:30"\nplain: hello',
      'twice:\n  - a: 1\n  - a: 1\n',
    ].join('\n'),
  )
})

it('takes "<<" for a key like any other', () => {
  expect(parseYaml('a: {<<: {b: 1}}')).toEqual({ a: { '<<': { b: 1 } } })
  expect(parseYaml(toYaml({ '<<': { b: 1 } }))).toEqual({ '<<': { b: 1 } })
})

it('reads only the words of YAML 1.2 as values', () => {
  expect(parseYaml('[yes, no, on, 012, 1_000, 2001-01-01, true, null]')).toEqual([
    'yes',
    'no',
    'on',
    12,
    '1_000',
    '2001-01-01',
    true,
    null,
  ])
})

it('names the line that it refuses', () => {
  expect(() => parseYaml('a: 1\nb: *a\n')).toThrow('Line 2 holds an alias, "*a"')
  expect(() => parseYaml('text: |\n  *not an alias\nb: !!set {}\n')).toThrow('Line 3 holds a tag, "!!set"')
  expect(() => parseYaml('a: 1\nb: 2\na: 3\n')).toThrow('Line 3 repeats the key "a"')
  expect(() => parseYaml('a: 1\nb: [\n')).toThrow('Line 3 is not valid YAML')
  expect(() => parseYaml('a: .nan')).toThrow('Line 1 holds NaN')
})

it('leaves the depth of stack traces as it was', () => {
  const before = Error.stackTraceLimit
  expect(() => parseYaml('[')).toThrow()
  expect(Error.stackTraceLimit).toBe(before)
})

it('refuses to write more than it would read', () => {
  const messages = Array.from({ length: 6_000 }, () => sampleDocument.messages[1]!)
  const large = {
    ...sampleDocument,
    messages: messages.map((message, index) => Object.assign({}, message, { id: `m${index}` })),
  }
  expect(() => formats.yaml.write(large)).toThrow(
    'The YAML is too large: more than 200000 tokens. Use JSON or JSONL',
  )
})

it('refuses a document without its last line', () => {
  const written = formats.yaml.write(sampleDocument)
  expect(written.endsWith('\n...\n')).toBe(true)
  expect(() => readYaml(written.slice(0, -4))).toThrow('does not end with the line "..."')
})
