import { expect, it } from 'vitest'
import type { Approval } from '../../../src/client/index.ts'
import { viewAsk } from './ask-view.ts'

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

it('shows what Markdown does not draw', () => {
  const { given } = viewAsk(ask({ kind: 'question', reason: 'Open [this](http://evil)?' }), false)
  expect(given).toEqual([{ name: 'question', text: 'Open [this](http://evil)?' }])
  expect(viewAsk(ask({ kind: 'question', reason: 'Go on?' }), false).given).toEqual([])
})
