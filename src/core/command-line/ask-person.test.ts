import { expect, it } from 'vitest'
import type { Approval } from '../protocol/approval.ts'
import { describeApproval } from './ask-person.ts'
import { render } from './printable.ts'

const describe = (more: object) => {
  const asked = {
    toolName: 'terminal',
    action: 'execute',
    kind: 'terminal_command',
    resources: [],
    outside: [],
  }
  return render(
    describeApproval({ ...asked, reason: 'It runs a command.', ...more } as unknown as Approval),
    process.stderr,
  )
}

it('says a short ask in one line, and the rest of its input below', () => {
  expect(describe({ resources: ['ls -l'], input: { command: 'ls -l', cwd: 'src' } })).toBe(
    '? terminal execute: ls -l\n  It runs a command.\n  cwd: src',
  )
})

it('shows a long command to its end, with its length on both sides', () => {
  const command = `${'echo a\n'.repeat(3_000)}rm -rf /the-end`
  const shown = describe({ resources: [command], input: { command } })
  expect(shown).toContain(command)
  expect(shown).toMatch(/^\? terminal execute\n {2}\(21,015 characters, 3,001 lines\)\n/)
  expect(shown).toMatch(/\n {2}\(end of 21,015 characters, 3,001 lines\)\n {2}It runs a command\.$/)
})

it.each([
  ['the content of a file', { path: 'a', content: 'evil()\n'.repeat(500) }],
  ['an argument of an MCP tool', { deep: [{ list: ['x'.repeat(900), 'evil()'] }] }],
  [
    'the last of many arguments',
    { ...Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`a${n}`, n])), b: 'evil()' },
  ],
  ['a parameter of a plan', { parameters: { name: `${'x'.repeat(500)} evil()` } }],
])('leaves out nothing of %s', (_, input) => {
  const shown = describe({ toolName: 'plan', resources: ['plan:1'], input })
  expect(shown).toContain('evil()')
  expect(shown).not.toContain('…')
})

it('names every file, those outside first', () => {
  const resources = Array.from({ length: 40 }, (_, index) => `/ws/${index}`)
  const shown = describe({ kind: 'file_access', resources, outside: ['/etc/passwd'], input: {} })
  expect(shown.split('\n').slice(1, 42)).toEqual(['  /etc/passwd', ...resources.map((path) => `  ${path}`)])
})

it('cannot be made to look like another ask', () => {
  const command = `ls\r\u001b[2K? terminal execute: ls\u202E${' '.repeat(200)};rm${'\n'.repeat(90)}\u00a0x`
  expect(describe({ resources: [command], input: { command }, toolName: 'a\nb' })).toContain(
    'ls<U+000D><U+001B>[2K? terminal execute: ls<U+202E><U+0020 ×200>;rm\n<U+000A ×89>\n<U+00A0>x',
  )
  expect(describe({ toolName: 'a\nb', input: { 'k\ney': 1 } })).toMatch(
    /^\? a<U\+000A>b execute\n.*\n {2}k<U\+000A>ey: 1$/,
  )
})
