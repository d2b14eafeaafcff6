import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBackup } from '../src/backup/create-backup.ts'
import { restoreBackup } from './restore.ts'
import { createClient } from '../src/client/index.ts'
import { createParley } from '../src/index.ts'
import { temporaryFolder } from './harness.ts'
import { startServer } from './server-process.ts'

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** What others can read, below a folder that they may look into; what is in a closed folder is closed too. */
function openToOthers(path: string): string[] {
  const found = lstatSync(path)
  if (found.isSymbolicLink()) return []
  const own = (found.mode & 0o077) === 0 ? [] : [`${path} ${modeOf(path)}`]
  if (!found.isDirectory() || own.length === 0) return own
  return [...own, ...globSync('*', { cwd: path }).flatMap((name) => openToOthers(join(path, name)))]
}

/** Every file at the top of the data folder, whatever the folder says. */
const topModes = (dataDir: string) =>
  Object.fromEntries(
    globSync('*', { cwd: dataDir, withFileTypes: true }).map((entry) => [
      entry.name,
      modeOf(join(dataDir, entry.name)),
    ]),
  )

describe.skipIf(process.platform === 'win32')('a data folder, with a umask that closes nothing', () => {
  let before = 0
  beforeEach(() => (before = process.umask(0)))
  afterEach(() => process.umask(before))

  it('is closed to others, with all that a server keeps in it', async () => {
    using folder = temporaryFolder()
    const dataDir = join(folder.path, 'data')
    mkdirSync(dataDir)
    chmodSync(dataDir, 0o755)
    const server = await startServer({ env: { PARLEY_DATA_DIR: dataDir, PARLEY_MIRROR: 'true' } })
    const client = createClient({ baseUrl: server.url })
    await client.sessions.create({ title: 'One' })
    await fetch(`${server.url}/api/providers/openai`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiKey: 'sk-0123456789' }),
    })
    expect(modeOf(dataDir)).toBe('700')
    const modes = topModes(dataDir)
    expect(Object.keys(modes)).toEqual(
      expect.arrayContaining([
        'parley.db',
        'parley.db-wal',
        'parley.db-shm',
        'server.json',
        'server.lock',
        'owners',
        'credentials.json',
      ]),
    )
    for (const [name, mode] of Object.entries(modes)) expect(mode, name).toMatch(/^[67]00$/)
    expect(server.log()).toContain(`could read ${dataDir}; now they cannot`)
    await server.kill('SIGTERM')
    const again = await startServer({ env: { PARLEY_DATA_DIR: dataDir } })
    expect(again.log()).not.toContain('could read')
    await again.kill('SIGTERM')
  })

  it('is closed where it was open before, and its database too', async () => {
    using folder = temporaryFolder()
    const dataDir = join(folder.path, 'data')
    await (await createParley({ dataDir }))[Symbol.asyncDispose]()
    mkdirSync(join(dataDir, 'workspaces'), { recursive: true })
    writeFileSync(join(dataDir, 'credentials.json'), '{}')
    chmodSync(dataDir, 0o777)
    for (const name of ['parley.db', 'credentials.json', 'workspaces']) chmodSync(join(dataDir, name), 0o777)
    expect(openToOthers(dataDir)).toHaveLength(4)
    await using _parley = await createParley({ dataDir })
    expect(modeOf(dataDir)).toBe('700')
    expect(modeOf(join(dataDir, 'parley.db'))).toBe('600')
    for (const [name, mode] of Object.entries(topModes(dataDir))) expect(mode, name).toMatch(/^[67]00$/)
  })

  it('is closed in what a backup and a restore make of it', async () => {
    using folder = temporaryFolder()
    const at = (...names: string[]) => join(folder.path, ...names)
    {
      await using parley = await createParley({ dataDir: at('data') })
      await parley.sessions.create({})
    }
    writeFileSync(at('data', 'credentials.json'), '{}')
    mkdirSync(at('data', 'workspaces', 'ses_1'), { recursive: true })
    writeFileSync(at('data', 'workspaces', 'ses_1', 'open'), '')
    await createBackup({ dataDir: at('data'), target: at('backup'), version: '1' })
    mkdirSync(at('premade'))
    await restoreBackup({ source: at('backup'), dataDir: at('premade') })
    await restoreBackup({ source: at('backup'), dataDir: at('premade'), force: true })
    expect(openToOthers(at('backup'))).toEqual([])
    expect(openToOthers(at('premade'))).toEqual([])
    for (const name of ['backup', 'premade'])
      for (const [file, mode] of Object.entries(topModes(at(name)))) expect(mode, file).toMatch(/^[67]00$/)
  })

  it('that everybody shares stays as it is, and so does what a link leads to', async () => {
    using folder = temporaryFolder()
    const at = (...names: string[]) => join(folder.path, ...names)
    mkdirSync(at('shared'))
    chmodSync(at('shared'), 0o1777)
    mkdirSync(at('elsewhere'))
    chmodSync(at('elsewhere'), 0o755)
    symlinkSync(at('elsewhere'), at('shared', 'workspaces'))
    await using _parley = await createParley({ dataDir: at('shared') })
    expect((statSync(at('shared')).mode & 0o7777).toString(8)).toBe('1777')
    expect(modeOf(at('elsewhere'))).toBe('755')
    expect(modeOf(at('shared', 'parley.db'))).toBe('600')
    expect(modeOf(at('shared', 'parley.db-wal'))).toBe('600')
  })

  it.skipIf(process.getuid?.() !== 0)('of another user is worked on as it is', async () => {
    using folder = temporaryFolder()
    const dataDir = join(folder.path, 'data')
    mkdirSync(dataDir)
    chmodSync(dataDir, 0o755)
    chownSync(dataDir, 12_345, 12_345)
    const server = await startServer({ env: { PARLEY_DATA_DIR: dataDir } })
    expect(server.log()).toContain(`can read ${dataDir}: it belongs to another user`)
    expect(modeOf(dataDir)).toBe('755')
    expect(modeOf(join(dataDir, 'parley.db'))).toBe('600')
    await server.kill('SIGTERM')
  })
})

it('a store in memory makes no folder and changes no mode', async () => {
  const { createAgent } = await import('../src/index.ts')
  const mode = modeOf(process.cwd())
  await using _agent = createAgent({})
  expect(modeOf(process.cwd())).toBe(mode)
  expect(existsSync(':memory:')).toBe(false)
})
