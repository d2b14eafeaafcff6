import { describe, expect, it } from 'vitest'
import { cancelPlanRun, executePlan } from '../src/extensions/plan/runs.ts'
import { estimateTokens } from '../src/core/shared/estimate-tokens.ts'
import { calls } from './chat-harness.ts'
import { anyDatabase } from './harness.ts'
import { caller, operation, openPlans, replies, task, type OpenedPlans } from './plan-harness.ts'

const start = ({ parley }: OpenedPlans, planId: string) =>
  executePlan(parley.store, parley.services.plans, caller, planId, {})
const execute = async (opened: OpenedPlans, planId: string) =>
  opened.settled((await start(opened, planId)).id)
/** What the model of a conversation was told last. */
const lastTold = ({ requests }: OpenedPlans) =>
  JSON.stringify(requests.findLast(({ replyFormat }) => replyFormat !== undefined)!.messages.at(-1))

describe.each(anyDatabase)('the report of an execution on %s', (_name, openDatabase) => {
  it('is stored with the run: how it ended, what is not done and why, and the results', async () => {
    await using opened = await openPlans(
      openDatabase,
      {
        node: (name) =>
          name === 'Broken' ? calls(['set_result', { output: 'no luck', status: 'failed' }]) : undefined,
      },
      { plans: { nodeRetries: 0 } },
    )
    const { planId } = await opened.plan(
      ['Read', { name: 'Write', after: [1] }, 'Broken', { name: 'Later', after: [3] }],
      'A paper',
    )
    const requests = () => opened.requests.length
    const run = await execute(opened, planId)
    expect(requests()).toBe(3)
    expect(run.report).toBe(
      [
        '# A paper',
        '2 done (1, 2); 1 failed (3); 1 blocked (4). 45 tokens.',
        '## Not done',
        '- [3] Broken (failed): no luck\n- [4] Later (blocked): It waits: task 3 failed.',
        '## Results',
        '### [2] Write\nWrite done',
        '### [3] Broken (failed)\nno luck',
        '### [1] Read\nRead done',
      ].join('\n\n'),
    )
    const { items } = await opened.parley.plans.runs({ plan: planId })
    expect(items[0]).not.toHaveProperty('report')
    expect((await opened.parley.plans.getRun(run.id)).report).toBe(run.report)
  })

  it('of the whole plan tells how that stands, and what was done before', async () => {
    let isLucky = false
    await using opened = await openPlans(
      openDatabase,
      {
        node: (name) =>
          name === 'Broken' && !isLucky
            ? calls(['set_result', { output: 'no luck', status: 'failed' }])
            : undefined,
      },
      { plans: { nodeRetries: 0 } },
    )
    const { planId } = await opened.plan(['Read', 'Broken', { name: 'Later', after: [2] }], 'A paper')
    await execute(opened, planId)
    isLucky = true
    const { plans } = opened.parley
    const single = await opened.settled((await plans.runNode(planId, 2, { cascade: false })).id)
    expect(single.report).toBe(
      [
        '# A paper',
        '1 done (2); 0 failed; 0 blocked. 15 tokens.',
        'Of the plan, 2 of 3 tasks are done; 1 pending.',
        '## Results',
        '### [2] Broken\nBroken done',
      ].join('\n\n'),
    )
    expect((await execute(opened, planId)).report).toBe(
      [
        '# A paper',
        '1 done (3); 0 failed; 0 blocked. 15 tokens.',
        'Of the plan, 3 of 3 tasks are done.',
        '## Results',
        '### [3] Later\nLater done',
        '## Done before',
        '### [1] Read\nRead done',
        '### [2] Broken\nBroken done',
      ].join('\n\n'),
    )
  })

  it('keeps to its budget with what was done before', async () => {
    const long = 'A sentence about bread and butter. '.repeat(2_000)
    await using opened = await openPlans(
      openDatabase,
      { node: (name) => calls(['set_result', { output: name === 'Last' ? 'the end' : long }]) },
      { plans: { resultTokens: 500 } },
    )
    const first = Array.from({ length: 20 }, (_, index) => ({ name: `Part ${index}`, parentId: 1 }))
    const { planId } = await opened.plan(['Whole', ...first, 'Last'])
    await opened.settled((await opened.parley.plans.execute(planId, { nodeId: 1 })).id)
    const { report } = await execute(opened, planId)
    expect(report).toContain('### [22] Last\nthe end')
    expect(report).toContain('### [1] Whole\nA sentence')
    expect(report).toMatch(/… and \d+ more tasks\.$/)
    expect(estimateTokens(report!)).toBeLessThanOrEqual(500)
  })

  it('reaches the model that asked for the execution, with what the tasks came to', async () => {
    await using opened = await openPlans(
      openDatabase,
      {
        chat: (said) => (said === 'go' ? replies('I run it.', operation('execute_plan')) : replies('Done.')),
        node: (name) => calls(['set_result', { output: `${name} has 42 pages` }]),
      },
      { permissions: { mode: 'acceptEdits' } },
    )
    const { planId } = await opened.plan(['Read', { name: 'Write', after: [1] }])
    const session = await opened.session(planId)
    const run = await opened.act(session, 'go')
    expect(run.steps[0]).toMatchObject({
      result: { executed: [1, 2], failed: [], report: expect.stringContaining('Write has 42 pages') },
    })
    await expect.poll(async () => (await opened.messages(session)).length).toBe(4)
    expect(lastTold(opened)).toContain('Read has 42 pages')
  })

  it('reaches it also when the execution failed, and by a single task', async () => {
    await using opened = await openPlans(
      openDatabase,
      {
        chat: (said) =>
          said === 'go' ? replies('I run it.', task('rerun_task', { task_id: 1 })) : replies('Done.'),
        node: () => calls(['set_result', { output: 'only half of the pages', status: 'partial' }]),
      },
      { plans: { nodeRetries: 0 }, permissions: { mode: 'acceptEdits' } },
    )
    const { planId } = await opened.plan(['Read'])
    const session = await opened.session(planId)
    await opened.act(session, 'go')
    await expect.poll(async () => (await opened.messages(session)).length).toBe(4)
    expect(lastTold(opened)).toContain('only half of the pages')
  })

  it('keeps to its budget, shows small results whole and says what it leaves out', async () => {
    const long = 'A sentence about bread and butter. '.repeat(2_000)
    await using opened = await openPlans(
      openDatabase,
      {
        node: (name) =>
          calls(['set_result', { output: name.startsWith('Long') ? long : `${name} is short` }]),
      },
      { plans: { resultTokens: 600 } },
    )
    const { planId } = await opened.plan(['Long 1', 'Long 2', 'Short 1', 'Short 2'])
    const { report } = await execute(opened, planId)
    expect(estimateTokens(report!)).toBeLessThanOrEqual(600)
    expect(estimateTokens(report!)).toBeGreaterThan(400)
    expect(report).toContain('Short 1 is short')
    expect(report).toContain('Short 2 is short')
    expect(report).toMatch(/\[\d+ more characters: request_subgraph with task_id 1\]/)
    expect(report).toMatch(/\[\d+ more characters: request_subgraph with task_id 2\]/)
  })

  it('keeps to its budget with more tasks than it has room for: the last ones of the plan come first', async () => {
    await using opened = await openPlans(openDatabase, {}, { plans: { resultTokens: 300 } })
    const parts = Array.from({ length: 40 }, (_, index) => ({ name: `Part ${index}`, parentId: 1 }))
    const { planId } = await opened.plan(['Whole', ...parts])
    const { report } = await execute(opened, planId)
    expect(estimateTokens(report!)).toBeLessThanOrEqual(300)
    expect(report).toContain('### [1] Whole\nWhole done')
    expect(report).toMatch(/… and \d+ more tasks\.$/)
  })

  it('is written for an execution that was cancelled too', async () => {
    await using opened = await openPlans(openDatabase, {
      node: (name) => (name === 'Slow' ? [new Promise(() => {})] : undefined),
    })
    const { planId } = await opened.plan(['Quick', { name: 'Slow', after: [1] }])
    const { id } = await start(opened, planId)
    await expect.poll(() => opened.statuses(planId)).toEqual({ 1: 'completed', 2: 'running' })
    await cancelPlanRun(opened.parley.services.plans, caller, id)
    const run = await opened.settled(id)
    expect(run).toMatchObject({
      status: 'cancelled',
      report: expect.stringContaining('[2] Slow (cancelled)'),
    })
    expect(run.report).toContain('Quick done')
  })

  it('what came of tasks can be asked for later, in any conversation', async () => {
    await using opened = await openPlans(openDatabase, {
      chat: (said) =>
        said === 'sum up' ? replies('I look.', task('show_results')) : replies('Here is the sum.'),
      node: (name) => calls(['set_result', { output: `${name} has 42 pages` }]),
    })
    const { planId } = await opened.plan(['Read'])
    await execute(opened, planId)
    const session = await opened.session(planId)
    await opened.act(session, 'sum up')
    await expect.poll(async () => (await opened.messages(session)).length).toBe(4)
    expect(lastTold(opened)).toContain('Read has 42 pages')
  })
})
