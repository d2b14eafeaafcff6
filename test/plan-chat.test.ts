import { describe, expect, it } from 'vitest'
import { databases } from './harness.ts'
import { openPlans, operation, replies, task } from './plan-harness.ts'

describe.each(databases)('a session about a plan on %s', (_name, openDatabase) => {
  it('answers with the words of the reply, and does its actions in their order', async () => {
    await using opened = await openPlans(openDatabase, {
      chat: (said) =>
        said.includes('add')
          ? replies(
              'I add two tasks.',
              task('create_task', { name: 'One' }),
              task('create_task', { name: 'Two', dependencies: [1] }),
            )
          : replies('Nothing to do.'),
    })
    const { planId } = await opened.plan()
    const sessionId = await opened.session(planId)
    const { text, turn } = await opened.say(sessionId, 'add two tasks')
    expect(text).toBe('I add two tasks.')
    expect(turn).toMatchObject({
      status: 'pending',
      planId,
      actions: [{ name: 'create_task' }, { name: 'create_task' }],
    })
    const run = await opened.settled(turn!.runId!)
    expect(run).toMatchObject({ status: 'completed', type: 'actions', planId, chatSessionId: sessionId })
    expect(await opened.node(planId, 2)).toMatchObject({ name: 'Two', dependencies: [1], status: 'pending' })
    // the message says what became of it
    const [, answer] = await opened.messages(sessionId)
    expect(answer!.parts.find(({ type }) => type === 'data-plan')).toMatchObject({
      data: { status: 'completed', actions: [{ status: 'completed' }, { status: 'completed' }] },
    })
    expect((await opened.say(sessionId, 'thanks')).turn).toMatchObject({ status: 'none', actions: [] })
  })

  it('makes a plan, binds the session to it and has it taken apart', async () => {
    await using opened = await openPlans(openDatabase, {
      chat: (said) =>
        said.includes('plan')
          ? replies('Here it is.', operation('create_plan', { title: 'Tea party' }))
          : replies('Good.'),
      children: (name) => ({
        children:
          name === 'Tea party'
            ? [
                { name: 'Invite', instruction: 'write letters', leaf: true },
                { name: 'Bake', instruction: 'bake a cake', dependencies: [1], leaf: true },
              ]
            : [],
      }),
    })
    const sessionId = await opened.session()
    const run = await opened.act(sessionId, 'make a plan for a tea party')
    expect(run).toMatchObject({ status: 'completed' })
    const { planId } = await opened.parley.sessions.get(sessionId)
    expect(await opened.node(planId!, 2)).toMatchObject({
      name: 'Bake',
      instruction: 'bake a cake',
      dependencies: [1],
    })
    expect(run.planId).toBe(planId)
  })

  it('executes: what it waits for first, parts before the whole', async () => {
    const order: string[] = []
    await using opened = await openPlans(
      openDatabase,
      {
        chat: (said) =>
          said === 'run it' ? replies('Off we go.', operation('execute_plan')) : replies('Done, I hear.'),
        node: (name) => {
          order.push(name)
          return undefined
        },
      },
      { permissions: { mode: 'acceptEdits' } },
    )
    const { planId } = await opened.plan([
      'Whole',
      { name: 'Second part', parentId: 1, after: [] },
      { name: 'First part', parentId: 1 },
      { name: 'After', after: [1] },
    ])
    const sessionId = await opened.session(planId)
    const run = await opened.act(sessionId, 'run it')
    expect(run).toMatchObject({
      status: 'completed',
      steps: [{ result: { executed: expect.arrayContaining([1, 2, 3, 4]) } }],
    })
    expect(order.slice(0, 2).toSorted()).toEqual(['First part', 'Second part'])
    expect(order.slice(2)).toEqual(['Whole', 'After'])
    const whole = await opened.node(planId, 1)
    expect(whole).toMatchObject({ status: 'completed', result: { output: 'Whole done', status: 'success' } })
    // a follow-up answer was made from the results
    await expect.poll(async () => (await opened.messages(sessionId)).length).toBe(4)
  })
})
