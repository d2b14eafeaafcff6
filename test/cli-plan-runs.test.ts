import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runner } from './command-line.ts'
import { temporaryFolder } from './harness.ts'
import { startServer } from './server-process.ts'

const markdown = `- [ ] Read <!-- #1 -->
- [ ] Write <!-- #2 after #1 -->
  - [ ] Draft <!-- #3 after #1 -->
`

it('executes, takes apart and skips on the local store, and says how it ended', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const plans = async (...args: string[]) => parley(['plans', ...args])
  writeFileSync(join(folder.path, 'plan.md'), markdown)
  const id = (await plans('create', 'Report', '--from', 'plan.md')).stdout.trim()

  const early = await plans('run', 'Report', '--node', '3', '--only', '--wait')
  expect(early).toMatchObject({ code: 1 })
  expect(early.stderr).toContain('waits for 1 (pending)')
  expect(await plans('skip', id, '1')).toMatchObject({ code: 0 })
  const done = await plans('run', id, '--wait')
  expect(done.code, done.stderr).toBe(0)
  expect(done.stderr).toContain('Draft')
  // the report, with what came of the nodes
  expect(done.stdout).toMatch(/^# Report\n[^]*## Results\n[^]*### \[2\] Write\n/)
  expect((await plans('show', id)).stdout).toContain('- [2] Write (completed)')
  const nothing = await plans('run', id, '--wait')
  expect(nothing).toMatchObject({ code: 1 })
  expect(nothing.stderr).toContain('done already')
  expect((await plans('results', id)).stdout).toContain('Draft')

  expect(await plans('reset', id, '2')).toMatchObject({ code: 0 })
  expect((await plans('show', id)).stdout).toContain('- [2] Write (after 1)')
  const taken = await plans('decompose', id, '--node', '3', '--depth', '1', '--wait', '--json')
  expect(taken.code, taken.stderr).toBe(0)
  expect(JSON.parse(taken.stdout)).toMatchObject({ type: 'decompose', status: 'completed', planId: id })
  expect((await plans('show', id)).stdout).toMatch(/\n {4}- \[4\] /)

  const runs = JSON.parse((await plans('runs', id, '--json')).stdout).items as {
    id: string
    status: string
  }[]
  expect(runs.map(({ status }) => status)).toEqual(['completed', 'completed'])
  expect(await plans('status', runs[0]!.id)).toMatchObject({ code: 0 })
  expect((await plans('cancel', runs[0]!.id)).stderr).toContain('is over')
  expect((await plans('accept', id, '3')).stderr).toContain('only one that is partial, refused or failed')
})

it('does the same over a server, where a run goes on by itself', async () => {
  using folder = temporaryFolder()
  const server = await startServer({ env: { PARLEY_DATA_DIR: join(folder.path, 'data') } })
  try {
    const parley = runner(folder.path)
    const plans = async (...args: string[]) => parley(['plans', '--url', server.url, ...args])
    writeFileSync(join(folder.path, 'plan.md'), markdown)
    const id = (await plans('create', 'Report', '--from', 'plan.md')).stdout.trim()
    const started = await plans('run', id)
    expect(started.code, started.stderr).toBe(0)
    const run = started.stdout.trim()
    const waited = await plans('status', run, '--wait')
    expect(waited.code, waited.stderr).toBe(0)
    expect((await plans('show', id)).stdout.match(/\(completed\)/g)).toHaveLength(3)

    expect((await plans('done', id, '1', '--note', 'read it myself')).stderr).toContain('[1] Read')
    expect((await plans('results', id)).stdout).toContain('read it myself')
    expect((await plans('show', id)).stdout).toContain('- [2] Write (completed) (stale because of 1, 3)')
    expect((await plans('show', id, '--tree')).stdout).toContain('[3] Draft (completed) (stale because of 1)')
    for (const command of [['stop'], ['message', 'hello']]) {
      const refused = await plans(command[0]!, id, '2', ...command.slice(1))
      expect(refused).toMatchObject({ code: 1 })
      expect(refused.stderr).toContain('Task 2 is completed: only one that is being done')
    }
    expect(await plans('done', id, '2')).toMatchObject({ code: 2 })
    const spent = await plans('run', id, '--rerun', '--max-tokens', '1', '--wait')
    expect(spent).toMatchObject({ code: 1, stdout: expect.stringContaining('budget') })
    expect((await plans('run', id, '--max-cost', 'much')).stderr).toContain('--max-cost is "much"')
  } finally {
    await server.kill('SIGTERM')
  }
})
