import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runner } from './command-line.ts'
import { temporaryFolder } from './harness.ts'
import { needProgram } from './runner/provision.ts'

it('says which files that other programs run a command has made', async () => {
  using folder = temporaryFolder()
  const config = join(folder.path, 'config.yaml')
  const bubblewrap = await needProgram('bwrap')
  writeFileSync(config, `tools: { groups: { terminal: true } }\nterminal: { bubblewrap: ${bubblewrap} }\n`)
  const parley = runner(folder.path)
  const order = (command: string) => `use terminal ${JSON.stringify({ action: 'execute', command })}`
  const run = (command: string) =>
    parley(['run', order(command), '--permission-mode', 'bypassPermissions'], {
      env: { PARLEY_CONFIG: config },
    })
  const told = /! files that other programs run were made or changed:\n {2}\S+\/Makefile\n/
  expect(await run('touch Makefile plain.txt')).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(told),
  })
  expect((await run('touch plain.txt')).stderr).not.toContain('other programs')
})
