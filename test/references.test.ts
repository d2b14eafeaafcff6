import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tries } from './property-runs.ts'
import { builtInReferences } from './built-in.ts'
import { createReferenceParser } from '../src/core/context/references.ts'

const { parseReferences, parseReferenceUri } = createReferenceParser(builtInReferences)

const found = (text: string) =>
  parseReferences(text).map(({ type, id, scope }) => (scope === undefined ? [type, id] : [scope, type, id]))

describe('references', () => {
  it.each([
    ['@(doc:abc)', [['doc', 'abc']]],
    ['@(work:doc:abc)', [['work', 'doc', 'abc']]],
    ['see @doc:abc.', [['doc', 'abc']]],
    [
      '(@todo:1), @todo:2; "@todo:3"',
      [
        ['todo', '1'],
        ['todo', '2'],
        ['todo', '3'],
      ],
    ],
    [
      '@file:src/a.ts and @(file:my notes/a b.md)',
      [
        ['file', 'src/a.ts'],
        ['file', 'my notes/a b.md'],
      ],
    ],
    ['@(file:app/(auth)/page.tsx)', [['file', 'app/(auth)/page.tsx']]],
    ['@file:node_modules/@types/node/index.d.ts', [['file', 'node_modules/@types/node/index.d.ts']]],
    ['@file:C:\\notes\\a.md', [['file', 'C:\\notes\\a.md']]],
    [
      '@FILE:a @Doc:b',
      [
        ['file', 'a'],
        ['doc', 'b'],
      ],
    ],
    [
      '@note:1 @document:2',
      [
        ['doc', '1'],
        ['doc', '2'],
      ],
    ],
    [
      '@run:r @task:t @session:s @schedule:c @cron:x @memory:m @workflow:w',
      [
        ['run', 'r'],
        ['task', 't'],
        ['session', 's'],
        ['schedule', 'c'],
        ['cron', 'x'],
        ['memory', 'm'],
        ['workflow', 'w'],
      ],
    ],
    [
      '请看@文档:甲，还有@便签:乙。',
      [
        ['doc', '甲'],
        ['doc', '乙'],
      ],
    ],
    [
      '@(工作:待办:1)@(文件:说明 书.md)',
      [
        ['工作', 'todo', '1'],
        ['file', '说明 书.md'],
      ],
    ],
    [
      '@（会话：ses_1）和@任务：t1！',
      [
        ['session', 'ses_1'],
        ['task', 't1'],
      ],
    ],
    [
      '@工作流:w @运行:r @日程:s @定时:c @记忆:m',
      [
        ['workflow', 'w'],
        ['run', 'r'],
        ['schedule', 's'],
        ['cron', 'c'],
        ['memory', 'm'],
      ],
    ],
    ['@(doc:a @(doc:b)', [['doc', 'b']]],
  ])('in %j', (text, expected) => {
    expect(found(text)).toEqual(expected)
  })

  it.each([
    'me@example.com',
    'me@doc:1',
    'a.b+c@file:x',
    '@alice',
    '@alice: hello',
    '@override',
    '@unknown:1',
    '@(unknown:1)',
    '@(a:b:c)',
    '@(doc)',
    '@(doc:)',
    '@doc:',
    '@doc: text',
    '@doc:...',
    '@()',
    '@(doc:1',
    '@(doc:\n1)',
    '@ doc:1',
    '@work:doc:1',
    '@constructor:1 @__proto__:2 @toString:3',
    '@',
    '',
  ])('are not in %j', (text) => {
    expect(parseReferences(text)).toEqual([])
  })

  it('say where they stand', () => {
    const text = '看 @(doc:1) 和 @file:a.md.'
    for (const { raw, start, end } of parseReferences(text)) expect(text.slice(start, end)).toBe(raw)
    expect(parseReferences(text).map(({ raw }) => raw)).toEqual(['@(doc:1)', '@file:a.md'])
  })

  it('are found in any text without harm', () => {
    const odd = fc.string({
      unit: fc.constantFrom('@', '(', ')', ':', 'doc', 'file', ' ', '\n', '文档', '：', '.', 'x', '（'),
      maxLength: 40,
    })
    fc.assert(
      fc.property(odd, (text) =>
        parseReferences(text).every(({ id, raw, start, end }) => id !== '' && text.slice(start, end) === raw),
      ),
      tries(1_000),
    )
  })

  it.each([
    '@',
    '@(',
    '@((',
    '@doc:',
    '@doc:.',
    '@(doc:',
    '(',
    '@(doc:x',
    '@doc:.....................',
    '@（',
    'a@',
    '@doc',
    '@(a:b)',
    '@文',
    ':',
    '@(:',
    '@file:a ',
  ])('are found in a million characters of %j before anybody gives up waiting', (part) => {
    expect(parseReferences(part.repeat(1_000_000 / part.length))).toBeInstanceOf(Array)
  })
})

describe('a reference as type:id', () => {
  it.each([
    ['doc:1', { type: 'doc', id: '1' }],
    ['doc:a:b:c', { type: 'doc', id: 'a:b:c' }],
    ['work:doc:1', { scope: 'work', type: 'doc', id: '1' }],
    ['work:doc:a:b', { scope: 'work', type: 'doc', id: 'a:b' }],
    ['doc:todo:1', { scope: 'doc', type: 'todo', id: '1' }],
    ['file:http://x/y', { type: 'file', id: 'http://x/y' }],
    [' doc : 1 ', { type: 'doc', id: '1' }],
    ['便签:1', { type: 'doc', id: '1' }],
    ['工作:便签:1', { scope: '工作', type: 'doc', id: '1' }],
    ['DOC:X', { type: 'doc', id: 'X' }],
    ['doc:todo', { type: 'doc', id: 'todo' }],
    ['doc:todo:', { type: 'doc', id: 'todo:' }],
    [':doc:1', undefined],
    ['doc', undefined],
    ['doc:', undefined],
    [':', undefined],
    ['', undefined],
    ['x:y', undefined],
    ['x:y:z', undefined],
    [':1', undefined],
  ])('%j', (uri, expected) => {
    expect(parseReferenceUri(uri)).toEqual(expected)
  })
})

it('of very many the first thousand count', () => {
  expect(parseReferences('@file:a '.repeat(100_000))).toHaveLength(1_000)
})
