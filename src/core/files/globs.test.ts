import { expect, it } from 'vitest'
import { findGlobFault } from '../shared/glob.ts'
import { createMatcher, splitGlobs } from './globs.ts'

it.each([
  ['**/*.md', 'a.md', true],
  ['**/*.md', 'x/y/a.md', true],
  ['*.ts', 'src/deep/a.ts', true],
  ['*.ts', 'a.tsx', false],
  ['src/*.ts', 'src/deep/a.ts', false],
  ['src/**/*.{ts,tsx}', 'src/a.tsx', true],
  ['src/**/test/**/*.ts', 'src/a/test/b/c.ts', true],
  ['src/**/test/**/*.ts', 'src/a/b/c.ts', false],
  ['src/**', 'src/a/b', true],
  ['src/**', 'src', false],
  ['src/**', 'srcs/a', false],
  ['src/', 'src/a/b', true],
  ['./src/*.ts', 'src/a.ts', true],
  ['/src/*.ts', 'src/a.ts', true],
  ['**', 'any/thing', true],
  ['.github/**', '.github/workflows/x.yml', true],
  ['*', '.env', true],
  ['app/(auth)/**', 'app/(auth)/page.tsx', true],
  ['c++/*.h', 'c++/a.h', true],
  ['@scope/*.ts', '@scope/a.ts', true],
  ['[!a].ts', 'b.ts', true],
  ['[!a].ts', 'a.ts', false],
  ['?.ts', 'ab.ts', false],
  ['文档/**/*.md', '文档/说明.md', true],
  ['[unclosed', '[unclosed', true],
  ['{unclosed,a', '{unclosed,a', true],
  ['{alone}', '{alone}', true],
  ['a/{b/c,d}/e', 'a/b/c/e', true],
  ['a/{b/c,d}/e', 'a/d/e', true],
  ['{a,b{c,d}}.ts', 'bd.ts', true],
  ['\\*.ts', '*.ts', true],
  ['\\*.ts', 'a.ts', false],
  ['*a*a*a*b', 'xaxaxab', true],
  ['[a-c]?.ts', 'bz.ts', true],
  ['[]].ts', '].ts', true],
  ['a//b', 'a/b', false],
  ['/', 'a', false],
  ['//', 'a', false],
  ['!', 'a', false],
])('%s meets %s: %s', (glob, path, expected) => {
  expect(createMatcher([glob])(path)).toBe(expected)
})

it('leaves out what a pattern with ! names', () => {
  const isMeant = createMatcher(['src/**', '!**/*.test.ts'])
  expect(['src/a.ts', 'src/a.test.ts', 'b.ts'].filter(isMeant)).toEqual(['src/a.ts'])
})

it('splits at commas that are not in braces', () => {
  expect(splitGlobs('*.ts,src/*.{js,jsx}, docs/**')).toEqual(['*.ts', 'src/*.{js,jsx}', ' docs/**'])
})

it('refuses what comes to too much, and what it would understand otherwise than its author', () => {
  const refused = ['x'.repeat(1_001), '{a,b}'.repeat(12), '{{a,b},{c,d}}'.repeat(9), '*.+(env|key)', '!(a|b)']
  expect(refused.filter((glob) => findGlobFault(glob) === undefined)).toEqual([])
  for (const glob of refused) expect(createMatcher([glob])('a'.repeat(200))).toBe(false)
})

// matched by trying everything, one of these would take longer than anybody waits
it('comes to an end with the worst that is allowed', () => {
  for (const glob of [
    '**/a/'.repeat(40) + 'b',
    '**/*a*/'.repeat(30) + 'b',
    '**/{a,a,a,a,a,a,a,a,a,a}*a*b',
    '*a'.repeat(400) + 'b',
    '{*a,*a*a}'.repeat(4) + '*b',
    '[a-z]*'.repeat(100) + '!',
    '?*'.repeat(400) + 'b',
  ])
    for (const path of [
      'a/'.repeat(2_000) + 'c',
      `${'a'.repeat(255)}/`.repeat(15) + 'c',
      'a'.repeat(4_000),
      'a'.repeat(100_000),
    ])
      expect(createMatcher([glob])(path)).toBe(false)
})
