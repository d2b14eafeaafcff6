/** What a command prints when its output has no reader, when it is misspelled, and when the system refuses something. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { processRunner } from './command-line.ts'
import { postgresDatabase, temporaryFolder } from './harness.ts'
import { need } from './runner/provision.ts'

const isStack = /^\s+at /m

interface Output {
  /** A file descriptor; without it the reader goes away before anything is printed. */
  stdout?: number
  closed?: 'stdout' | 'stderr'
}

async function runInto(home: string, args: string[], { stdout, closed = 'stdout' }: Output = {}) {
  const child = spawn(process.execPath, [await need('program'), ...args], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, PARLEY_DATA_DIR: join(home, 'data') },
    stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
  })
  let stderr = ''
  if (closed === 'stdout') child.stdout?.destroy()
  else child.stderr!.destroy()
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = (await once(child, 'exit')) as [number]
  return { code, stderr }
}

describe('a command whose output nobody reads', () => {
  it.each([
    ['--help'],
    ['sessions --help'],
    ['sessions list --json'],
    ['config'],
    ['doctor'],
    ['completion bash'],
    ['run Hello'],
    ['run Hello --output-format stream-json'],
  ])('ends as `head` ends others, without a stack: %s', async (line) => {
    using folder = temporaryFolder()
    const { code, stderr } = await runInto(folder.path, line.split(' '))
    expect(stderr).not.toMatch(isStack)
    expect(stderr).not.toContain('EPIPE')
    expect(code).toBe(141)
  })

  it('ends too when it is its messages that nobody reads', async () => {
    using folder = temporaryFolder()
    expect(await runInto(folder.path, ['sesions'], { closed: 'stderr' })).toMatchObject({ code: 141 })
  })

  it('names a full disk in one sentence', async () => {
    using folder = temporaryFolder()
    const full = openSync('/dev/full', 'w')
    const { code, stderr } = await runInto(folder.path, ['config'], { stdout: full })
    closeSync(full)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'parley: The output cannot be written: no space left on device (ENOSPC, write).\n',
    })
  })
})

describe('a command that does not exist', () => {
  it('is named, with the one that was probably meant', async () => {
    using folder = temporaryFolder()
    const parley = processRunner(folder.path)
    expect(await parley(['sesions', 'list', '--limit', '3'])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'parley: There is no command "sesions". Did you mean "sessions"? "parley --help" lists the commands.\n',
    })
    expect(await parley(['frobnicate'])).toMatchObject({
      code: 2,
      stderr: 'parley: There is no command "frobnicate". "parley --help" lists the commands.\n',
    })
    const { stderr } = await parley(['sessions', 'lst'])
    expect(stderr).toContain("unknown command 'lst'")
    expect(stderr).toContain('Did you mean list?')
  })

  it('is JSON for machines, as wrong options are, and nothing else is printed', async () => {
    using folder = temporaryFolder()
    const parley = processRunner(folder.path)
    const lines: [string, object][] = [
      ['frobnicate --json', { code: 'invalid_request', details: { command: 'frobnicate' } }],
      ['sessions lst --json', { message: expect.stringContaining("unknown command 'lst'") }],
      ['sessions list --limitt 3 --json', { message: expect.stringContaining("'--limitt'") }],
      ['sessions list --kind thread --json', { message: expect.stringContaining('--kind') }],
      ['run --output-format json', { message: expect.stringContaining('prompt') }],
    ]
    for (const [line, error] of lines) {
      const { code, stdout, stderr } = await parley(line.split(' '))
      expect({ code, stderr }, line).toEqual({ code: 2, stderr: '' })
      expect(JSON.parse(stdout), line).toMatchObject({ error })
    }
  })
})

/** A server of something else. */
async function startPage() {
  const server = createServer((_request, response) => void response.end('<html></html>'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('what the system refuses', () => {
  it('is one sentence that names it, never a stack', async () => {
    using folder = temporaryFolder()
    const parley = processRunner(folder.path)
    mkdirSync(join(folder.path, 'a-folder'))
    writeFileSync(join(folder.path, 'a-file'), 'no JSON')
    const { id } = JSON.parse((await parley(['sessions', 'create', '--json'])).stdout) as { id: string }
    await using other = await startPage()
    const lines: [string, number, RegExp][] = [
      [`sessions export ${id} -o a-folder`, 2, /a-folder.*\(EISDIR/],
      [`sessions export ${id} -o nowhere/file`, 2, /nowhere\/file.*\(ENOENT/],
      [`sessions export ${id} -o /dev/full`, 1, /no space left on device/],
      [`sessions import nowhere`, 2, /nowhere/],
      [`sessions import a-file`, 2, /no known format/],
      [`sessions memo ${id} --set a-folder`, 2, /a-folder.*EISDIR/],
      [`tasks run x --schema a-folder`, 2, /a-folder.*EISDIR/],
      [`tasks run x --schema a-file`, 2, /--schema/],
      [`tasks run x --context no-json`, 2, /--context/],
      [`workflows save a-folder`, 2, /a-folder.*EISDIR/],
      [`rooms agents save nowhere`, 2, /nowhere.*ENOENT/],
      [`knowledge import a-folder`, 2, /a-folder.*EISDIR/],
      [`backup a-file/copy`, 2, /a-file\/copy.*\(ENOTDIR/],
      [`backup a-folder`, 1, /a-folder is there already/],
      [`restore nowhere`, 2, /nowhere is no backup/],
      [`extensions new a-folder`, 1, /a-folder is there already/],
      [`trust a-file`, 2, /a-file is not a folder/],
      [`run hi --api-key-file a-folder`, 2, /a-folder/],
      [`sessions list --url http://127.0.0.1:1`, 1, /No Parley answers/],
      [`sessions list --url http://127.0.0.1:99999`, 2, /--url must be the address of a server/],
      [`sessions list --url ${other.url}`, 1, /No Parley answers at .*: what is there sent no JSON/],
    ]
    for (const [line, code, stderr] of lines) {
      const outcome = await parley(line.split(' '))
      expect(outcome, line).toMatchObject({ code, stderr: expect.stringMatching(stderr) })
      expect(outcome.stderr, line).toMatch(/^parley: [^\n]+\n$/)
    }
  }, 60_000)

  it('is a database that is damaged, is none, or cannot be made', async () => {
    using folder = temporaryFolder()
    const folders: [string, (path: string) => void, string][] = [
      ['text', (path) => writeFileSync(path, 'no database, '.repeat(100)), 'is not a SQLite database'],
      ['folder', (path) => mkdirSync(path), 'cannot be opened'],
    ]
    for (const [name, make, message] of folders) {
      const dataDir = join(folder.path, name)
      mkdirSync(dataDir)
      make(join(dataDir, 'parley.db'))
      const outcome = await processRunner(folder.path)(['sessions', 'list'], {
        env: { PARLEY_DATA_DIR: dataDir },
      })
      expect(outcome.stderr).toMatch(/^parley: [^\n]+\n$/)
      expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) })
    }
    // /proc takes no folders, and says so as if the folder above were not there
    const outcome = await processRunner(folder.path)(['sessions', 'list'], {
      env: { PARLEY_DATA_DIR: '/proc/parley/data' },
    })
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringMatching(/^parley: [^\n]+\n$/) })
  })

  it('is a PostgreSQL that has no such database, or no such user', async () => {
    using folder = temporaryFolder()
    await using database = await postgresDatabase({ isEmpty: true })
    const [nowhere, nobody] = [1, 2].map(() => new URL(database.environment.DATABASE_URL!)) as [URL, URL]
    nowhere.pathname = '/nowhere'
    nobody.username = 'nobody'
    for (const [wrong, message] of [
      [nowhere, 'database "nowhere" does not exist'],
      [nobody, 'nobody'],
    ] as const) {
      const outcome = await processRunner(folder.path)(['sessions', 'list'], {
        env: { DATABASE_URL: wrong.href },
      })
      expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) })
      expect(outcome.stderr).toMatch(/^parley: The database cannot be opened: [^\n]+\n$/)
    }
  })
})
