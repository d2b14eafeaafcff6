import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { WorkflowRun } from '../src/extensions/workflow/protocol/workflow.ts'
import { runner } from './command-line.ts'
import { temporaryFolder } from './harness.ts'
import { definition } from './workflow-harness.ts'

it('checks files without a server and without a store', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  writeFileSync(join(folder.path, 'good.yaml'), definition('good'))
  writeFileSync(join(folder.path, 'bad.yaml'), 'name: bad\nsteps:\n  - type: agent\n  - type: nothing\n')
  const good = await parley(['workflows', 'validate', 'good.yaml'])
  expect(good).toMatchObject({ code: 0, stdout: '', stderr: 'good.yaml: valid\n' })
  const bad = await parley(['workflows', 'validate', 'good.yaml', 'bad.yaml'])
  expect(bad.code).toBe(1)
  expect(bad.stdout).toMatch(/^bad\.yaml:3:\d+: .*\nbad\.yaml:4:\d+: .*\n$/)
  const json = await parley(['workflows', 'validate', 'bad.yaml', '--json'])
  expect(json.code).toBe(1)
  expect(JSON.parse(json.stdout)).toMatchObject({
    items: [{ file: 'bad.yaml', valid: false, problems: [{ line: 3 }, { line: 4 }] }],
  })
  expect(await parley(['workflows', 'validate', 'missing.yaml'])).toMatchObject({ code: 2 })
  expect((await parley(['workflows', 'validate', '-'], { input: 'a: [' })).stdout).toMatch(/^-:1:\d+: /)
  const unknown =
    'name: a\nsteps: [{ type: agent, prompt: b, sessionConfig: { toolGroups: { termnal: true } } }]\n'
  expect((await parley(['workflows', 'validate', '-'], { input: unknown })).stdout).toContain('"termnal"')
  expect(existsSync(join(folder.path, 'data'))).toBe(false)
})

it('saves, lists, shows, rolls back and deletes workflows of the local store', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const file = join(folder.path, 'flow.yaml')
  writeFileSync(file, definition('夜间 flow'))
  const saved = JSON.parse((await parley(['workflows', 'save', file, '--json'])).stdout)
  expect(saved).toMatchObject({ name: '夜间 flow', version: 1 })
  writeFileSync(file, definition('夜间 flow', 'two'))
  expect((await parley(['workflows', 'save', file])).stdout).toContain('version 2')
  expect((await parley(['workflows', 'list'])).stdout).toMatch(new RegExp(`${saved.id} +夜间 flow +2 +1`))
  expect((await parley(['workflows', 'show', '夜间 flow'])).stdout).toBe(definition('夜间 flow', 'two'))
  expect((await parley(['workflows', 'versions', saved.id])).stdout).toMatch(/2 +update[\s\S]*1 +create/)
  expect((await parley(['workflows', 'rollback', saved.id, '1'])).stdout).toContain('version 3')
  expect(await parley(['workflows', 'show', 'none'])).toMatchObject({ code: 3, stdout: '' })
  expect(await parley(['workflows', 'run', 'none'])).toMatchObject({ code: 3, stdout: '' })
  expect(await parley(['workflows', 'run', file, '--arg', 'x'])).toMatchObject({ code: 2 })
  expect(await parley(['workflows', 'run', file, '--args-json', '[]'])).toMatchObject({ code: 2 })
  expect(await parley(['workflows', 'resume', 'run_1', '--token', 'x'])).toMatchObject({ code: 2 })
  const wrong = join(folder.path, 'wrong.yaml')
  writeFileSync(wrong, 'name: wrong\n')
  expect(await parley(['workflows', 'save', wrong])).toMatchObject({ code: 2, stdout: '' })
  expect((await parley(['workflows', 'templates', '--json'])).stdout).toContain('"text"')
  expect(await parley(['workflows', 'delete', '夜间 flow'])).toMatchObject({ code: 0, stdout: '' })
  expect(await parley(['workflows', 'list'])).toMatchObject({ code: 0, stdout: '', stderr: 'no workflows\n' })
})

it('runs, asks, goes on and cancels without a server', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const file = join(folder.path, 'asks.yaml')
  writeFileSync(
    file,
    'name: asks\nsteps:\n  - {id: ok, type: approve, approvePrompt: Go?}\n  - {id: end, type: transform, transform: $args.end}\n',
  )
  const start = async () => {
    const asked = await parley(['workflows', 'run', file, '--arg', 'end=the end', '--json'])
    expect(asked).toMatchObject({ code: 6 })
    return JSON.parse(asked.stdout) as WorkflowRun
  }
  const first = await start()
  const answer = ['--token', first.steps[0]!.token!, '--approve']
  const done = await parley(['workflows', 'resume', first.id, ...answer])
  expect(done, done.stderr).toMatchObject({ code: 0, stdout: 'the end\n' })
  const second = await start()
  const cancelled = await parley(['workflows', 'cancel', second.id, '--json'])
  expect(JSON.parse(cancelled.stdout), cancelled.stderr).toMatchObject({ status: 'cancelled' })
})

it('finds the files of a scope without a server', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const root = join(folder.path, 'project')
  mkdirSync(join(root, '.parley', 'workflows'), { recursive: true })
  writeFileSync(join(root, '.parley', 'workflows', 'a.yaml'), definition('from a file'))
  writeFileSync(join(folder.path, 'parley.yaml'), 'scopes: {default: {root: project}}\n')
  const before = await parley(['workflows', 'list', '--json'])
  expect(JSON.parse(before.stdout).items).toEqual([])
  expect(before.stderr).toContain(`parley trust ${root}`)
  expect((await parley(['trust', 'project'])).code).toBe(0)
  const listed = await parley(['workflows', 'list', '--json'])
  expect(JSON.parse(listed.stdout).items, listed.stderr).toMatchObject([{ name: 'from a file', version: 1 }])
})

it('reads --arg by the type that the definition declares', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const args = { n: 'number', yes: 'boolean', some: 'object', list: 'array', word: 'string' }
  const declared = Object.fromEntries(Object.entries(args).map(([name, type]) => [name, { type }]))
  const file = join(folder.path, 'typed.json')
  const steps = [{ id: 'all', type: 'transform', transform: '$args' }]
  writeFileSync(file, JSON.stringify({ name: 'typed', args: { ...declared, any: {} }, steps }))
  const given = ['n=3', 'yes=true', 'some={"a": 1}', 'list=[1, "x"]', 'word=5', 'any=7']
  const flags = given.flatMap((pair) => ['--arg', pair])
  const expected = { n: 3, yes: true, some: { a: 1 }, list: [1, 'x'], word: '5', any: '7' }
  const ofFile = await parley(['workflows', 'run', file, ...flags])
  expect(JSON.parse(ofFile.stdout), ofFile.stderr).toEqual(expected)
  await parley(['workflows', 'save', file])
  const kept = await parley(['workflows', 'run', 'typed', '--args-json', '{"n": 1}', ...flags])
  expect(JSON.parse(kept.stdout), kept.stderr).toEqual(expected)
  const wrong = await parley(['workflows', 'run', file, ...flags, '--arg', 'n=three', '--arg', 'list={}'])
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  expect(wrong.stderr).toContain('"n" must be a number; "list" must be a list')
})

it('runs what comes with Parley by its name', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const ran = await parley(['workflows', 'run', 'research-write-review', '--arg', 'topic=tea'])
  expect(ran.code, ran.stderr).toBe(0)
  expect(ran.stdout).toContain('tea')
  // what is inside of a step is told before that step is over
  expect(ran.stderr).toMatch(/review: completed\nrevise\/keep: completed\nrevise: completed\n$/)
})

it('says how to answer, goes on in the process that answers, and says what cannot be answered', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const steps = [
    { id: 'ok', type: 'approve', approvePrompt: 'Sure?', onReject: 'continue' },
    { id: 'end', type: 'transform', transform: 'said $ok.approved, $ok.data.comment' },
  ]
  writeFileSync(join(folder.path, 'inner.json'), JSON.stringify({ name: 'inner', steps }))
  const asked = await parley(['workflows', 'run', './inner.json'])
  expect(asked).toMatchObject({ code: 6, stdout: '' })
  const [, id] = /ok asks: Sure\?\nanswer before \S+ with: parley workflows resume (run_\w+) --approve/.exec(
    asked.stderr,
  )!
  expect(await parley(['workflows', 'resume', id!])).toMatchObject({ code: 2 })
  expect(await parley(['workflows', 'resume', id!, '--approve', '--token', 'x'])).toMatchObject({ code: 2 })
  expect(await parley(['workflows', 'status', id!])).toMatchObject({ code: 6 })
  const answered = await parley(['workflows', 'resume', id!, '--approve', '--comment', 'fine'])
  expect(answered).toMatchObject({ code: 0, stdout: 'said true, fine\n' })
  // what was told before is not told again
  expect(answered.stderr).toMatch(/Ctrl-C cancels it\nok: completed, approved\nend: completed\n$/)
  expect(await parley(['workflows', 'resume', id!, '--approve'])).toMatchObject({
    code: 1,
    stderr: `parley: The run "${id}" asks nothing: it is completed.\n`,
  })
  expect(await parley(['workflows', 'resume', id!])).toMatchObject({
    code: 1,
    stderr: `parley: The run "${id}" has ended: it is completed.\n`,
  })

  // a question of a workflow that is a step is a question of the run
  await parley(['workflows', 'save', './inner.json'])
  const outer = { name: 'outer', steps: [{ id: 'sub', type: 'workflow', workflow: 'inner' }] }
  writeFileSync(join(folder.path, 'outer.json'), JSON.stringify(outer))
  const above = await parley(['workflows', 'run', './outer.json'])
  expect(above.code, above.stderr).toBe(6)
  const [, outerId] = /resume (run_\w+) --approve/.exec(above.stderr)!
  expect(above.stderr).toContain(`run ${outerId};`)
  const done = await parley(['workflows', 'resume', outerId!, '--reject', '--no-wait'])
  expect(done).toMatchObject({ code: 0, stdout: '' })
  // it was answered, though nobody has gone on with it
  const status = await parley(['workflows', 'status', outerId!])
  expect(status.stderr).not.toContain('asks')
  expect(await parley(['workflows', 'resume', outerId!])).toMatchObject({
    code: 0,
    stdout: 'said false, \n',
  })
  const again = await parley(['workflows', 'rerun', outerId!, '--json'])
  expect(again.code, again.stderr).toBe(6)
  expect(JSON.parse(again.stdout)).toMatchObject({ rerunOf: outerId, steps: [{ path: 'sub' }] })
})
