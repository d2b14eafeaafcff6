import { describe, expect, it } from 'vitest'
import type { ParleyOptions } from '../src/parley.ts'
import { calls, createScripted, says } from './chat-harness.ts'
import { anyDatabase, databases, type OpenDatabase } from './harness.ts'
import { openPlans, operation, replies, task, type GivenAction, type PlanModel } from './plan-harness.ts'

const prices = { 'scripted/test': { input: 3, output: 15 } }

/** A session in the mode that asks first, whose model answers everything a person says with these actions. */
async function openGate(
  openDatabase: OpenDatabase,
  actions: GivenAction[],
  { options = {}, ...model }: PlanModel & { options?: Partial<ParleyOptions> } = {},
) {
  const ran: string[] = []
  const opened = await openPlans(
    openDatabase,
    {
      chat: (said) =>
        said.includes('task_result') || said.startsWith('(')
          ? replies('I see.')
          : replies('Sure.', ...actions),
      node: (name) => {
        ran.push(name)
        return undefined
      },
      ...model,
    },
    options,
  )
  const { planId } = await opened.plan(['Draft', { name: 'Send', after: [1], instruction: 'to all' }])
  const sessionId = await opened.session(planId)
  const ask = async () => {
    const { turn } = await opened.say(sessionId, 'Hello')
    await expect.poll(async () => (await opened.parley.approvals.list()).items.length).toBe(1)
    return { runId: turn!.runId!, asked: (await opened.parley.approvals.list()).items[0]! }
  }
  const ended = async (runId: string) => {
    await expect
      .poll(async () => (await opened.parley.store.getRun('default', runId))?.status)
      .not.toMatch(/queued|running/)
    return opened.settled(runId)
  }
  return { opened, ran, planId, sessionId, ask, ended }
}

describe.each(anyDatabase)('before a model runs nodes, on %s', (_name, openDatabase) => {
  it('a person sees which, what they may use and where it stops, and says yes once', async () => {
    const { opened, ran, planId, sessionId, ask, ended } = await openGate(
      openDatabase,
      [operation('execute_plan')],
      { options: { prices, plans: { maxRunTokens: 50_000, maxRunCost: 2 } } },
    )
    await using _ = opened
    const { runId, asked } = await ask()
    expect(asked).toMatchObject({
      toolName: 'plan',
      action: 'execute_plan',
      sessionId,
      fallback: 'deny',
      planRun: {
        planId,
        nodeCount: 2,
        nodes: [
          { id: 1, name: 'Draft', instruction: '' },
          { id: 2, name: 'Send', instruction: 'to all' },
        ],
        limit: { tokens: 50_000, cost: 2 },
      },
    })
    // nothing is known of what a node uses yet
    expect(asked.planRun).not.toHaveProperty('estimate')
    expect(await opened.settled(runId)).toMatchObject({ status: 'paused' })
    expect(ran).toEqual([])
    expect(await opened.statuses(planId)).toEqual({ 1: 'pending', 2: 'pending' })
    await opened.parley.approvals.decide(asked.id, { decision: 'approve' })
    expect(await ended(runId)).toMatchObject({ status: 'completed' })
    expect(ran).toEqual(['Draft', 'Send'])
    expect((await opened.parley.approvals.list()).items).toEqual([])
  })

  it('a no runs nothing, and is told to the model', async () => {
    const { opened, ran, planId, sessionId, ask, ended } = await openGate(openDatabase, [
      task('rerun_task', { task_id: 2, with_dependencies: true }),
    ])
    await using _ = opened
    const { runId, asked } = await ask()
    expect(asked.planRun).toMatchObject({ nodeCount: 2 })
    await opened.parley.approvals.decide(asked.id, { decision: 'deny', message: 'not today' })
    const run = await ended(runId)
    expect(run.steps[0]).toMatchObject({ status: 'failed', error: expect.stringContaining('not today') })
    expect(ran).toEqual([])
    expect(await opened.statuses(planId)).toEqual({ 1: 'pending', 2: 'pending' })
    await expect.poll(() => opened.requests.length).toBe(2)
    expect(JSON.stringify(opened.requests[1]!.messages)).toContain('not today')
    await expect.poll(async () => (await opened.parley.sessions.get(sessionId)).chatStatus).toBe('idle')
    // a person who has it done all the same has said yes with that
    const again = await opened.parley.plans.retryRun(runId)
    expect(await opened.settled(again.id)).toMatchObject({ status: 'completed' })
    expect(ran).toEqual(['Draft', 'Send'])
  })

  it.each([
    ['deny', 'failed', 'pending'],
    ['allow', 'completed', 'completed'],
  ] as const)('without an answer the default decision counts: %s', async (fallback, status, node) => {
    const { opened, planId, sessionId, ended } = await openGate(openDatabase, [operation('execute_plan')], {
      options: { approvals: { timeoutMs: 50, fallback } },
    })
    await using _ = opened
    const { turn } = await opened.say(sessionId, 'Hello')
    expect(await ended(turn!.runId!)).toMatchObject({ status })
    expect(await opened.statuses(planId)).toEqual({ 1: node, 2: node })
  })

  it('runs none that was added after the yes was asked for', async () => {
    const { opened, ran, planId, ask, ended } = await openGate(openDatabase, [operation('execute_plan')])
    await using _ = opened
    const { runId, asked } = await ask()
    await opened.parley.plans.addNode(planId, { name: 'Something else' })
    await opened.parley.approvals.decide(asked.id, { decision: 'approve' })
    expect(await ended(runId)).toMatchObject({ status: 'completed' })
    expect(ran).toEqual(['Draft', 'Send'])
    expect(await opened.statuses(planId)).toMatchObject({ 3: 'pending' })
  })

  it('the person may set another limit with the yes', async () => {
    const { opened, planId, ask, ended } = await openGate(openDatabase, [operation('execute_plan')])
    await using _ = opened
    const { runId, asked } = await ask()
    const input = { action: 'execute_plan', plan_id: planId, parameters: { max_tokens: 1 } }
    await opened.parley.approvals.decide(asked.id, { decision: 'approve', input })
    expect(await ended(runId)).toMatchObject({ status: 'failed' })
    const [execution] = (await opened.parley.plans.runs({ plan: planId, type: 'execute' })).items
    expect(execution).toMatchObject({ status: 'failed', reason: 'budget' })
  })

  it('nobody is asked where there is nothing to run', async () => {
    const { opened, planId, sessionId } = await openGate(openDatabase, [operation('execute_plan')])
    await using _ = opened
    await opened.settled((await opened.parley.plans.execute(planId)).id)
    const run = await opened.act(sessionId, 'Hello')
    expect(run.steps[0]).toMatchObject({ status: 'failed', error: expect.stringContaining('done already') })
  })

  it('a session can be set to go without, by a rule, a mode or an answer that is remembered', async () => {
    const { opened, planId, sessionId, ask, ended } = await openGate(openDatabase, [
      operation('execute_plan', { rerun: true }),
    ])
    await using _ = opened
    const { runId, asked } = await ask()
    await opened.parley.approvals.decide(asked.id, { decision: 'approve', remember: 'session' })
    await ended(runId)
    const idle = async () => {
      await expect.poll(async () => (await opened.parley.sessions.get(sessionId)).chatStatus).toBe('idle')
    }
    await idle()
    expect(await opened.act(sessionId, 'again')).toMatchObject({ status: 'completed' })
    await idle()
    await opened.parley.sessions.update(sessionId, {
      permissionRules: [{ tool: 'plan', action: ['execute_plan', 'rerun_task'], decision: 'allow' }],
    })
    expect(await opened.act(sessionId, 'again')).toMatchObject({ status: 'completed' })
    await idle()
    await opened.parley.sessions.update(sessionId, { permissionRules: [], permissionMode: 'acceptEdits' })
    expect(await opened.act(sessionId, 'again')).toMatchObject({ status: 'completed' })
    expect(await opened.statuses(planId)).toEqual({ 1: 'completed', 2: 'completed' })
  })

  it('shows the same where the tool plan is called', async () => {
    let planId = ''
    const model = createScripted(({ messages, tools }) => {
      if (tools.some(({ name }) => name === 'set_result')) return calls(['set_result', { output: 'done' }])
      return messages.at(-1)!.role === 'user' && !JSON.stringify(messages).includes('tool-result')
        ? calls(['plan', { action: 'execute_plan', plan_id: planId }])
        : says('well')
    })
    await using opened = await openPlans(
      openDatabase,
      {},
      { models: { model: 'scripted/test', extra: { scripted: () => model } } },
    )
    planId = (await opened.plan(['A', 'B'])).planId
    const { id } = await opened.parley.sessions.create({})
    const answer = Promise.resolve(opened.parley.sessions.chat(id, { content: 'go' }))
    const { approvals } = opened.parley
    await expect.poll(async () => (await approvals.list()).items.length).toBe(1)
    const [asked] = (await approvals.list()).items
    expect(asked!.planRun).toMatchObject({ nodeCount: 2, nodes: [{ id: 1 }, { id: 2 }] })
    await opened.parley.plans.addNode(planId, { name: 'Later' })
    await approvals.decide(asked!.id, { decision: 'approve' })
    await answer
    await expect.poll(() => opened.statuses(planId)).toEqual({ 1: 'completed', 2: 'completed', 3: 'pending' })
  })
})

describe.each(databases)('an estimate, on %s', (_name, openDatabase) => {
  it('estimates by what nodes have used before', async () => {
    const { opened, planId, ask, ended } = await openGate(
      openDatabase,
      [operation('execute_plan', { rerun: true })],
      { options: { prices } },
    )
    await using _ = opened
    // a person who does it needs nobody's yes
    await opened.settled((await opened.parley.plans.execute(planId)).id)
    const { runId, asked } = await ask()
    await opened.parley.approvals.decide(asked.id, { decision: 'deny' })
    await ended(runId)
    const used = (await opened.parley.plans.tree(planId)).nodes.reduce(
      (sum, { tokens = 0 }) => sum + tokens,
      0,
    )
    expect(used).toBeGreaterThan(0)
    expect(asked.planRun).toMatchObject({
      nodeCount: 2,
      estimate: { tokens: used, cost: expect.any(Number), basedOn: 2 },
      limit: {},
    })
  })
})

describe.each(databases)('a budget of a run, on %s', (_name, openDatabase) => {
  it('stops it, and what was not done waits', async () => {
    await using opened = await openPlans(openDatabase)
    const { planId } = await opened.plan(['A', { name: 'B', after: [1] }, { name: 'C', after: [2] }])
    const { plans } = opened.parley
    const first = await opened.settled((await plans.runNode(planId, 1)).id)
    expect(first).not.toHaveProperty('budget')
    const { tokens = 0 } = (await plans.tree(planId)).nodes[0]!
    // room for the prompt of one, which is longer than what the scripted model says it used
    const run = await opened.settled((await plans.execute(planId, { maxTokens: 1 })).id)
    expect(run).toMatchObject({
      status: 'failed',
      reason: 'budget',
      budget: { tokens: 1, usedTokens: 0 },
      error: expect.stringContaining('budget'),
    })
    expect(tokens).toBeGreaterThan(0)
    expect(await opened.statuses(planId)).toEqual({ 1: 'completed', 2: 'pending', 3: 'pending' })
    expect(await opened.node(planId, 2)).toMatchObject({ reason: expect.stringContaining('budget') })
    // with more it goes on where it stopped
    const again = await opened.settled((await plans.execute(planId, { maxTokens: 10_000_000 })).id)
    expect(again).toMatchObject({ status: 'completed', budget: { usedTokens: 2 * tokens } })
    expect(again).not.toHaveProperty('reason')
    expect(await opened.statuses(planId)).toEqual({ 1: 'completed', 2: 'completed', 3: 'completed' })
  })

  it('is not spent a second time by an action that is tried again', async () => {
    const retried = { retry_policy: { max_retries: 3, backoff_sec: 0 } }
    const { opened, planId, sessionId } = await openGate(
      openDatabase,
      [{ ...operation('execute_plan', { max_tokens: 1 }), ...retried }],
      { options: { permissions: { mode: 'acceptEdits' } } },
    )
    await using _ = opened
    const run = await opened.act(sessionId, 'Hello')
    expect(run.steps).toMatchObject([
      { status: 'failed', attempts: 1, error: expect.stringContaining('budget') },
    ])
    expect((await opened.parley.plans.runs({ plan: planId })).items.map(({ type }) => type)).toEqual([
      'execute',
      'actions',
    ])
  })

  it('is one for all tries of an action', async () => {
    const used = { inputTokens: 30_000, outputTokens: 10_000 }
    const retried = { retry_policy: { max_retries: 3, backoff_sec: 0 } }
    const { opened, planId, sessionId } = await openGate(
      openDatabase,
      [{ ...task('rerun_task', { task_id: 1, max_tokens: 60_000 }), ...retried }],
      {
        node: () => [
          ...calls(['set_result', { output: 'no luck', status: 'failed' }]).filter(
            ({ type }) => type !== 'finish',
          ),
          { type: 'finish', reason: 'tool-calls', usage: used },
        ],
        options: { permissions: { mode: 'acceptEdits' }, plans: { nodeRetries: 0 } },
      },
    )
    await using _ = opened
    expect((await opened.act(sessionId, 'Hello')).steps).toMatchObject([{ status: 'failed', attempts: 3 }])
    const { items } = await opened.parley.plans.runs({ plan: planId, type: 'execute' })
    const runs = await Promise.all(items.map(({ id }) => opened.parley.plans.getRun(id)))
    // the last call of the second try may go past the limit; the third has nothing left
    expect(runs.map(({ budget }) => budget)).toMatchObject([
      { tokens: 0, usedTokens: 0 },
      { tokens: 20_000, usedTokens: 40_000 },
      { tokens: 60_000, usedTokens: 40_000 },
    ])
    expect(runs[0]).toMatchObject({ reason: 'budget' })
  })

  it('counts all nodes together, and what is under way may end', async () => {
    const used = { inputTokens: 30_000, outputTokens: 10_000 }
    await using opened = await openPlans(openDatabase, {
      node: (name) => [
        ...calls(['set_result', { output: name }]).filter((event) => event.type !== 'finish'),
        { type: 'finish', reason: 'tool-calls', usage: used },
      ],
    })
    const { planId } = await opened.plan(['A', { name: 'B', after: [1] }, { name: 'C', after: [2] }])
    const run = await opened.settled((await opened.parley.plans.execute(planId, { maxTokens: 60_000 })).id)
    expect(run).toMatchObject({ reason: 'budget', budget: { usedTokens: 80_000 } })
    expect(await opened.statuses(planId)).toEqual({ 1: 'completed', 2: 'completed', 3: 'pending' })
  })

  it('of money needs prices, and the settings are the most', async () => {
    await using opened = await openPlans(openDatabase, {}, { plans: { maxRunTokens: 1 } })
    const { planId } = await opened.plan(['A'])
    const { plans } = opened.parley
    await expect(plans.execute(planId, { maxCost: 1 })).rejects.toThrow('prices')
    const run = await opened.settled((await plans.execute(planId, { maxTokens: 1_000_000 })).id)
    expect(run).toMatchObject({ reason: 'budget', budget: { tokens: 1 } })
  })

  it('of money stops it too', async () => {
    await using opened = await openPlans(openDatabase, {}, { prices })
    const { planId } = await opened.plan(['A'])
    const run = await opened.settled((await opened.parley.plans.execute(planId, { maxCost: 0.000_001 })).id)
    expect(run).toMatchObject({ status: 'failed', reason: 'budget', budget: { cost: 0.000_001 } })
    expect(await opened.statuses(planId)).toEqual({ 1: 'pending' })
  })

  it('stops taking a plan apart', async () => {
    await using opened = await openPlans(openDatabase)
    const { planId } = await opened.plan([])
    const run = await opened.settled((await opened.parley.plans.decompose(planId, { maxTokens: 1 })).id)
    expect(run).toMatchObject({ status: 'failed', reason: 'budget' })
    expect(opened.requests).toEqual([])
  })
})
