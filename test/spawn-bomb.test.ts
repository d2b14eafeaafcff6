import { describe, expect, it } from 'vitest'
import { createParley, type Parley } from '../src/parley.ts'
import type { Run } from '../src/core/store/queries/run-row.ts'
import { calls, createScripted, says } from './chat-harness.ts'
import { anyDatabase, toOptions } from './harness.ts'

const scope = 'default'
const maxGlobal = 4
const maxDepth = 2
const perTurn = 5

describe.each(anyDatabase)('a model that starts five tasks in every turn on %s', (_name, openDatabase) => {
  it.each(['async', 'sync'] as const)('is held to its limits, and all of it ends: %s', async (mode) => {
    // the chat is woken by results and would start more for ever
    let chatTurns = 0
    const model = createScripted(({ messages, tools }) => {
      const isTask = tools.some(({ name }) => name === 'set_result')
      if (messages.at(-1)!.role === 'tool')
        return isTask ? calls(['set_result', { output: 'started what I could' }]) : says('started')
      if (!isTask && ++chatTurns > 3) return says('enough')
      return calls(
        ...Array.from({ length: perTurn }, (_, index): [string, object] => [
          'spawn_task',
          { task: `more ${index}`, mode },
        ]),
      )
    })
    await using database = await openDatabase()
    await using parley = await createParley({
      ...toOptions(database),
      models: { model: 'scripted/test', extra: { scripted: () => model } },
      background: { maxGlobal, maxDepth, maxQueued: 30, maxWakes: 1_000, overLimit: 'queue' },
    })
    const { store, sessions } = parley
    const chat = await sessions.create()
    const chatted = Promise.resolve(sessions.chat(chat.id, 'go'))
    await expect.poll(() => model.requests.length).toBeGreaterThan(0)
    // a task that waits for its own holds no place; one that has none below it never waits
    const holdsPlace = ({ depth }: Run) => mode === 'async' || depth === maxDepth - 1
    let most = 0
    await expect
      .poll(
        async () => {
          const running = await listTasks(parley, 'running')
          most = Math.max(most, running.filter(holdsPlace).length)
          return [await countOpen(parley), (await store.listInbox(chat.id)).length]
        },
        { timeout: 200_000, interval: 5 },
      )
      .toEqual([0, 0])
    await chatted
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(maxGlobal)

    const tasks = await listTasks(parley)
    expect(tasks.length).toBeGreaterThan(maxGlobal * perTurn)
    expect(new Set(tasks.map(({ status }) => status))).toEqual(new Set(['completed']))
    expect(new Set(tasks.map(({ depth }) => depth))).toEqual(new Set([0, 1]))
    expect(mostAtOnce(tasks.filter(holdsPlace))).toBeLessThanOrEqual(maxGlobal)
    const refusals = await refusalsIn(parley, tasks)
    expect(refusals.filter((text) => text.includes('background.maxDepth')).length).toBeGreaterThan(0)
    for (const text of refusals) expect(text).toMatch(/background\.(maxDepth|maxQueued)/)
    // what was asked for either became a task or was refused
    const asked = model.requests.filter(({ messages }) => messages.at(-1)!.role !== 'tool')
    expect(tasks.length + refusals.length).toBeLessThanOrEqual(asked.length * perTurn)
    expect(tasks.length + refusals.length).toBeGreaterThanOrEqual((tasks.length + 1) * perTurn)
  })
})

/** All of them, or those of a status. */
async function listTasks({ store }: Parley, status?: Run['status']): Promise<Run[]> {
  const found: Run[] = []
  for (let cursor: string | undefined; ;) {
    const page = await store.listRuns(scope, { kind: 'background', status, limit: 200, cursor })
    found.push(...page.items)
    if (page.nextCursor === null) return found
    cursor = page.nextCursor
  }
}

async function countOpen({ store }: Parley): Promise<number> {
  const pages = await Promise.all(
    (['queued', 'running'] as const).map((status) => store.listRuns(scope, { status, limit: 1 })),
  )
  return pages.flatMap(({ items }) => items).length
}

/** By the times that the store gave them; one that begins when another ends does not meet it. */
function mostAtOnce(tasks: Run[]): number {
  const changes = tasks
    .flatMap(({ startedAt, finishedAt }) => [
      { at: startedAt!, by: 1 },
      { at: finishedAt!, by: -1 },
    ])
    .sort((one, other) => one.at - other.at || one.by - other.by)
  let now = 0
  return Math.max(...changes.map(({ by }) => (now += by)))
}

async function refusalsIn({ store }: Parley, tasks: Run[]): Promise<string[]> {
  const texts: string[] = []
  for (const sessionId of new Set(tasks.flatMap((task) => [task.sessionId, task.taskOf!]))) {
    const messages = await store.listMessages(scope, sessionId, { limit: 100 })
    const parts = messages.flatMap((message) => message.parts)
    texts.push(
      ...parts.filter(({ state }) => state === 'output-error').map(({ errorText }) => String(errorText)),
    )
  }
  return texts
}
