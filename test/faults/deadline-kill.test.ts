import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { describe, it } from 'vitest'
import { systemClock } from '../../src/core/shared/clock.ts'
import { databases, type TestDatabase } from '../harness.ts'
import { listTasks, openTaskNodes, type Said } from './task-nodes.ts'

const count = 5
// more than the test has: whoever took a task over and gave it all of its time again would never be done
const timeoutMs = 600_000

const spawnAll = (messages: Said[]) =>
  messages.some(({ role }) => role === 'tool')
    ? { text: 'They are under way.' }
    : {
        toolCalls: Array.from({ length: count }, (_, index) => ({
          id: `spawn_${index}`,
          name: 'spawn_task',
          input: JSON.stringify({ task: `task ${index}`, timeout_seconds: timeoutMs / 1_000 }),
        })),
      }

const absences: [when: string, leftMs: number][] = [
  ['shortly before it', 3_000],
  ['and is away until after it', -1_000],
]

describe.concurrent.each(databases)('the time of a task on %s', (_name, openDatabase) => {
  const title = 'ends at the deadline that it began with when its process dies %s'
  it.for(absences)(title, async ([, leftMs], { expect }) => {
    await using database = await openDatabase()
    await using nodes = await openTaskNodes(database, { chat: spawnAll, task: () => undefined })
    await using store = await database.open(systemClock)
    const statuses = async () => (await listTasks(store)).map(({ status }) => status)
    await expect.poll(statuses, { timeout: 200_000 }).toEqual(Array(count).fill('running'))
    await nodes.kill()
    expect(await statuses()).toEqual(Array(count).fill('running'))
    const lastStart = Math.max(...(await listTasks(store)).map(({ startedAt }) => startedAt!))
    await beginEarlier(database, lastStart + timeoutMs - leftMs - Date.now())
    const before = new Map((await listTasks(store)).map((run) => [run.id, run]))
    await nodes.start()
    await expect.poll(statuses, { timeout: 200_000 }).toEqual(Array(count).fill('timeout'))

    for (const run of await listTasks(store)) {
      const { startedAt, deadlineAt } = before.get(run.id)!
      // a database may read its clock twice for the two
      expect(Math.abs(deadlineAt! - startedAt! - timeoutMs)).toBeLessThanOrEqual(1)
      expect(run).toMatchObject({ startedAt, deadlineAt })
      expect(run.attempt).toBeGreaterThan(1)
      expect(run.finishedAt).toBeGreaterThanOrEqual(deadlineAt!)
      expect(run.outcome).toMatchObject({ code: 'timeout', result: { status: 'timeout', degraded: true } })
      expect(await store.getSession('default', run.sessionId)).toMatchObject({ bgStatus: 'timeout' })
    }
    const events = await store.listEvents('default', { after: 0, limit: 100 })
    expect(events.filter(({ type }) => type === 'bg:session.timeout')).toHaveLength(count)
  })
})

/** As if so much of the time of the tasks had passed already. */
async function beginEarlier({ environment }: TestDatabase, ms: number): Promise<void> {
  const shift = `update runs set started_at = started_at - ${ms}, deadline_at = deadline_at - ${ms}
    where kind = 'background'`
  if (environment.DATABASE_URL === undefined) {
    using file = new DatabaseSync(join(environment.PARLEY_DATA_DIR!, 'parley.db'))
    file.exec(shift)
    return
  }
  const client = new pg.Client({ connectionString: environment.DATABASE_URL })
  await client.connect()
  await client.query(shift)
  await client.end()
}
