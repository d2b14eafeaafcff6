import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runner } from './command-line.ts'
import { temporaryFolder } from './harness.ts'
import { startServer } from './server-process.ts'

it('adds, lists, shows, edits, pauses, resumes, fires and deletes crons of the local store', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const schema = join(folder.path, 'schema.json')
  writeFileSync(schema, '{"type":"object","properties":{"n":{"type":"number"}}}')
  const options = [
    '--name=夜间 report',
    '--time-zone=Europe/Berlin',
    '--context={"a":1}',
    '--timeout=60',
    `--output-schema=${schema}`,
    '--overlap=queue',
    '--missed=all',
    '--max-missed=3',
  ]
  const added = await parley(['cron', 'add', '30 2 * * *', '-', ...options, '--json'], {
    input: 'Look around\n',
  })
  const cron = JSON.parse(added.stdout)
  expect(cron).toMatchObject({
    name: '夜间 report',
    prompt: 'Look around',
    timeZone: 'Europe/Berlin',
    context: { a: 1 },
    timeoutMs: 60_000,
    outputSchema: { type: 'object' },
    overlap: 'queue',
    missed: 'all',
    maxMissed: 3,
  })
  expect((await parley(['cron', 'list'])).stdout).toMatch(
    new RegExp(`${cron.id} +夜间 report +30 2 \\* \\* \\*`),
  )
  const fired = JSON.parse((await parley(['cron', 'trigger', cron.id, '--json'])).stdout)
  expect(fired).toMatchObject({ cause: 'manual', outcome: 'started' })
  const shown = await parley(['cron', 'show', cron.id])
  expect(shown.stdout).toMatch(
    /missed: all, overlap: queue, failures: 0 of 5[\s\S]*Look around[\s\S]*manual +started/,
  )
  expect((await parley(['cron', 'fires', cron.id])).stdout).toContain(fired.sessionId)
  const edited = await parley(['cron', 'edit', cron.id, '--schedule', '@hourly', '--time-zone', 'UTC'])
  expect(edited.stdout).toMatch(/@hourly \(UTC\) +active, next /)
  expect((await parley(['cron', 'pause', cron.id])).stdout).toContain('paused: Paused by library.')
  expect((await parley(['cron', 'list', '--status', 'paused', '--json'])).stdout).toContain(cron.id)
  expect((await parley(['cron', 'resume', cron.id])).stdout).toContain('active, next')
  expect(await parley(['cron', 'rm', cron.id])).toMatchObject({ code: 0, stdout: '' })
  expect(await parley(['cron', 'show', cron.id])).toMatchObject({ code: 3, stdout: '' })
  expect(await parley(['cron', 'list'])).toMatchObject({ code: 0, stdout: '', stderr: 'no crons\n' })
})

it('previews a schedule with the change of clocks', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const { stdout } = await parley([
    'cron',
    'preview',
    '0 12 1 * *',
    '--time-zone',
    'Europe/Berlin',
    '--count',
    '12',
  ])
  const lines = stdout.trim().split('\n')
  expect(lines).toHaveLength(12)
  expect(lines.every((line) => /^\d{4}-\d\d-01T12:00:00\+0[12]:00/.test(line))).toBe(true)
  expect(lines.filter((line) => line.endsWith('(clocks have changed)'))).toHaveLength(2)
  expect(JSON.parse((await parley(['cron', 'preview', '@daily', '--json'])).stdout).items).toHaveLength(5)
})

it('answers what is wrong with code 2 and a hint', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const cases: [args: string[], words: string][] = [
    [['add', '60 * * * *', 'x'], 'minute'],
    [['add', '0 0 31 2 *', 'x'], 'never fire'],
    [['add', '@daily', 'x', '--time-zone', 'Mars/Olympus'], 'Mars/Olympus'],
    [['add', '@daily', 'x', '--timeout', '2678400'], 'timeoutMs'],
    [['add', '@daily', 'x', '--timeout', '-1'], '--timeout'],
    [['add', '@daily', 'x', '--context', '[1]'], '--context'],
    [['add', '@daily', 'x', '--output-schema', 'none.json'], 'none.json'],
    [['add', '@daily', 'x', '--missed', 'later'], 'missed'],
    [['add', '@daily', ''], 'prompt'],
    [['add', '@daily'], 'prompt'],
    [['edit', 'cron_x'], 'Nothing to change'],
    [['preview', '* * *'], '3 fields'],
    [['preview', '@daily', '--count', '0'], '--count'],
    [['list', '--limit', 'x'], '--limit'],
    [['frobnicate'], ''],
  ]
  for (const [args, words] of cases)
    expect(await parley(['cron', ...args]), args.join(' ')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(words),
    })
  expect(await parley(['cron', 'pause', 'cron_x'])).toMatchObject({ code: 3, stdout: '' })
})

it('works on a server elsewhere, which fires what is due', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const server = await startServer({ env: { PARLEY_DATA_DIR: join(folder.path, 'elsewhere') } })
  const at = ['--url', server.url]
  const { id } = JSON.parse((await parley(['cron', 'add', '* * * * * *', 'Hello', ...at, '--json'])).stdout)
  await expect
    .poll(async () => (await parley(['cron', 'fires', id, ...at])).stdout, {
      timeout: 200_000,
      interval: 500,
    })
    .toMatch(/schedule +completed/)
  expect((await parley(['cron', 'pause', id, ...at])).stdout).toContain('paused')
  await server.kill('SIGTERM')
}, 180_000)
