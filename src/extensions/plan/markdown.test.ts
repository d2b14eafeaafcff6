import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tries } from '../../../test/property-runs.ts'
import { maxInstruction } from './protocol/plan-node.ts'
import type { NodeRecord } from './store/plans.ts'
import { toMarkdown } from './markdown.ts'
import { readMarkdown, type MarkdownItem } from './read-markdown.ts'

const node = (id: number, more: Partial<NodeRecord> = {}): NodeRecord => ({
  id,
  parentId: 0,
  sort: id,
  name: `n${id}`,
  instruction: '',
  status: 'pending',
  metadata: {},
  dependencies: [],
  createdAt: 0,
  updatedAt: 0,
  ...more,
})

/** Names by level, such as `a (b (c) d)`. */
function outline(markdown: string): string {
  const items = readMarkdown(markdown)
  const below = (parent: number): string =>
    items.flatMap((item, index) => (item.parent === parent ? [item.name + wrap(below(index))] : [])).join(' ')
  const wrap = (text: string) => (text === '' ? '' : `(${text})`)
  return below(-1)
}

const readOne = (markdown: string): MarkdownItem => readMarkdown(markdown)[0]!

describe('a plan as Markdown', () => {
  it('is a list of tasks that reads well', () => {
    const markdown = toMarkdown([
      node(1, { status: 'completed', name: 'Read the sources' }),
      node(2, {
        name: 'Write the report',
        instruction: 'In two pages.\n\nWith a list:\n- one\n1. two',
        dependencies: [1],
        acceptance: ['file_nonempty:report.md', '?text_contains:report.md:-->'],
      }),
      node(3, { parentId: 2, name: 'A part', status: 'running' }),
      node(4, { parentId: 2, status: 'failed', sort: 9 }),
      node(5, { parentId: 2, status: 'skipped' }),
      node(6, { status: 'blocked', name: '', dependencies: [4, 5] }),
    ])
    expect(markdown).toBe(`- [x] Read the sources <!-- #1 -->
- [ ] Write the report <!-- #2 after #1 -->
  <!-- accept: file_nonempty:report.md -->
  <!-- accept: "?text_contains:report.md:\\u002d\\u002d>" -->
  In two pages.

  With a list:
  \\- one
  1\\. two
  - [~] A part <!-- #3 -->
  - [-] n5 <!-- #5 -->
  - [!] n4 <!-- #4 -->
- [?] Task 6 <!-- #6 after #4, #5 -->
`)
  })

  it('comes back as it was, whatever it says', () => {
    fc.assert(
      fc.property(anyPlan, (nodes) => {
        const items = readMarkdown(toMarkdown(nodes))
        expect(items.map(fromItem)).toEqual(inOrder(nodes))
      }),
      tries(300),
    )
  })
})

describe('reading Markdown', () => {
  it('nests bullets, numbers and tasks by their indentation, with blanks or tabs', () => {
    expect(outline('- a\n  - b\n    - c\n  - d\n- e')).toBe('a(b(c) d) e')
    expect(outline('* a\n\t* b\n\t\t+ c\n\t* d')).toBe('a(b(c) d)')
    expect(outline('1. a\n   1) b\n2. c\n10. d')).toBe('a(b) c d')
    expect(outline('- a\n      - far\n   - nearer\n - near')).toBe('a(far nearer near)')
    expect(outline('  - a\n- b\n\n\n  - c')).toBe('a b(c)')
    expect(outline('- a\r\n  - b\r\n- c\r\n')).toBe('a(b) c')
    expect(outline('\uFEFF- a')).toBe('a')
  })

  it('puts lists below their headings', () => {
    expect(outline('# One #\n- a\n## Two\n- b\n  - c\n### Three\n# Four\n- d')).toBe(
      'One(a Two(b(c) Three)) Four(d)',
    )
    expect(outline('### deep\n# high')).toBe('deep high')
    expect(outline('#no heading\n- a')).toBe('a')
  })

  it('reads the marks of tasks', () => {
    const statuses = (markdown: string) =>
      readMarkdown(markdown).map(({ name, status }) => `${name} ${status}`)
    expect(statuses('- [ ] a\n- [x] b\n- [X] c\n- [-] d\n- [~] e\n- [!] f\n- [?] g\n1. [x] h')).toEqual([
      'a pending',
      'b completed',
      'c completed',
      'd skipped',
      'e pending',
      'f pending',
      'g pending',
      'h completed',
    ])
    expect(statuses('- [1] a\n- [x]b\n- [x]')).toEqual(['[1] a pending', '[x]b pending', 'Task completed'])
  })

  it('keeps text with its item, and code as it is', () => {
    expect(readOne('- a\n  one\n\n    two\n\n- b').instruction).toBe('one\n\n  two')
    expect(readOne('- a\nlazy').instruction).toBe('lazy')
    const code = '- a\n  ```sh\n  - no item\n    # no heading\n\n  \\- as it is\n  ```\n- b'
    expect(readOne(code).instruction).toBe('```sh\n- no item\n  # no heading\n\n\\- as it is\n```')
    expect(readMarkdown(code)).toHaveLength(2)
    // code that nobody closes ends with its item
    expect(outline('- a\n  ```\n  code\n- b\n  ```js\n  x\n  ```\n- c')).toBe('a b c')
    expect(readOne('- a\n  ```inline``` code\n  - b').instruction).toBe('```inline``` code')
    expect(readMarkdown('- a\n  - b\n\n  for a\n\nfor nobody').map((item) => item.instruction)).toEqual([
      'for a',
      '',
    ])
    expect(readOne('# h\n\nfor h\n\n---\n\nmore').instruction).toBe('for h\n\n\n\nmore')
    expect(readMarkdown('Just words.\n\n> and more')).toEqual([])
  })

  it('finds what waits for what by the numbers in the text', () => {
    const items = readMarkdown(
      '- a <!-- #10 -->\n- b <!-- #7 after #10, #3 -->\n  - c <!-- #3 -->\n- d (#12)\n- e <!-- after #7 -->',
    )
    expect(items.map(({ name, after }) => [name, after])).toEqual([
      ['a', []],
      ['b', [0, 2]],
      ['c', []],
      ['d (#12)', []],
      ['e', [1]],
    ])
    expect(() => readMarkdown('- a <!-- #1 after #2 -->')).toThrow(
      'Line 1 waits for #2, which is not in the list.',
    )
    expect(() => readMarkdown('- a <!-- #1 -->\n- b <!-- #1 -->')).toThrow('Line 2: #1 is the item of line 1')
  })

  it('keeps the whole of a long name, and knows its limits', () => {
    const long = 'word '.repeat(200).trim()
    const item = readOne(`- [ ] ${long}\n  more`)
    expect([item.name.length, item.instruction]).toEqual([500, `${long}\nmore`])
    expect(() => readMarkdown(`- a\n  ${'x'.repeat(maxInstruction + 1)}`)).toThrow(
      /Line 1: .* 50001, .* 50000/,
    )
    expect(() => readMarkdown(`- a\n${'  <!-- accept: x -->\n'.repeat(51)}`)).toThrow(/checks is 51/)
    expect(() => readMarkdown(`- a\n  <!-- accept: ${'x'.repeat(2_001)} -->`)).toThrow(/2001/)
    expect(() => readMarkdown('- a\n'.repeat(20_001))).toThrow('Line 20001: a plan has 20000 nodes at most.')
    const many = Array.from({ length: 101 }, (_, index) => `- a <!-- #${index + 1} -->\n`).join('')
    const all = Array.from({ length: 101 }, (_, index) => `#${index + 1}`).join(', ')
    expect(() => readMarkdown(`${many}- b <!-- #999 after ${all} -->`)).toThrow(/101, the most is 100/)
  })

  it.each([
    ['a line of bullets', '- '.repeat(100_000)],
    [
      'bullets ever deeper',
      Array.from({ length: 1_900 }, (_, index) => `${' '.repeat(index)}- a`).join('\n'),
    ],
    ['fences that nobody closes', '- a\n' + Array.from({ length: 19_000 }, () => '  ```x').join('\n')],
    ['ever longer fences', Array.from({ length: 1_900 }, (_, index) => '`'.repeat(index + 3)).join('\n')],
    ['blanks', `- a${' '.repeat(1_000_000)}b`],
    ['hashes', `# ${'# '.repeat(500_000)}x`],
    ['comments', `- ${'<!-- #1 after '.repeat(70_000)}-->`],
    ['numbers of a comment', `- a <!-- #1 after ${'#1, '.repeat(250_000)} -->`],
    ['backslashes', `- a\n  ${'\\'.repeat(40_000)}`],
    ['tabs', `${'\t'.repeat(500_000)}- a`],
    ['a rule', `- a\n${'- '.repeat(500_000)}x`],
  ])('takes no longer than its length asks for: %s', (_name, text) => {
    expect(text.length).toBeLessThanOrEqual(2_000_000)
    readOrRefuse(text)
    readOrRefuse(text.repeat(Math.floor(2_000_000 / text.length)))
  })
})

function readOrRefuse(text: string): void {
  try {
    readMarkdown(text)
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_request' })
  }
}

const piece = fc.oneof(
  fc.constantFrom(
    '- x',
    '* ',
    '+',
    '1. a',
    '2) b',
    '1\\. c',
    '# h',
    '#',
    '```',
    '```js',
    '~~~',
    '````',
    '---',
    '* * *',
    '___',
    '<!-- accept: x -->',
    '<!--',
    '\\',
    '\\\\',
    '\\- x',
    '',
    ' ',
    '  ',
    '\t',
    '    code',
    '[x] a',
    '> q',
    '| t |',
  ),
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 10 }),
)
const anyText = fc
  .array(fc.tuple(fc.constantFrom('', '', ' ', '   ', '\t'), piece), { maxLength: 8 })
  .map((lines) => lines.map(([indent, line]) => indent + line).join('\n'))
  // line ends become those of Unix
  .map((text) => text.replaceAll(/\r/g, ''))
const anyName = fc
  .oneof(
    piece,
    fc.constantFrom('[x] done', '<!-- #3 -->', 'a <!-- #1 after #2 -->', 'x -->', '#', '**bold** `code`'),
  )
  .map((text) => text.replaceAll(/\p{Cc}/gu, '').trim())
  .filter((text) => text !== '')

const anyPlan = fc
  .array(
    fc.record({
      name: anyName,
      instruction: anyText,
      status: fc.constantFrom('pending' as const, 'completed' as const, 'skipped' as const),
      acceptance: fc.array(
        fc.oneof(anyName, anyText).filter((text) => text !== ''),
        { maxLength: 3 },
      ),
      parent: fc.nat(),
      after: fc.uniqueArray(fc.nat(9), { maxLength: 3 }),
    }),
    { maxLength: 10 },
  )
  .map((drafts) =>
    drafts.map(({ parent, after, acceptance, ...facts }, index) =>
      node(index + 1, {
        ...facts,
        // numbers say nothing about the place
        parentId: index === 0 ? 0 : parent % (index + 1),
        sort: (index * 7) % 10,
        acceptance: acceptance.length > 0 ? acceptance : undefined,
        dependencies: after.filter((on) => on < drafts.length).map((on) => on + 1),
      }),
    ),
  )

type Flat = Pick<MarkdownItem, 'depth' | 'name' | 'instruction' | 'status' | 'acceptance' | 'after'>

const fromItem = ({ parent: _, ...item }: MarkdownItem): Flat => ({ ...item, after: item.after.toSorted() })

function inOrder(nodes: readonly NodeRecord[]): Flat[] {
  const ids: number[] = []
  const found: Flat[] = []
  const visit = (parentId: number, depth: number) => {
    const children = nodes.filter((one) => one.parentId === parentId).sort((a, b) => a.sort - b.sort)
    for (const { id, name, instruction, status, acceptance = [], dependencies } of children) {
      ids.push(id)
      found.push({ depth, name, instruction, status, acceptance, after: dependencies })
      visit(id, depth + 1)
    }
  }
  visit(0, 0)
  return found.map((item) => ({ ...item, after: item.after.map((on) => ids.indexOf(on)).sort() }))
}
