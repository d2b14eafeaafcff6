import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { actionKinds } from '../src/extensions/plan/protocol/plan-run.ts'
import { readReply, type Reply } from '../src/extensions/plan/read-reply.ts'
import { takeSeed } from './seed.ts'

/** A release runs many more. */
const runs = Math.max(1, Number(process.env.PARLEY_TEST_PLAN_FUZZ ?? 120))
const check = (numRuns = runs) => ({ numRuns, seed: takeSeed() })

const counts = { read: 0, refused: 0 }

/** A reply that holds against the contract, or a sentence about what is wrong. Nothing else, and no throw. */
function expectReadOrRefused(text: string): void {
  const read = readReply(text)
  if ('reply' in read) {
    counts.read++
    expectReply(read.reply)
    expectUnchanged(text, read.reply)
    return
  }
  counts.refused++
  expect(Object.keys(read)).toEqual(['problem'])
  expect(read.problem).toMatch(/^[A-Z].*[.…]$/s)
  expect(read.problem.length).toBeLessThan(2_000)
  expect(read.problem.isWellFormed()).toBe(true)
  expect(read.problem).not.toContain('\0')
}

const record = (value: unknown): Record<string, unknown> => {
  expect(Object.prototype.toString.call(value)).toBe('[object Object]')
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  return value as Record<string, unknown>
}
const expectWhole = (value: unknown, least: number, most: number) => {
  expect(Number.isInteger(value)).toBe(true)
  expect(value as number).toBeGreaterThanOrEqual(least)
  expect(value as number).toBeLessThanOrEqual(most)
}
const expectText = (value: unknown, most: number) => {
  expect(typeof value).toBe('string')
  expect((value as string).length).toBeGreaterThanOrEqual(1)
  expect((value as string).length).toBeLessThanOrEqual(most)
}

/** What the contract says, in other words than the schema. */
function expectReply(value: unknown): void {
  const { llm_reply, actions, ...more } = record(value)
  expect(more).toEqual({})
  const { message, ...others } = record(llm_reply)
  expect(others).toEqual({})
  expectText(message, 200_000)
  expect(Array.isArray(actions)).toBe(true)
  const list = actions as unknown[]
  expect(list.length).toBeLessThanOrEqual(50)
  let before = 0
  for (const action of list) {
    const {
      kind,
      name,
      parameters,
      blocking,
      order,
      retry_policy: retries,
      metadata,
      ...rest
    } = record(action)
    expect(rest).toEqual({})
    expect(actionKinds).toContain(kind)
    expectText(name, 100)
    record(parameters)
    record(metadata)
    expect(typeof blocking).toBe('boolean')
    expectWhole(order, Math.max(1, before), 10_000)
    before = order as number
    if (retries == null) continue
    const { max_retries: most, backoff_sec: wait, ...further } = record(retries)
    expect(further).toEqual({})
    expectWhole(most, 0, 10)
    expect(wait as number).toBeGreaterThanOrEqual(0)
    expect(wait as number).toBeLessThanOrEqual(3_600)
  }
  expectStorable(value)
}

/** Text that both databases take, numbers that JSON can write, few levels; looked at without recursion. */
function expectStorable(value: unknown): void {
  const waiting = [{ value, depth: 0 }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value: one, depth } = next
    if (typeof one === 'string') {
      if (!one.isWellFormed() || one.includes('\0')) expect.fail(`cannot be stored: ${JSON.stringify(one)}`)
    } else if (typeof one === 'number') {
      if (!Number.isFinite(one)) expect.fail('a number without end')
    } else if (typeof one === 'object' && one !== null) {
      if (depth > 100) expect.fail('too many levels')
      for (const key of Object.keys(one)) {
        if (key === '__proto__') expect.fail('a prototype')
        waiting.push(
          { value: key, depth },
          { value: (one as Record<string, unknown>)[key], depth: depth + 1 },
        )
      }
    }
  }
}

/** Whether nothing in a value has to be refused, whoever says it. */
function isClean(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, one]) => key !== '__proto__' && isClean(key) && isClean(one))
}

/** What is JSON as it stands, and fits, comes out as it went in; only defaults and the order are added. */
function expectUnchanged(text: string, reply: Reply): void {
  let given: { llm_reply: unknown; actions?: Record<string, unknown>[] | null }
  try {
    given = JSON.parse(text)
  } catch {
    return // it was mended
  }
  if (!Object.hasOwn(Object(given), 'llm_reply')) return // it was in quotes, or in a list
  const expected = (given.actions ?? []).map((action) => ({
    kind: action.kind,
    name: action.name,
    parameters: action.parameters ?? {},
    blocking: action.blocking ?? true,
    order: Number(action.order ?? 1),
    metadata: action.metadata ?? {},
    ...('retry_policy' in action && {
      retry_policy: action.retry_policy && { max_retries: 0, backoff_sec: 0, ...action.retry_policy },
    }),
  }))
  expected.sort((one, two) => one.order - two.order)
  expect(reply).toEqual({ llm_reply: given.llm_reply, actions: expected })
}

// -- what replies are made of

const words = fc.oneof(
  fc.constantFrom(
    'Done.',
    '好的，我来做。',
    'Use {x} and [y]',
    '```json\n{}\n```',
    '// no',
    '"quoted"',
    "it's",
  ),
  fc.string({ unit: 'grapheme', minLength: 1 }),
)
const jsonObject = fc.oneof(
  fc.dictionary(
    fc.constantFrom('task_id', 'name', 'plan_id', 'constructor', 'toString', 'a.b', ''),
    fc.jsonValue({ maxDepth: 2 }),
    { maxKeys: 4, noNullPrototype: true },
  ),
  fc.constant({}),
)
const names = ['create_plan', 'create_task', 'delete_task', 'rerun_task', 'show_tasks', 'rm', 'x'.repeat(100)]
const action = fc.record(
  {
    kind: fc.constantFrom(...actionKinds),
    name: fc.constantFrom(...names),
    parameters: jsonObject,
    blocking: fc.boolean(),
    order: fc.integer({ min: 1, max: 20 }),
    retry_policy: fc.constantFrom(null, { max_retries: 2 }, { max_retries: 0, backoff_sec: 1.5 }),
    metadata: jsonObject,
  },
  { requiredKeys: ['kind', 'name'] },
)
const fitting = fc.record({
  llm_reply: fc.record({ message: words }),
  actions: fc.array(action, { maxLength: 4 }),
})

const odd = fc.constantFrom<unknown>(
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  '',
  '1',
  '01',
  'shell',
  '\0',
  '\ud800',
  'x'.repeat(300),
  [],
  [[]],
  {},
  { a: { b: [] } },
)
const fields = [
  'kind',
  'name',
  'parameters',
  'blocking',
  'order',
  'retry_policy',
  'metadata',
  'priority',
  'id',
]

type Tree = Record<string, unknown>
/** Changes of what a reply holds: wrong kinds, wrong types, fields that are missing or too many. */
const bend: fc.Arbitrary<(reply: Tree) => void> = fc.oneof(
  fc.tuple(fc.nat(3), fc.constantFrom(...fields), odd).map(([at, field, value]) => (reply: Tree) => {
    const one = (reply.actions as Tree[] | undefined)?.[at]
    if (one && typeof one === 'object') one[field] = value
  }),
  fc.tuple(fc.nat(3), fc.constantFrom(...fields)).map(([at, field]) => (reply: Tree) => {
    const one = (reply.actions as Tree[] | undefined)?.[at]
    if (one && typeof one === 'object') delete one[field]
  }),
  odd.map((value) => (reply: Tree) => void (reply.actions = value)),
  odd.map((value) => (reply: Tree) => void (reply.llm_reply = value)),
  odd.map((value) => (reply: Tree) => void (reply.llm_reply = { message: value })),
  fc.constantFrom('tasks', 'constructor', 'reply').map((name) => (reply: Tree) => void (reply[name] = {})),
  fc.constant((reply: Tree) => void delete reply.actions),
  fc.constant((reply: Tree) => void delete reply.llm_reply),
)

// -- how they are written

const at = fc.double({ min: 0, max: 1, noNaN: true })
const pieces = [
  '"',
  "'",
  '“',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\\',
  '\\u12',
  '\\ud800',
  '\\u0000',
  '\0',
  '\ud800',
  '\uFEFF',
  '\n',
  '// c\n',
  '/*',
  '*/',
  '```',
  '```json\n',
  'NaN',
  'Infinity',
  '1e999',
  'None',
  'undefined',
  '...',
  '"__proto__":{"polluted":1},',
  '"constructor":{"prototype":{"polluted":1}},',
  '"actions":[],',
  '"llm_reply":{"message":"again"},',
  '{"llm_reply":{"message":"another"},"actions":[]}',
  '[[[[[[[[[[',
]
type Change = (text: string) => string
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(at, fc.constantFrom(...pieces)).map(([where, piece]) => (text: string) => {
    const offset = Math.floor(where * text.length)
    return text.slice(0, offset) + piece + text.slice(offset)
  }),
  at.map((where) => (text: string) => text.slice(0, Math.floor(where * text.length))),
  at.map((where) => (text: string) => text.slice(Math.floor(where * text.length))),
  fc.tuple(at, at).map(
    ([from, to]) =>
      (text: string) =>
        text.slice(0, Math.floor(from * text.length)) + text.slice(Math.floor(to * text.length)),
  ),
  at.map((where) => (text: string) => {
    const bytes = Buffer.from(text)
    if (bytes.length > 0) bytes[Math.floor(where * (bytes.length - 1))]! ^= 1 << Math.floor(where * 8)
    return bytes.toString()
  }),
  fc.constantFrom<Change>(
    (text) => text + text,
    (text) => `${text}\n${text}`,
    (text) => `[${text}]`,
    (text) => `[${text},${text}]`,
    (text) => JSON.stringify(text),
    (text) => `\uFEFF${text}`,
    (text) => `\`\`\`json\n${text}\n\`\`\``,
    (text) => `Here it is {as asked}:\n\`\`\`\n${text}\n\`\`\`\nAnything else?`,
    (text) => `{"reply": ${text}}`,
    (text) => text.replaceAll(/([}\]])/g, ',$1'),
    (text) => text.replaceAll('"', "'"),
    (text) => text.replaceAll(/"(\w+)":/g, '$1:'),
    (text) => text.replaceAll(/[{[,]/g, '$& // note\n'),
    (text) => text.replaceAll('true', 'True').replaceAll('null', 'None'),
    (text) => text.replace(/:\d+/, ':NaN'),
    (text) => text.replaceAll(',', ''),
    (text) => text.replaceAll('\\n', '\n'),
  ),
)

const mutated = fc
  .tuple(
    fitting,
    fc.array(bend, { maxLength: 2 }),
    fc.constantFrom(undefined, 1, 2),
    fc.array(change, { maxLength: 3 }),
  )
  .map(([reply, bends, indent, changes]) => {
    const tree = structuredClone(reply) as unknown as Tree
    for (const apply of bends) apply(tree)
    return changes.reduce((text, apply) => apply(text), JSON.stringify(tree, null, indent))
  })

describe('whatever a model answers', () => {
  it('is a reply, or has a problem that can be told', { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(
        fc.oneof(
          { arbitrary: mutated, weight: 20 },
          { arbitrary: fc.json(), weight: 1 },
          { arbitrary: fc.string({ unit: 'binary', maxLength: 300 }), weight: 1 },
          { arbitrary: fc.string({ unit: fc.constantFrom(...pieces), maxLength: 30 }), weight: 1 },
        ),
        expectReadOrRefused,
      ),
      check(),
    )
    expect(({} as Tree).polluted).toBeUndefined()
    // neither side was only looked at in passing
    if (runs >= 1_000) {
      expect(counts.read).toBeGreaterThan(runs / 20)
      expect(counts.refused).toBeGreaterThan(runs / 5)
    }
  })

  it('is taken as it is when it fits, with or without words around it', () => {
    fc.assert(
      fc.property(fitting, fc.constantFrom('', 'Words. ', '```json\n'), (reply, before) => {
        const text = JSON.stringify(reply)
        const clean = isClean(JSON.parse(text))
        const read = readReply(before + text)
        expect('reply' in read, JSON.stringify(read)).toBe(clean)
        if ('reply' in read) expectUnchanged(text, read.reply)
      }),
      check(Math.ceil(runs / 4)),
    )
  })

  it('never loses its end unnoticed', () => {
    fc.assert(
      fc.property(fitting, at, (reply, where) => {
        const text = JSON.stringify(reply)
        expect(readReply(text.slice(0, Math.floor(where * (text.length - 1))))).toHaveProperty('problem')
      }),
      check(Math.ceil(runs / 4)),
    )
  })
})

// a second for a character more would be days for these: a time limit is all that is needed to see it
describe('a million characters', { timeout: 200_000 }, () => {
  const size = 999_000
  const fill = (piece: string) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size)
  const wrap = (parameters: string) =>
    `{"llm_reply":{"message":"x"},"actions":[{"kind":"task_operation","name":"x","parameters":${parameters}}]}`

  // oxfmt-ignore
  it.each([
    '"', "'", '“', '{', '[', '{"', "{'", '{"a":', '[{', '{a:', '{/*', '{//', '/*', '*/', '\\', '\\"', '",', '":',
    `.'`, `'",a`, '{"a":"', '“ - ', '{}', '{}\n', '[]', '{"llm_reply":', '{"actions":[', '```', '```json\n{',
    ' ', '\n', '\u00a0', '1', '-', '.', 'e', 'a', ',', ':', '+"', 'f(', '...', '&quot;', '\ud800', '\0', '🙂',
  ])('of %j come to an end', (piece) => {
    for (const text of [fill(piece), `{${fill(piece)}`, `{"llm_reply":${fill(piece)}`, `${fill(piece)}{}`])
      expectReadOrRefused(text.slice(0, 1_000_000))
    expectReadOrRefused(wrap(`{"a":"${fill(piece)}`))
    expectReadOrRefused(wrap(`{"a":'${fill(piece)}'}`))
  })

  it.each<[string, string, 'read' | 'refused']>([
    ['one text', wrap(JSON.stringify({ a: 'x'.repeat(990_000) })), 'read'],
    ['one text of many bytes', wrap(JSON.stringify({ a: '中'.repeat(990_000) })), 'read'],
    ['one text in other quotes', wrap(`{'a':'${'x'.repeat(990_000)}'}`), 'read'],
    [
      'ten thousand keys',
      wrap(JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i])))),
      'read',
    ],
    [
      'ten thousand keys that are no fields',
      `{"llm_reply":{"message":"x"},${Array.from({ length: 10_000 }, (_, i) => `"k${i}":1`).join()}}`,
      'refused',
    ],
    ['one key ten thousand times', wrap(`{${'"a":1,'.repeat(10_000)}"a":2}`), 'read'],
    [
      'a hundred thousand levels of lists',
      wrap(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
      'refused',
    ],
    [
      'a hundred thousand levels of objects',
      wrap(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`),
      'refused',
    ],
    ['as many levels that are no JSON', wrap(`${"{'a':".repeat(100_000)}1${'}'.repeat(100_000)}`), 'refused'],
    [
      'a hundred thousand actions',
      `{"llm_reply":{"message":"x"},"actions":[${'{},'.repeat(100_000)}{}]}`,
      'refused',
    ],
    [
      'a hundred thousand actions that are no JSON',
      `{"llm_reply":{"message":"x"},"actions":[${'{},'.repeat(100_000)}]}`,
      'refused',
    ],
    ['thousands of replies', `${wrap('{}')}\n`.repeat(9_000), 'read'],
    [
      'thousands of replies that differ',
      Array.from({ length: 8_000 }, (_, i) => wrap(`{"a":${i}}`)).join('\n'),
      'refused',
    ],
    ['a message that is too long', `{"llm_reply":{"message":"${'x'.repeat(200_001)}"}}`, 'refused'],
    ['more than are read', wrap(JSON.stringify({ a: 'x'.repeat(1_000_000) })), 'refused'],
  ])('as %s: the outcome is clear', (_, text, outcome) => {
    const before = counts[outcome]
    expectReadOrRefused(text)
    expect(counts[outcome]).toBe(before + 1)
  })
})
