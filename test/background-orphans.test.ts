import { describe, expect, it } from 'vitest'
import type { TaskResult } from '../src/core/protocol/background.ts'
import { calls, says, type Script } from './chat-harness.ts'
import { anyDatabase } from './harness.ts'
import { byPrompt, createGate, isAnswered, openTasks, scope, submit } from './task-harness.ts'

/** Starts a task with its first call, and says it is fine with every other. */
const startsThen =
  (task: string, then: Script, more: object = {}): Script =>
  (request, call) =>
    isAnswered(request) ? then(request, call) : calls(['spawn_task', { task, ...more }])
const fine: Script = () => says('Fine.')

type Opened = Awaited<ReturnType<typeof openTasks>>

/** The results that the log of a session holds, in the order in which they were taken in. */
async function resultsIn({ sessions }: Opened, id: string): Promise<TaskResult[]> {
  const { items } = await sessions.messages(id, { limit: 100 })
  return items
    .flatMap(({ parts }) => parts)
    .filter(({ type }) => type === 'data-task-result')
    .map(({ data }) => data as TaskResult)
}

describe.each(anyDatabase)('the result of a task whose starter is over, on %s,', (_name, openDatabase) => {
  it('goes to the session above, once, and the result before it says that it is to come', async () => {
    const gate = createGate()
    await using parley = await openTasks(
      openDatabase,
      byPrompt({
        leaf: () => [gate.promise, ...submit()],
        branch: startsThen('leaf', submit, { label: 'slow one' }),
        begin: startsThen('branch', fine),
      }),
    )
    const { id: chat } = await parley.sessions.create()
    await parley.sessions.chat(chat, 'begin')
    const { branch } = await parley.idsBelow(chat)
    await expect.poll(async () => (await resultsIn(parley, chat)).length).toBe(1)
    const { 'slow one': leaf } = await parley.idsBelow(branch!)
    const running = [{ taskId: leaf, label: 'slow one' }]
    expect(await parley.sessions.result(branch!)).toMatchObject({ tasksRunning: running })
    const { items } = await parley.sessions.messages(branch!, { limit: 10 })
    expect(items.at(-1)!.parts.find(({ toolName }) => toolName === 'set_result')).toMatchObject({
      output: { output: 'done', tasksRunning: running, note: expect.stringContaining('still running: 1') },
    })

    gate.open()
    await expect.poll(async () => (await resultsIn(parley, chat)).length).toBe(2)
    expect(await resultsIn(parley, chat)).toMatchObject([
      { taskId: branch, tasksRunning: running },
      { taskId: leaf, parentTaskId: branch },
    ])
    expect(await parley.store.listInbox(branch!)).toEqual([])
    const sent = JSON.stringify(parley.model.requests.at(-1)!.messages)
    expect(sent).toContain(`started_by=\\"${branch}\\"`)
    expect(sent).toContain(`still running, their results come by themselves: ${leaf} (slow one)`)
  })

  it('is passed on when it came before the end and was not read', async () => {
    const gate = createGate()
    await using parley = await openTasks(
      openDatabase,
      byPrompt({
        leaf: submit,
        branch: startsThen('leaf', () => [gate.promise, ...submit()]),
        begin: startsThen('branch', fine),
      }),
    )
    const { id: chat } = await parley.sessions.create()
    await parley.sessions.chat(chat, 'begin')
    const { branch } = await parley.idsBelow(chat)
    await expect.poll(async () => (await parley.store.listInbox(branch!)).length).toBe(1)
    gate.open()
    await expect.poll(async () => (await resultsIn(parley, chat)).length).toBe(2)
    const { leaf } = await parley.idsBelow(branch!)
    const results = await resultsIn(parley, chat)
    expect(results.map(({ taskId }) => taskId).sort()).toEqual([branch, leaf].sort())
    expect(results.find(({ taskId }) => taskId === leaf)).toMatchObject({ parentTaskId: branch })
    expect(await parley.store.listInbox(branch!)).toEqual([])
  })

  it('goes to whoever waited for the starter', async () => {
    const gate = createGate()
    await using parley = await openTasks(
      openDatabase,
      byPrompt({
        leaf: () => [gate.promise, ...submit()],
        branch: startsThen('leaf', submit),
        begin: startsThen('branch', fine, { mode: 'sync' }),
      }),
    )
    const { id: chat } = await parley.sessions.create()
    await parley.sessions.chat(chat, 'begin')
    expect(await resultsIn(parley, chat)).toEqual([])
    gate.open()
    await expect.poll(async () => (await resultsIn(parley, chat)).length).toBe(1)
  })

  it('passes over sessions that nobody reads, and over two tasks that are over', async () => {
    const gate = createGate()
    await using parley = await openTasks(
      openDatabase,
      byPrompt({
        leaf: () => [gate.promise, ...submit()],
        branch: startsThen('leaf', submit),
        root: startsThen('branch', submit),
        '': fine,
      }),
      { background: { maxDepth: 5 } },
    )
    const { id: chat } = await parley.sessions.create()
    const toolMeta = { source: 'workflow-run' }
    const run = await parley.store.createSession({ scope, parentId: chat, kind: 'tool', toolMeta })
    await parley.sessions.create({ kind: 'background', prompt: 'root', parentSessionId: run.id })
    await expect.poll(async () => (await resultsIn(parley, chat)).length).toBe(2)
    gate.open()
    await expect.poll(async () => (await resultsIn(parley, chat)).length).toBe(3)
  })

  it('stays with its session when there is nobody above', async () => {
    const gate = createGate()
    await using parley = await openTasks(
      openDatabase,
      byPrompt({ leaf: () => [gate.promise, ...submit()], root: startsThen('leaf', submit) }),
    )
    const { id: root } = await parley.sessions.create({ kind: 'background', prompt: 'root' })
    await parley.until(root, 'completed')
    const { leaf } = await parley.idsBelow(root)
    gate.open()
    await parley.until(leaf!, 'completed')
    expect(await parley.store.listInbox(root)).toEqual([])
    expect(await parley.sessions.result(leaf!)).toMatchObject({ output: 'done' })
  })

  it('goes to the session that its starter was to report to, where that has no parent', async () => {
    const gate = createGate()
    await using parley = await openTasks(
      openDatabase,
      byPrompt({
        later: () => [gate.promise, ...submit()],
        // not before the root has asked its model for the last time: it would take the result in
        unread: () => [asked.promise, ...submit()],
        root: (request) => {
          const isTold = JSON.stringify(request.messages).includes('later')
          if (!isTold) return calls(...both)
          asked.open()
          return [unread.promise, ...submit()]
        },
        '': fine,
      }),
    )
    const [unread, asked] = [createGate(), createGate()]
    const both = ['later', 'unread'].map((task): [string, unknown] => ['spawn_task', { task }])
    const { id: chat } = await parley.sessions.create()
    const { id: root } = await parley.sessions.create({
      kind: 'background',
      prompt: 'root',
      announceTarget: chat,
    })
    await expect.poll(async () => (await parley.store.listInbox(root)).length).toBe(1)
    unread.open()
    await expect.poll(async () => (await resultsIn(parley, chat)).length).toBe(2)
    gate.open()
    await expect.poll(async () => (await resultsIn(parley, chat)).length).toBe(3)
    const { later, unread: early } = await parley.idsBelow(root)
    const results = await resultsIn(parley, chat)
    expect(results.map(({ taskId }) => taskId).sort()).toEqual([root, later, early].sort())
    for (const id of [later, early])
      expect(results.find(({ taskId }) => taskId === id)).toMatchObject({ parentTaskId: root })
    expect(await parley.store.listInbox(root)).toEqual([])
  })

  it('stays with its session where those above were imported as reporting to themselves', async () => {
    const gate = createGate()
    await using parley = await openTasks(
      openDatabase,
      byPrompt({
        leaf: () => [gate.promise, ...submit()],
        branch: startsThen('leaf', submit),
        root: submit,
      }),
      { background: { maxDepth: 5 } },
    )
    const { id: root } = await parley.sessions.create({ kind: 'background', prompt: 'root' })
    await parley.until(root, 'completed')
    const document = JSON.parse(await parley.sessions.export(root)) as { session: { bgMeta: object } }
    document.session.bgMeta = { ...document.session.bgMeta, announceTarget: root }
    await parley.sessions.delete(root)
    await parley.sessions.import(JSON.stringify(document))
    const below = { kind: 'background', prompt: 'branch', parentSessionId: root } as const
    const { id: branch } = await parley.sessions.create(below)
    await parley.until(branch, 'completed')
    const { leaf } = await parley.idsBelow(branch)
    gate.open()
    await parley.until(leaf!, 'completed')
    expect((await parley.sessions.inbox(root)).items).toMatchObject([{ result: { taskId: branch } }])
  })

  it('goes to the parent when the session that was to get it is gone', async () => {
    const gate = createGate()
    await using parley = await openTasks(openDatabase, () => [gate.promise, ...submit()])
    const { id: chat } = await parley.sessions.create()
    const { id: target } = await parley.sessions.create()
    const task = await parley.sessions.create({
      kind: 'background',
      prompt: 'work',
      parentSessionId: chat,
      announceTarget: target,
      wake: false,
    })
    await parley.until(task.id, 'running')
    await parley.sessions.delete(target)
    gate.open()
    await parley.until(task.id, 'completed')
    expect(await parley.store.listInbox(chat)).toMatchObject([{ payload: { result: { taskId: task.id } } }])
  })

  it('goes to a task that is over when somebody talks to it and started this one there', async () => {
    await using parley = await openTasks(
      openDatabase,
      byPrompt({
        later: submit,
        branch: (request) => {
          const said = JSON.stringify(request.messages)
          if (!said.includes('go on')) return submit()
          return said.includes('spawn_task') ? says('Fine.') : calls(['spawn_task', { task: 'later' }])
        },
        begin: startsThen('branch', fine, { mode: 'sync' }),
      }),
    )
    const { id: chat } = await parley.sessions.create()
    await parley.sessions.chat(chat, 'begin')
    const { branch } = await parley.idsBelow(chat)
    await parley.sessions.chat(branch!, 'go on')
    await expect.poll(async () => (await resultsIn(parley, branch!)).length).toBe(1)
    expect(await resultsIn(parley, chat)).toEqual([])
  })
})
