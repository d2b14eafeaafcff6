import { expect, it } from 'vitest'
import { isIgnored, parseIgnoreRules } from './ignore-rules.ts'

const ignored = (text: string, path: string, isFolder = false) =>
  isIgnored([parseIgnoreRules(text, '')], path, isFolder)

it.each([
  ['*.log', 'a.log', true],
  ['*.log', 'deep/er/a.log', true],
  ['*.log', 'a.logs', false],
  ['/a.log', 'a.log', true],
  ['/a.log', 'deep/a.log', false],
  ['deep/a.log', 'deep/a.log', true],
  ['deep/a.log', 'x/deep/a.log', false],
  ['**/a.log', 'a.log', true],
  ['**/a.log', 'x/y/a.log', true],
  ['a/**/z', 'a/z', true],
  ['a/**/z', 'a/b/c/z', true],
  ['a/**', 'a', false],
  ['a/**', 'a/b', true],
  ['a?c', 'abc', true],
  ['a?c', 'a/c', false],
  ['[ab].txt', 'b.txt', true],
  ['# a comment', '# a comment', false],
  ['\\#name', '#name', true],
  ['\\!name', '!name', true],
  ['name   ', 'name', true],
  ['name\r', 'name', true],
  ['.env', '.env', true],
  ['*', '.hidden', true],
  ['*.log\n!keep.log', 'keep.log', false],
  ['*.log\n!keep.log', 'other.log', true],
  ['!keep.log\n*.log', 'keep.log', true],
  ['*a*a*a*a*a*a*b', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', false],
])('%j and %s: %s', (text, path, expected) => {
  expect(ignored(text, path)).toBe(expected)
})

it('takes a slash at the end for folders alone', () => {
  expect([ignored('build/', 'build', true), ignored('build/', 'x/build', true)]).toEqual([true, true])
  expect(ignored('build/', 'build')).toBe(false)
})

it('lets the rules of the nearer folder decide, and counts its paths from there', () => {
  const rules = [parseIgnoreRules('*.log\n/only', ''), parseIgnoreRules('!own.log\n/only', 'sub')]
  expect(isIgnored(rules, 'sub/own.log', false)).toBe(false)
  expect(isIgnored(rules, 'sub/other.log', false)).toBe(true)
  expect(isIgnored(rules, 'sub/only', false)).toBe(true)
  expect(isIgnored(rules, 'sub/deep/only', false)).toBe(false)
})
