import { describe, expect, it } from 'vitest'
import { pino } from 'pino'
import { z } from 'zod'
import { runCalls } from '../src/core/chat/run-tool-calls.ts'
import type { ParleyOptions } from '../src/parley.ts'
import type { Part } from '../src/core/protocol/message.ts'
import { createEventHub } from '../src/core/runs/event-hub.ts'
import { defineTool } from '../src/core/tools/tool.ts'
import { calls, type Script } from './chat-harness.ts'
import { anyDatabase, sqliteDatabase, type OpenDatabase } from './harness.ts'
import { api, byPrompt, isAnswered, never, openTasks, scope, submit } from './task-harness.ts'

const open = (openDatabase: OpenDatabase, script: Script, background: ParleyOptions['background'] = {}) =>
  openTasks(openDatabase, script, { background })

describe.each(anyDatabase)('tasks below tasks on %s', (_name, openDatabase) => {
  it('a task that waits for two others holds no place until both are over', async () => {
    await using parley = await open(
      openDatabase,
      byPrompt({
        root: (request) =>
          isAnswered(request)
            ? submit()
            : calls(
                ['spawn_task', { task: 'leaf one', mode: 'sync' }],
                ['spawn_task', { task: 'leaf two', mode: 'sync' }],
              ),
        leaf: submit,
      }),
      { maxGlobal: 1, overLimit: 'queue' },
    )
    const { sessionId, promise } = await parley.background.trigger(scope, { prompt: 'root' }, api)
    await expect
      .poll(() => parley.below(sessionId))
      .toEqual({ 'leaf one': 'completed', 'leaf two': 'completed' })
    expect(await promise).toMatchObject({ status: 'success' })
  })

  it('stopping reaches what a task left behind that is over itself', async () => {
    await using parley = await open(
      openDatabase,
      byPrompt({
        leaf: () => [never],
        branch: (request) => (isAnswered(request) ? submit() : calls(['spawn_task', { task: 'leaf' }])),
        root: (request) => (isAnswered(request) ? [never] : calls(['spawn_task', { task: 'branch' }])),
      }),
      { maxDepth: 3 },
    )
    const { sessionId } = await parley.background.trigger(scope, { prompt: 'root' }, api)
    await expect.poll(() => parley.below(sessionId)).toEqual({ branch: 'completed' })
    const branch = (await parley.sessions.list({ parent: sessionId })).items[0]!.id
    await expect.poll(() => parley.below(branch)).toEqual({ leaf: 'running' })
    await parley.sessions.stop(sessionId)
    await expect.poll(() => parley.below(branch)).toEqual({ leaf: 'cancelled' })
  })

  it('a task that was cancelled is not woken by what it had started', async () => {
    await using parley = await open(
      openDatabase,
      byPrompt({
        leaf: submit,
        root: (request) => (isAnswered(request) ? [never] : calls(['spawn_task', { task: 'leaf' }])),
      }),
    )
    const { sessionId, promise } = await parley.background.trigger(scope, { prompt: 'root' }, api)
    // its result waits in the inbox of a task that does not get to look there
    await expect.poll(async () => (await parley.store.listInbox(sessionId)).length).toBe(1)
    await parley.background.cancel(scope, sessionId)
    expect(await promise).toMatchObject({ status: 'cancelled' })
    const runs = await parley.store.listRuns(scope, { sessionId, limit: 10 })
    expect(runs.items.map(({ kind, status }) => [kind, status])).toEqual([['background', 'cancelled']])
  })
})

it('a tool that does not listen does not hold up a turn that was stopped before it began', async () => {
  await using database = await sqliteDatabase()
  await using store = await database.open()
  const deaf = defineTool({
    name: 'deaf',
    description: 'Does not end',
    input: z.strictObject({}),
    execute: () => never,
  })
  const part: Part = {
    type: 'dynamic-tool',
    toolName: 'deaf',
    toolCallId: 'c',
    state: 'input-available',
    input: {},
  }
  const hub = createEventHub(store, (error) => pino().error(error))
  const log = hub.open({ runId: 'run_none', owner: 'test', fence: 1 }, 0)
  const context = {
    scope,
    sessionId: 's',
    runId: 'run_none',
    signal: AbortSignal.abort('stopped'),
    isHeadless: false,
    readWorkspaces: async () => ({ granted: [] }),
  }
  void runCalls([part], [deaf], context, {
    store,
    limits: { maxToolOutput: 100, callerTimeoutMs: 1_000 },
    log,
    storeStep: async () => {},
  })
  await expect.poll(() => part.state).toBe('output-error')
  log.close(false)
})
