import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { systemClock } from '../../src/core/shared/clock.ts'
import { openSqlite } from '../../src/core/store/sqlite/open.ts'
import { temporaryFolder } from '../harness.ts'
import { startServer } from '../server-process.ts'
import { needProgram } from '../runner/provision.ts'

const writes = 100

// a kill proves nothing here: what the system had not written to disk yet survives the death of a process
it(`syncs the disk at least once for each of ${writes} acknowledged writes on a database that was opened again`, async () => {
  const strace = await needProgram('strace')
  using folder = temporaryFolder()
  const env = { PARLEY_DATA_DIR: folder.path }
  const first = await startServer({ env })
  const { id } = await createClient({ baseUrl: first.url }).sessions.create()
  await first.kill('SIGTERM')

  const trace = join(folder.path, 'trace')
  // -D: the tracer stands aside, so that the process started here is the server itself
  const wrapper = [strace, '-D', '-f', '--seccomp-bpf', '-e', 'trace=fsync,fdatasync', '-o', trace]
  const second = await startServer({ env, wrapper })
  const countSyncs = () =>
    readFileSync(trace, 'utf8')
      .split('\n')
      .filter((line) => /f(data)?sync\(/.test(line)).length
  const { sessions } = createClient({ baseUrl: second.url })
  const before = countSyncs()
  for (let index = 0; index < writes; index++)
    await sessions.append(id, { role: 'user', content: `text ${index}` })
  // the tracer writes down what it saw a moment later
  await expect.poll(() => countSyncs() - before).toBeGreaterThanOrEqual(writes)
  const syncs = countSyncs() - before
  await second.kill('SIGTERM')
  process.stdout.write(`${syncs} syncs for ${writes} serial acknowledged writes\n`)
})

it('asks SQLite for full synchronisation on every connection, a reopened one too', async () => {
  using folder = temporaryFolder()
  for (const round of [1, 2, 3]) {
    const backend = openSqlite(
      { file: join(folder.path, 'parley.db'), synchronous: 'FULL', busyTimeoutMs: 100 },
      systemClock,
    )
    const { rows } = await sql`PRAGMA synchronous`.execute(backend.db)
    expect(rows, `opening ${round}`).toEqual([{ synchronous: 2 }])
    await backend.close()
  }
})
