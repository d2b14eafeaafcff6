import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { startHousekeeping } from '../src/core/store/housekeeping.ts'
import { workflowRunRetention } from '../src/extensions/workflow/workflow-service.ts'
import { startRun } from '../src/extensions/workflow/runs.ts'
import { calls, says } from './chat-harness.ts'
import { anyDatabase, sqliteDatabase } from './harness.ts'
import {
  agent,
  approve,
  handsIn,
  openWorkflows,
  promptOf,
  statusesOf,
  stepOf,
  taskOf,
} from './workflow-runs-harness.ts'

const text = (name: string, steps: object[], more: object = {}) => stringify({ name, steps, ...more })

describe.each(anyDatabase)('a workflow in a workflow on %s', (_name, openDatabase) => {
  it('is a run of its own, and what it came to is what the step came to', async () => {
    await using opened = await openWorkflows(openDatabase)
    const { workflows } = opened.parley
    const inner = await workflows.create({
      text: text('inner', [agent('deep', { prompt: 'do deep $args.word' })], { args: { word: {} } }),
    })
    const run = await opened.run(
      text('outer', [
        agent('first'),
        { id: 'sub', type: 'workflow', workflow: 'inner', args: { word: '$first.output' } },
        { id: 'last', type: 'transform', transform: '<$sub.output>' },
      ]),
    )
    expect(run).toMatchObject({ status: 'completed', output: '<deep done>' })
    expect(opened.requests.map(promptOf).at(-1)).toContain('do deep first done')
    const below = await workflows.getRun(stepOf(run, 'sub')!.runId!)
    expect(below).toMatchObject({
      parentRunId: run.id,
      trigger: 'workflow',
      workflowId: inner.id,
      version: 1,
      status: 'completed',
    })
    // both are seen from where they belong
    expect((await opened.parley.sessions.get(below.sessionId)).parentId).toBe(run.sessionId)
  })

  it('fails its step when there is none of that name, its args do not fit, or it goes too deep', async () => {
    await using opened = await openWorkflows(openDatabase)
    const call = (name: string, args = {}) =>
      text('outer', [{ id: 'sub', type: 'workflow', workflow: name, args }])
    expect(await opened.run(call('nobody'))).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('no workflow named "nobody"'),
    })
    await opened.parley.workflows.create({ text: text('picky', [agent('x')], { args: { must: {} } }) })
    expect(await opened.run(call('picky'))).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('"must" is missing'),
    })
    await opened.parley.workflows.create({
      text: text('again', [{ id: 'me', type: 'workflow', workflow: 'again' }]),
    })
    expect(await opened.run(call('again'))).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('workflows.maxDepth'),
    })
    expect(opened.requests).toEqual([])
  })

  it('pauses and is cancelled with the one above', async () => {
    await using opened = await openWorkflows(openDatabase)
    const { workflows } = opened.parley
    await workflows.create({ text: text('asks', [approve('check')]) })
    const outer = await opened.start(text('outer', [{ id: 'sub', type: 'workflow', workflow: 'asks' }]))
    const below = async () => {
      const { items } = await workflows.runs()
      return items.find(({ parentRunId }) => parentRunId === outer.id)
    }
    await expect.poll(async () => (await below())?.status).toBe('paused')
    await workflows.cancel(outer.id)
    expect(await opened.settled(outer)).toMatchObject({ status: 'cancelled' })
    await expect.poll(async () => (await below())?.status).toBe('cancelled')
    expect((await opened.parley.approvals.list()).items).toEqual([])
  })
})

describe.each(anyDatabase)('versions of a workflow on %s', (_name, openDatabase) => {
  it('are pinned by a run, also while it waits', async () => {
    await using opened = await openWorkflows(openDatabase)
    const { workflows } = opened.parley
    const one = await workflows.create({ text: text('w', [approve('check'), agent('old')]) })
    const started = await workflows.run(one.id)
    const paused = await opened.settled(started)
    await workflows.update(one.id, { text: text('w', [agent('new')]) })
    await workflows.resume(paused.id, { token: stepOf(paused, 'check')!.token!, approved: true })
    expect(await opened.settled(paused)).toMatchObject({
      status: 'completed',
      output: 'old done',
      version: 1,
    })
    expect(await opened.settled(await workflows.run(one.id))).toMatchObject({
      output: 'new done',
      version: 2,
    })
    await workflows.delete(one.id)
    // what was run stays to be seen, and can be done again
    expect(await opened.settled(await workflows.rerun(paused.id, { fromStep: 'old' }))).toMatchObject({
      output: 'old done',
    })
    await expect(workflows.run(one.id)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe.each(anyDatabase)('what a workflow sets off on %s', (_name, openDatabase) => {
  it('is done once a step succeeded, each by itself, and not when it failed', async () => {
    await using opened = await openWorkflows(
      openDatabase,
      handsIn({ bad: { output: 'x', status: 'failed' } }),
    )
    const { documents, todos, workflows } = opened.parley
    const run = await opened.run(
      text(
        'links',
        [
          agent('write', {
            linkedActions: [
              { type: 'create_document', params: { title: 'About $args.topic', content: '$write.output' } },
              { type: 'update_todo', params: { listId: 'nobody', itemId: 'none', status: 'done' } },
              { type: 'create_todo', params: { name: 'Later', title: 'Read $prev.output' } },
              { type: 'notify', params: { title: 'Written', body: '$args.topic' } },
            ],
          }),
          agent('bad', {
            linkedActions: [{ type: 'create_document', params: { title: 'never', content: '' } }],
          }),
        ],
        { config: { errorStrategy: 'continue' } },
      ),
      { topic: 'tea' },
    )
    expect(statusesOf(run)).toEqual({ write: 'completed', bad: 'failed' })
    const { items } = await documents.list()
    expect(items.map(({ title }) => title)).toEqual(['About tea'])
    expect((await documents.get(items[0]!.id)).content).toBe('write done')
    const [list] = (await todos.list()).items
    expect((await todos.get(list!.id)).items.map(({ title }) => title)).toEqual(['Read write done'])
    expect(stepOf(await workflows.getRun(run.id), 'write')!.linkErrors).toEqual([
      expect.stringContaining('update_todo: '),
    ])
  })

  it('starts no run by what its own run did', async () => {
    await using opened = await openWorkflows(openDatabase)
    const { documents, workflows } = opened.parley
    const { id } = await workflows.create({
      text: text(
        'copy',
        [
          agent('copy', {
            linkedActions: [{ type: 'create_document', params: { title: 'A copy', content: 'of it' } }],
          }),
        ],
        { triggers: [{ type: 'document_saved', filter: { folder: '' } }] },
      ),
    })
    await documents.create({ title: 'The first', content: 'by hand' })
    await expect
      .poll(async () => (await workflows.runs({ workflow: id })).items.map(({ status }) => status))
      .toEqual(['completed'])
    await expect.poll(async () => (await documents.list()).items.length).toBe(2)
    // every event was looked at by then
    const { last } = await opened.parley.store.getEventRange('default')
    await expect
      .poll(async () =>
        Math.min(
          ...(await opened.parley.store.listEventHooks('default', { limit: 10 })).items.map(
            ({ seenSeq }) => seenSeq,
          ),
        ),
      )
      .toBeGreaterThanOrEqual(last)
    expect((await workflows.runs({ workflow: id })).items).toHaveLength(1)
  })

  it('tells the ledger of a cron what became of its run', async () => {
    await using opened = await openWorkflows(
      openDatabase,
      handsIn({ one: { output: 'no', status: 'failed' } }),
    )
    const { crons, workflows } = opened.parley
    await workflows.create({
      text: text('nightly', [agent('one')], { triggers: [{ type: 'cron', schedule: '0 3 * * *' }] }),
    })
    const [cron] = (await crons.list()).items
    await crons.trigger(cron!.id)
    await expect
      .poll(async () => (await crons.fires(cron!.id)).items.map(({ outcome }) => outcome))
      .toEqual(['failed'])
    expect(await crons.get(cron!.id)).toMatchObject({ failures: 1 })
  })
})

describe.each(anyDatabase)('a workflow that a model starts on %s', (_name, openDatabase) => {
  it('tells the conversation of its end, and stops with it', async () => {
    let hangs = false
    await using opened = await openWorkflows(openDatabase, (request) => {
      if (taskOf(request) === 'work')
        return hangs ? [new Promise(() => {})] : calls(['set_result', { output: 'worked' }])
      const said = JSON.stringify(request.messages)
      if (said.includes('worked')) return says('It is there.')
      return said.includes('run_id') ? says('Started.') : calls(['workflow', { action: 'run', name: 'job' }])
    })
    const { sessions, workflows } = opened.parley
    await workflows.create({ text: text('job', [agent('work')]) })
    const chat = await sessions.create({ permissionMode: 'bypassPermissions' })
    await sessions.chat(chat.id, 'Please run the job.')
    await expect
      .poll(async () => JSON.stringify((await sessions.messages(chat.id)).items))
      .toContain('It is there.')
    hangs = true
    const second = await sessions.create({ permissionMode: 'bypassPermissions' })
    await sessions.chat(second.id, 'Please run the job.')
    const started = (await workflows.runs()).items[0]!
    await expect.poll(async () => (await workflows.getRun(started.id)).steps[0]?.sessionId).toBeDefined()
    await sessions.stop(second.id)
    expect(await opened.settled(started)).toMatchObject({ status: 'cancelled' })
    await expect.poll(() => opened.parley.background.activeCount()).toBe(0)
  })
})

describe.each(anyDatabase)('old runs on %s', (_name, openDatabase) => {
  it('go after their time with the sessions of their steps, those that go on do not', async () => {
    await using opened = await openWorkflows(openDatabase)
    const { store, sessions, workflows } = opened.parley
    const done = await opened.run(text('done', [agent('one')]))
    const waits = await opened.run(text('waits', [approve('check')]))
    const step = stepOf(done, 'one')!.sessionId!
    const meta = { triggerType: 'tool_spawn', parentSessionId: step } as const
    const spawned = await opened.parley.background.trigger('default', { prompt: 'more' }, meta)
    await spawned.promise
    const clockIn = (days: number) => ({ now: () => Date.now() + days * 86_400_000 })
    const tidy = (days: number) =>
      startHousekeeping(store, clockIn(days), (error) => expect(error).toBeUndefined(), {
        retentions: [workflowRunRetention(90)],
      }).stop()
    await tidy(89)
    expect((await workflows.runs()).items).toHaveLength(2)
    await tidy(91)
    expect((await workflows.runs()).items.map(({ id }) => id)).toEqual([waits.id])
    for (const id of [step, spawned.sessionId])
      await expect(sessions.get(id)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe.each(anyDatabase)('a workflow below tasks on %s', (_name, openDatabase) => {
  it('fails where its steps would be deeper than tasks may be, and does not wait for a place', async () => {
    await using opened = await openWorkflows(openDatabase, handsIn(), { background: { maxDepth: 0 } })
    expect(await opened.run(text('deep', [agent('one')]))).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('background.maxDepth'),
    })
  })

  it('goes on with a task that is detached from what was stopped', async () => {
    const gate = Promise.withResolvers<void>()
    await using opened = await openWorkflows(openDatabase, (request) => {
      if (taskOf(request) === 'work') return [gate.promise, ...calls(['set_result', { output: 'worked' }])]
      return JSON.stringify(request.messages).includes('run_id')
        ? calls(['set_result', { output: 'started' }])
        : calls(['workflow', { action: 'run', name: 'job' }])
    })
    const { background, sessions, workflows } = opened.parley
    await workflows.create({ text: text('job', [agent('work')]) })
    const chat = await sessions.create({ permissionMode: 'bypassPermissions' })
    const { promise } = await background.trigger(
      'default',
      { prompt: 'run the job' },
      { triggerType: 'tool_spawn', parentSessionId: chat.id },
      { detached: true },
    )
    await promise
    const [job] = (await workflows.runs()).items
    await expect.poll(async () => (await workflows.getRun(job!.id)).steps[0]?.sessionId).toBeDefined()
    await sessions.stop(chat.id)
    gate.resolve()
    expect(await opened.settled(job!)).toMatchObject({ status: 'completed', output: 'worked' })
  })

  it('is not begun by what was told to stop', async () => {
    await using opened = await openWorkflows(openDatabase, () => [new Promise(() => {})])
    const { sessions, store, services } = opened.parley
    const chat = await sessions.create({})
    const { runId } = await sessions.send(chat.id, { content: 'hello' })
    await store.requestStop('default', runId, 'stopped')
    await expect(
      startRun(
        store,
        services.workflows.deps,
        { scope: 'default' },
        { text: text('late', [agent('one')]) },
        { source: 'tool', parentSessionId: chat.id, parentRunId: runId },
      ),
    ).rejects.toMatchObject({ code: 'conflict' })
    await sessions.stop(chat.id)
  })
})

describe('the folders of a workflow', () => {
  it('are one of the run, which goes with it, and one of all runs', async () => {
    await using database = await sqliteDatabase()
    const dataDir = database.environment.PARLEY_DATA_DIR!
    await using opened = await openWorkflows(
      async () => ({ ...database, [Symbol.asyncDispose]: async () => {} }),
      (request) => {
        const name = taskOf(request)
        const isWritten =
          JSON.stringify(request.messages).includes('tool-result') || request.messages.at(-1)!.role === 'tool'
        if (isWritten) return calls(['set_result', { output: 'written' }])
        return calls(
          ['file', { action: 'write', path: `${name}.txt`, content: name }],
          ['file', { action: 'write', path: 'kept.txt', content: name, workspace: 'workflow' }],
        )
      },
      { permissions: { mode: 'acceptEdits' } },
    )
    const { workflows, sessions } = opened.parley
    const { id } = await workflows.create({ text: text('files', [agent('one'), agent('two')]) })
    const run = await opened.settled(await workflows.run(id))
    expect(run.status).toBe('completed')
    const places = join(dataDir, 'workspaces')
    expect(readdirSync(join(places, run.sessionId)).sort()).toEqual(['one.txt', 'two.txt'])
    expect(readdirSync(join(places, 'workflows', id))).toEqual(['kept.txt'])
    await sessions.delete(run.sessionId)
    await expect.poll(() => readdirSync(places)).not.toContain(run.sessionId)
    expect(readdirSync(join(places, 'workflows', id))).toEqual(['kept.txt'])
  })
})
