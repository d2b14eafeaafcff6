import { describe, expect, it } from 'vitest'
import { defaultDocumentLimits } from '../src/extensions/documents/document-caller.ts'
import { createDocument, updateDocument } from '../src/extensions/documents/documents.ts'
import { addTodoItems, createTodoList, updateTodoItem } from '../src/extensions/documents/todos.ts'
import {
  createCron,
  deleteCron,
  listCrons,
  pauseCron,
  resumeCron,
  updateCron,
} from '../src/extensions/schedule/crons.ts'
import { deleteEventHook, listEventHooks, updateEventHook } from '../src/extensions/schedule/event-hooks.ts'
import { triggerCron } from '../src/extensions/schedule/trigger-cron.ts'
import type { RunRequest } from '../src/extensions/workflow/workflow-service.ts'
import { doLinkedAction } from '../src/extensions/workflow/linked-actions.ts'
import { requireDefinition } from '../src/extensions/workflow/parse-definition.ts'
import { syncTriggers } from '../src/extensions/workflow/triggers.ts'
import { caller, openCron, openNode, type CronTest } from './cron-harness.ts'
import { databases } from './harness.ts'
import { expectRefusal, startApp } from './http/app-server.ts'
import { endStoredRun } from './stored-runs.ts'

const minute = 60_000
const pages = { pageSize: 100 }
const steps = [{ type: 'transform', transform: '$args' }]

interface Written {
  name?: string
  args?: Record<string, unknown>
  triggers: Record<string, unknown>[]
}

const daily = { type: 'cron', schedule: '30 2 * * *', timezone: 'Europe/Berlin' }
const everyMinute = { type: 'cron', schedule: '* * * * *' }

describe.each(databases)('triggers of workflows on %s', (_name, openDatabase) => {
  interface TriggerTest extends CronTest {
    definitions: Map<string, string>
    /** Saves the workflow `wf_1`, or the one named. */
    save(written: Written, id?: string): Promise<void>
    remove(id?: string): Promise<void>
    crons(): Promise<Awaited<ReturnType<typeof listCrons>>['items']>
    hooks(): Promise<Awaited<ReturnType<typeof listEventHooks>>['items']>
    /** What the runs were started with, oldest first. */
    runs(): Promise<(RunRequest & { sessionId: string })[]>
    tick(): Promise<void>
  }

  const test = (title: string, body: (t: TriggerTest) => Promise<void>) =>
    it(title, async () => {
      expect.hasAssertions()
      const definitions = new Map<string, string>()
      await using cron = await openCron(openDatabase, '2026-01-01T00:00:00Z', {}, definitions)
      const { store, clock } = cron
      await body({
        ...cron,
        definitions,
        async save({ name = 'Digest', ...written }, id = 'wf_1') {
          const text = JSON.stringify({ name, ...written, steps })
          const definition = requireDefinition(text)
          await store.transaction((tx) =>
            syncTriggers(tx, { clock }, { id, scope: 'default', name }, definition),
          )
          definitions.set(id, text)
        },
        remove: (id = 'wf_1') =>
          store.transaction((tx) =>
            syncTriggers(tx, { clock }, { id, scope: 'default', name: 'Digest' }, undefined),
          ),
        crons: async () => (await listCrons(store, pages, caller, {})).items.toReversed(),
        hooks: async () => (await listEventHooks(store, pages, caller, {})).items.toReversed(),
        async runs() {
          const { items } = await store.listRuns('default', { kind: 'workflow', limit: 100 })
          return items.toReversed().map(({ input, sessionId }) => ({ ...(input as RunRequest), sessionId }))
        },
        async tick() {
          for (let count = 0; count < 3; count++) await cron.scheduler.tick()
        },
      })
      expect(cron.problems).toEqual([])
    })

  describe('by time', () => {
    test('become crons of the workflow, whose fires start runs that settle them', async (t) => {
      await t.save({
        args: { topic: {}, depth: { default: 1 } },
        triggers: [{ ...everyMinute, args: { topic: 'news' } }],
      })
      const [cron, ...more] = await t.crons()
      expect(more).toEqual([])
      expect(cron).toMatchObject({
        name: 'Digest',
        workflowId: 'wf_1',
        schedule: '* * * * *',
        timeZone: 'UTC',
        context: { topic: 'news' },
        nextFireAt: '2026-01-01T00:01:00.000Z',
      })
      t.clock.advance(minute)
      await t.tick()
      const [run, ...others] = await t.runs()
      expect(others).toEqual([])
      expect(run).toMatchObject({
        source: 'cron',
        sourceId: cron!.id,
        workflow: { id: 'wf_1' },
        args: { topic: 'news' },
      })
      expect(await t.fires(cron!.id)).toMatchObject([{ outcome: 'started', sessionId: run!.sessionId }])
      await endStoredRun(t.store, t.clock, {
        scope: 'default',
        sessionId: run!.sessionId,
        outcome: 'completed',
        reason: 'is left out',
      })
      const [ended] = await t.fires(cron!.id)
      expect(ended).toMatchObject({ outcome: 'completed', endedAt: '2026-01-01T00:01:00.000Z' })
      expect(ended!.reason).toBeUndefined()
    })

    test('fire once, also when two nodes look at the same time', async (t) => {
      const other = await openNode(t.database, t.clock, {}, t.definitions)
      await t.save({ triggers: [everyMinute, { ...everyMinute, args: { second: true } }] })
      t.clock.advance(minute)
      await Promise.all([t.scheduler.tick(), other.scheduler.tick()])
      await Promise.all([t.scheduler.tick(), other.scheduler.tick()])
      expect(await t.runs()).toHaveLength(2)
      expect(other.problems).toEqual([])
      await other.close()
    })

    test('are saved while nodes fire them, and nobody waits for ever', async (t) => {
      const other = await openNode(t.database, t.clock, {}, t.definitions)
      for (let count = 0; count < 8; count++) {
        t.clock.advance(minute)
        const triggers = [everyMinute, { ...daily, args: { count } }, { ...everyMinute, args: { count } }]
        await Promise.all([t.save({ triggers }), t.scheduler.tick(), other.scheduler.tick()])
      }
      expect(await t.crons()).toHaveLength(3)
      const fires = await Promise.all((await t.crons()).map(({ id }) => t.fires(id)))
      const started = fires.flat().filter(({ sessionId }) => sessionId !== undefined)
      expect(await t.runs()).toHaveLength(started.length)
      expect(other.problems).toEqual([])
      await other.close()
    })

    test('count as failed with what the run says, and pause after too many', async (t) => {
      await t.save({ triggers: [everyMinute] })
      const [cron] = await t.crons()
      const outcomes = ['failed', 'timeout', 'interrupted', 'failed', 'failed'] as const
      for (const outcome of outcomes) {
        t.clock.advance(minute)
        await t.tick()
        const { sessionId } = (await t.runs()).at(-1)!
        const reason = 'x'.repeat(1_000)
        await endStoredRun(t.store, t.clock, { scope: 'default', sessionId, outcome, reason })
      }
      const fires = await t.fires(cron!.id)
      expect(fires.map(({ outcome }) => outcome)).toEqual(outcomes)
      expect(fires[0]!.reason).toHaveLength(501)
      expect((await t.crons())[0]).toMatchObject({ status: 'paused', failures: 5 })
    })

    test('leave out a time while a run goes on, and wait for it no longer when it is over', async (t) => {
      await t.save({ triggers: [everyMinute] })
      const [cron] = await t.crons()
      for (let count = 0; count < 2; count++) {
        t.clock.advance(minute)
        await t.tick()
      }
      const [run] = await t.runs()
      await endStoredRun(t.store, t.clock, {
        scope: 'default',
        sessionId: run!.sessionId,
        outcome: 'completed',
      })
      t.clock.advance(minute)
      await t.tick()
      expect((await t.fires(cron!.id)).map(({ outcome }) => outcome)).toEqual([
        'completed',
        'skipped',
        'started',
      ])
    })

    test('end the run that a newer fire takes the place of', async (t) => {
      await t.save({ triggers: [everyMinute] })
      const id = (await t.crons())[0]!.id
      await t.store.updateCron('default', id, { overlap: 'cancel-previous' })
      for (let count = 0; count < 2; count++) {
        t.clock.advance(minute)
        await t.tick()
      }
      expect(await t.fires(id)).toMatchObject([
        { outcome: 'cancelled', reason: 'A newer fire took its place.' },
        { outcome: 'started' },
      ])
      const [first] = await t.runs()
      expect(await t.store.listOpenRuns(first!.sessionId)).toEqual([])
    })

    test('keep their row while they stay the same, and are paused still', async (t) => {
      await t.save({ triggers: [daily, everyMinute] })
      t.clock.advance(minute)
      await t.tick()
      const before = await t.crons()
      await pauseCron(t.store, caller, before[0]!.id)
      const paused = await t.crons()
      t.clock.advance(10)
      await t.save({ args: { unrelated: { default: 1 } }, triggers: [everyMinute, daily] })
      expect(await t.crons()).toEqual(paused)
      expect(await t.fires(before[1]!.id)).toHaveLength(1)
      await resumeCron(t.deps, t.store, caller, before[0]!.id)
      expect((await t.crons())[0]).toMatchObject({ status: 'active' })
    })

    test('keep their fires with a new schedule, which counts from now', async (t) => {
      await t.save({ triggers: [everyMinute, daily] })
      const before = await t.crons()
      t.clock.advance(minute)
      await t.tick()
      await t.save({ name: 'Renamed', triggers: [{ type: 'cron', schedule: '0 12 * * *' }, daily] })
      const after = await t.crons()
      expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
      expect(after).toMatchObject([
        { name: 'Renamed', schedule: '0 12 * * *', nextFireAt: '2026-01-01T12:00:00.000Z' },
        { name: 'Renamed', schedule: daily.schedule, nextFireAt: before[1]!.nextFireAt },
      ])
      expect(await t.fires(before[0]!.id)).toHaveLength(1)
      // paused, it stays so, with the new time
      await pauseCron(t.store, caller, before[0]!.id)
      await t.save({ triggers: [{ type: 'cron', schedule: '0 13 * * *' }, daily] })
      expect((await t.crons())[0]).toMatchObject({ schedule: '0 13 * * *', status: 'paused' })
    })

    test('go with what is taken out of the definition, and with the workflow; others stay', async (t) => {
      await t.save({ triggers: [daily, everyMinute, { type: 'document_saved' }] })
      await t.save({ triggers: [daily] }, 'wf_2')
      const own = await t.add({})
      const [kept] = await t.crons()
      await t.save({ triggers: [daily] })
      expect((await t.crons()).filter(({ workflowId }) => workflowId === 'wf_1')).toEqual([kept])
      expect(await t.hooks()).toEqual([])
      await t.remove()
      const left = (await t.crons()).map(({ id, workflowId }) => workflowId ?? id)
      expect(left.sort()).toEqual([own, 'wf_2'].sort())
    })

    test('refuse the save when they can never be met, and change nothing', async (t) => {
      await t.save({ triggers: [everyMinute] })
      const before = await t.crons()
      const refused: [Record<string, unknown>, RegExp][] = [
        [{ ...daily, timezone: 'Mars/Base' }, /triggers\[1\].*"Mars\/Base"/],
        [{ ...daily, schedule: '99 * * * *' }, /triggers\[1\].*99/],
        [{ ...daily, schedule: `0 0 ${'1,'.repeat(200)}1 * *` }, /triggers\[1\]/],
        [{ type: 'cron', schedule: 'once:2020-01-01T00:00:00Z' }, /^triggers\[1\] \(cron\): .* is over/],
        [{ type: 'document_saved', filter: { foldr: 'a' } }, /triggers\[1\] is refused: .*"foldr"/],
        [{ type: 'document_saved', filter: { folder: 'a'.repeat(2_000) } }, /^triggers\[1\] \(document/],
      ]
      for (const [trigger, message] of refused)
        await expect(t.save({ triggers: [daily, trigger] })).rejects.toThrow(message)
      await expect(t.save({ args: { topic: {} }, triggers: [daily] })).rejects.toThrow(
        /triggers\[0\] is refused: The arg "topic"/,
      )
      expect(await t.crons()).toEqual(before)
      expect(await t.hooks()).toEqual([])
    })

    test('are changed and deleted where they are written, and fired, paused and read anywhere', async (t) => {
      await t.save({ triggers: [everyMinute] })
      const id = (await t.crons())[0]!.id
      const belongs = {
        code: 'conflict',
        message: expect.stringContaining('belongs to the workflow "Digest"'),
      }
      await expect(updateCron(t.deps, t.store, caller, id, { name: 'mine' })).rejects.toMatchObject(belongs)
      await expect(deleteCron(t.store, caller, id)).rejects.toMatchObject(belongs)
      expect(await pauseCron(t.store, caller, id)).toMatchObject({ status: 'paused', workflowId: 'wf_1' })
      const { fire } = await triggerCron(t.deps, t.store, caller, id)
      expect(fire).toMatchObject({ cause: 'manual', outcome: 'started' })
      expect(await t.runs()).toMatchObject([{ source: 'cron', sessionId: fire.sessionId }])
    })
  })

  describe('by what happens', () => {
    const write = ({ store }: TriggerTest, title: string, folder = '', sessionId?: string) =>
      createDocument(defaultDocumentLimits, store, { ...caller, sessionId }, { title, folder })

    test('become event hooks, whose events start runs with what happened', async (t) => {
      await write(t, 'Before')
      await t.save({
        args: { documentId: {}, title: {}, mode: {} },
        triggers: [{ type: 'document_saved', filter: { folder: 'plans' }, args: { mode: 'fast' } }],
      })
      expect(await t.hooks()).toMatchObject([
        { name: 'Digest', workflowId: 'wf_1', event: 'document-saved', filter: { folder: 'plans' } },
      ])
      await write(t, 'Elsewhere', 'notes')
      const { id } = await write(t, 'Plan', 'plans')
      await t.tick()
      expect(await t.runs()).toMatchObject([
        { source: 'event', args: { documentId: id, title: 'Plan', mode: 'fast' } },
      ])
      expect(await t.hooks()).toMatchObject([{ starts: 1, skipped: 0 }])
    })

    test('start a run when items of a list are done, one for all of one change', async (t) => {
      await t.save({ triggers: [{ type: 'todo_completed' }] })
      await t.save({ triggers: [{ type: 'todo_completed', filter: { itemTitle: 'Cook' } }] }, 'wf_2')
      const list = await createTodoList(t.store, caller, { title: 'Home', items: [{ title: 'Wash' }] })
      await updateTodoItem(t.store, caller, list.id, list.items[0]!.id, { status: 'doing' })
      await t.tick()
      expect(await t.runs()).toEqual([])
      await updateTodoItem(t.store, caller, list.id, list.items[0]!.id, { status: 'done' })
      await t.tick()
      expect(await t.runs()).toMatchObject([
        { workflow: { id: 'wf_1' }, args: { event: { listId: list.id, completed: [{ title: 'Wash' }] } } },
      ])
      await addTodoItems(t.store, caller, list.id, [
        { title: 'Cook', status: 'done' },
        { title: 'Eat', status: 'done' },
      ])
      await t.tick()
      const started = (await t.runs()).slice(1).map(({ workflow }) => workflow!.id)
      expect(started.sort()).toEqual(['wf_1', 'wf_2'])
    })

    test('start a run when a cron fires', async (t) => {
      const id = await t.add({ name: 'remind me' })
      await t.add({ name: 'something else' })
      await t.save({ triggers: [{ type: 'schedule_remind', filter: { name: 'remind me' } }] })
      t.clock.advance(minute)
      await t.tick()
      expect(await t.runs()).toMatchObject([{ source: 'event', args: { event: { cronId: id } } }])
    })

    test('start nothing by what a run does that they started, however deep', async (t) => {
      await t.save({ triggers: [{ type: 'document_saved' }] })
      await t.save({ triggers: [{ type: 'document_saved' }] }, 'wf_2')
      const hook = await t.hook({ event: 'document-saved' })
      await write(t, 'First')
      await t.tick()
      const runs = await t.runs()
      expect(runs).toHaveLength(2)
      const linked = {
        clock: t.clock,
        documentLimits: defaultDocumentLimits,
        findDenial: async () => undefined,
      }
      for (const { sessionId } of runs)
        await t.store.transaction((tx) =>
          doLinkedAction(
            tx,
            linked,
            { scope: 'default', sessionId },
            {
              type: 'create_document',
              params: { title: 'Of the run', content: '' },
            },
          ),
        )
      // a workflow as a step, a step of that, and a task of the step
      const inner = await t.store.createSession({
        scope: 'default',
        kind: 'tool',
        parentId: runs[0]!.sessionId,
        toolMeta: { source: 'workflow-run', triggerType: 'workflow' },
      })
      let above = inner.id
      for (const source of ['workflow', 'task']) {
        const task = await t.background.trigger(
          'default',
          { prompt: 'below' },
          { triggerType: 'tool_spawn', parentSessionId: above, source },
        )
        await write(t, `Of ${source}`, '', task.sessionId)
        above = task.sessionId
      }
      await t.tick()
      expect(await t.runs()).toHaveLength(2)
      expect((await t.hooks()).find(({ id }) => id === hook)).toMatchObject({ starts: 1 })
    })

    test('do not start a workflow by what it does itself, whoever started it; another may', async (t) => {
      await t.save({ triggers: [everyMinute, { type: 'schedule_remind' }, { type: 'document_saved' }] })
      await t.save({ name: 'Other', triggers: [{ type: 'document_saved' }] }, 'wf_2')
      t.clock.advance(minute)
      await t.tick()
      const [run, ...more] = await t.runs()
      expect(more).toEqual([])
      await write(t, 'Of the run', '', run!.sessionId)
      await t.tick()
      expect((await t.runs()).slice(1)).toMatchObject([{ source: 'event', workflow: { id: 'wf_2' } }])
    })

    test('start nothing by way of a cron that the run fires by hand', async (t) => {
      await t.save({ triggers: [{ type: 'document_saved' }] })
      await t.save({ name: 'Other', triggers: [daily] }, 'wf_2')
      await write(t, 'First')
      await t.tick()
      const [run] = await t.runs()
      const id = (await t.crons())[0]!.id
      const model = { ...caller, sessionId: run!.sessionId }
      const { fire } = await triggerCron(t.deps, t.store, model, id)
      await write(t, 'Second', '', fire.sessionId)
      await t.tick()
      expect((await t.runs()).map(({ workflow }) => workflow!.id)).toEqual(['wf_1', 'wf_2'])
    })

    test('keep what they have seen, and their pause, while they stay the same', async (t) => {
      await t.save({ triggers: [{ type: 'document_saved', filter: { folder: 'a' } }] })
      const [hook] = await t.hooks()
      await updateEventHook(t.deps, t.store, caller, hook!.id, { status: 'paused' })
      const [paused] = await t.hooks()
      await t.save({
        args: { x: { default: 1 } },
        triggers: [daily, { type: 'document_saved', filter: { folder: 'a' } }],
      })
      expect(await t.hooks()).toEqual([paused])
      await t.save({ triggers: [{ type: 'document_saved', filter: { folder: 'b' } }] })
      expect(await t.hooks()).toMatchObject([{ id: hook!.id, filter: { folder: 'b' }, status: 'paused' }])
      await t.save({ triggers: [{ type: 'todo_completed' }] })
      const [other] = await t.hooks()
      expect(other).toMatchObject({ event: 'todo-changed', status: 'active' })
      expect(other!.id).not.toBe(hook!.id)
    })

    test('are changed and deleted where they are written', async (t) => {
      await t.save({ triggers: [{ type: 'document_saved' }] })
      const id = (await t.hooks())[0]!.id
      const change = (patch: Parameters<typeof updateEventHook>[4]) =>
        updateEventHook(t.deps, t.store, caller, id, patch)
      await expect(change({ maxPerHour: 1 })).rejects.toMatchObject({ code: 'conflict' })
      await expect(change({ status: 'paused', name: 'x' })).rejects.toMatchObject({ code: 'conflict' })
      await expect(deleteEventHook(t.store, caller, id)).rejects.toMatchObject({ code: 'conflict' })
      expect(await change({ status: 'paused' })).toMatchObject({ status: 'paused', workflowId: 'wf_1' })
      await write(t, 'Unseen')
      await change({ status: 'active' })
      await t.tick()
      expect(await t.runs()).toEqual([])
    })
  })

  describe('linked actions', () => {
    const act = async (t: TriggerTest, type: string, params: object) => {
      const { id: sessionId } = await t.store.createSession({ scope: 'default', kind: 'tool' })
      const deps = {
        clock: t.clock,
        documentLimits: { ...defaultDocumentLimits, maxBytes: 100 },
        findDenial: async () => undefined,
      }
      const action = { type, params } as Parameters<typeof doLinkedAction>[3]
      await t.store.transaction((tx) => doLinkedAction(tx, deps, { scope: 'default', sessionId }, action))
      return sessionId
    }
    const newest = async ({ store }: TriggerTest, type: string) =>
      (await store.listEvents('default', { after: 0, limit: 100 })).findLast((event) => event.type === type)

    test('create_todo adds to the list of that name, or makes it', async (t) => {
      const sessionId = await act(t, 'create_todo', { name: 'Home', title: 'Wash' })
      await act(t, 'create_todo', { name: 'Home', title: 42, description: 'at noon' })
      const { items } = await t.store.listTodoLists('default', { limit: 10 })
      expect(items).toMatchObject([{ title: 'Home', counts: { todo: 2 } }])
      const id = items[0]!.id
      await act(t, 'create_todo', { listId: id, title: 'Eat' })
      const list = await t.store.requireTodoList('default', id)
      expect(list.items.map(({ title }) => title)).toEqual(['Wash', '42', 'Eat'])
      expect(list.items[1]).toMatchObject({ description: 'at noon' })
      const { items: audit } = await t.store.listAudit('default', { limit: 10 })
      expect(audit).toContainEqual(
        expect.objectContaining({
          actor: { type: 'system', id: 'workflow' },
          resourceType: 'todo_list',
          sessionId,
        }),
      )
      await expect(act(t, 'create_todo', { title: 'x' })).rejects.toThrow(/create_todo: .*name of a list/)
      await expect(act(t, 'create_todo', { name: 'Home', title: '' })).rejects.toThrow('create_todo: ')
      await expect(act(t, 'create_todo', { listId: 'tdl_none', title: 'x' })).rejects.toThrow(
        'There is no todo list "tdl_none"',
      )
    })

    test('update_todo sets the status of an item, unless another session holds the list', async (t) => {
      const list = await createTodoList(t.store, caller, { title: 'Home', items: [{ title: 'Wash' }] })
      const params = { listId: list.id, itemId: list.items[0]!.id, status: 'done' }
      const sessionId = await act(t, 'update_todo', params)
      expect(await newest(t, 'todo-changed')).toMatchObject({
        sessionId,
        data: { completed: [{ title: 'Wash' }] },
      })
      await expect(act(t, 'update_todo', { ...params, itemId: 'tdi_none' })).rejects.toThrow('"tdi_none"')
      await expect(act(t, 'update_todo', { ...params, status: 'gone' })).rejects.toThrow('update_todo: ')
      const holder = await t.store.createSession({ scope: 'default' })
      const locked = { type: 'todo_list', id: list.id } as const
      await t.store.takeLock('default', locked, { sessionId: holder.id, ttlMs: minute })
      await expect(act(t, 'update_todo', { ...params, status: 'todo' })).rejects.toThrow(
        `"${holder.id}" holds`,
      )
    })

    test('create_document writes a document with a version that can be found', async (t) => {
      const sessionId = await act(t, 'create_document', {
        title: 'Report',
        content: 'All is well',
        folder: 'out',
      })
      const saved = await newest(t, 'document-saved')
      expect(saved).toMatchObject({ sessionId, data: { title: 'Report', folder: 'out', version: 1 } })
      const id = saved!.data['documentId'] as string
      expect(await t.store.requireDocument('default', id)).toMatchObject({ content: 'All is well' })
      await updateDocument(defaultDocumentLimits, t.store, caller, id, { content: 'changed' })
      await expect(act(t, 'create_document', { title: 'x', content: 'x'.repeat(101) })).rejects.toThrow(
        'the most is 100',
      )
      await expect(act(t, 'create_document', { content: 'x' })).rejects.toThrow('create_document: ')
      await expect(act(t, 'create_document', { title: 'x', content: '\0' })).rejects.toThrow(
        'create_document',
      )
      expect((await t.store.listDocuments('default', { limit: 10 })).items).toHaveLength(1)
    })

    test('update_schedule pauses, resumes and completes a cron', async (t) => {
      const { id: scheduleId } = await createCron(t.deps, t.store, caller, {
        schedule: '@daily',
        prompt: 'x',
      })
      for (const status of ['paused', 'active', 'completed', 'completed', 'active']) {
        await act(t, 'update_schedule', { scheduleId, status })
        expect(await t.store.requireCron('default', scheduleId)).toMatchObject({ status })
      }
      await act(t, 'update_schedule', { scheduleId, status: 'completed' })
      t.clock.advance(48 * 60 * minute)
      await t.tick()
      expect(await t.fires(scheduleId)).toEqual([])
      await expect(act(t, 'update_schedule', { scheduleId: 'cron_none', status: 'paused' })).rejects.toThrow(
        'There is no cron "cron_none"',
      )
      await expect(act(t, 'update_schedule', { scheduleId, status: 'on' })).rejects.toThrow(
        'update_schedule: ',
      )
    })

    test('notify tells those who follow the scope', async (t) => {
      const sessionId = await act(t, 'notify', { title: 'Done', body: 'See the report' })
      expect(await newest(t, 'notification')).toMatchObject({
        sessionId,
        data: { title: 'Done', body: 'See the report', level: 'info' },
      })
      await expect(act(t, 'notify', { title: 'Done', body: 'x'.repeat(20_001) })).rejects.toThrow('notify: ')
      await expect(act(t, 'notify', { title: 'Done', text: 'x' })).rejects.toThrow('notify: ')
    })
  })
})

describe('triggers of workflows over HTTP', () => {
  it('a session of a run is made by the run alone, and a copy of it is none', async () => {
    await using server = await startApp()
    const ofRun = { runId: 'run_1', triggerType: 'event', depth: 1 } as const
    for (const [field, value] of Object.entries(ofRun)) {
      const body = { kind: 'tool', toolMeta: { source: 'workflow-run', [field]: value } }
      expectRefusal(await server.send('POST', '/api/sessions', { body }), field, 400)
    }
    await server.store.ensureScope('default')
    const { id } = await server.store.createSession({
      scope: 'default',
      kind: 'tool',
      toolMeta: { source: 'workflow-run', workflowName: 'Digest', ...ofRun },
    })
    const exported = await server.send('GET', `/api/sessions/${id}/export?format=json`)
    expect(exported.json).toMatchObject({
      session: { toolMeta: { source: 'workflow-run', workflowName: 'Digest' } },
    })
    await server.store.deleteSession('default', id)
    const imported = await server.send('POST', '/api/sessions/import', { body: exported.json })
    expect(imported.status, imported.text).toBe(201)
    expect(imported.json!.toolMeta).toEqual({ source: 'workflow-run', workflowName: 'Digest' })
  })

  it('show their workflow; only their pause can be changed', async () => {
    await using server = await startApp()
    const { store } = server
    const text = JSON.stringify({ name: 'Digest', triggers: [daily, { type: 'document_saved' }], steps })
    await store.ensureScope('default')
    const clock = { now: () => Date.UTC(2026, 0, 1) }
    await store.transaction((tx) =>
      syncTriggers(tx, { clock }, { id: 'wf_1', scope: 'default', name: 'Digest' }, requireDefinition(text)),
    )
    for (const path of ['/api/crons', '/api/event-hooks']) {
      const { items } = (await server.send('GET', path)).json as { items: { id: string }[] }
      expect(items).toMatchObject([{ workflowId: 'wf_1', name: 'Digest' }])
      const one = `${path}/${items[0]!.id}`
      const patched = await server.send('PATCH', one, { body: { name: 'mine' } })
      expect(expectRefusal(patched, 'a patch', 409).message).toContain('belongs to the workflow "Digest"')
      expectRefusal(await server.send('DELETE', one), 'a deletion', 409)
    }
  })
})
