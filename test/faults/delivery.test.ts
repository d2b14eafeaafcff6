import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/shared/clock.ts'
import { databases, temporaryFolder } from '../harness.ts'
import {
  toolCall,
  countOpen,
  delivered,
  doTask,
  nextMoment,
  readJournal,
  startNode,
  startProvider,
  type Said,
} from './nodes.ts'

const tasks = Number(process.env.PARLEY_TEST_TASKS ?? 30)
const kills = Number(process.env.PARLEY_TEST_TASK_KILLS ?? 3)
const perStep = 20
const parentId = 'parent'

describe.each(databases)('%s: tasks of one chat', (name, openDatabase) => {
  // a file has one node; a server any number
  const nodeCount = name === 'SQLite' ? 1 : 3

  it(
    `${tasks} of them all report back, once, over ${kills} kills of ${nodeCount} nodes`,
    async () => {
      await using database = await openDatabase()
      using folder = temporaryFolder()
      await using provider = await startProvider((messages, isTask) =>
        isTask ? doTask(messages) : chat(messages),
      )
      const journal = join(folder.path, 'journal')
      writeFileSync(journal, '')
      const storage = database.environment.DATABASE_URL ?? database.environment.PARLEY_DATA_DIR!
      const start = (...more: string[]) =>
        startNode('background-node.ts', provider.url, journal, storage, ...more)
      const nodes = [start(parentId, `start ${tasks} tasks`)]
      while (nodes.length < nodeCount) nodes.push(start())
      await nodes[0]

      await using store = await database.open(systemClock)
      let killed = 0
      for (; killed < kills; killed++) {
        await nextMoment(provider, killed, 4)
        const index = killed % nodes.length
        await (await nodes[index]!).kill()
        // the others need not wait for it
        nodes[index] = start()
        if ((await delivered(store, parentId)).length === tasks && (await countOpen(store)) === 0) break
      }
      await expect
        .poll(async () => [(await delivered(store, parentId)).length, await countOpen(store)], {
          timeout: 200_000,
          interval: 100,
        })
        .toEqual([tasks, 0])
      await Promise.all(nodes.map(async (node) => (await node).kill()))

      const results = await delivered(store, parentId)
      expect(new Set(results.map(({ taskId }) => taskId)).size, 'a result came twice').toBe(tasks)
      expect(new Set(results.map(({ output }) => output)).size).toBe(tasks)
      expect(results.every(({ status, source }) => status === 'success' && source === 'tool')).toBe(true)
      const sessions = await store.listSessions('default', { kind: 'background', limit: 500 })
      expect(sessions.items).toHaveLength(tasks)
      expect(new Set(sessions.items.map(({ bgStatus }) => bgStatus))).toEqual(new Set(['completed']))
      expect(await store.listInbox(parentId)).toEqual([])
      const effects = readJournal(journal)
      expect(effects.size).toBe(tasks)
      process.stdout.write(
        `${name}: ${tasks} tasks, ${killed} kills of ${nodeCount} nodes, ${results.length} delivered, 0 lost, 0 twice, ${[...effects.values()].reduce((sum, times) => sum + times)} effects\n`,
      )
    },
    240_000 + kills * 5_000,
  )
})

/** A chat starts its tasks in lots. */
function chat(messages: Said[]) {
  const begun = messages.flatMap(({ tool_calls: calls = [] }) => calls).length
  if (begun >= tasks) return { text: 'All of them are under way.' }
  const lot = Array.from({ length: Math.min(perStep, tasks - begun) }, (_, index) => begun + index + 1)
  return {
    toolCalls: lot.map((number) =>
      toolCall(`spawn_${number}`, 'spawn_task', { task: `task number ${number}`, label: `n${number}` }),
    ),
  }
}
