import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { systemClock } from '../../src/shared/clock.ts'
import { databases } from '../harness.ts'
import { listTasks, openTaskNodes, type Said } from './task-nodes.ts'

const count = 5
const timeoutMs = 8_000

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

const absences: [when: string, awayMs: number][] = [
  ['at half of it, and goes on', 0],
  ['at half of it, and is away until after it', timeoutMs * 0.75],
]

// all of them at once: they do little but wait
describe.concurrent.each(databases)('the time of a task on %s', (_name, openDatabase) => {
  const title = 'ends at the deadline that it began with when its process dies %s'
  it.for(absences)(title, async ([, awayMs], { expect }) => {
    await using database = await openDatabase()
    await using nodes = await openTaskNodes(database, { chat: spawnAll, task: () => undefined })
    await using store = await database.open(systemClock)
    const statuses = async () => (await listTasks(store)).map(({ status }) => status)
    await expect.poll(statuses, { timeout: 20_000 }).toEqual(Array(count).fill('running'))
    const before = new Map((await listTasks(store)).map((run) => [run.id, run]))
    const firstStart = Math.min(...[...before.values()].map(({ startedAt }) => startedAt!))
    await sleep(firstStart + timeoutMs / 2 - Date.now())
    await nodes.kill()
    expect(await statuses()).toEqual(Array(count).fill('running'))
    await sleep(awayMs)
    const restartedAt = Date.now()
    await nodes.start()
    await expect.poll(statuses, { timeout: 30_000 }).toEqual(Array(count).fill('timeout'))

    for (const run of await listTasks(store)) {
      const { startedAt, deadlineAt } = before.get(run.id)!
      // a database may read its clock twice for the two
      expect(Math.abs(deadlineAt! - startedAt! - timeoutMs)).toBeLessThanOrEqual(1)
      expect(run).toMatchObject({ startedAt, deadlineAt, attempt: 2 })
      expect(run.finishedAt).toBeGreaterThanOrEqual(deadlineAt!)
      // whoever took it over and gave it all of its time again would not be there yet
      expect(run.finishedAt).toBeLessThan(restartedAt + timeoutMs)
      expect(run.outcome).toMatchObject({ code: 'timeout', result: { status: 'timeout', degraded: true } })
      expect(await store.getSession('default', run.sessionId)).toMatchObject({ bgStatus: 'timeout' })
    }
    const events = await store.listEvents('default', { after: 0, limit: 100 })
    expect(events.filter(({ type }) => type === 'bg:session.timeout')).toHaveLength(count)
  })
})
