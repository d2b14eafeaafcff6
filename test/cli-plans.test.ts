import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runner } from './command-line.ts'
import { temporaryFolder } from './harness.ts'
import { startApp } from './http/app-server.ts'

const markdown = `- [x] Read <!-- #1 -->
- [ ] Write <!-- #2 after #1 -->
  <!-- accept: file_nonempty:report.md -->
  In two pages.
  - [ ] Draft <!-- #3 -->
`

it('writes, shows and edits plans of the local store', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const plans = async (...args: string[]) => parley(['plans', ...args])
  writeFileSync(join(folder.path, 'plan.md'), markdown)
  const made = await plans('create', '夜间 report', '--from', 'plan.md', '--description', 'For the board')
  expect(made, made.stderr).toMatchObject({ code: 0, stderr: '夜间 report: 3 nodes\n' })
  const id = made.stdout.trim()
  expect(id).toMatch(/^plan_\w+$/)
  expect((await plans('list')).stdout).toMatch(
    new RegExp(`${id} +夜间 report +3 \\(1 completed, 2 pending\\)`),
  )
  expect((await plans('show', '夜间 report')).stdout).toBe(
    `Plan ${id}: 夜间 report\nDescription: For the board\n- [1] Read (completed)\n- [2] Write (after 1) :: In two pages.\n  - [3] Draft\n`,
  )
  const tree = await plans('show', id, '--tree')
  expect(tree.stdout).toContain(
    '- [2] Write (pending) (after 1)\n    accept: file_nonempty:report.md\n    In two pages.\n  - [3] Draft (pending)\n',
  )
  expect(JSON.parse((await plans('show', id, '--json')).stdout)).toMatchObject({
    id,
    outline: expect.any(String),
  })
  expect(JSON.parse((await plans('show', id, '--tree', '--depth', '0', '--json')).stdout).nodes).toHaveLength(
    2,
  )
  expect((await plans('export', id)).stdout).toBe(markdown)

  const place = ['--after', '1', '--depends', '1,3', '--accept', 'file_exists:a', '?text_contains:a:b']
  expect(await plans('add', id, 'Think', '--instruction', 'Hard.', ...place)).toMatchObject({
    code: 0,
    stdout: '4\n',
  })
  const edited = await plans('edit', id, '4', '--depends', '', '--accept', '', '--name', 'Ponder', '--json')
  expect(JSON.parse(edited.stdout), edited.stderr).toMatchObject({
    version: 3,
    node: { name: 'Ponder', instruction: 'Hard.', dependencies: [], position: 1 },
  })
  expect(JSON.parse(edited.stdout).node).not.toHaveProperty('acceptance')
  expect(await plans('move', id, '4', '--parent', '2', '--position', 'first_child')).toMatchObject({
    code: 0,
  })
  expect(
    (await parley(['plans', 'edit', id, '4', '--instruction', '-'], { input: 'From stdin.\n' })).code,
  ).toBe(0)
  const imported = await parley(['plans', 'import', id, '-', '--parent', '4'], { input: '1. one\n2. two\n' })
  expect(imported).toMatchObject({ code: 0, stderr: 'version 6: added 2 nodes\n' })
  expect((await plans('export', id)).stdout).toContain(
    '  - [ ] Ponder <!-- #4 -->\n    From stdin.\n    - [ ] one <!-- #5 -->\n    - [ ] two <!-- #6 -->\n  - [ ] Draft <!-- #3 -->\n',
  )
  expect(await plans('delete', id, '4')).toMatchObject({ code: 0, stderr: 'version 7: deleted 4, 5, 6\n' })
  expect((await plans('versions', id)).stdout).toMatch(/7 +delete +user:library +deleted 4, 5, 6/)
  expect(await plans('undo', id)).toMatchObject({ code: 0, stderr: 'version 8: changed 4, 5, 6\n' })
  expect(await plans('undo', id, '6')).toMatchObject({ code: 0 })
  expect((await plans('results', id)).stdout).toBe('[1] Read (completed)\n')
  expect(await plans('delete', '夜间 report')).toMatchObject({ code: 0 })
  expect(await plans('list')).toMatchObject({ code: 0, stdout: '', stderr: 'no plans\n' })
}, 240_000)

it('says what is wrong, with the exit code of it', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const first = (await parley(['plans', 'create', 'same'])).stdout.trim()
  const second = (await parley(['plans', 'create', 'same'])).stdout.trim()
  const ambiguous = await parley(['plans', 'show', 'same'])
  expect(ambiguous).toMatchObject({ code: 1, stdout: '' })
  expect(ambiguous.stderr).toContain(`${second}, ${first}`)
  for (const [code, ...args] of [
    [3, 'show', 'none'],
    [3, 'show', 'plan_none'],
    [3, 'edit', first, '1', '--name', 'x'],
    [2, 'edit', first, 'one', '--name', 'x'],
    [2, 'add', first, 'x', '--depends', '1,,2'],
    [2, 'add', first, 'x', '--position', 'middle'],
    [2, 'add', first, ' '],
    [2, 'create', 'x', '--from', 'missing.md'],
    [2, 'import', first, 'missing.md'],
    [2, 'move', first, '1'],
    [2, 'edit', first, '1'],
    [2, 'add', first, 'x', '--accept', 'looks_good:a'],
    [1, 'add', first, 'x', '--base-version', '7'],
    [1, 'undo', first],
    [2, 'nothing'],
  ] as [number, ...string[]][]) {
    const answer = await parley(['plans', ...args])
    expect([args.join(' '), answer.code, answer.stdout], answer.stderr).toEqual([args.join(' '), code, ''])
  }
  const refused = await parley(['plans', 'show', 'none', '--json'])
  expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'not_found' } })
}, 240_000)

it('works on a server, and opens a chat that is bound to the plan', async () => {
  using folder = temporaryFolder()
  await using server = await startApp()
  const parley = runner(folder.path)
  const at = ['--url', server.url, '--scope', 'red']
  const made = await parley(['plans', 'create', 'A plan', ...at], {})
  const id = made.stdout.trim()
  expect(await parley(['plans', 'add', 'A plan', 'first', ...at])).toMatchObject({ code: 0, stdout: '1\n' })
  expect(await server.store.listNodes(id)).toMatchObject([{ name: 'first' }])
  const chat = await parley(['plans', 'chat', 'A plan', ...at], { input: 'Hi\n' })
  expect(chat, chat.stderr).toMatchObject({ code: 0 })
  const { items } = await server.store.listSessions('red', { limit: 10 })
  expect(items).toMatchObject([{ planId: id, messageCount: 2 }])
})

it('shows in a chat what is done because of an answer', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  await parley(['plans', 'create', 'A plan'])
  const chat = await parley(['plans', 'chat', 'A plan'], {
    input: 'add: first, second\nshow tasks\ndelete 1\n',
  })
  expect(chat.stderr).toContain('create_task: completed: Added task 2: second.\n')
  expect(chat.stdout).toContain('- [1] first\n- [2] second\n')
  expect(chat.stderr).toContain('delete_task: paused\nit asks a person: parley approvals list\n')
})
