import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { createParley } from '../../src/index.ts'
import { temporaryFolder } from '../harness.ts'
import { need } from '../runner/provision.ts'
import { startServer } from '../server-process.ts'

const run = promisify(execFile)

it('lets several processes write to one SQLite file at once, and loses nothing', async () => {
  using folder = temporaryFolder()
  await using parley = await createParley({ dataDir: folder.path })
  const { id } = await parley.sessions.create()
  const writer = join(import.meta.dirname, 'writer.ts')
  const names = ['one', 'two', 'three']
  await Promise.all(names.map((name) => run(process.execPath, [writer, folder.path, id, name, '100'])))
  const texts: unknown[] = []
  for (let after = 0; after < 300; after = texts.length)
    texts.push(
      ...(await parley.sessions.messages(id, { after, limit: 200 })).items.map(({ parts }) => parts[0]?.text),
    )
  for (const name of names)
    expect(texts.filter((text) => String(text).startsWith(`${name} `))).toEqual(
      Array.from({ length: 100 }, (_, i) => `${name} ${i}`),
    )
  expect(texts).toHaveLength(300)
  expect(await parley.store.checkIntegrity()).toBeUndefined()
})

it('tells a second server who holds the data folder, and lets it in when the first one is gone', async () => {
  using folder = temporaryFolder()
  const env = { PARLEY_DATA_DIR: folder.path }
  const first = await startServer({ env })
  const refused = startServer({ env })
  await expect(refused).rejects.toThrow(`in use by a Parley server (process ${first.child.pid}, since`)
  await expect(refused).rejects.toThrow(first.url)
  await first.kill('SIGKILL')
  const second = await startServer({ env })
  expect((await second.kill('SIGTERM')).code).toBe(0)
})

it('lets the command line work on the data of a running server', async () => {
  using folder = temporaryFolder()
  const env = { PATH: process.env.PATH, HOME: folder.path, PARLEY_DATA_DIR: folder.path }
  const server = await startServer({ env: { PARLEY_DATA_DIR: folder.path } })
  const { id } = await createClient({ baseUrl: server.url }).sessions.create({ title: 'Shared' })
  const cli = await need('program')
  const { stdout } = await run(process.execPath, [cli, 'sessions', 'list', '--json'], { env })
  expect(JSON.parse(stdout).items).toMatchObject([{ id, title: 'Shared' }])
  await run(process.execPath, [cli, 'sessions', 'rename', id, 'Renamed'], { env })
  expect((await createClient({ baseUrl: server.url }).sessions.get(id)).title).toBe('Renamed')
  await server.kill('SIGTERM')
})
