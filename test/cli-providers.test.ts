import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runner } from './command-line.ts'
import { temporaryFolder } from './harness.ts'
import { openaiChat } from './providers/openai-chat.ts'
import { startProviderServer } from './providers/provider-server.ts'
import { startServer } from './server-process.ts'

const key = 'sk-canary-of-the-command-line'

it('adds, lists, tests, uses, changes and removes providers of the local store', async () => {
  using folder = temporaryFolder()
  await using acme = await startProviderServer(openaiChat, { models: ['large'] })
  const parley = runner(folder.path)
  expect((await parley(['providers'])).stdout).toMatch(/NAME +SPEAKS +SOURCE[\s\S]*openai +openai +none/)
  const keyFile = join(folder.path, 'key')
  writeFileSync(keyFile, `${key}\n`)
  const address = ['--base-url', `${acme.url}/v1`]
  const set = await parley(['providers', 'set', 'acme', ...address, '--key-file', keyFile])
  expect(set).toMatchObject({ code: 0, stdout: `acme  openai  ${acme.url}/v1\n` })
  const stored = () => JSON.parse(readFileSync(join(folder.path, 'data', 'credentials.json'), 'utf8'))
  expect(stored()).toEqual({ acme: { kind: 'openai', baseUrl: `${acme.url}/v1`, apiKey: key } })
  const listed = await parley(['providers', 'list'])
  expect(listed.stdout).toMatch(new RegExp(`acme +openai +stored +${acme.url}/v1`))
  expect(JSON.parse((await parley(['providers', 'list', '--json'])).stdout).items.at(-1)).toMatchObject({
    name: 'acme',
    isBuiltIn: false,
  })
  const tested = await parley(['providers', 'test', 'acme', '--ask', 'large'])
  expect(tested).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^acme {2}ok {2}1 models.*\nreply: ok\n$/),
  })
  expect(await parley(['run', 'Hello', '-m', 'acme/large'])).toMatchObject({ code: 0, stdout: 'ok\n' })
  expect(acme.requests.at(-1)!.headers.authorization).toBe(`Bearer ${key}`)

  await parley(['providers', 'set', 'acme', ...address, '--key-file', '-', '--kind', 'anthropic'], {
    input: `${key}-2`,
  })
  expect(stored()).toEqual({ acme: { kind: 'anthropic', baseUrl: `${acme.url}/v1`, apiKey: `${key}-2` } })
  const failed = await parley(['providers', 'test', 'acme', '--ask', 'large'])
  expect(failed).toMatchObject({ code: 5, stdout: expect.stringContaining('acme  failed') })
  expect(failed.stderr).toContain('acme/large answered 404')
  expect(await parley(['providers', 'remove', 'acme'])).toMatchObject({ code: 0, stderr: 'removed acme\n' })
  expect(stored()).toEqual({})
  expect(await parley(['providers', 'remove', 'acme'])).toMatchObject({ code: 3 })
  for (const { stdout, stderr } of [set, listed, tested, failed]) expect(stdout + stderr).not.toContain(key)
})

it('refuses what is wrong, and changes nothing', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  for (const [args, words] of [
    [['set', 'acme'], '"baseUrl"'],
    [['set', 'Acme', '--base-url', 'http://127.0.0.1:1'], 'lower-case'],
    [['set', 'acme', '--base-url', 'nowhere'], 'http'],
    [['set', 'acme', '--base-url', 'http://127.0.0.1:1', '--kind', 'google'], 'openai, anthropic'],
    [['set', 'acme', '--base-url', 'http://127.0.0.1:1', '--key-file', '-'], 'no key'],
    [['set', 'acme', '--base-url', 'http://127.0.0.1:1', '--key-file', 'missing'], 'Cannot read'],
    [['set', 'openai', '--kind', 'anthropic', '--base-url', 'http://127.0.0.1:1'], '"kind"'],
  ] as const) {
    const { code, stderr } = await parley(['providers', ...args], { input: ' \n' })
    expect([code, stderr], args.join(' ')).toEqual([2, expect.stringContaining(words)])
  }
  expect((await parley(['providers'])).stdout).not.toContain('acme')
})

it('works at a server, and says where it is to those who would change what the server has read', async () => {
  using folder = temporaryFolder()
  await using acme = await startProviderServer(openaiChat, { models: ['large'] })
  const server = await startServer({ env: { PARLEY_DATA_DIR: join(folder.path, 'data') } })
  const parley = runner(folder.path)
  const set = ['providers', 'set', 'acme', '--base-url', `${acme.url}/v1`]
  const refused = await parley(set)
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`give --url ${server.url}`) })
  expect(await parley([...set, '--url', server.url])).toMatchObject({ code: 0 })
  const test = await parley(['providers', 'test', 'acme', '--url', server.url])
  expect(test.stdout).toMatch(/^acme {2}ok {2}1 models/)
  expect(await parley(['providers', 'remove', 'acme', '--url', server.url])).toMatchObject({ code: 0 })
  await server.kill()
})
