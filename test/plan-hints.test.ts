import { describe, expect, it } from 'vitest'
import { ModelFault } from '../src/core/models/fault.ts'
import type { ParleyOptions } from '../src/parley.ts'
import type { PlanTurn } from '../src/extensions/plan/protocol/plan-run.ts'
import { calls } from './chat-harness.ts'
import { databases, type OpenDatabase } from './harness.ts'
import {
  openPlans,
  operation,
  replies,
  task,
  type GivenAction,
  type NodeSpec,
  type OpenedPlans,
  type PlanModel,
} from './plan-harness.ts'
import { startSite } from './web-sites.ts'

const unasked: Partial<ParleyOptions> = {
  permissions: { mode: 'bypassPermissions' },
  plans: { nodeRetries: 0 },
}
const retried = { retry_policy: { max_retries: 3, backoff_sec: 0 } }
const search = (query: string): GivenAction => ({
  kind: 'tool_operation',
  name: 'web_search',
  parameters: { query },
})

const everAsked = async ({ parley }: OpenedPlans) => {
  const statuses = ['pending', 'approved', 'denied', 'expired', 'cancelled'] as const
  const pages = await Promise.all(statuses.map((status) => parley.approvals.list({ status })))
  return pages.flatMap(({ items }) => items)
}

async function openWith(
  openDatabase: OpenDatabase,
  actions: (planId: string) => GivenAction[],
  nodes: (string | NodeSpec)[] = ['A'],
  { options = unasked, ...model }: PlanModel & { options?: Partial<ParleyOptions> } = {},
) {
  let planId = ''
  const opened = await openPlans(
    openDatabase,
    {
      chat: (said) => (said.startsWith('go') ? replies('On it.', ...actions(planId)) : replies('I see.')),
      ...model,
    },
    options,
  )
  ;({ planId } = await opened.plan(nodes))
  const sessionId = await opened.session(planId)
  return { opened, planId, sessionId, go: (said = 'go') => opened.act(sessionId, said) }
}

describe.each(databases)('what an action is told on %s', (_name, openDatabase) => {
  it.each<[string, GivenAction, (string | NodeSpec)[], string]>([
    [
      'rerun_task',
      task('rerun_task', { task_id: 2 }),
      ['A', { name: 'B', after: [1] }],
      'say "with_dependencies"',
    ],
    [
      'decompose_task',
      task('decompose_task', { task_id: 1 }),
      ['A', { name: 'B', parentId: 1 }],
      'say "allow_existing_children"',
    ],
    [
      'create_task',
      task('create_task', { name: 'C', parent_id: 1, insert_after: 2 }),
      ['A', 'B'],
      'leave "parent_id" out',
    ],
    [
      'move_task',
      task('move_task', { task_id: 1, new_parent_id: 2, new_position: 'after:3' }),
      ['A', 'B', 'C'],
      'leave "new_parent_id" out',
    ],
    ['execute_plan', operation('execute_plan'), [], 'The plan has no tasks yet'],
  ])('names the parameters of %s as the action has them', async (_action, action, nodes, hint) => {
    const { opened, go } = await openWith(openDatabase, () => [action], nodes)
    await using _ = opened
    const [step] = (await go()).steps
    expect(step!.error).toContain(hint)
    expect(step!.error).not.toMatch(/"[a-z]+[A-Z]/)
  })

  it('the id of another plan goes back to the model, and nobody is asked', async () => {
    let tries = 0
    const { opened, planId, sessionId } = await openWith(openDatabase, () => [], ['A'], {
      options: {},
      chat: () => {
        tries++
        return tries === 1
          ? replies('I delete it.', operation('delete_plan', { plan_id: 'plan_of_others' }))
          : replies('That is another plan.')
      },
    })
    await using _ = opened
    const { text, turn } = await opened.say(sessionId, 'delete the other plan')
    expect(text).toBe('That is another plan.')
    expect(turn).toMatchObject({ status: 'none', planId })
    expect(await everAsked(opened)).toEqual([])
    const told = JSON.stringify(opened.requests.at(-1)!.messages)
    expect(told).toContain('plan_of_others')
    expect(told).toContain('this conversation is about the plan')
  })

  it('nobody is asked whether a task may be deleted that is not there', async () => {
    const { opened, planId, go } = await openWith(
      openDatabase,
      () => [task('delete_task', { task_id: 99 }, retried)],
      ['A'],
      { options: {} },
    )
    await using _ = opened
    expect((await go()).steps).toMatchObject([
      { status: 'failed', attempts: 1, error: expect.stringContaining('99') },
    ])
    expect(await everAsked(opened)).toEqual([])
    expect(await opened.statuses(planId)).toEqual({ 1: 'pending' })
  })

  it('a suggestion names a task that there is, and that is worth doing again', async () => {
    const { opened, sessionId, go } = await openWith(
      openDatabase,
      () => [task('rerun_task', { task_id: 99 }, { blocking: false }), operation('execute_plan')],
      ['A', 'B'],
      {
        node: (name) =>
          name === 'B' ? calls(['set_result', { output: 'no', status: 'refused' }]) : undefined,
      },
    )
    await using _ = opened
    await go()
    const suggestions = async () =>
      (await opened.messages(sessionId))[1]!.parts.flatMap(({ type, data }) =>
        type === 'data-plan' ? (data as PlanTurn).suggestions : [],
      )
    await expect.poll(suggestions).toContain('Run task 2 again')
    expect((await suggestions()).join()).not.toContain('99')
  })

  it.each<[string, GivenAction, PlanModel['node']]>([
    ['an unknown task', task('rerun_task', { task_id: 99 }, retried), undefined],
    ['an unknown place', task('create_task', { name: 'C', parent_id: 99 }, retried), undefined],
    [
      'an execution whose provider says 400',
      operation('execute_plan', {}, retried),
      () => [new ModelFault('bad-request', 'no such field', { status: 400 })],
    ],
    [
      'a task that the model refuses',
      task('rerun_task', { task_id: 1 }, retried),
      () => calls(['set_result', { output: 'I will not.', status: 'refused' }]),
    ],
  ])('is not tried again, whatever its policy: %s', async (_case, action, node) => {
    const { opened, planId, go } = await openWith(openDatabase, () => [action], ['A'], { node })
    await using _ = opened
    expect((await go()).steps).toMatchObject([{ status: 'failed', attempts: 1 }])
    expect((await opened.parley.plans.runs({ plan: planId, type: 'execute' })).items.length).toBe(
      node ? 1 : 0,
    )
  })

  it('an execution is not tried again for one task where another cannot be done', async () => {
    const tries: Record<string, number> = {}
    const { opened, go } = await openWith(
      openDatabase,
      () => [operation('execute_plan', {}, retried)],
      ['Rejected', 'Unlucky'],
      {
        node: (name) => {
          tries[name] = (tries[name] ?? 0) + 1
          return name === 'Rejected'
            ? [new ModelFault('bad-request', 'no such field', { status: 400 })]
            : calls(['set_result', { output: 'hm', status: 'failed' }])
        },
      },
    )
    await using _ = opened
    expect((await go()).steps).toMatchObject([{ status: 'failed', attempts: 1 }])
    expect(tries).toEqual({ Rejected: 1, Unlucky: 1 })
  })

  it('what may go better is tried again', async () => {
    let tries = 0
    const { opened, go } = await openWith(
      openDatabase,
      () => [operation('execute_plan', {}, retried)],
      ['A'],
      {
        node: () => {
          tries++
          return calls(['set_result', { output: 'hm', status: tries < 3 ? 'failed' : 'success' }])
        },
      },
    )
    await using _ = opened
    expect((await go()).steps).toMatchObject([{ status: 'completed', attempts: 3 }])
  })

  it('taking apart is not tried again when the provider says 400', async () => {
    let tries = 0
    const { opened, go } = await openWith(
      openDatabase,
      () => [task('decompose_task', { task_id: 1 }, retried)],
      ['A'],
      {
        children: () => {
          tries++
          throw new ModelFault('bad-request', 'no such field', { status: 400 })
        },
      },
    )
    await using _ = opened
    expect((await go()).steps).toMatchObject([{ status: 'failed', attempts: 1 }])
    expect(tries).toBe(1)
  })

  it('a search is asked about once, however often it is tried or written', async () => {
    let tries = 0
    const site = await startSite((_request, response) => {
      tries++
      response.statusCode = tries < 3 ? 500 : 200
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ results: [] }))
    })
    const { opened, sessionId } = await openWith(
      openDatabase,
      () => [
        { ...search('tea'), ...retried },
        { ...search('tea'), ...retried },
        { ...search(' tea '), parameters: { query: ' tea ', max_results: '5' } },
      ],
      ['A'],
      { options: { web: { search: { searxngUrl: `http://127.0.0.1:${site.port}` } } } },
    )
    await using _ = opened
    const { approvals } = opened.parley
    const { turn } = await opened.say(sessionId, 'go and search the web')
    await expect.poll(async () => (await approvals.list()).items.length).toBe(1)
    const [asked] = (await approvals.list()).items
    await approvals.decide(asked!.id, { decision: 'approve' })
    const stored = () => opened.parley.plans.getRun(turn!.runId!)
    await expect.poll(async () => (await stored()).status).toBe('completed')
    expect((await stored()).steps).toMatchObject([{ status: 'completed', attempts: 3 }])
    expect(await everAsked(opened)).toHaveLength(1)
  })

  it('a search that its engine refuses is not tried again', async () => {
    let tries = 0
    const site = await startSite((_request, response) => {
      tries++
      response.statusCode = 400
      response.end('{}')
    })
    const { opened, go } = await openWith(openDatabase, () => [{ ...search('tea'), ...retried }], ['A'], {
      options: { ...unasked, web: { search: { searxngUrl: `http://127.0.0.1:${site.port}` } } },
    })
    await using _ = opened
    expect((await go('go and search the web')).steps).toMatchObject([
      { status: 'failed', attempts: 1, error: 'SearXNG answered 400.' },
    ])
    expect(tries).toBe(1)
  })
})
