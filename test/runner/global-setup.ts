import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { ensureProgram } from '../../scripts/setup/program.js'
import { ensureWeb } from '../../scripts/setup/web.js'
import { systemClock } from '../../src/core/shared/clock.ts'
import { createIds } from '../../src/core/shared/ids.ts'
import type { Backend } from '../../src/core/store/backend.ts'
import { openPostgres as openBackend } from '../../src/core/store/postgres/open.ts'
import { openSqlite } from '../../src/core/store/sqlite/open.ts'
import { createStore } from '../../src/core/store/store.ts'
import { builtInSlices } from '../built-in.ts'
import { ensureNodes } from '../faults/build-nodes.js'
import { createTemplate, dropTemplate } from '../postgres-pool.ts'
import { openPostgres } from '../postgres.ts'
import { provideProgram } from './programs.ts'
import { serveProvisions, type Provisions } from './provision.ts'

const root = join(import.meta.dirname, '..', '..')

/** Of the integration tests. A PostgreSQL of its own, or the one PARLEY_TEST_POSTGRES_URL names. */
export default async function setUp(project: TestProject) {
  const undo: (() => unknown)[] = []
  const make: { [Name in keyof Provisions]: () => Promise<Provisions[Name]> } = {
    async postgres() {
      const server = await openPostgres(process.env.PARLEY_TEST_POSTGRES_URL)
      undo.push(() => server.stop())
      const template = await createTemplate(server.url, (url) => migrate(openBackend({ url, poolSize: 1 })))
      undo.push(() => dropTemplate(server.url, template))
      return { url: server.url, template }
    },
    async program() {
      await ensureProgram(process.execPath)
      return join(root, 'dist', 'cli', 'parley.js')
    },
    async nodes() {
      await ensureNodes()
      return join(root, 'test', 'faults', 'compiled-node.js')
    },
    async workbench() {
      await ensureWeb(process.execPath)
      return join(root, 'web', 'dist')
    },
  }
  const provisions = await serveProvisions((name) =>
    name.startsWith('programs/') ? provideProgram(name.slice('programs/'.length)) : make[name]!(),
  )
  undo.push(provisions.close)
  project.provide('provisionsUrl', provisions.url)
  const folder = mkdtempSync(join(tmpdir(), 'parley-template-'))
  undo.push(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'parley.db')
  await migrate(openSqlite({ file, synchronous: 'NORMAL', busyTimeoutMs: 5_000 }, systemClock))
  project.provide('sqliteTemplate', file)
  return async () => {
    for (const step of undo.toReversed()) await step()
  }
}

const migrate = async (backend: Backend) =>
  (
    await createStore(backend, {
      clock: systemClock,
      ids: createIds(systemClock),
      slices: builtInSlices,
    })
  ).close()
