import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runner } from './command-line.ts'
import { temporaryFolder } from './harness.ts'
import { need } from './runner/provision.ts'
import { startServer } from './server-process.ts'

it('runs a task in the local store, with its result alone on stdout and its progress on stderr', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const ran = await parley(['tasks', 'run', 'Hello task', '--wait', '--label', 'greeting'])
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('“Hello task”') })
  expect(ran.stderr).toMatch(/^task ses_\w+; Ctrl-C cancels it\n[\s\S]*ses_\w+ completed\n/)
  const [id = ''] = /ses_\w+/.exec(ran.stderr) ?? []

  const listed = await parley(['tasks', 'list'])
  expect(listed.stdout).toMatch(new RegExp(`${id} +greeting +completed +tool`))
  const shown = await parley(['tasks', 'show', id])
  expect(shown.stdout).toMatch(/status: completed\nstarted by: api\n[\s\S]*result: .*demo model/)
  expect(await parley(['tasks', 'result', id])).toMatchObject({ code: 0, stdout: ran.stdout, stderr: '' })
  const result = JSON.parse((await parley(['tasks', 'result', id, '--json'])).stdout)
  expect(result).toMatchObject({ taskId: id, status: 'success', source: 'tool', degraded: false })
  expect(await parley(['tasks', 'cancel', id])).toMatchObject({ code: 0, stderr: `${id} was over already\n` })

  const json = JSON.parse(
    (await parley(['tasks', 'run', '-', '--wait', '--json'], { input: '你好\n' })).stdout,
  )
  expect(json).toMatchObject({ status: 'success', output: expect.stringContaining('你好') })
})

it('starts a task that waits for a server, shows it, and takes it back', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const started = await parley(['tasks', 'run', 'later'])
  const id = started.stdout.trim()
  expect(started).toMatchObject({ code: 0, stderr: expect.stringContaining('parley serve') })
  expect(id).toMatch(/^ses_\w+$/)
  expect((await parley(['tasks', 'list', '--status', 'pending'])).stdout).toContain(id)
  expect(await parley(['tasks', 'result', id])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('no result yet'),
  })
  // a process that waits for its own task leaves others alone
  expect(await parley(['tasks', 'run', 'mine', '--wait'])).toMatchObject({ code: 0 })
  expect((await parley(['tasks', 'list', '--status', 'pending'])).stdout).toContain(id)
  expect(await parley(['tasks', 'cancel', id])).toMatchObject({ code: 0, stderr: `cancelled ${id}\n` })
  const result = await parley(['tasks', 'result', id])
  expect(result).toMatchObject({ code: 130, stdout: '', stderr: expect.stringContaining('degraded') })
  expect((await parley(['tasks', 'list', '--status', 'pending'])).stdout).toBe('')
})

it('starts one with all that it can be given, and watches it', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const create = async () => JSON.parse((await parley(['sessions', 'create', '--json'])).stdout).id as string
  const [parent, target] = [await create(), await create()]
  const where = ['--parent', parent, '--announce', target, '--wake', '--detached']
  const bounds = ['--expect', 'a word', '--budget', 'tokens=100000', '--budget', 'seconds=60']
  const more = ['--tool-groups', 'web=false', '--memory-policy', 'skipDocumentExtract=true', '--skip-memory']
  const ran = await parley(['tasks', 'run', 'Hello task', '--wait', ...where, ...bounds, ...more])
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('“Hello task”') })
  const [id = ''] = /ses_\w+/.exec(ran.stderr) ?? []
  expect(JSON.parse((await parley(['tasks', 'show', id, '--json'])).stdout)).toMatchObject({
    parentId: parent,
    toolGroups: { web: false },
    startedAt: expect.any(String),
    finishedAt: expect.any(String),
    bgMeta: {
      announceTarget: target,
      timeoutMs: 60_000,
      skipMemory: true,
      memoryPolicy: { skipDocumentExtract: true, skipPerRoundExtract: true },
    },
  })

  const watched = await parley(['tasks', 'watch', id])
  expect(watched).toMatchObject({ code: 0, stdout: expect.stringContaining('“Hello task”') })
  expect(watched.stderr).toContain('set_result')
  expect(watched.stderr).toContain(`${id} completed`)
  const lines = (await parley(['tasks', 'watch', id, '--json'])).stdout.trim().split('\n')
  const types = lines.map((line) => (JSON.parse(line) as { chunk: { type: string } }).chunk.type)
  expect(types).toEqual(expect.arrayContaining(['start', 'tool-output-available', 'finish']))

  expect(await parley(['tasks', 'watch', target])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no background session'),
  })
  expect(await parley(['tasks', 'run', 'x', '--budget', 'tokens'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('key=value'),
  })
  expect(await parley(['tasks', 'run', 'x', '--budget', 'tokens=many'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('budget.tokens'),
  })
  expect(await parley(['tasks', 'run', 'x', '--parent', 'ses_unknown'])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('ses_unknown'),
  })
})

it('says by its exit code how a task ended', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const failed = await parley(['tasks', 'run', 'fail auth', '--wait'])
  expect(failed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('degraded: failed') })
  const late = await parley(['tasks', 'run', 'slow '.repeat(400), '--wait', '--timeout', '1'])
  expect([late.code, late.stderr]).toEqual([7, expect.stringContaining('timeout')])
})

it('works on a server by --url, waits there too, and keeps to a schema', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const server = await startServer({ env: { PARLEY_DATA_DIR: join(folder.path, 'elsewhere') } })
  const url = ['--url', server.url]
  const schema = join(folder.path, 'schema.json')
  writeFileSync(schema, '{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}')
  const started = await parley(['tasks', 'run', 'Hello', ...url, '--json', '--context', '{"a":1}'])
  expect(started.stderr).toBe('')
  const { id } = JSON.parse(started.stdout)
  const waited = await parley(['tasks', 'result', id, '--wait', ...url])
  expect(waited).toMatchObject({ code: 0, stdout: expect.stringContaining('Hello') })
  expect((await parley(['tasks', 'list', ...url])).stdout).toContain(id)
  expect(await parley(['tasks', 'list'])).toMatchObject({ code: 0, stdout: '', stderr: 'no tasks\n' })
  const structured = JSON.parse(
    (await parley(['tasks', 'run', 'x', '--schema', schema, '--wait', '--json', ...url])).stdout,
  )
  expect(['success', 'failed']).toContain(structured.status)
  await server.kill('SIGTERM')
})

it('cancels the task it waits for when it is interrupted', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const child = spawn(
    process.execPath,
    [await need('program'), 'tasks', 'run', 'slow '.repeat(400), '--wait'],
    {
      cwd: folder.path,
      env: { PATH: process.env.PATH, HOME: folder.path, PARLEY_DATA_DIR: join(folder.path, 'data') },
    },
  )
  let log = ''
  child.stderr.on('data', (chunk) => {
    log += chunk
    if (log.includes('running') && !child.killed) child.kill('SIGINT')
  })
  const [code] = (await once(child, 'exit')) as [number]
  expect([code, log]).toEqual([130, expect.stringContaining('cancelled')])
  expect((await parley(['tasks', 'list', '--status', 'cancelled'])).stdout).toContain('ses_')
})

it('answers wrong usage with code 2, and what is not there with 3', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  for (const args of [
    ['tasks', 'run'],
    ['tasks', 'run', ''],
    ['tasks', 'run', 'x', '--context', '[1]'],
    ['tasks', 'run', 'x', '--context', '{'],
    ['tasks', 'run', 'x', '--schema', 'missing.json'],
    ['tasks', 'run', 'x', '--timeout', '0'],
    ['tasks', 'run', 'x', '--timeout', '99999999'],
    ['tasks', 'list', '--status', 'done'],
    ['tasks', 'list', '--limit', 'x'],
    ['tasks', 'frobnicate'],
  ])
    expect(await parley(args), args.join(' ')).toMatchObject({ code: 2, stdout: '' })
  for (const verb of ['show', 'result', 'cancel'])
    expect(await parley(['tasks', verb, 'ses_none']), verb).toMatchObject({ code: 3, stdout: '' })
  const { id } = JSON.parse((await parley(['sessions', 'create', '--json'])).stdout)
  expect(await parley(['tasks', 'show', id])).toMatchObject({ code: 2, stderr: expect.stringContaining(id) })
})
