import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { TaskResult } from '../../src/core/protocol/background.ts'
import { systemClock } from '../../src/core/shared/clock.ts'
import { databases } from '../harness.ts'
import { createRandom } from '../seed.ts'
import { listTasks, openTaskNodes, parentId, type Said } from './task-nodes.ts'

const kills = Number(process.env.PARLEY_TEST_GUARD_KILLS ?? 2)
const count = 20

const numberOf = (messages: Said[]) => /task number (\d+)/.exec(JSON.stringify(messages))![1]!
const isReminder = ({ content }: Said) => JSON.stringify(content).includes('You have not called set_result')

/** Talks and never hands in a result; what it says tells how often it was reminded. */
const talk = (messages: Said[]) => ({
  text: `words of ${numberOf(messages)} after ${messages.filter(isReminder).length} reminders`,
  chunks: 10,
})

const spawnAll = (messages: Said[]) =>
  messages.some(({ role }) => role === 'tool')
    ? { text: 'They are under way.' }
    : {
        toolCalls: Array.from({ length: count }, (_, index) => ({
          id: `spawn_${index}`,
          name: 'spawn_task',
          input: JSON.stringify({ task: `task number ${index}` }),
        })),
      }

describe.each(databases)('a task that never hands in a result on %s', (_name, openDatabase) => {
  it(
    `is reminded once and its words are taken once, over ${kills} kills of its process`,
    async () => {
      await using database = await openDatabase()
      const random = createRandom()
      let killed = 0
      await using nodes = await openTaskNodes(database, {
        chat: spawnAll,
        // the last one is under way at the first kill, however long that takes to come
        task: (messages) =>
          killed === 0 && numberOf(messages) === String(count - 1) ? undefined : talk(messages),
      })
      await using store = await database.open(systemClock)
      const countOpen = async () =>
        (await listTasks(store)).filter(({ status }) => status === 'queued' || status === 'running').length
      await expect.poll(async () => (await listTasks(store)).length, { timeout: 200_000 }).toBe(count)
      for (; killed < kills && (await countOpen()) > 0; killed++) {
        await sleep(random() * 300)
        await nodes.kill()
        await nodes.start()
      }
      await expect.poll(countOpen, { timeout: 200_000, interval: 200 }).toBe(0)
      const delivered = async () =>
        (await store.listMessages('default', parentId, { limit: 1_000 }))
          .flatMap(({ parts }) => parts.filter(({ type }) => type === 'data-task-result'))
          .map(({ data }) => data as TaskResult)
      await expect.poll(async () => (await delivered()).length, { timeout: 200_000 }).toBe(count)

      expect(killed).toBeGreaterThan(0)
      for (const run of await listTasks(store)) {
        const steps = await store.listRunSteps(run.id)
        expect(steps.map(({ step }) => step)).toEqual([1, 2])
        const parts = steps.flatMap((step) => step.parts)
        expect(parts.filter(({ type }) => type === 'data-steer')).toHaveLength(1)
        const [message] = (await store.listMessages('default', run.sessionId, { limit: 10 })).slice(-1)
        expect(message!.parts).toEqual(parts)
        const { result } = run.outcome as { result: TaskResult }
        expect(result).toMatchObject({ status: 'partial', source: 'extracted', degraded: true })
        expect(result.output).toMatch(/^words of \d+ after 1 reminders$/)
        const { items } = await store.listAudit('default', { sessionId: run.sessionId, limit: 20 })
        expect(items.map(({ action }) => action)).toEqual(['background.completed'])
      }
      const results = await delivered()
      expect(new Set(results.map(({ taskId }) => taskId)).size).toBe(count)
      expect(new Set(results.map(({ output }) => output)).size).toBe(count)
    },
    300_000 + kills * 10_000,
  )
})
