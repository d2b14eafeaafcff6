import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { maxDefinitionLength } from '../src/extensions/workflow/protocol/workflow.ts'
import { allSteps, blocksOf } from '../src/extensions/workflow/blocks.ts'
import { maxSteps } from '../src/extensions/workflow/definition.ts'
import { DefinitionDocument } from '../src/extensions/workflow/edit-yaml.ts'
import {
  evaluate,
  ExpressionError,
  parseExpression,
  type LookUp,
} from '../src/extensions/workflow/expression.ts'
import { parseDefinition } from '../src/extensions/workflow/parse-definition.ts'
import { shippedDefinitions } from '../src/extensions/workflow/shipped-definitions.ts'
import { fillIn, fillInValue, referencesIn } from '../src/extensions/workflow/template.ts'
import { takeSeed } from './seed.ts'

/** A release runs many more. */
const runs = Math.max(1, Number(process.env.PARLEY_TEST_WORKFLOW_FUZZ ?? 120))
const check = (numRuns = runs) => ({ numRuns, seed: takeSeed() })

const counts = { accepted: 0, refused: 0 }

/** Accepted and sound, or refused with a place for every problem. Nothing else. */
function expectReadOrRefused(text: string): void {
  const parsed = parseDefinition(text)
  if ('definition' in parsed) {
    counts.accepted++
    expectSound(text, parsed.definition.steps)
    return
  }
  counts.refused++
  const lines = text.split('\n')
  expect(parsed.problems.length).toBeGreaterThan(0)
  // bounded work: whoever shows them, and whoever finds their places, does so for few
  expect(parsed.problems.length).toBeLessThanOrEqual(100)
  for (const { message, line, column } of parsed.problems) {
    expect(message).toMatch(/\S.*\.$/s)
    expect(message.length).toBeLessThan(10_000)
    expect(line).toBeGreaterThanOrEqual(1)
    expect(line).toBeLessThanOrEqual(lines.length)
    expect(column).toBeGreaterThanOrEqual(1)
    expect(column).toBeLessThanOrEqual(lines[line! - 1]!.length + 2)
  }
}

function expectSound(text: string, steps: Parameters<typeof allSteps>[0]): void {
  const all = allSteps(steps)
  expect(all.length).toBeLessThanOrEqual(maxSteps)
  const ids = all.map(({ step }) => step.id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).not.toContain(undefined)
  // every step that is asked for something is there
  const known = new Set([...ids, 'args', 'prev', 'item', 'index', 'iteration'])
  for (const { step } of all) if (step.type === 'foreach' && step.as) known.add(step.as)
  for (const { step } of all)
    for (const { reference } of referencesIn(withoutBlocks(step)))
      if (reference.path[0] === 'output') expect(known).toContain(reference.root)
  const document = new DefinitionDocument(text)
  expect(document.toString()).toBe(text)
  const changed = document.set(['name'], 'another name').toString()
  expect(parseDefinition(changed)).toMatchObject({ definition: { name: 'another name' } })
  expect(new DefinitionDocument(changed).toString()).toBe(changed)
}

// what no names are looked for in, and other steps
const plain = ['description', 'model', 'workflow', 'steps', 'branches', 'cases', 'else']
const withoutBlocks = (step: Parameters<typeof blocksOf>[0]) =>
  Object.fromEntries(Object.entries(step).filter(([key]) => !plain.includes(key)))

// -- what definitions are made of

const id = fc.constantFrom(
  'a',
  'b',
  'c-1',
  '_d',
  'step_1',
  'step_2',
  'prev',
  'args',
  'constructor',
  'a b',
  '',
)
const name = fc.constantFrom(
  '$args.x',
  '$prev.output',
  '$a.output',
  '$b.data.x[0]',
  '$step_1.status',
  '$item',
  '$part.x',
  '$iteration',
  '$nobody.output',
  '$HOME',
  '$$',
  '$args.__proto__.x',
  '$a.data.constructor',
)
const words = fc.oneof(
  fc.string(),
  fc.array(fc.oneof(name, fc.constantFrom('Say', 'it', '\n', ': ', '# ', '"'))).map((list) => list.join(' ')),
)
const expression = fc.oneof(
  fc
    .array(
      fc.oneof(
        name,
        fc.constantFrom('and', 'or', 'not', '==', '<', 'contains', '(', ')', '1', '"x"', 'true'),
      ),
    )
    .map((list) => list.join(' ')),
  fc
    .tuple(name, fc.constantFrom('==', '!=', '>', 'contains'), fc.constantFrom('1', '"x"', 'null'))
    .map((list) => list.join(' ')),
  fc.boolean(),
)
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1e300, '', [], {}, '\0', '\ud800', 'x'.repeat(3_000)),
  fc.jsonValue(),
)
const common = {
  id,
  description: words,
  condition: expression,
  input: fc.oneof(
    words,
    fc.dictionary(fc.constantFrom('a', 'constructor', 'k'.repeat(300)), words, { noNullPrototype: true }),
  ),
  timeoutMs: fc.oneof(fc.integer(), fc.integer({ min: 100, max: 10_000 })),
  retryConfig: fc.record({ maxRetries: fc.integer({ min: -1, max: 21 }) }),
  linkedActions: fc.array(
    fc.record({
      type: fc.constantFrom('notify', 'create_document', 'dance'),
      params: fc.record({ body: words }),
    }),
    { maxLength: 2 },
  ),
}
const step = fc.letrec<{ step: Record<string, unknown>; steps: Record<string, unknown>[] }>((tie) => ({
  steps: fc.array(tie('step'), { maxLength: 3, depthIdentifier: 'steps' }),
  step: fc.oneof(
    { depthSize: 'small', depthIdentifier: 'steps' },
    ofType(
      'agent',
      { prompt: words },
      {
        sessionConfig: fc.record({
          outputSchema: fc.constantFrom<unknown>({ type: 'object' }, { type: 'string' }, {}),
        }),
        model: words,
      },
    ),
    ofType('approve', { prompt: words }, { onReject: fc.constantFrom('fail', 'continue', 'cry') }),
    ofType('transform', { transform: words }),
    ofType(
      'workflow',
      { workflow: words },
      { args: fc.dictionary(fc.constantFrom('x', 'y'), words, { noNullPrototype: true }) },
    ),
    ofType('parallel', {
      branches: fc.dictionary(fc.constantFrom('left', 'right', '1'), tie('steps'), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
    }),
    ofType(
      'foreach',
      { items: fc.oneof(expression, fc.array(fc.integer())), steps: tie('steps') },
      { as: fc.constantFrom('part', 'item', 'args') },
    ),
    ofType(
      'branch',
      { cases: fc.array(fc.record({ when: expression, steps: tie('steps') }), { maxLength: 2 }) },
      { else: tie('steps') },
    ),
    ofType(
      'loop',
      { steps: tie('steps'), until: expression, maxIterations: fc.integer({ min: 0, max: 101 }) },
      { stopWhenRepeated: words },
    ),
  ),
})).step

function ofType(
  type: string,
  needed: Record<string, fc.Arbitrary<unknown>>,
  more: Record<string, fc.Arbitrary<unknown>> = {},
) {
  const model = { type: fc.constant(type), ...needed, ...more, ...common }
  return fc.record(model as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: ['type', ...Object.keys(needed)],
  }) as fc.Arbitrary<Record<string, unknown>>
}

const definition = fc.record(
  {
    name: fc.oneof(
      { arbitrary: fc.constantFrom('demo', '每日摘要'), weight: 9 },
      { arbitrary: odd, weight: 1 },
    ),
    args: fc.constantFrom<unknown>({ x: {} }, { x: { default: '' }, constructor: {} }, { x: 1 }),
    config: fc.constantFrom<unknown>(
      { errorStrategy: 'continue' },
      { tags: ['a'] },
      { errorStrategy: 'pray' },
    ),
    triggers: fc.constantFrom<unknown>(
      [{ type: 'cron', schedule: '30 7 * * *' }],
      [{ type: 'document_saved', filter: { a: 1 } }],
      [{}],
    ),
    steps: fc.array(step, { minLength: 1, maxLength: 5 }),
  },
  { requiredKeys: ['name', 'steps'] },
)

const shipped = shippedDefinitions().map(({ text }) => text)
const written = fc.oneof(
  fc.constantFrom(...shipped),
  definition.map((value) => stringify(value, { lineWidth: 0 })),
  definition.map((value) => JSON.stringify(value, null, 1)),
)

// -- what happens to them

type Change = (text: string) => string

const pieces = [
  '\0',
  '\ud800',
  '\udc00',
  '\uFEFF',
  '\t',
  '\r',
  '\u0085',
  '\u2028',
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  ': ',
  '- ',
  '# ',
  '? ',
  '| ',
  '> ',
  '%YAML 1.1\n',
  '---\n',
  '...\n',
  '&a ',
  '*a ',
  '!!str ',
  '!x ',
  '<<: *a\n',
  '__proto__: ',
  'constructor: ',
  '$args.__proto__ ',
  '\n\n\n',
  `${'k'.repeat(5_000)}: 1\n`,
  '[[[[[[[[[[',
  `${'['.repeat(400)}`,
  'null',
  '.nan',
  '0x1F',
  '~',
]
const at = fc.double({ min: 0, max: 1, noNaN: true })
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(at, fc.constantFrom(...pieces)).map(([where, piece]) => (text: string) => {
    const offset = Math.floor(where * text.length)
    return text.slice(0, offset) + piece + text.slice(offset)
  }),
  fc.tuple(at, fc.integer({ min: 0, max: 255 })).map(([where, byte]) => (text: string) => {
    const bytes = Buffer.from(text)
    if (bytes.length > 0) bytes[Math.floor(where * (bytes.length - 1))]! ^= byte
    return bytes.toString()
  }),
  fc.tuple(at, at).map(
    ([from, to]) =>
      (text: string) =>
        text.slice(0, Math.floor(from * text.length)) + text.slice(Math.floor(to * text.length)),
  ),
  lineChange((lines, one) => lines.splice(one, 1)),
  lineChange((lines, one) => lines.splice(one, 0, lines[one]!)),
  lineChange((lines, one, other) => ([lines[one], lines[other]] = [lines[other]!, lines[one]!])),
  lineChange((lines, one, other) => lines.splice(one, 0, ...lines.slice(other, other + 10))),
  lineChange((lines, one) => (lines[one] = ` ${lines[one]}`)),
  lineChange(
    (lines, one) => (lines[one] = lines[one]!.replace(/^ */, (spaces) => '\t'.repeat(spaces.length))),
  ),
  lineChange((lines, one) => (lines[one] = lines[one]!.replace(/: .*/, ': &a [1, *a]'))),
  fc
    .tuple(
      at,
      fc.constantFrom(
        '1',
        'true',
        '[]',
        '{}',
        'null',
        '"x"',
        '[[1]]',
        '{a: {b: c}}',
        '-5',
        '1e999',
        '2026-11-15',
      ),
    )
    .map(([where, value]) => (text: string) => {
      const found = [...text.matchAll(/:[ \t]+\S.*/g)]
      const one = found[Math.floor(where * found.length)]
      return one ? `${text.slice(0, one.index)}: ${value}${text.slice(one.index + one[0].length)}` : text
    }),
  fc.constant((text: string) => text.replaceAll('\n', '\r\n')),
)

function lineChange(alter: (lines: string[], one: number, other: number) => unknown): fc.Arbitrary<Change> {
  return fc.tuple(at, at).map(([one, other]) => (text: string) => {
    const lines = text.split('\n')
    const pick = (where: number) => Math.min(lines.length - 1, Math.floor(where * lines.length))
    alter(lines, pick(one), pick(other))
    return lines.join('\n')
  })
}

const mutated = fc
  .tuple(written, fc.array(change, { maxLength: 4 }))
  .map(([text, changes]) => changes.reduce((made, apply) => apply(made), text))

describe('whatever is given for a definition', () => {
  it('is read, or refused with a place for every problem', { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(
        fc.oneof({ arbitrary: mutated, weight: 20 }, { arbitrary: fc.string({ unit: 'binary' }), weight: 1 }),
        expectReadOrRefused,
      ),
      check(),
    )
    // neither side was only looked at in passing
    if (runs >= 1_000) {
      expect(counts.accepted).toBeGreaterThan(runs / 50)
      expect(counts.refused).toBeGreaterThan(runs / 5)
    }
  })

  const level = (count: number, inner: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => inner(index)).join('\n')
  const letters = 'abcdefghijklmnop'
  it.each<[string, string]>([
    [
      'a bomb of aliases',
      `a: &a [x, x, x]\n${level(15, (index) => `${letters[index + 1]}: &${letters[index + 1]} [${Array(9).fill(`*${letters[index]}`).join(', ')}]`)}\nname: x`,
    ],
    [
      'a bomb of mappings',
      `a: &a { x: 1 }\n${level(15, (index) => `${letters[index + 1]}: &${letters[index + 1]} { x: *${letters[index]}, y: *${letters[index]} }`)}`,
    ],
    [
      'a bomb inside of an input',
      `name: a\nsteps:\n  - type: agent\n    prompt: x\n    input:\n${level(
        12,
        (index) =>
          `      - &a${index} [${
            index === 0
              ? '1'
              : Array(9)
                  .fill(`*a${index - 1}`)
                  .join(', ')
          }]`,
      )}`,
    ],
    [
      'large parts that are used often',
      `name: a\nx: &x [${Array(20_000).fill('1').join(', ')}]\ny: [${Array(90).fill('*x').join(', ')}]`,
    ],
    [
      'many anchors, each used often',
      `name: a\n${level(60, (index) => `k${index}: &k${index} [${Array(300).fill('12345678').join(', ')}]\nu${index}: [${Array(90).fill(`*k${index}`).join(', ')}]`)}`,
    ],
    [
      'steps that contain themselves',
      'name: a\nsteps: &s\n  - { type: loop, until: true, maxIterations: 2, steps: *s }',
    ],
    ['lists without end', `name: a\nsteps: ${'['.repeat(100_000)}`],
    ['mappings without end', `name: a\nsteps: ${'{a: '.repeat(50_000)}`],
    ['dashes without end', `name: a\nsteps: ${'- '.repeat(50_000)}`],
    [
      'an input in a thousand levels',
      `name: a\nsteps: [{ type: agent, prompt: x, input: ${'['.repeat(1_000)}${']'.repeat(1_000)} }]`,
    ],
    [
      'loops in a hundred levels',
      `name: a\nsteps: ${'[{ type: loop, until: true, maxIterations: 1, steps: '.repeat(90)}[{ type: agent, prompt: x }]${'}]'.repeat(90)}`,
    ],
    ['a hundred thousand unknown keys', level(60_000, (index) => `k${index}: 1`)],
    [
      'as many wrong args',
      `name: a\nargs:\n${level(30_000, (index) => `  k${index}: 1`)}\nsteps: [{ type: agent, prompt: x }]`,
    ],
    ['as many wrong names', `name: a\nsteps: [{ type: agent, prompt: '${'$a.output '.repeat(15_000)}' }]`],
    ['as many steps', `name: a\nsteps:\n${'  - { type: agent, prompt: x }\n'.repeat(15_000)}`],
    [
      'as many steps in branches',
      `name: a\nsteps:\n${`  - { type: parallel, branches: { ${Array.from({ length: 100 }, (_, index) => `b${index}: [{ type: agent, prompt: x }]`).join(', ')} } }\n`.repeat(100)}`,
    ],
    ['more than there may be', `name: ${'x'.repeat(maxDefinitionLength)}`],
    ['nothing', ''],
    ['a number', '5'],
    ['a NUL', '\0'],
    ['a comment', '# nothing'],
  ])('%s: refused', (_what, text) => {
    const before = counts.refused
    expectReadOrRefused(text)
    expect(counts.refused).toBe(before + 1)
  })
})

describe('names and expressions', () => {
  // a value that would show whether anybody reached through it
  const touched: string[] = []
  const guarded = (value: object): object =>
    new Proxy(value, {
      get: (target, key) => {
        // JSON asks every value whether it knows how to write itself
        if (!Object.hasOwn(target, key) && key !== 'toJSON') touched.push(String(key))
        return Reflect.get(target, key)
      },
    })
  const own: LookUp = ({ root, path }) => {
    let found: unknown =
      root === 'args' ? guarded({ x: 1, list: ['a'], deep: guarded({ y: 'z' }) }) : undefined
    for (const part of path) {
      if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined
      found = (found as Record<string, unknown>)[part]
    }
    return found
  }
  const reach = fc
    .array(
      fc.constantFrom(
        '__proto__',
        'constructor',
        'prototype',
        'toString',
        'x',
        'deep',
        '0',
        'length',
        'valueOf',
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((path) => `$args.${path.join('.')}`)

  it('never reach what every object has', () => {
    fc.assert(
      fc.property(reach, (reference) => {
        for (const value of [
          evaluate(parseExpression(reference), own),
          fillInValue(reference, own, () => true),
        ])
          expect(['number', 'string', 'object']).toContain(typeof value)
        const made = fillInValue({ a: [reference], ['__proto__']: reference }, own, () => true)
        expect(Object.getPrototypeOf(made)).toBe(Object.prototype)
        expect(fillIn(`<${reference}>`, own, () => true)).not.toMatch(/native code|\[object/)
        expect(touched).toEqual([])
        expect(({} as Record<string, unknown>)['x']).toBeUndefined()
      }),
      check(Math.ceil(runs / 5)),
    )
  })

  it('answer or refuse, whatever they are', () => {
    const source = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 3_000 }),
      fc.string({ unit: fc.constantFrom(...'$a.[]0"\'\\()<>=!&| -'), maxLength: 300 }),
      expression.map(String),
      reach,
    )
    fc.assert(
      fc.property(source, (text) => {
        try {
          const value = evaluate(parseExpression(text), own)
          expect(typeof value).not.toBe('function')
        } catch (error) {
          expect(error).toBeInstanceOf(ExpressionError)
          const { offset } = error as ExpressionError
          expect(offset).toBeGreaterThanOrEqual(0)
          expect(offset).toBeLessThanOrEqual(text.length)
        }
        expect(typeof fillIn(text, own, () => true)).toBe('string')
        referencesIn(text)
      }),
      check(),
    )
  })

  // a pattern that tries every way to split these would never come to its end
  it.each(['"', "'", '"\\', '$a.', '$a[0]', '$$', '\\"', '-', '1.', '$a-', ' '])(
    'come to an end with %j over and over',
    (piece) => {
      const text = piece.repeat(Math.floor(2_000 / piece.length))
      for (const source of [text, `"${text}`, `${text}!`, `$a${text}`])
        try {
          parseExpression(source.slice(0, 2_000))
        } catch (error) {
          expect(error).toBeInstanceOf(ExpressionError)
        }
      expect(fillIn(piece.repeat(100_000), own, () => true).length).toBeGreaterThanOrEqual(0)
    },
  )
})
