import { describe, expect, it } from 'vitest'
import type { Block } from './docs/blocks.ts'
import { checkOutputs, compareOutput } from './docs/outputs.ts'
import { withPorts, type Printed } from './docs/shell.ts'

const json = (value: unknown) => ({ language: 'json', text: JSON.stringify(value) })
const compare = (shown: unknown, actual: unknown) => compareOutput(json(shown), JSON.stringify(actual))

it('puts ports into commands one at a time: one may have the digits of the other', () => {
  const commands = 'curl localhost:4127/api; parley serve --port 4128; curl 127.0.0.1:4127/api'
  expect(withPorts(commands, '41283', '20001')).toBe(
    'curl 127.0.0.1:41283/api; parley serve --port 20001; curl 127.0.0.1:41283/api',
  )
})

describe('JSON that a page shows', () => {
  it('may have other ids, times, numbers, and longer lists', () => {
    const shown = {
      id: 'ses_01m7pypgbkq1',
      at: '2026-01-31T09:00:00.000Z',
      count: 1,
      items: ['a'],
      text: 'It …',
    }
    const actual = {
      id: 'ses_99x7pypgbkq1z24v',
      at: '2026-11-18T10:11:12.131Z',
      count: 7,
      items: ['a', 'b'],
      text: 'It is more.',
    }
    expect(compare(shown, actual)).toEqual([])
  })

  it.each([
    [{ a: 1 }, {}, 'the answer has no a'],
    [{}, { a: 1 }, 'the answer has a as well: 1'],
    [{ a: { b: 1 } }, { a: { b: '1' } }, 'the answer.a.b is shown as a number, and is a string'],
    [{ a: 'x' }, { a: null }, 'the answer.a is shown as a string, and is null'],
    [{ a: 'failed' }, { a: 'completed' }, 'the answer.a is "completed"'],
    [{ a: true }, { a: false }, 'the answer.a is false'],
    [{ a: [] }, { a: [1] }, 'the answer.a has 1 values'],
    [{ a: [{ b: 1 }] }, { a: [{ c: 1 }] }, 'the answer.a[0] has no b'],
  ])('%j is not %j', (shown, actual, problem) => {
    expect(compare(shown, actual)).toContain(problem)
  })
})

it('lines that a page shows are printed, in that order', () => {
  const shown = (text: string) =>
    compareOutput({ language: 'text', text }, 'id: 1\ndata: a\n\nid: 2\nb   c\n')
  expect(shown('id: 7\nb c\n')).toEqual([])
  expect(shown('b c\ndata: a\n')).not.toEqual([])
  expect(shown('data: b\n')).not.toEqual([])
})

describe('what commands print', () => {
  const block = (language: string, text: string, line: number, marks: Block['marks'] = {}): Block => ({
    page: 'page.md',
    language,
    text,
    line,
    marks,
  })
  const check = (text: string, printed: Partial<Printed>, ...more: Block[]) =>
    checkOutputs(
      [block('sh', text, 1), ...more],
      [{ command: { line: 1, text }, stdout: '', stderr: '', ...printed }],
    )

  it.each([
    ["curl localhost | jq '{status, result}'", { stdout: '{\n  "status": "ok",\n  "result": null\n}\n' }],
    ["curl localhost | jq '.items[].state'", { stdout: 'null\nnull\n' }],
    ['id=$(curl localhost | jq -r .ident)', { value: 'null' }],
    ['parley sessions list', {}],
  ])('%s: a field that is not there, or nothing at all, is noticed', (text, printed) => {
    expect(check(text, printed)).toHaveLength(1)
  })

  it('is held against the block that shows it', () => {
    const shown = block('json', '{"nextCursor": null}', 3, { output: '' })
    expect(check('curl localhost | jq .', { stdout: '{\n  "nextCursor": null\n}' }, shown)).toEqual([])
    expect(check('curl localhost | jq .', { stdout: '{}' }, shown)).toEqual([
      'page.md:3: the answer has no nextCursor',
    ])
  })

  it('cannot be shown where nothing is run', () => {
    const shown = block('json', '{}', 3, { output: '' })
    expect(checkOutputs([block('sh', 'docker run', 1, { 'not run': 'docker' }), shown], [])).toEqual([
      'page.md:3 comes after no command that is run.',
    ])
  })
})
