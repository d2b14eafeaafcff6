import { describe, expect, it } from 'vitest'
import { messageText } from '../src/core/protocol/message-text.ts'
import type { PlanTurn } from '../src/extensions/plan/protocol/plan-run.ts'
import type { PlanRunRequest } from '../src/extensions/plan/start-run.ts'
import type { PlanDeps } from '../src/extensions/plan/plan-service.ts'
import { startNode } from '../src/extensions/plan/start-execution.ts'
import { calls, createScripted, says } from './chat-harness.ts'
import { anyDatabase, databases } from './harness.ts'
import { openPlans, replies, task } from './plan-harness.ts'

const allowed = { permissions: { mode: 'bypassPermissions' } } as const

function gate() {
  let open!: () => void
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open }
}

describe.each(anyDatabase)('plans that meet trouble, on %s', (_name, openDatabase) => {
  it('steer: actions of an answer are done or not there', async () => {
    const { opened: go, open } = gate()
    let count = 0
    const model = createScripted(() =>
      count++ === 0
        ? [go, ...says(replies('First.', task('create_task', { name: 'A' })))]
        : says(replies('Second.', task('create_task', { name: 'B' }))),
    )
    await using opened = await openPlans(
      openDatabase,
      {},
      {
        ...allowed,
        models: { model: 'scripted/test', extra: { scripted: () => model } },
      },
    )
    const { planId } = await opened.plan([])
    const sessionId = await opened.session(planId)
    const first = Promise.resolve(opened.parley.sessions.chat(sessionId, { content: 'one' }))
    await expect.poll(() => count).toBe(1)
    const second = Promise.resolve(
      opened.parley.sessions.chat(sessionId, { content: 'two', policy: 'steer' }),
    )
    await expect.poll(async () => (await opened.parley.store.listInbox(sessionId)).length).toBe(1)
    open()
    await first
    await second.catch(() => {})
    await expect.poll(async () => Object.keys(await opened.statuses(planId)).length).toBe(2)
    await expect
      .poll(async () =>
        (await opened.messages(sessionId)).flatMap(({ parts }) =>
          parts.flatMap(({ type, data }) => (type === 'data-plan' ? [(data as PlanTurn).status] : [])),
        ),
      )
      .toEqual(['completed', 'completed'])
  })

  it('stopped in the middle: nobody sees half a JSON', async () => {
    let isOn = false
    const model = createScripted(() => [
      { type: 'text-delta', text: '{"llm_reply": {"mess' },
      new Promise(() => (isOn = true)),
    ])
    await using opened = await openPlans(
      openDatabase,
      {},
      {
        ...allowed,
        models: { model: 'scripted/test', extra: { scripted: () => model } },
      },
    )
    const sessionId = await opened.session((await opened.plan([])).planId)
    const answer = Promise.resolve(opened.parley.sessions.chat(sessionId, { content: 'one' }))
    await expect.poll(() => isOn).toBe(true)
    await opened.parley.sessions.stop(sessionId)
    const { message } = await answer
    expect(messageText(message!)).toBe('')
  })

  it('too deep to be taken apart', async () => {
    await using opened = await openPlans(openDatabase, {
      children: () => ({
        children: [
          { name: 'a', instruction: 'x' },
          { name: 'c', instruction: 'd' },
        ],
      }),
    })
    const { planId } = await opened.plan(
      Array.from({ length: 100 }, (_, index) => ({ name: `n${index}`, parentId: index })),
    )
    const run = await opened.settled(
      (await opened.parley.plans.decompose(planId, { nodeId: 100, expandDepth: 1 })).id,
    )
    expect(run).toMatchObject({ status: 'failed', error: expect.stringContaining('levels deep') })
  })

  it('groups that are off', async () => {
    await using opened = await openPlans(
      openDatabase,
      {
        chat: (said) =>
          said.startsWith('go') ? replies('On it.', task('create_task', { name: 'A' })) : replies('I see.'),
      },
      allowed,
    )
    const { planId } = await opened.plan([])
    const sessionId = await opened.session(planId)
    await opened.parley.sessions.update(sessionId, { toolGroups: { plan: false } })
    const run = await opened.act(sessionId, 'go')
    expect(run.status).toBe('failed')
    expect(await opened.statuses(planId)).toEqual({})
  })

  it('retry twice does nothing twice', async () => {
    let isBad = true
    await using opened = await openPlans(
      openDatabase,
      {
        chat: (said) =>
          said.startsWith('go')
            ? replies('On it.', task('rerun_task', { task_id: 1 }), task('create_task', { name: 'B' }))
            : replies('I see.'),
        node: () => (isBad ? calls(['set_result', { output: 'no', status: 'failed' }]) : undefined),
      },
      { ...allowed, plans: { nodeRetries: 0 } },
    )
    const { planId } = await opened.plan(['A'])
    const sessionId = await opened.session(planId)
    const run = await opened.act(sessionId, 'go')
    expect(run.status).toBe('failed')
    isBad = false
    const answers = await Promise.allSettled([
      opened.parley.plans.retryRun(run.id),
      opened.parley.plans.retryRun(run.id),
    ])
    for (const answer of answers) if (answer.status === 'fulfilled') await opened.settled(answer.value.id)
    expect(await opened.statuses(planId)).toEqual({ 1: 'completed', 2: 'pending' })
    await expect(opened.parley.plans.retryRun(run.id)).rejects.toThrow()
  })

  it('a session that another run works in is deleted', async () => {
    const { opened: forever } = gate()
    let isOn = 0
    await using opened = await openPlans(
      openDatabase,
      {
        chat: (said) =>
          said.startsWith('go') ? replies('On it.', task('rerun_task', { task_id: 1 })) : replies('I see.'),
        node: () => (isOn++ === 0 ? [forever] : undefined),
      },
      allowed,
    )
    const { planId } = await opened.plan(['A', { name: 'B', after: [1] }])
    const sessionId = await opened.session(planId)
    await opened.say(sessionId, 'go')
    await expect.poll(() => isOn).toBe(1)
    const other = await opened.parley.plans.execute(planId)
    // it has let go: it waits for the node of the other run
    await expect
      .poll(() => opened.parley.store.getRun('default', other.id))
      .toMatchObject({ status: 'running', attempt: 0 })
    await opened.parley.sessions.delete(sessionId)
    expect((await opened.settled(other.id)).status).toBe('completed')
    expect(await opened.statuses(planId)).toEqual({ 1: 'completed', 2: 'completed' })
  })

  it('deleting a plan leaves its sessions about plans', async () => {
    await using opened = await openPlans(openDatabase)
    const { planId } = await opened.plan(['A'])
    const sessionId = await opened.session(planId)
    await opened.parley.plans.delete(planId)
    expect((await opened.say(sessionId, 'hello')).turn).toBeDefined()
  })

  it('a no is not asked about once more', async () => {
    const retry = { retry_policy: { max_retries: 3, backoff_sec: 0 } }
    await using opened = await openPlans(
      openDatabase,
      {
        chat: (said) =>
          said.startsWith('go')
            ? replies('On it.', task('create_task', { name: 'A' }, retry))
            : replies('I see.'),
      },
      { permissions: { mode: 'plan' } },
    )
    const { planId } = await opened.plan([])
    const run = await opened.act(await opened.session(planId), 'go')
    expect(run).toMatchObject({ status: 'failed', steps: [{ status: 'failed', attempts: 1 }] })
  })

  it('a long chain with what it waits for', async () => {
    await using opened = await openPlans(openDatabase)
    const { store } = opened.parley
    const { planId } = await opened.plan([])
    const now = Date.now()
    const count = 20_000
    await store.transaction(async (tx) => {
      const nodes = Array.from({ length: count }, (_, index) => ({
        id: index + 1,
        parentId: 0,
        sort: (index + 1) * 1000,
        name: `n${index}`,
        instruction: '',
        status: 'pending' as const,
        metadata: {},
        dependencies: index === 0 ? [] : [index],
        createdAt: now,
        updatedAt: now,
      }))
      await tx.putNodes(planId, nodes)
    })
    // takes 50 seconds when each of them is searched for again
    let wanted: PlanRunRequest | undefined
    const deps = { requireModel: () => {} } as unknown as PlanDeps
    await store.transaction((tx) =>
      startNode(
        tx,
        deps,
        { scope: 'default', planId, nodeId: count },
        { withDependencies: true },
        {
          startRun: async (request) => {
            wanted = request
            return ''
          },
        },
      ),
    )
    expect(wanted).toMatchObject({ input: { nodeIds: { length: count } } })
  })
})

describe.each(databases)('plans that meet what a database does not store, on %s', (_name, openDatabase) => {
  it('a result with NUL and half characters', async () => {
    await using opened = await openPlans(
      openDatabase,
      { node: () => calls(['set_result', { output: 'a\u0000b \ud800 c' }]) },
      { plans: { nodeRetries: 0 } },
    )
    const { planId } = await opened.plan(['A'])
    const { id } = await opened.parley.plans.execute(planId)
    const run = await opened.settled(id)
    expect(run.status).toBe('completed')
  })

  it('a failure with NUL', async () => {
    await using opened = await openPlans(
      openDatabase,
      { node: () => calls(['set_result', { output: 'a\u0000b', status: 'failed' }]) },
      { plans: { nodeRetries: 0 } },
    )
    const { planId } = await opened.plan(['A'])
    const { id } = await opened.parley.plans.execute(planId)
    const run = await opened.settled(id)
    expect(run.steps[0]?.status).toBe('failed')
    expect(await opened.statuses(planId)).toEqual({ 1: 'failed' })
  })

  it('children with NUL', async () => {
    await using opened = await openPlans(openDatabase, {
      children: () => ({
        children: [
          { name: 'a\u0000b', instruction: 'x' },
          { name: 'c', instruction: 'd\u0000' },
        ],
      }),
    })
    const { planId } = await opened.plan([])
    const run = await opened.settled((await opened.parley.plans.decompose(planId, { expandDepth: 1 })).id)
    expect(run.error ?? '').not.toContain('unexpected')
  })
})
