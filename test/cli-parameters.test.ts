import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runner } from './command-line.ts'
import { temporaryFolder } from './harness.ts'

it('sets parameters of a session, shows them, and takes them away', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const read = async (...args: string[]) => {
    const { code, stdout, stderr } = await parley([...args, '--json'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout)
  }
  const { id, parameters } = await read(
    'sessions',
    'create',
    '--temperature',
    '0.2',
    '--stop',
    'END',
    'two words',
  )
  expect(parameters).toEqual({ temperature: 0.2, stop: ['END', 'two words'] })
  const options = '{"openai": {"service_tier": "flex"}}'
  const changed = ['--seed', '7', '--top-p', 'default', '--stop', 'default', '--provider-options', options]
  expect((await read('sessions', 'parameters', id, ...changed)).parameters).toEqual({
    temperature: 0.2,
    seed: 7,
    topP: null,
    stop: null,
    providerOptions: { openai: { service_tier: 'flex' } },
  })
  expect((await parley(['sessions', 'parameters', id])).stdout.split('\n')).toEqual([
    'temperature 0.2',
    'topP default',
    'stop default',
    'seed 7',
    'providerOptions {"openai":{"service_tier":"flex"}}',
    '',
  ])
  const shown = await parley(['prompt', id])
  expect(shown.stdout).toContain('parameters: {"temperature":0.2,"seed":7')
  expect(await read('sessions', 'parameters', id, '--none')).not.toHaveProperty('parameters')
  expect(await parley(['sessions', 'parameters', id])).toMatchObject({
    stdout: '',
    stderr: 'no parameters\n',
  })

  for (const args of [
    ['--temperature', 'hot'],
    ['--temperature', '3'],
    ['--seed', '1.5'],
    ['--reasoning-effort', 'much'],
    ['--provider-options', '[]'],
    ['--none', '--seed', '1'],
  ]) {
    const refused = await parley(['sessions', 'parameters', id, ...args])
    expect(refused, args.join(' ')).toMatchObject({ code: 2, stdout: '' })
  }
})

it('runs a turn with parameters, above those of the configuration', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  writeFileSync(join(folder.path, 'parley.yaml'), 'parameters: {maxOutputTokens: 5, seed: 3}\n')
  const read = async (...args: string[]) => JSON.parse((await parley(['run', ...args, '--json'])).stdout)
  const short = await read('long 200')
  expect(short.run.outcome).toMatchObject({ code: 'length' })
  const whole = await read('long 20', '--max-output-tokens', 'default', '--temperature', '0')
  expect(whole.run).toMatchObject({
    outcome: { code: 'stop' },
    input: { parameters: { maxOutputTokens: null, temperature: 0 } },
  })
})
