/** What is loaded before a command answers, and before a server is asked for something: counted, since times depend on machines. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from './harness.ts'
import { need } from './runner/provision.ts'

const run = promisify(execFile)
const lister = join(import.meta.dirname, 'bundles', 'list-modules.js')
const sources = join(import.meta.dirname, '..', 'src', 'cli', 'main.ts')
const mebibyte = 2 ** 20

/** The addresses of what Node loads until a command ends, or until a server is ready. */
async function listLoaded(program: string, args: string[]): Promise<string[]> {
  using folder = temporaryFolder()
  const cwd = folder.path
  const env = { PATH: process.env.PATH, HOME: cwd, PARLEY_DATA_DIR: join(cwd, 'data') }
  const line = ['--import', lister, program, ...args]
  if (args[0] === 'serve') {
    const server = spawn(process.execPath, line, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] })
    await once(server.stdout, 'data')
    server.kill('SIGTERM')
    await once(server, 'exit')
  } else await run(process.execPath, line, { cwd, env })
  return readFileSync(join(cwd, 'modules.txt'), 'utf8').split('\n')
}

const packagesOf = (urls: string[]) =>
  [...new Set(urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []))].sort()

const serve = ['serve', '--json', '--port', '0']
const ofCommands = [
  '@ai-sdk/provider',
  'commander',
  'croner',
  'diff',
  'eventsource-parser',
  'fastest-levenshtein',
  'ipaddr.js',
  'is-network-error',
  'kysely',
  'p-retry',
  'tokenx',
  'yaml',
  'zod',
]

describe('the packages that are loaded', () => {
  it('for the version are those that read a command line', async () => {
    expect(packagesOf(await listLoaded(sources, ['--version']))).toEqual([
      'commander',
      'eventsource-parser',
      'fastest-levenshtein',
      'yaml',
      'zod',
    ])
  })

  it('for a command that reads sessions are none of a server, of a provider or for watching files', async () => {
    expect(packagesOf(await listLoaded(sources, ['sessions', 'list']))).toEqual(ofCommands)
  })

  it('for a server that nobody has asked for anything are none of a provider or of another database', async () => {
    const loaded = packagesOf(await listLoaded(sources, serve))
    expect(loaded).toEqual(expect.arrayContaining([...ofCommands, '@hono/node-server', 'hono', 'pino']))
    expect(
      loaded.filter((name) =>
        /^@ai-sdk\/(?!provider$)|^ai$|^pg|^@modelcontextprotocol|^chokidar$/.test(name),
      ),
    ).toEqual([])
    expect(loaded.filter((name) => name.startsWith('@opentelemetry/'))).toEqual(['@opentelemetry/api'])
  })
})

describe('the files of the built program', () => {
  it.each([
    { args: ['--version'], files: 5, bytes: 1.1 * mebibyte },
    { args: ['sessions', 'list'], files: 8, bytes: 3.4 * mebibyte },
    { args: serve, files: 10, bytes: 4 * mebibyte },
  ])('are few for $args: finding one takes as long as running it', async ({ args, files, bytes }) => {
    const loaded = (await listLoaded(await need('program'), args)).filter((url) => url.startsWith('file:'))
    expect(loaded.length).toBeLessThanOrEqual(files)
    const sizes = loaded.map((url) => statSync(fileURLToPath(url)).size)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(bytes)
  })
})
