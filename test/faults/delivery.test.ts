import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { TaskResult } from '../../src/protocol/background.ts'
import { systemClock } from '../../src/shared/clock.ts'
import type { Store } from '../../src/store/store.ts'
import { databases, temporaryFolder } from '../harness.ts'
import { openaiChat } from '../providers/openai-chat.ts'

const tasks = Number(process.env.PARLEY_TEST_TASKS ?? 200)
const kills = Number(process.env.PARLEY_TEST_TASK_KILLS ?? 30)
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
      await using provider = await startProvider()
      const journal = join(folder.path, 'journal')
      writeFileSync(journal, '')
      const storage = database.environment.DATABASE_URL ?? database.environment.PARLEY_DATA_DIR!
      const start = (...more: string[]) => startNode(provider.url, journal, storage, ...more)
      const nodes = [await start(parentId, `start ${tasks} tasks`)]
      while (nodes.length < nodeCount) nodes.push(await start())

      await using store = await database.open(systemClock)
      let killed = 0
      for (; killed < kills; killed++) {
        await sleep(50 + Math.random() * 400)
        const index = Math.floor(Math.random() * nodes.length)
        nodes[index]!.child.kill('SIGKILL')
        await nodes[index]!.exited
        nodes[index] = await start()
        if ((await delivered(store)).length === tasks && (await countOpen(store)) === 0) break
      }
      await expect
        .poll(async () => [(await delivered(store)).length, await countOpen(store)], {
          timeout: 180_000,
          interval: 500,
        })
        .toEqual([tasks, 0])
      for (const { child, exited } of nodes) {
        child.kill('SIGKILL')
        await exited
      }

      const results = await delivered(store)
      expect(new Set(results.map(({ taskId }) => taskId)).size, 'a result came twice').toBe(tasks)
      expect(new Set(results.map(({ output }) => output)).size).toBe(tasks)
      expect(results.every(({ status, source }) => status === 'success' && source === 'tool')).toBe(true)
      const sessions = await store.listSessions('default', { kind: 'background', limit: 500 })
      expect(sessions.items).toHaveLength(tasks)
      expect(new Set(sessions.items.map(({ bgStatus }) => bgStatus))).toEqual(new Set(['completed']))
      expect(await store.listInbox(parentId)).toEqual([])
      const effects = readFileSync(journal, 'utf8').trim().split('\n')
      expect(new Set(effects).size).toBe(tasks)
      process.stdout.write(
        `${name}: ${tasks} tasks, ${killed} kills of ${nodeCount} nodes, ${results.length} delivered, 0 lost, 0 twice, ${effects.length} effects\n`,
      )
    },
    240_000 + kills * 5_000,
  )
})

/** What reached the log of the parent, in its order. */
async function delivered(store: Store): Promise<TaskResult[]> {
  const messages = await store.listMessages('default', parentId, { limit: 10_000 })
  return messages.flatMap(({ parts }) =>
    parts.filter(({ type }) => type === 'data-task-result').map(({ data }) => data as TaskResult),
  )
}

async function countOpen(store: Store): Promise<number> {
  const pages = await Promise.all(
    (['queued', 'running'] as const).map((status) => store.listRuns('default', { status, limit: 500 })),
  )
  return pages.flatMap(({ items }) => items).length
}

async function startNode(...args: string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'background-node.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exited.then(() => {
      throw new Error('The node ended before it was ready.')
    }),
  ])
  return { child, exited }
}

interface Said {
  role: string
  content: unknown
  tool_calls?: unknown[]
}

/** A provider that remembers nothing: a chat starts its tasks in lots, a task takes a note and submits its result. */
async function startProvider() {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { messages, tools = [] } = JSON.parse(Buffer.concat(chunks).toString()) as {
      messages: Said[]
      tools?: { function: { name: string } }[]
    }
    const isTask = tools.some(({ function: { name } }) => name === 'set_result')
    const frames = openaiChat.frames(isTask ? doTask(messages) : chat(messages))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const frame of frames) {
      response.write(frame)
      await sleep(Math.random() * 3)
    }
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const call = (id: string, name: string, input: object) => ({ id, name, input: JSON.stringify(input) })

function doTask(messages: Said[]) {
  const number = /task number (\d+)/.exec(JSON.stringify(messages))![1]!
  return messages.some(({ role }) => role === 'tool')
    ? { toolCalls: [call(`result_${number}`, 'set_result', { output: `result ${number}` })] }
    : { toolCalls: [call(`note_${number}`, 'note', { text: number })] }
}

function chat(messages: Said[]) {
  const begun = messages.flatMap(({ tool_calls: calls = [] }) => calls).length
  if (begun >= tasks) return { text: 'All of them are under way.' }
  const lot = Array.from({ length: Math.min(perStep, tasks - begun) }, (_, index) => begun + index + 1)
  return {
    toolCalls: lot.map((number) =>
      call(`spawn_${number}`, 'spawn_task', { task: `task number ${number}`, label: `n${number}` }),
    ),
  }
}
