import { describe, expect, it } from 'vitest'
import { createParley, type ParleyOptions } from '../src/parley.ts'
import { calls, createScripted, says } from './chat-harness.ts'
import { anyDatabase, databases, toOptions, type OpenDatabase } from './harness.ts'
import {
  nodeOf,
  openPlans,
  operation,
  replies,
  task,
  type GivenAction,
  type NodeSpec,
} from './plan-harness.ts'

const subgraph = (id: number): GivenAction => ({
  ...task('request_subgraph', { task_id: id }),
  kind: 'context_request',
})

/**
 * A session whose model thinks until it is let go: what others do meanwhile, it has not seen. It answers with one of these
 * replies after the other, and with words when there is none left.
 */
async function openThinking(
  openDatabase: OpenDatabase,
  answers: GivenAction[][],
  nodes: (string | NodeSpec)[] = ['A', { name: 'B', instruction: 'as it was' }, 'C'],
  options: Partial<ParleyOptions> = { permissions: { mode: 'bypassPermissions' } },
) {
  const gate = Promise.withResolvers<void>()
  const told: string[] = []
  const state = { thinks: false }
  const model = createScripted((request) => {
    if (request.replyFormat?.name !== 'plan_reply')
      return calls(['set_result', { output: `${nodeOf(request)} done` }])
    told.push(JSON.stringify(request.messages))
    const actions = answers.shift()
    const answer = says(actions ? replies('On it.', ...actions) : replies('I see.'))
    if (state.thinks) return answer
    state.thinks = true
    return [gate.promise, ...answer]
  })
  const opened = await openPlans(
    openDatabase,
    {},
    { models: { model: 'scripted/test', extra: { scripted: () => model } }, ...options },
  )
  const { planId } = await opened.plan(nodes)
  const sessionId = await opened.session(planId)
  /** What a person does while the model thinks, and what becomes of its actions then. */
  const meanwhile = async (work: () => Promise<unknown>) => {
    const run = opened.act(sessionId, 'please')
    await expect.poll(() => state.thinks).toBe(true)
    await work()
    gate.resolve()
    return run
  }
  return { opened, plans: opened.parley.plans, planId, sessionId, told, meanwhile }
}

describe.each(databases)('what a person changes while a model thinks, on %s', (_name, openDatabase) => {
  it('is not replaced: both are told of it, and everything else goes through', async () => {
    const { opened, plans, planId, sessionId, told, meanwhile } = await openThinking(openDatabase, [
      [
        task('update_task_instruction', { task_id: 2, instruction: 'as the model wants it' }),
        task('update_task', { task_id: 2, name: 'B of the model' }),
        task('update_task', { task_id: 3, instruction: 'another node' }),
        task('create_task', { name: 'New' }),
      ],
    ])
    await using _ = opened
    const run = await meanwhile(() => plans.updateNode(planId, 2, { instruction: 'as the person wants it' }))
    expect(run.steps.map(({ status }) => status)).toEqual(['failed', 'completed', 'completed', 'completed'])
    expect(run.steps[0]!.error).toMatch(
      /^Task 2 was changed since you looked at the plan \(version 2, update by /,
    )
    expect(run.steps[0]!.error).toContain('its instruction is now "as the person wants it"')
    expect(await opened.node(planId, 2)).toMatchObject({
      name: 'B of the model',
      instruction: 'as the person wants it',
    })
    expect(await opened.node(planId, 3)).toMatchObject({ instruction: 'another node' })
    expect(await opened.node(planId, 4)).toMatchObject({ name: 'New' })
    // the person finds it in the conversation, the model in what it is asked next
    await expect.poll(() => told.length).toBe(2)
    expect(told[1]).toContain('as the person wants it')
    const [, answer] = await opened.messages(sessionId)
    const turn = answer!.parts.find(({ type }) => type === 'data-plan')!.data
    expect(turn).toMatchObject({
      version: 1,
      status: 'failed',
      actions: [{ status: 'failed', message: expect.stringContaining('was not replaced') }, {}, {}, {}],
    })
  })

  it('stays where one action is about more: the rest of it is done', async () => {
    const { opened, plans, planId, meanwhile } = await openThinking(openDatabase, [
      [
        task('update_task', {
          task_id: 2,
          name: 'Renamed',
          instruction: 'of the model',
          metadata: { mine: 1, theirs: 2 },
        }),
      ],
    ])
    await using _ = opened
    const run = await meanwhile(() =>
      plans.updateNode(planId, 2, { instruction: 'of the person', metadata: { theirs: 1 } }),
    )
    expect(run.steps[0]).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('The rest was changed.'),
    })
    expect(run.steps[0]!.error).toContain('its metadata theirs is now 1')
    expect(await opened.node(planId, 2)).toMatchObject({
      name: 'Renamed',
      instruction: 'of the person',
      metadata: { mine: 1, theirs: 1 },
    })
  })

  it('is told again only when it was not seen', async () => {
    const change = task('update_task_instruction', { task_id: 2, instruction: 'of the model' })
    const { opened, plans, planId, meanwhile } = await openThinking(openDatabase, [[change], [change]])
    await using _ = opened
    await meanwhile(() => plans.updateNode(planId, 2, { instruction: 'of the person' }))
    // with what it says now before it, the model may decide so
    await expect.poll(async () => (await opened.node(planId, 2)).instruction).toBe('of the model')
  })
})

describe.each(databases)('a turn that goes on in another process, on %s', (_name, openDatabase) => {
  it('goes by what was sent before, and not by what there is now', async () => {
    await using database = await openDatabase()
    const answer = says(
      replies('On it.', task('update_task_instruction', { task_id: 1, instruction: 'of the model' })),
    )
    let asked = 0
    const thoughts = [[new Promise(() => {})], answer]
    const model = createScripted(() => thoughts[asked++] ?? says(replies('I see.')))
    const open = () =>
      createParley({
        ...toOptions(database),
        shutdownMs: 0,
        models: { model: 'scripted/test', extra: { scripted: () => model } },
      })
    const first = await open()
    const { id: planId } = await first.plans.create({ title: 'Plan', markdown: '- [ ] A' })
    const { id } = await first.sessions.create({ planId })
    const { runId } = await first.sessions.send(id, 'please')
    await expect.poll(() => asked).toBe(1)
    await first.plans.updateNode(planId, 1, { instruction: 'of the person' })
    await first.close()
    await using second = await open()
    await expect.poll(async () => (await second.plans.runs({ plan: planId })).items[0]?.status).toBe('failed')
    expect((await second.store.getRun('default', runId))?.status).toBe('completed')
    const [run] = (await second.plans.runs({ plan: planId })).items
    expect(run!.error).toContain('its instruction is now "of the person"')
    expect((await second.plans.node(planId, 1)).instruction).toBe('of the person')
  })
})

describe.each(anyDatabase)('other changes while a model thinks, on %s', (_name, openDatabase) => {
  const subject = { task_id: 2 }
  it.each<[string, GivenAction, string]>([
    ['moves it', task('move_task', { ...subject, new_parent_id: 3 }), 'place'],
    ['deletes it', task('delete_task', subject), 'deleted'],
    ['deletes it', task('update_task', { ...subject, name: 'x' }), 'deleted'],
    ['edits it', task('delete_task', subject), 'instruction'],
    ['adds below it', task('delete_task', subject), 'was added'],
    ['does it', task('rerun_task', subject), 'status'],
    ['does it', task('skip_task', subject), 'status'],
    ['does it', operation('execute_plan', { rerun: true }), 'status'],
    ['edits it', operation('delete_plan'), 'instruction'],
  ])('a person %s: %o is refused', async (deed, action, words) => {
    const { opened, plans, planId, meanwhile } = await openThinking(openDatabase, [[action]])
    await using _ = opened
    const deeds: Record<string, () => Promise<unknown>> = {
      'moves it': () => plans.moveNode(planId, 2, { position: 0 }),
      'deletes it': () => plans.deleteNode(planId, 2),
      'edits it': () => plans.updateNode(planId, 2, { instruction: 'mine' }),
      'adds below it': () => plans.addNode(planId, { name: 'Mine', parentId: 2 }),
      'does it': () => plans.doneNode(planId, 2, { note: 'mine' }),
    }
    const before = async () => (await plans.markdown(planId)).markdown
    let left = ''
    const run = await meanwhile(async () => {
      await deeds[deed]!()
      left = await before()
    })
    expect(run.steps[0]).toMatchObject({ status: 'failed', error: expect.stringContaining(words) })
    expect(run.steps[0]!.error).toContain('since you looked at the plan (version 2, ')
    expect(await before()).toBe(left)
  })

  it('a number that the model guessed is not that of a node of somebody else', async () => {
    const { opened, plans, planId, meanwhile } = await openThinking(openDatabase, [
      [
        task('create_task', { name: 'Of the model' }),
        task('update_task', { task_id: 4, name: 'Taken for its own' }),
        task('create_task', { name: 'After it', dependencies: [4] }),
        task('decompose_task', { task_id: 4 }),
      ],
    ])
    await using _ = opened
    const run = await meanwhile(() => plans.addNode(planId, { name: 'Of a person' }))
    expect(run.steps.map(({ status }) => status)).toEqual(['completed', 'failed', 'failed', 'failed'])
    for (const step of [2, 3])
      expect(run.steps[step]!.error).toContain('Task 4 was added since you looked at the plan')
    expect(await opened.node(planId, 4)).toMatchObject({ name: 'Of a person' })
  })

  it('nothing is run or deleted after a conflict', async () => {
    const { opened, plans, planId, meanwhile } = await openThinking(openDatabase, [
      [
        task('update_task_instruction', { task_id: 2, instruction: 'of the model' }),
        task('rerun_task', { task_id: 2 }),
        task('delete_task', { task_id: 3 }),
        task('create_task', { name: 'New' }),
      ],
    ])
    await using _ = opened
    const run = await meanwhile(() => plans.updateNode(planId, 2, { instruction: 'of the person' }))
    expect(run.steps.map(({ status }) => status)).toEqual(['failed', 'skipped', 'skipped', 'completed'])
    expect(await opened.statuses(planId)).toEqual({ 1: 'pending', 2: 'pending', 3: 'pending', 4: 'pending' })
  })

  it('what the model changes itself is no conflict', async () => {
    const { opened, planId, meanwhile } = await openThinking(openDatabase, [
      [
        task('update_task_instruction', { task_id: 2, instruction: 'first' }),
        task('update_task_instruction', { task_id: 2, instruction: 'second' }),
        task('move_task', { task_id: 2, new_parent_id: 1 }),
        task('delete_task', { task_id: 1 }),
      ],
    ])
    await using _ = opened
    expect(await meanwhile(async () => {})).toMatchObject({ status: 'completed' })
    expect(await opened.statuses(planId)).toEqual({ 3: 'pending' })
  })

  it('what it looked at in the same turn, it has seen', async () => {
    const { opened, plans, planId, told, meanwhile } = await openThinking(openDatabase, [
      [subgraph(2)],
      [
        task('update_task_instruction', { task_id: 2, instruction: 'of the model' }),
        task('update_task', { task_id: 3, name: 'C of the model' }),
      ],
    ])
    await using _ = opened
    const run = await meanwhile(async () => {
      await plans.updateNode(planId, 2, { instruction: 'of the person' })
      await plans.updateNode(planId, 3, { name: 'C of the person' })
    })
    // of what it did not ask for it was told as well
    expect(told[1]).toContain('The plan was changed since. It is now:')
    expect(told[1]).toContain('C of the person')
    expect(run.status).toBe('completed')
    expect(await opened.node(planId, 2)).toMatchObject({ instruction: 'of the model' })
  })

  it('of the tool plan, what goes by what it has shown in the same turn', async () => {
    const gate = Promise.withResolvers<void>()
    let planId = ''
    const given = (action: string, parameters: object) =>
      calls(['plan', { action, plan_id: planId, parameters }])
    const answers = [
      () => given('show_tasks', {}),
      () => [gate.promise, ...given('update_task', { task_id: 2, name: 'B of the model' })],
      () => given('update_task', { task_id: 1, instruction: 'of the model' }),
    ]
    const model = createScripted(() => answers.shift()?.() ?? says('well'))
    await using opened = await openPlans(
      openDatabase,
      {},
      {
        permissions: { mode: 'acceptEdits' },
        models: { model: 'scripted/test', extra: { scripted: () => model } },
      },
    )
    ;({ planId } = await opened.plan(['A', 'B']))
    const { id } = await opened.parley.sessions.create({})
    const turn = Promise.resolve(opened.parley.sessions.chat(id, 'go'))
    await expect.poll(() => answers.length).toBe(1)
    await opened.parley.plans.updateNode(planId, 1, { instruction: 'of a person' })
    gate.resolve()
    const { message } = await turn
    expect(message!.parts.filter(({ type }) => type === 'dynamic-tool')).toMatchObject([
      { output: { version: 1 } },
      { output: { version: 3 } },
      { state: 'output-error', errorText: expect.stringContaining('of a person') },
    ])
    expect(await opened.node(planId, 1)).toMatchObject({ instruction: 'of a person' })
    expect(await opened.node(planId, 2)).toMatchObject({ name: 'B of the model' })
  })

  it('of the tool plan, what goes by a version', async () => {
    const given: Record<string, unknown>[] = []
    const model = createScripted(({ messages }) => {
      const last = messages.at(-1)!
      return last.role === 'user' ? calls(['plan', given.shift()!]) : says('well')
    })
    await using opened = await openPlans(
      openDatabase,
      {},
      {
        permissions: { mode: 'acceptEdits' },
        models: { model: 'scripted/test', extra: { scripted: () => model } },
      },
    )
    const { planId } = await opened.plan(['A', 'B'])
    const { id } = await opened.parley.sessions.create({})
    const call = async (input: object) => {
      given.push({ plan_id: planId, ...input })
      const { message } = await opened.parley.sessions.chat(id, 'go')
      return message!.parts.find(({ type }) => type === 'dynamic-tool')!
    }
    const looked = await call({ action: 'show_tasks' })
    expect(looked.output).toMatchObject({ version: 1 })
    await opened.parley.plans.updateNode(planId, 1, { instruction: 'of a person' })
    const update = { action: 'update_task', base_version: 1 }
    expect(await call({ ...update, parameters: { task_id: 1, instruction: 'x' } })).toMatchObject({
      state: 'output-error',
      errorText: expect.stringContaining('of a person'),
    })
    const mixed = await call({ ...update, parameters: { task_id: 1, instruction: 'x', name: 'A2' } })
    expect(mixed.output).toMatchObject({ version: 3, conflict: expect.stringContaining('of a person') })
    expect(await opened.node(planId, 1)).toMatchObject({ name: 'A2', instruction: 'of a person' })
    await call({ ...update, parameters: { task_id: 2, instruction: 'x' } })
    expect(await opened.node(planId, 2)).toMatchObject({ instruction: 'x' })
  })
})
