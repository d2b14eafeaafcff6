import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createBackup } from '../src/backup/create-backup.ts'
import type { Manifest } from '../src/backup/manifest.ts'
import { restoreBackup } from './restore.ts'
import { createParley } from '../src/index.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { readMigrations } from '../src/core/store/migrate.ts'
import { migrateAsBefore } from './schema-fixture.ts'
import { checkDatabase } from '../src/core/store/sqlite/database-file.ts'
import { openSqlite } from '../src/core/store/sqlite/open.ts'
import { processRunner } from './command-line.ts'
import { temporaryFolder } from './harness.ts'
import { startServer } from './server-process.ts'

const newest = readMigrations('sqlite').at(-1)!.number

/** A folder with a Parley in `data` that holds one session, its files and a key. */
async function arrange() {
  const folder = temporaryFolder()
  const at = (...names: string[]) => join(folder.path, ...names)
  await using parley = await createParley({ dataDir: at('data') })
  const { id } = await parley.sessions.create({ title: 'Before' })
  mkdirSync(at('data', 'workspaces', id, 'bin'), { recursive: true })
  writeFileSync(at('data', 'workspaces', id, 'bin', 'tool'), '#!/bin/sh\n')
  chmodSync(at('data', 'workspaces', id, 'bin', 'tool'), 0o755)
  symlinkSync('bin/tool', at('data', 'workspaces', id, 'shortcut'))
  writeFileSync(at('data', 'credentials.json'), '{"openai":{"apiKey":"sk-x"}}\n', { mode: 0o600 })
  const backUp = (force = false) =>
    createBackup({ dataDir: at('data'), target: at('backup'), version: '1.2.3', force })
  const restore = (to: string, force = false) =>
    restoreBackup({ source: at('backup'), dataDir: at(to), force })
  return { at, id, backUp, restore, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

const titles = async (dataDir: string) => {
  await using parley = await createParley({ dataDir })
  return (await parley.sessions.list()).items.map(({ title }) => title)
}

/** Every file below a folder with a hash of what is in it; locks aside, which are no data. */
const contents = (folder: string) =>
  globSync('**', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('server.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => [file, createHash('sha256').update(readFileSync(file)).digest('hex')])

it('brings back sessions, files, links and keys, readable by nobody else', async () => {
  using place = await arrange()
  const { at, id } = place
  const manifest = await place.backUp()
  expect(manifest).toMatchObject({ parley: '1.2.3', schema: newest })
  expect(statSync(at('backup')).mode & 0o777).toBe(0o700)
  for (const name of ['parley.db', 'credentials.json', 'manifest.json'])
    expect(statSync(at('backup', name)).mode & 0o777, name).toBe(0o600)

  const { replaced } = await place.restore('other')
  expect(replaced).toBeUndefined()
  expect(await titles(at('other'))).toEqual(['Before'])
  expect(statSync(at('other', 'workspaces', id, 'bin', 'tool')).mode & 0o777).toBe(0o755)
  expect(readlinkSync(at('other', 'workspaces', id, 'shortcut'))).toBe('bin/tool')
  expect(readFileSync(at('other', 'credentials.json'), 'utf8')).toContain('sk-x')
  expect(globSync('*', { cwd: at('other') }).filter((name) => name.includes('tmp'))).toEqual([])
})

it('replaces an earlier backup only when told, and never what is none', async () => {
  using place = await arrange()
  const { at } = place
  await place.backUp()
  await expect(place.backUp()).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('--force'),
  })
  writeFileSync(at('backup', 'left over'), '')
  await place.backUp(true)
  expect(existsSync(at('backup', 'left over'))).toBe(false)
  rmSync(at('backup', 'manifest.json'))
  await expect(place.backUp(true)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('is no backup'),
  })
  expect(globSync('backup*', { cwd: at() })).toEqual(['backup'])
})

it('moves what is there aside when told, and otherwise leaves it alone', async () => {
  using place = await arrange()
  const { at, id } = place
  await place.backUp()
  {
    await using parley = await createParley({ dataDir: at('data') })
    await parley.sessions.update(id, { title: 'After' })
  }
  writeFileSync(at('data', 'workspaces', 'newer'), '')
  const before = contents(at('data'))
  await expect(place.restore('data')).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('--force'),
  })
  expect(contents(at('data'))).toEqual(before)

  const { replaced } = await place.restore('data', true)
  expect(await titles(at('data'))).toEqual(['Before'])
  expect(existsSync(at('data', 'workspaces', 'newer'))).toBe(false)
  expect(await titles(replaced!)).toEqual(['After'])
  expect(existsSync(join(replaced!, 'workspaces', 'newer'))).toBe(true)
})

it('takes the place of a database that is damaged', async () => {
  using place = await arrange()
  await place.backUp()
  writeFileSync(place.at('data', 'parley.db'), 'no database any more')
  const { replaced } = await place.restore('data', true)
  expect(await titles(place.at('data'))).toEqual(['Before'])
  expect(readFileSync(join(replaced!, 'parley.db'), 'utf8')).toBe('no database any more')
})

it('leaves nothing behind when the database is damaged', async () => {
  using place = await arrange()
  truncateSync(place.at('data', 'parley.db'), 200_000)
  await expect(place.backUp()).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(globSync('*', { cwd: place.at() })).toEqual(['data'])
})

type Damage = (
  at: (...names: string[]) => string,
  edit: (change: (manifest: Manifest) => void) => void,
) => void

const damages: Record<string, [Damage, RegExp]> = {
  'without a manifest': [(at) => rmSync(at('manifest.json')), /is no backup.*ENOENT/],
  'with half a manifest': [(at) => truncateSync(at('manifest.json'), 100), /damaged or not of Parley/],
  'that was cut short': [
    (at) => truncateSync(at('parley.db'), 4_096),
    /damaged: parley\.db has 4096 bytes in place of/,
  ],
  'with one byte changed': [
    (at) => {
      const bytes = readFileSync(at('parley.db'))
      bytes[bytes.length - 100]! ^= 1
      writeFileSync(at('parley.db'), bytes)
    },
    /damaged: parley\.db is not what was written/,
  ],
  'without one of its files': [(at) => rmSync(at('credentials.json')), /credentials\.json is missing/],
  'without a database': [(_at, edit) => edit(({ files }) => files.shift()), /it has no parley\.db/],
  'that names a file outside': [
    (_at, edit) => edit(({ files }) => (files[1]!.path = 'workspaces/../../../escaped')),
    /damaged or not of Parley/,
  ],
  'that names the lock of a server': [
    (_at, edit) => edit(({ files }) => (files[1]!.path = 'server.lock')),
    /damaged or not of Parley/,
  ],
  'of a newer schema': [
    (_at, edit) => edit((manifest) => (manifest.schema = newest + 1)),
    new RegExp(
      `made by Parley 1\\.2\\.3 and has schema version ${newest + 1}.*knows versions up to ${newest}`,
    ),
  ],
  'whose database has another schema': [
    (_at, edit) => edit((manifest) => (manifest.schema = 3)),
    /the database has schema version 3, but it has/,
  ],
  'in a newer form': [
    (_at, edit) => edit((manifest) => (manifest.format = 2)),
    /in a form that this Parley does not know/,
  ],
}

it.each(Object.entries(damages))(
  'refuses a backup %s, and changes nothing',
  async (_name, [damage, message]) => {
    using place = await arrange()
    await place.backUp()
    const before = contents(place.at('data'))
    const file = place.at('backup', 'manifest.json')
    damage(
      (...names) => place.at('backup', ...names),
      (change) => {
        const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest
        change(manifest)
        writeFileSync(file, JSON.stringify(manifest))
      },
    )
    const refusal = { code: 'invalid_request', message: expect.stringMatching(message) }
    await expect(place.restore('data', true)).rejects.toMatchObject(refusal)
    expect(contents(place.at('data'))).toEqual(before)
    await expect(place.restore('other')).rejects.toMatchObject(refusal)
    expect(existsSync(place.at('other')) ? contents(place.at('other')) : []).toEqual([])
    expect(existsSync(place.at('escaped'))).toBe(false)
  },
)

it('keeps the schema of a database that is yet to be upgraded', async () => {
  using folder = temporaryFolder()
  const dataDir = join(folder.path, 'data')
  const file = join(dataDir, 'parley.db')
  const backend = openSqlite({ file, synchronous: 'FULL', busyTimeoutMs: 100 }, systemClock)
  await migrateAsBefore(backend, 5)
  await backend.close()
  const target = join(folder.path, 'backup')
  expect(await createBackup({ dataDir, target, version: '1.0.0' })).toMatchObject({ schema: 5 })
  expect(checkDatabase(file)).toBe(5)
  renameSync(dataDir, join(folder.path, 'gone'))
  await restoreBackup({ source: target, dataDir })
  expect(checkDatabase(file)).toBe(5)
  expect(await titles(dataDir)).toEqual([])
  expect(checkDatabase(file)).toBe(newest)
})

it('is refused while a server or another process works on the folder', async () => {
  using place = await arrange()
  const { at } = place
  await place.backUp()
  const server = await startServer({ env: { PARLEY_DATA_DIR: at('data') } })
  const parley = processRunner(at())
  expect(await parley(['restore', at('backup'), '--force'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(`in use by a Parley server (process ${server.child.pid}`),
  })
  await server.kill('SIGTERM')

  await using library = await createParley({ dataDir: at('data') })
  expect(await parley(['restore', at('backup'), '--force'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Another process works on .*parley\.db. Stop it/),
  })
  expect((await library.sessions.list()).items).toHaveLength(1)
})

it('answers machines in JSON and people in words, and says what to do with PostgreSQL', async () => {
  using place = await arrange()
  const { at } = place
  const parley = processRunner(at())
  const made = await parley(['backup', at('nightly'), '--json'])
  expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('checking the copy') })
  expect(JSON.parse(made.stdout)).toMatchObject({ folder: at('nightly'), schema: newest, files: 3 })
  expect(await parley(['restore', at('nightly'), '--data-dir', at('new')])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`${at('new')}: as it was at`),
  })
  expect(await parley(['backup', at('x'), '--data-dir', at('nowhere')])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('--data-dir'),
  })
  const env = { DATABASE_URL: 'postgres://parley@127.0.0.1:1/parley' }
  for (const [command, tool] of [
    ['backup', 'pg_dump'],
    ['restore', 'pg_restore'],
  ] as const)
    expect(await parley([command, at('x')], { env })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(tool),
    })
})
