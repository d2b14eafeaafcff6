import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { formatTable } from './output.ts'
import { dim, exact, render } from './printable.ts'

const { stderr } = process

it('is the only way out: no other file of the command line writes to a terminal', () => {
  const writers = globSync(['src/cli/*.ts', 'src/core/command-line/*.ts', 'src/extensions/*/cli/*.ts'])
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) =>
      /\bstd(?:out|err)\.write\(|\bconsole\.|writeSync\(\s*[12]\b/.test(readFileSync(file, 'utf8')),
    )
  expect(writers).toEqual(['src/core/command-line/output.ts'])
})

it('marks what a string holds, and leaves styles to those who mean them', () => {
  const painted = ['a', 'b'].map(() => '\u001b[2m').join('')
  expect(render([painted, exact('\u202E')], stderr)).toBe('<U+001B>[2m<U+001B>[2m<U+202E>')
  expect(render(dim('a\u0007'), stderr)).toContain('a<U+0007>')
  // a style in a template is lost, and no danger
  expect(render(`${dim('x')}`, stderr)).not.toContain('\u001b')
})

it('leaves an answer as it is where no terminal reads it, but not a table', () => {
  expect(render('a\u001b[2J', stderr, true)).toBe('a\u001b[2J')
  const table = formatTable(
    ['id', 'title'],
    [
      ['1', 'a\nforged  line\u001b[2J'],
      ['22', '机器'],
    ],
  )
  expect(render(table, stderr, true)).toBe('id  title\n1   a<U+000A>forged  line<U+001B>[2J\n22  机器')
})
