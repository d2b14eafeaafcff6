import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runner } from './command-line.ts'
import { temporaryFolder } from './harness.ts'
import { startServer } from './server-process.ts'

it('creates, lists, shows, pauses, resumes and removes event hooks of the local store', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const hooks = (...args: string[]) => parley(['cron', 'hooks', ...args], { input: 'Say why\n' })
  expect(await hooks('list')).toMatchObject({ code: 0, stdout: '', stderr: 'no event hooks\n' })
  const created = await hooks(
    'create',
    'bg:session.*',
    '-',
    '--name=夜间 watch',
    '--filter={"label":"nightly","degraded":true}',
    '--max-per-hour=5',
    '--timeout=60',
    '--context={"a":1}',
    '--no-wake',
    '--json',
  )
  const hook = JSON.parse(created.stdout)
  expect(hook).toMatchObject({
    name: '夜间 watch',
    event: 'bg:session.*',
    filter: { label: 'nightly', degraded: true },
    prompt: 'Say why',
    maxPerHour: 5,
    timeoutMs: 60_000,
    context: { a: 1 },
    wake: false,
    status: 'active',
  })
  expect((await hooks('list')).stdout).toMatch(
    new RegExp(`${hook.id} +夜间 watch +bg:session\\.\\* +active +0`),
  )
  expect((await hooks('pause', hook.id)).stdout).toContain('paused: Paused by library.')
  const shown = await hooks('show', hook.id)
  expect(shown.stdout).toMatch(
    /paused[\s\S]*starts: 0, left out: 0, at most 5 an hour\nfilter: {"label":"nightly","degraded":true}\n\nSay why\n$/,
  )
  expect(JSON.parse((await hooks('resume', hook.id, '--json')).stdout)).toMatchObject({ status: 'active' })
  expect(await hooks('show', hook.id, '--scope=elsewhere')).toMatchObject({ code: 3, stdout: '' })
  expect(await hooks('remove', hook.id)).toMatchObject({
    code: 0,
    stdout: '',
    stderr: `deleted ${hook.id}\n`,
  })
  expect(JSON.parse((await hooks('show', hook.id, '--json')).stdout)).toMatchObject({
    error: { code: 'not_found', message: expect.stringContaining(hook.id) },
  })
})

it('answers what is wrong with event hooks with code 2 and a hint', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const cases: [args: string[], words: string][] = [
    [['create', 'a*b', 'x'], 'event'],
    [['create', 'x-happened', ''], 'prompt'],
    [['create', 'x-happened'], 'prompt'],
    [['create', 'x-happened', 'x', '--filter', '{'], '--filter must be a JSON object; it is "{"'],
    [['create', 'x-happened', 'x', '--filter', '{"a":[1]}'], 'filter'],
    [['create', 'x-happened', 'x', '--max-per-hour', '1e3'], '--max-per-hour'],
    [['create', 'x-happened', 'x', '--max-per-hour', '0'], 'maxPerHour'],
    [['list', '--limit', '0'], '--limit'],
    [['frobnicate'], ''],
  ]
  for (const [args, words] of cases)
    expect(await parley(['cron', 'hooks', ...args]), args.join(' ')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(words),
    })
})

it('has event hooks of a server elsewhere, which starts what they ask for', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const server = await startServer({ env: { PARLEY_DATA_DIR: join(folder.path, 'elsewhere') } })
  const at = ['--url', server.url]
  const create = [
    'cron',
    'hooks',
    'create',
    'session-created',
    'Look at it',
    '--filter',
    '{"kind":"interactive"}',
  ]
  const { id } = JSON.parse((await parley([...create, ...at, '--json'])).stdout)
  await parley(['sessions', 'create', ...at])
  await expect
    .poll(async () => (await parley(['cron', 'hooks', 'list', ...at])).stdout, {
      timeout: 200_000,
      interval: 500,
    })
    .toMatch(new RegExp(`${id} .* active +1 +\\d{4}-`))
  expect((await parley(['cron', 'hooks', 'pause', id, ...at])).stdout).toContain('paused')
  expect((await parley(['cron', 'hooks', 'remove', id, ...at])).code).toBe(0)
  expect((await parley(['cron', 'hooks', 'list'])).stderr).toBe('no event hooks\n')
  await server.kill('SIGTERM')
}, 180_000)
