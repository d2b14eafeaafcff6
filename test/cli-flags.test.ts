import { request } from 'node:http'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { buildProgram } from '../src/cli/program.ts'
import { configFlags } from '../src/config.ts'
import { runner } from './command-line.ts'
import { temporaryFolder } from './harness.ts'
import { startServer } from './server-process.ts'

const key = 'a-key-from-the-command-line-7xq'

it('every flag of the table of settings is one of the commands that it is for', () => {
  const program = buildProgram([])
  const named = (name: string) => program.commands.find((command) => command.name() === name) as Command
  const flagsOf = ({ options }: Command) => options.map(({ long }) => long)
  for (const { flag, of } of configFlags())
    for (const command of of === 'server' ? ['serve', 'config', 'doctor'].map(named) : [program])
      expect(flagsOf(command), command.name()).toContain(flag)
})

it('flags of settings win, and `parley config` says that they do', async () => {
  using folder = temporaryFolder()
  const { stdout } = await runner(folder.path)(
    ['config', '--model', 'openai/flag', '--allowed-hosts', 'A.test,b.test:8443', '--json'],
    { env: { PARLEY_MODEL: 'openai/variable' } },
  )
  const { config, origins } = JSON.parse(stdout) as Record<'config' | 'origins', Record<string, unknown>>
  expect(config).toMatchObject({ model: 'openai/flag', allowedHosts: ['a.test', 'b.test:8443'] })
  expect(origins).toMatchObject({ model: { source: 'flag', name: '--model' } })
})

it('a server takes its key, hosts and origins from flags, and tells nobody the key', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'key')
  writeFileSync(file, `${key}\n`)
  const { url, log, kill } = await startServer({
    env: { PARLEY_DATA_DIR: join(folder.path, 'data'), PARLEY_LOG_LEVEL: 'info' },
    args: `--api-key ${key} --log-level trace --model demo/parley --allowed-hosts parley.test --allowed-origins https://parley.test`.split(
      ' ',
    ),
  })
  const ask = async (headers: Record<string, string>) => {
    const sent = request(`${url}/api/sessions?note=${key}`, { headers }).end()
    const [answer] = await once(sent, 'response')
    answer.resume()
    return { status: answer.statusCode, origin: answer.headers['access-control-allow-origin'] }
  }
  const authorization = `Bearer ${key}`
  expect(await ask({})).toMatchObject({ status: 401 })
  expect(await ask({ authorization, host: 'other.test' })).toMatchObject({ status: 421 })
  expect(await ask({ authorization, host: 'parley.test', origin: 'https://parley.test' })).toMatchObject({
    origin: 'https://parley.test',
  })

  const parley = runner(folder.path)
  const list = ['sessions', 'list', '--json', '--url', url]
  expect((await parley(list)).code).not.toBe(0)
  for (const flags of [
    ['--api-key', key],
    ['--api-key-file', file],
  ])
    expect(await parley([...list, ...flags])).toMatchObject({ code: 0, stderr: '' })

  const where = ['--port', new URL(url).port, '--api-key', key]
  for (const args of [['doctor'], ['doctor', '--json'], ['config'], ['config', '--json']]) {
    const { stdout, stderr } = await parley([...args, ...where])
    expect(stdout).not.toBe('')
    expect(stdout + stderr).not.toContain(key)
  }
  await kill('SIGTERM')
  expect(log()).toContain('/api/sessions')
  expect(log()).not.toContain(key)
})
