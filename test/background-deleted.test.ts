import { describe, expect, it } from 'vitest'
import { workflowRunSource } from '../src/extensions/workflow/protocol/session-kinds.ts'
import type { Parley } from '../src/parley.ts'
import { startRunIn } from '../src/extensions/workflow/start-run.ts'
import { calls, says } from './chat-harness.ts'
import { databases } from './harness.ts'
import { byPrompt, createGate, isAnswered, never, openTasks, scope, submit } from './task-harness.ts'

const task = (parley: Pick<Parley, 'sessions'>, parentSessionId: string, prompt: string, more: object = {}) =>
  parley.sessions.create({ kind: 'background', prompt, parentSessionId, ...more })

describe.each(databases)('deleting a session that has tasks, on %s,', (_name, openDatabase) => {
  it('cancels those that run, keeps those that are over, and lets those go on that are detached', async () => {
    const gate = createGate()
    await using parley = await openTasks(
      openDatabase,
      byPrompt({ runs: () => [never], quick: submit, stays: () => [gate.promise, ...submit()] }),
    )
    const { sessions, store } = parley
    const { id: parent } = await sessions.create({ title: 'parent' })
    const { id: target } = await sessions.create({ title: 'target' })
    const { id: quick } = await task(parley, parent, 'quick')
    await parley.until(quick, 'completed')
    const { id: runs } = await task(parley, parent, 'runs', { announceTarget: target, wake: false })
    const { id: stays } = await task(parley, parent, 'stays', { detached: true })
    await parley.until(runs, 'running')
    await parley.until(stays, 'running')

    await sessions.delete(parent)
    await expect(sessions.get(parent)).rejects.toMatchObject({ code: 'not_found' })
    await parley.until(runs, 'cancelled')
    expect(await parley.eventsOf(runs)).toContain('bg:session.cancelled')
    expect(await parley.auditOf(runs)).toContain('background.cancelled')
    expect(await sessions.result(runs)).toMatchObject({ error: expect.stringContaining('deleted') })
    expect((await store.listInbox(target)).map(({ payload }) => payload)).toMatchObject([
      { result: { taskId: runs, status: 'cancelled' } },
    ])
    expect(await sessions.result(quick)).toMatchObject({ status: 'success', output: 'done' })
    expect(await parley.statusOf(stays)).toBe('running')
    gate.open()
    await parley.until(stays, 'completed')
    for (const id of [quick, runs, stays]) {
      const left = await sessions.get(id)
      expect(left).not.toHaveProperty('parentId')
      expect(left.bgMeta).not.toHaveProperty('parentSessionId')
    }
    expect((await parley.store.listAudit(scope, { sessionId: parent, limit: 1 })).items[0]).toMatchObject({
      action: 'delete',
      detail: { tasksLeft: [quick, runs, stays].sort() },
    })
  })

  it('ends one that only waits for a place, in the same commit', async () => {
    await using parley = await openTasks(openDatabase, () => [never], {
      background: { overLimit: 'queue', maxGlobal: 1 },
    })
    const first = await parley.sessions.create({ kind: 'background', prompt: 'first' })
    await parley.until(first.id, 'running')
    const { id: parent } = await parley.sessions.create()
    const { id } = await task(parley, parent, 'second')
    await parley.sessions.delete(parent)
    expect(await parley.statusOf(id)).toBe('cancelled')
    expect(await parley.eventsOf(id)).toContain('bg:session.cancelled')
  })

  it('reaches tasks of tasks, also below those that are over, but nothing below one that is detached', async () => {
    await using parley = await openTasks(
      openDatabase,
      byPrompt({
        leaf: () => [never],
        branch: (request) => (isAnswered(request) ? submit() : calls(['spawn_task', { task: 'leaf' }])),
      }),
    )
    const { id: parent } = await parley.sessions.create()
    const { id: over } = await task(parley, parent, 'branch')
    const { id: free } = await task(parley, parent, 'branch', { detached: true })
    for (const id of [over, free]) {
      await parley.until(id, 'completed')
      await expect.poll(() => parley.below(id)).toEqual({ leaf: 'running' })
    }
    await parley.sessions.delete(parent)
    await expect.poll(() => parley.below(over)).toEqual({ leaf: 'cancelled' })
    expect(await parley.below(free)).toEqual({ leaf: 'running' })
  })

  it('tells whoever waits for a task that is deleted itself', async () => {
    await using parley = await openTasks(openDatabase, () => [never])
    const { id: parent } = await parley.sessions.create()
    const { id } = await task(parley, parent, 'work')
    await parley.until(id, 'running')
    await parley.sessions.delete(id)
    expect((await parley.store.listInbox(parent)).map(({ payload }) => payload)).toMatchObject([
      { result: { taskId: id, status: 'cancelled', error: 'Its session was deleted.' } },
    ])
    expect(await parley.eventsOf(id)).toEqual(
      expect.arrayContaining(['bg:session.cancelled', 'session-deleted']),
    )
    expect(await parley.auditOf(id)).toContain('background.cancelled')
  })

  it('cancels the tasks of agents with their room', async () => {
    await using parley = await openTasks(openDatabase, () => [never])
    const { id: room } = await parley.sessions.create()
    const toolMeta = { source: 'room-seat', label: 'anna' }
    const seat = await parley.store.createSession({ scope, parentId: room, kind: 'tool', toolMeta })
    const { id } = await task(parley, seat.id, 'work')
    await parley.until(id, 'running')
    await parley.sessions.delete(room)
    expect(await parley.store.getSession(scope, seat.id)).toBeUndefined()
    await parley.until(id, 'cancelled')
    expect(await parley.sessions.get(id)).not.toHaveProperty('parentId')
  })

  it('keeps tasks of a long one, whose messages are swept later', async () => {
    await using parley = await openTasks(openDatabase, submit)
    const { id: parent } = await parley.sessions.create()
    const parts = JSON.stringify([{ type: 'text', text: 'long ago' }])
    await parley.store.appendWritten(
      scope,
      parent,
      Array.from({ length: 2_500 }, () => ({ role: 'user', parts })),
    )
    const { id } = await task(parley, parent, 'quick')
    await parley.until(id, 'completed')
    await parley.sessions.delete(parent)
    await expect
      .poll(async () => (await parley.store.sweepDeleted()) || parley.store.isSessionIdTaken(parent))
      .toBe(false)
    expect(await parley.sessions.result(id)).toMatchObject({ status: 'success' })
  })

  it('stores with the deletion that a task has to stop: whoever takes it up after a crash ends it', async () => {
    await using database = await openDatabase()
    let id: string
    {
      await using parley = await openTasks(database, () => says(''), { takesUpRuns: false })
      const { id: parent } = await parley.sessions.create()
      ;({ id } = await task(parley, parent, 'work'))
      const [run] = await parley.store.listOpenRuns(id)
      // the process that has it says nothing any more
      const slots = { maxGlobal: 10, maxPerParent: 10 }
      await parley.store.claimRun(run!.id, { owner: 'dead', leaseMs: 1, slots })
      await parley.sessions.delete(parent)
      expect(await parley.store.getRun(scope, run!.id)).toMatchObject({
        status: 'running',
        stopReason: expect.stringContaining('deleted'),
      })
    }
    await using parley = await openTasks(database, () => says('never asked'))
    await parley.until(id, 'cancelled')
    expect(parley.model.requests).toEqual([])
    expect(await parley.eventsOf(id)).toContain('bg:session.cancelled')
  })

  it('starts no task in it meanwhile', async () => {
    await using parley = await openTasks(openDatabase, () => [never])
    for (let round = 0; round < 5; round++) {
      const { id: parent } = await parley.sessions.create()
      const [, ...started] = await Promise.allSettled([
        parley.sessions.delete(parent),
        ...[1, 2, 3].map((n) => task(parley, parent, `work ${n}`)),
      ])
      await expect(parley.sessions.get(parent)).rejects.toMatchObject({ code: 'not_found' })
      for (const answer of started)
        if (answer.status === 'fulfilled') await parley.until(answer.value.id, 'cancelled')
        else expect(answer.reason).toMatchObject({ code: 'not_found' })
    }
  })
})

const workflow = `{"name": "job", "steps": [{"id": "one", "type": "agent", "prompt": "work"}]}`

describe.each(databases)('a workflow that a deleted session started, on %s,', (_name, openDatabase) => {
  const start = (parley: Parley, parentSessionId: string, deliverTo?: string) =>
    parley.store.transaction((tx) =>
      startRunIn(tx, parley.services.workflows.deps, {
        scope,
        text: workflow,
        source: 'tool',
        parentSessionId,
        deliverTo,
      }),
    )

  it('is cancelled with its steps and stays, and goes with its steps when it is deleted itself', async () => {
    await using parley = await openTasks(openDatabase, () => [never])
    const { id: parent } = await parley.sessions.create()
    const { run, session } = await start(parley, parent)
    await expect.poll(() => parley.below(session.id)).toEqual({ 'job: one': 'running' })
    const { 'job: one': step } = await parley.idsBelow(session.id)
    await parley.sessions.delete(parent)
    await expect.poll(async () => (await parley.workflows.getRun(run.id)).status).toBe('cancelled')
    expect(await parley.eventsOf(session.id)).toContain('workflow-cancelled')
    await parley.until(step!, 'cancelled')
    expect(await parley.sessions.get(session.id)).toMatchObject({ toolMeta: { source: workflowRunSource } })
    await parley.sessions.delete(session.id)
    await expect(parley.sessions.get(step!)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('tells the session that waits for it when it is deleted while it goes on', async () => {
    await using parley = await openTasks(
      openDatabase,
      byPrompt({ work: () => [never], '': () => says('I see.') }),
    )
    const { id: parent } = await parley.sessions.create()
    const { session } = await start(parley, parent, parent)
    await expect.poll(() => parley.below(session.id)).toEqual({ 'job: one': 'running' })
    const { 'job: one': step } = await parley.idsBelow(session.id)
    await parley.sessions.delete(session.id)
    expect(await parley.eventsOf(session.id)).toContain('workflow-cancelled')
    expect(await parley.eventsOf(step!)).toContain('bg:session.cancelled')
    expect((await parley.store.listInbox(parent)).map(({ payload }) => payload)).toMatchObject([
      { result: { taskId: session.id, status: 'cancelled' } },
    ])
  })
})
