import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { systemClock } from '../src/shared/clock.ts'
import { createIds } from '../src/shared/ids.ts'
import type { Backend } from '../src/store/backend.ts'
import { openPostgres as openBackend } from '../src/store/postgres/open.ts'
import { openSqlite } from '../src/store/sqlite/open.ts'
import { createStore } from '../src/store/store.ts'
import { createTemplate, dropTemplate } from './postgres-pool.ts'
import { openPostgres } from './postgres.ts'

/** Of the integration tests: one PostgreSQL per run, or the one PARLEY_TEST_POSTGRES_URL names. */
export default async function setup(project: TestProject) {
  try {
    const server = await openPostgres(process.env.PARLEY_TEST_POSTGRES_URL)
    const template = await createTemplate(server.url, (url) => migrate(openBackend({ url, poolSize: 1 })))
    const folder = mkdtempSync(join(tmpdir(), 'parley-template-'))
    const file = join(folder, 'parley.db')
    await migrate(openSqlite({ file, synchronous: 'NORMAL', busyTimeoutMs: 5_000 }, systemClock))
    project.provide('postgresUrl', server.url)
    project.provide('postgresTemplate', template)
    project.provide('sqliteTemplate', file)
    return async () => {
      rmSync(folder, { recursive: true })
      await dropTemplate(server.url, template)
      await server.stop()
    }
  } catch (error) {
    // thrown, it would come with a stack and a claim that there are no tests
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return process.exit(1)
  }
}

const migrate = async (backend: Backend) =>
  (await createStore(backend, { clock: systemClock, ids: createIds(systemClock) })).close()
