import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { tries } from '../../../test/property-runs.ts'
import { parseYaml } from '../../core/protocol/yaml-text.ts'
import { DefinitionDocument, editText } from './edit-yaml.ts'
import type { Edit } from './edits-between.ts'

const text = `# What this is for.
name: demo   # short

args:
  topic: { description: 'What about', default: "tea" } # quoted

# All of it.
steps:
  # Gathers.
  - id: gather
    type: agent
    prompt: |
      Find three things.

      Say where.

  # Writes.
  - { id: write, type: agent, prompt: x }

  - type: agent # has no id
    prompt: old # mend
# The end.
`
const open = () => new DefinitionDocument(text)
/** The text with some of its lines replaced; undefined takes them out. */
const withLines = (from: string, to: string) => {
  expect(text).toContain(from)
  return text.replace(from, () => to)
}

describe('a change leaves everything else as it was:', () => {
  it.each<[what: string, change: (document: DefinitionDocument) => unknown, expected: string]>([
    ['a value', (document) => document.set(['steps', 2, 'prompt'], 'new'), withLines('old', 'new')],
    [
      'a value that needs quotes',
      (document) => document.set(['name'], 'a: b'),
      withLines('demo  ', '"a: b"  '),
    ],
    [
      'a text of many lines',
      (document) => document.set(['steps', 0, 'prompt'], 'One.\n\nTwo.\n'),
      withLines('Find three things.\n\n      Say where.', 'One.\n\n      Two.'),
    ],
    [
      'a text of many lines with a comment behind it',
      (document) => document.set(['steps', 2, 'prompt'], 'One.\nTwo.\n'),
      withLines('old # mend', '| # mend\n      One.\n      Two.'),
    ],
    [
      'one line in place of many',
      (document) => document.set(['steps', 0, 'prompt'], 'One.'),
      withLines('|\n      Find three things.\n\n      Say where.', 'One.'),
    ],
    [
      'a new key',
      (document) => document.set(['steps', 0, 'sessionConfig'], { maxTurns: 3, allowedTools: ['file'] }),
      withLines(
        'Say where.\n',
        'Say where.\n    sessionConfig:\n      maxTurns: 3\n      allowedTools:\n        - file\n',
      ),
    ],
    [
      'a new key between braces',
      (document) => document.set(['steps', 1, 'condition'], '$gather.output contains "a, b"'),
      withLines('prompt: x', 'prompt: x, condition: "$gather.output contains \\"a, b\\""'),
    ],
    [
      'a value between braces',
      (document) => document.set(['args', 'topic', 'default'], 'coffee'),
      withLines('"tea"', 'coffee'),
    ],
    [
      'a value put together between braces',
      (document) => document.set(['args', 'topic'], { description: 'What about', default: [1] }),
      withLines('"tea"', '[ 1 ]'),
    ],
    [
      'a step before another',
      (document) => document.insert(['steps', 1], { id: 'sort', type: 'agent', prompt: 'Sort.' }),
      withLines('  # Writes.', '  - id: sort\n    type: agent\n    prompt: Sort.\n\n  # Writes.'),
    ],
    [
      'a step at the end',
      (document) => document.insert(['steps', 3], { type: 'approve', prompt: 'Ok?' }),
      withLines('# mend\n', '# mend\n\n  - type: approve\n    prompt: Ok?\n'),
    ],
    [
      'a step less, with the comment above it',
      (document) => document.remove(['steps', 1]),
      withLines('  # Writes.\n  - { id: write, type: agent, prompt: x }\n\n', ''),
    ],
    [
      'a key less',
      (document) => document.remove(['steps', 2, 'prompt']),
      withLines('    prompt: old # mend\n', ''),
    ],
    [
      'the first key of a step less',
      (document) => document.remove(['steps', 0, 'id']),
      withLines('id: gather\n    type', 'type'),
    ],
    [
      'a key between braces less',
      (document) => document.remove(['steps', 1, 'id']),
      withLines('id: write, ', ''),
    ],
    [
      'the last key between braces less',
      (document) => document.remove(['steps', 1, 'prompt']),
      withLines(', prompt: x', ''),
    ],
    [
      'the only key less',
      (document) => document.remove(['args', 'topic']),
      withLines('\n  topic: { description: \'What about\', default: "tea" }', ' {}'),
    ],
    [
      'a step as a whole, of which one thing is new',
      (document) =>
        document.set(['steps', 0], { ...(document.get(['steps', 0]) as object), timeoutMs: 1_000 }),
      withLines('Say where.\n', 'Say where.\n    timeoutMs: 1000\n'),
    ],
    [
      'the whole definition, of which one thing is new',
      (document) => document.set([], { ...(document.get([]) as object), name: 'other' }),
      withLines('demo', 'other'),
    ],
  ])('%s', (_what, change, expected) => {
    const document = open()
    change(document)
    expect(document.toString()).toBe(expected)
  })
})

it.each([
  ['JSON on one line', '{"name": "a", "steps": [{"type": "agent"}]}'],
  ['JSON on many lines', JSON.stringify({ name: 'a', steps: [{ type: 'agent' }] }, null, 2)],
  ['JSON with tabs', JSON.stringify({ name: 'a', steps: [{ type: 'agent' }] }, null, '\t')],
])('%s stays JSON', (_what, json) => {
  const document = new DefinitionDocument(json)
  expect(document.toString()).toBe(json)
  document
    .set(['steps', 0, 'prompt'], 'One.\n"Two", {three}')
    .insert(['steps', 0], { type: 'approve', prompt: 'Ok?' })
    .set(['name'], 'b')
    .set(['config'], { tags: ['x'] })
    .remove(['steps', 1, 'type'])
  expect(JSON.parse(document.toString())).toEqual({
    name: 'b',
    steps: [{ type: 'approve', prompt: 'Ok?' }, { prompt: 'One.\n"Two", {three}' }],
    config: { tags: ['x'] },
  })
  expect(document.toString().includes('\n')).toBe(json.includes('\n'))
})

it('keeps the ends of lines and the mark of its encoding', () => {
  const windows = `\uFEFF${text.replaceAll('\n', '\r\n')}`
  const document = new DefinitionDocument(windows)
  expect(document.toString()).toBe(windows)
  document.insert(['steps', 1], { type: 'agent', prompt: 'One.\nTwo.\n' }).set(['name'], 'other')
  expect(document.toString()).toMatch(/^\uFEFF# What this/)
  expect(document.toString().replaceAll('\r\n', '')).not.toContain('\n')
})

it('changes one of two places that an alias makes the same', () => {
  const document = new DefinitionDocument('name: a\nx: &x # shared\n  retry: 1\ny: *x\nz: 1 # last\n')
  document.set(['y', 'retry'], 2)
  expect(document.get([])).toEqual({ name: 'a', x: { retry: 1 }, y: { retry: 2 }, z: 1 })
  expect(document.toString()).toContain('# last')
})

it.each<[string, Edit]>([
  ['a key of something that is not there', { type: 'set', path: ['config', 'tags'], value: [] }],
  ['an item behind the end', { type: 'set', path: ['steps', 3], value: {} }],
  ['an insertion far behind the end', { type: 'insert', path: ['steps', 5], value: {} }],
  ['an insertion into a mapping', { type: 'insert', path: ['args', 'topic'], value: {} }],
  ['a part of a text', { type: 'set', path: ['name', 'x'], value: 1 }],
  ['what is not there', { type: 'remove', path: ['config'] }],
  ['what every object has', { type: 'set', path: ['constructor', 'x'], value: 1 }],
  ['__proto__', { type: 'set', path: ['__proto__'], value: {} }],
  ['all of it', { type: 'remove', path: [] }],
])('refuses to change %s, and changes nothing', (_what, edit) => {
  const document = open()
  expect(() => document.edit({ type: 'set', path: ['name'], value: 'x' }, edit)).toThrow(
    expect.objectContaining({ code: 'invalid_request' }),
  )
  expect(document.toString()).toBe(text)
})

it('refuses a text that is no YAML', () => {
  expect(() => new DefinitionDocument('a: [')).toThrow(/not valid YAML.*line 1/)
})

describe('whatever is written and changed', () => {
  const key = fc.constantFrom('a', 'b', 'prompt', 'a key', '1', 'true', '#', 'c: d', 'ключ')
  const scalar = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'one\ntwo',
      'one\ntwo\n',
      '\n',
      'a\n\n',
      ' x',
      'true',
      '- a',
      '# no',
      "it's",
      'a: b',
      '|',
      '{',
    ),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  )
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      scalar,
      fc.dictionary(key, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
      fc.array(tie('tree'), { maxLength: 4 }),
    ),
  }))
  const written = fc
    .tuple(
      fc.dictionary(key, tree, { minKeys: 1, maxKeys: 5, noNullPrototype: true }),
      fc.constantFrom('yaml', 'flow', 'json', 'lines'),
      fc.constantFrom('\n', '\r\n'),
    )
    .map(([value, style, lineEnd]) => {
      const plain = style === 'yaml' ? withComments(stringify(value, { lineWidth: 0 })) : ''
      const other = style === 'json' ? JSON.stringify(value) : JSON.stringify(value, null, 2)
      const made = plain || (style === 'flow' ? stringify(value, { collectionStyle: 'flow' }) : other)
      return lineEnd === '\n' || /[|>]/.test(made) ? made : made.replaceAll('\n', lineEnd)
    })

  it('reads as it should, and keeps every comment that is not in what was changed', () => {
    fc.assert(
      fc.property(
        written,
        tree,
        fc.nat(),
        fc.constantFrom('set', 'insert', 'remove'),
        (source, value, pick, type) => {
          const document = new DefinitionDocument(source)
          expect(document.toString()).toBe(source)
          const before = document.get([])
          const places = placesIn(before)
          const path = places[pick % places.length]!
          if (type === 'insert' && typeof path.at(-1) !== 'number') return
          const changed = editText(source, { type, path, value } as Edit)
          const { value: after, faults } = parseYaml(changed)
          expect(faults).toEqual([])
          if (type === 'set') expect(new DefinitionDocument(changed).get(path)).toEqual(value)
          const others = (all: unknown, isThere: boolean) => (isThere ? without(all, path) : all)
          expect(others(after, type !== 'remove')).toEqual(others(before, type !== 'insert'))
          if (type === 'insert') expect(remarksIn(changed)).toEqual(remarksIn(source))
          expect(new DefinitionDocument(changed).toString()).toBe(changed)
        },
      ),
      tries(300),
    )
  })

  it('becomes any other value', () => {
    fc.assert(
      fc.property(
        written,
        fc.dictionary(key, tree, { maxKeys: 5, noNullPrototype: true }),
        (source, value) => {
          const changed = new DefinitionDocument(source).set([], value).toString()
          expect(parseYaml(changed).value).toEqual(JSON.parse(JSON.stringify(value)))
        },
      ),
      tries(100),
    )
  })
})

/** A comment above every line of the top, which is never inside of a text. */
const withComments = (source: string) => source.replace(/^(?=[a-z])/gm, () => '# remark\n')
const remarksIn = (source: string) => source.match(/^# remark\r?$/gm) ?? []

function placesIn(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return path.length > 0 ? [path] : []
  const inner = Object.entries(value).flatMap(([name, item]) =>
    placesIn(item, [...path, Array.isArray(value) ? Number(name) : name]),
  )
  return path.length > 0 ? [path, ...inner] : inner
}

/** What is left when the place is taken out: that has to be the same before and after. */
function without(value: unknown, path: (string | number)[]): unknown {
  const made = structuredClone(value)
  const holder = path.slice(0, -1).reduce<unknown>((at, part) => (at as never)[part], made)
  const last = path.at(-1)!
  if (Array.isArray(holder)) holder.splice(Number(last), 1)
  else delete (holder as Record<string, unknown>)[last]
  return made
}
