import { expect, it } from 'vitest'
import type { Approval } from '../../../src/client/index.ts'
import { questionTexts, viewAsk } from './ask-view.ts'

const ask = (more: Partial<Approval>) =>
  ({
    toolName: 'terminal',
    action: 'execute',
    kind: 'terminal_command',
    input: {},
    resources: [],
    outside: [],
    reason: '',
    ...more,
  }) as Approval

const command = `echo ${'a'.repeat(2_400)}\n${'echo b\n'.repeat(60)}rm -rf /`

it('shows a short ask whole, and nothing is left', () => {
  const view = viewAsk(ask({ resources: ['ls -l'], input: { command: 'ls -l', cwd: 'src' } }), false)
  expect(view).toEqual({ touched: [{ text: 'ls -l' }], given: [{ name: 'cwd', text: 'src' }] })
})

it('counts what is left of a long command, and shows it to its end when it is opened', () => {
  const approval = ask({ resources: [command], input: { command } })
  const brief = viewAsk(approval, false)
  expect(brief.left!.characters).toBe(command.length - brief.touched[0]!.text.length)
  expect(brief.left).toMatchObject({ lines: 61, items: 0 })
  const whole = viewAsk(approval, true)
  expect(whole.left).toBeUndefined()
  expect(whole.touched).toEqual([{ text: command, size: { characters: command.length, lines: 62 } }])
})

it.each([
  ['a file written', { kind: 'file_change', resources: ['/ws/a'], input: { path: 'a', content: command } }],
  ['an edit', { kind: 'file_change', resources: ['/ws/a'], input: { edits: [{ old: 'a', new: command }] } }],
  [
    'the arguments of an MCP tool',
    { kind: 'file_change', resources: ['mcp__x'], input: { deep: { list: [command] } } },
  ],
  ['a parameter of a plan', { resources: ['plan:1'], input: { parameters: { name: command } } }],
  ['many files', { resources: Array.from({ length: 9 }, (_, index) => `/ws/${index}`) }],
  [
    'many arguments',
    { input: Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`a${index}`, index])) },
  ],
  ['a question', { kind: 'question', reason: 'Publish?', input: { content: command } }],
  ['many lines that are short', { resources: ['\n'.repeat(30) + 'rm'] }],
] as const)('leaves nothing out in silence: %s', (_, more) => {
  const approval = ask(more as unknown as Partial<Approval>)
  expect(viewAsk(approval, false).left).toBeDefined()
  const { touched, given, left } = viewAsk(approval, true)
  expect(left).toBeUndefined()
  const all = JSON.stringify([touched, given])
  for (const text of [...approval.resources, ...Object.keys((approval.input ?? {}) as object)])
    if (approval.kind !== 'question') expect(all).toContain(JSON.stringify(text).slice(1, -1))
})

it.each([
  ['the address of a link', 'Open [this](http://evil)?'],
  ['a definition in a quote', 'Go on?\n> [1]: http://evil'],
  ['a cell that its table has no column for', 'Go on?\n\n| a |\n|---|\n| b | evil |'],
  ['a formula', 'Go on? $$\\phantom{evil}$$'],
  ['a comment in a diagram', '```mermaid\ngraph TD\n%% evil\n```'],
  ['what a fence is told', '``` evil\nx\n```'],
  ['a character by its number', 'Go on?&#8238;'],
  ['stars', 'rm *.a*.b'],
  ['numbers that are counted anew', 'Which?\n1. one\n1. evil'],
  ['a blank that is none', 'rm\u2800-rf\u00a0/'],
  ['a joiner between letters that may have one', '删\u200b除'],
])('shows what Markdown does not draw: %s', (_, reason) => {
  const { given } = viewAsk(ask({ kind: 'question', reason }), true)
  expect(given).toEqual([expect.objectContaining({ name: 'question', text: reason })])
})

it.each(['Go on?', 'Publish the report (5 pages), or not?\nIt is long: "so be it".', '发布吗？'])(
  'says once what Markdown leaves as it is: %s',
  (reason) => expect(viewAsk(ask({ kind: 'question', reason }), false).given).toEqual([]),
)

it('shows what a question is about, unless it stands in it on lines of its own', () => {
  const about = (reason: string, content: string) =>
    viewAsk(ask({ kind: 'question', reason, input: { question: reason, content } }), false).given
  expect(about('Please confirm', 'rm')).toEqual([{ name: 'content', text: 'rm' }])
  expect(about('Publish?\n\nThe text', 'The text\n')).toEqual([])
  expect(questionTexts('Publish?', 'The text')).toEqual([{ name: 'content', text: 'The text' }])
})

it('looks at a question of many empty lines at once', () => {
  expect(viewAsk(ask({ kind: 'question', reason: `${'\n'.repeat(200_000)}x` }), true).given).toHaveLength(1)
})
