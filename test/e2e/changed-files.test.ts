/** What a command made of files that other programs run is seen, however much it says and does besides. */
import { expect, it } from 'vitest'
import { calls, says, type Script } from '../chat-harness.ts'
import { needProgram } from '../runner/provision.ts'
import { findBarriers } from './barriers.ts'
import { openWorkbench } from './workbench.ts'

const commands = [
  // more than a model gets to see of a result
  `mkdir -p 'a\u202Eb'; touch 'a\u202Eb/Makefile' plain.txt; head -c 9000 /dev/zero`,
  ...['one', 'two', 'three', 'four'].map((name) => `touch ${name}.txt`),
]
const script: Script = (request) => {
  const done = request.messages.filter(({ role }) => role === 'tool').length
  const command = commands[done]
  return command === undefined ? says('Done.') : calls(['terminal', { action: 'execute', command }])
}

it('names below a command the files that other programs run and that it made', async () => {
  await using workbench = await openWorkbench({
    script,
    toolGroups: { terminal: true },
    permissions: { mode: 'bypassPermissions', rules: [] },
    terminal: { bubblewrap: await needProgram('bwrap'), environment: process.env },
    chat: { maxToolOutput: 100 },
  })
  const { id } = await workbench.parley.sessions.create({ title: 'Commands' })
  await workbench.parley.sessions.send(id, 'Go on.')
  const page = await workbench.open(`sessions/${id}`)
  await page.getByText('5 tool calls').waitFor()
  const named = page.getByRole('list', { name: 'Created or changed files that other programs run:' })
  await named.waitFor()
  expect(await named.getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringMatching(/\/a<U\+202E>b\/Makefile$/),
  ])
  expect(await findBarriers(page)).toEqual([])
})
