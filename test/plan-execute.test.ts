import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ModelRequest } from '../src/core/models/adapter.ts'
import { executePlan, runNode } from '../src/extensions/plan/runs.ts'
import { acceptNode, resetNode, skipNode } from '../src/extensions/plan/node-status.ts'
import type { ExecutePlan, RunNode } from '../src/extensions/plan/protocol/plan-run.ts'
import { calls } from './chat-harness.ts'
import { anyDatabase, temporaryFolder } from './harness.ts'
import { caller, openPlans, type OpenedPlans } from './plan-harness.ts'

const failed = (output = 'no luck') => calls(['set_result', { output, status: 'failed' }])

const execute = async ({ parley, settled }: OpenedPlans, planId: string, wish: ExecutePlan = {}) =>
  settled((await executePlan(parley.store, parley.services.plans, caller, planId, wish)).id)
const runOne = async ({ parley, settled }: OpenedPlans, planId: string, nodeId: number, wish: RunNode = {}) =>
  settled((await runNode(parley.store, parley.services.plans, caller, { planId, nodeId }, wish)).id)

describe.each(anyDatabase)('executing a plan on %s', (_name, openDatabase) => {
  it('tells a node what it is a part of, what came before it and what is known', async () => {
    const seen = new Map<string, ModelRequest>()
    await using opened = await openPlans(openDatabase, {
      node: (name, request) => {
        seen.set(name, request)
        return calls(['set_result', { output: `${name}: 42` }])
      },
    })
    const { planId } = await opened.plan([
      { name: 'Report', instruction: 'write the report' },
      { name: 'Measure', parentId: 1 },
      { name: 'Judge', parentId: 1, after: [2], instruction: 'judge the figures' },
    ])
    const node = await opened.node(planId, 3)
    await opened.parley.store.putNode(planId, {
      ...node,
      context: { combined: 'known facts', sections: [{ title: 'Limits', content: 'at most 50' }] },
    })
    await execute(opened, planId)
    const judge = seen.get('Judge')!
    expect(judge.system).toContain('1 Report: write the report')
    expect(judge.system).toContain('> Measure: 42')
    expect(judge.system).toContain('known facts')
    expect(judge.system).toContain('### Limits\nat most 50')
    expect(JSON.stringify(judge.messages)).toContain('judge the figures')
    const report = seen.get('Report')!
    expect(report.system).toContain('> Judge: 42')
    expect(report.system).toContain('The parts of your task')
    const session = await opened.parley.sessions.get((await opened.node(planId, 3)).sessionId!)
    expect(session).toMatchObject({ kind: 'background', bgMeta: { source: 'plan', triggerType: 'plan' } })
  })

  it('does what it can at once, and no more than it may', async () => {
    let going = 0
    let most = 0
    const waits: (() => void)[] = []
    await using opened = await openPlans(openDatabase, {
      node: (name) => {
        most = Math.max(most, ++going)
        const held = new Promise<void>((resolve) =>
          waits.push(() => {
            going--
            resolve()
          }),
        )
        return [held, ...calls(['set_result', { output: name }])]
      },
    })
    const { planId } = await opened.plan(['A', 'B', 'C', 'D', 'E'])
    const running = execute(opened, planId, { maxParallel: 2 })
    for (const left of [5, 4, 3, 2, 1]) {
      await expect.poll(() => waits.length).toBe(Math.min(2, left))
      waits.shift()!()
    }
    expect((await running).status).toBe('completed')
    expect(most).toBe(2)
  })

  it('tries a node again, with what was wrong', async () => {
    const tries: string[] = []
    await using opened = await openPlans(openDatabase, {
      node: (_node, { system }) => {
        tries.push(system)
        return tries.length < 3 ? failed(`problem ${tries.length}`) : undefined
      },
    })
    const { planId } = await opened.plan(['A'])
    const run = await execute(opened, planId)
    expect(run).toMatchObject({ status: 'completed', steps: [{ attempts: 3, status: 'completed' }] })
    expect(tries[2]).toContain('problem 2')
    expect(await opened.node(planId, 1)).toMatchObject({ status: 'completed', result: { attempts: 3 } })
    // what the tries used is counted together
    expect((await opened.node(planId, 1)).result).toMatchObject({ inputTokens: 30, outputTokens: 15 })
  })

  it('an empty result is no success', async () => {
    await using opened = await openPlans(
      openDatabase,
      { node: () => [{ type: 'finish', reason: 'stop', usage: {} }] },
      { plans: { nodeRetries: 0 } },
    )
    const { planId } = await opened.plan(['A'])
    expect((await execute(opened, planId)).status).toBe('failed')
    expect(await opened.node(planId, 1)).toMatchObject({ status: 'failed', reason: expect.any(String) })
  })

  it('blocks what waits for a failure, with the reason, and goes on with the rest', async () => {
    let isBroken = true
    await using opened = await openPlans(
      openDatabase,
      { node: (name) => (name === 'Broken' && isBroken ? failed() : undefined) },
      { plans: { nodeRetries: 0 } },
    )
    const { planId } = await opened.plan([
      'Top',
      { name: 'Broken', parentId: 1 },
      { name: 'Later', after: [2] },
      { name: 'Latest', after: [3] },
      'Free',
    ])
    const run = await execute(opened, planId)
    expect(run.status).toBe('failed')
    expect(await opened.statuses(planId)).toEqual({
      1: 'blocked',
      2: 'failed',
      3: 'blocked',
      4: 'blocked',
      5: 'completed',
    })
    expect((await opened.node(planId, 4)).reason).toBe('It waits: task 2 failed.')
    expect(run.steps.filter(({ status }) => status === 'skipped').map(({ nodeId }) => nodeId)).toEqual([
      1, 3, 4,
    ])
    // once it works, those that it had blocked are done with it
    isBroken = false
    const again = await runOne(opened, planId, 2)
    expect(again.status).toBe('completed')
    expect(await opened.statuses(planId)).toEqual({
      1: 'completed',
      2: 'completed',
      3: 'completed',
      4: 'completed',
      5: 'completed',
    })
  })

  it('stops at a failure where it was told to', async () => {
    await using opened = await openPlans(
      openDatabase,
      { node: (name) => (name === 'A' ? failed() : undefined) },
      { plans: { nodeRetries: 0 } },
    )
    const { planId } = await opened.plan(['A', 'B'])
    await execute(opened, planId, { onFailure: 'stop', maxParallel: 1 })
    expect(await opened.statuses(planId)).toEqual({ 1: 'failed', 2: 'pending' })
  })

  it('does a part, does things again, and says when nothing is left', async () => {
    const done: string[] = []
    await using opened = await openPlans(openDatabase, {
      node: (name) => {
        done.push(name)
        return undefined
      },
    })
    const { planId } = await opened.plan(['A', { name: 'A1', parentId: 1 }, 'B'])
    await execute(opened, planId, { nodeId: 1 })
    expect(done).toEqual(['A1', 'A'])
    await expect(execute(opened, planId, { nodeId: 1 })).rejects.toThrow('done already')
    await execute(opened, planId)
    expect(done).toEqual(['A1', 'A', 'B'])
    await execute(opened, planId, { rerun: true, maxParallel: 1 })
    expect(done.slice(3).toSorted()).toEqual(['A', 'A1', 'B'])
    await expect(execute(opened, planId, { nodeId: 77 })).rejects.toThrow('77')
    await expect(execute(opened, (await opened.plan()).planId)).rejects.toThrow('no tasks')
  })

  it('runs one node with all it waits for, or not at all', async () => {
    await using opened = await openPlans(openDatabase)
    const { planId } = await opened.plan(['A', { name: 'B', after: [1] }, { name: 'C', after: [2] }, 'D'])
    await expect(runOne(opened, planId, 3)).rejects.toThrow('waits for 2 (pending)')
    expect(await opened.statuses(planId)).toEqual({ 1: 'pending', 2: 'pending', 3: 'pending', 4: 'pending' })
    await runOne(opened, planId, 3, { withDependencies: true })
    expect(await opened.statuses(planId)).toEqual({
      1: 'completed',
      2: 'completed',
      3: 'completed',
      4: 'pending',
    })
  })

  it('what is skipped counts as done; what is reset does not', async () => {
    await using opened = await openPlans(openDatabase)
    const { planId } = await opened.plan(['A', { name: 'B', after: [1] }])
    const { store } = opened.parley
    const { plans: planDeps } = opened.parley.services
    await skipNode(store, planDeps, caller, { planId, nodeId: 1 }, { reason: 'not needed' })
    await execute(opened, planId)
    expect(await opened.statuses(planId)).toEqual({ 1: 'skipped', 2: 'completed' })
    expect(opened.requests[0]!.system).toContain('(skipped: not needed)')
    await resetNode(store, planDeps, caller, { planId, nodeId: 2 }, {})
    expect(await opened.node(planId, 2)).toMatchObject({ status: 'pending', result: undefined })
    await expect(skipNode(store, planDeps, caller, { planId, nodeId: 9 }, {})).rejects.toThrow('9')
  })

  it('is done when its checks say so, and a person may accept it all the same', async () => {
    using folder = temporaryFolder()
    const root = folder.path
    mkdirSync(join(root, 'out'))
    await using opened = await openPlans(
      openDatabase,
      {},
      { plans: { nodeRetries: 0 }, scopes: { default: { root } } },
    )
    const { planId } = await opened.plan([
      { name: 'A', acceptance: ['file_nonempty:out/report.md'] },
      { name: 'B', after: [1], acceptance: ['?file_exists:out/other.md'] },
    ])
    await execute(opened, planId)
    expect(await opened.node(planId, 1)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('file_nonempty:out/report.md'),
      result: { checks: [{ passed: false }] },
    })
    expect(await opened.statuses(planId)).toEqual({ 1: 'failed', 2: 'blocked' })
    const { store } = opened.parley
    const { plans: planDeps } = opened.parley.services
    await acceptNode(store, planDeps, caller, { planId, nodeId: 1 })
    expect(await opened.statuses(planId)).toEqual({ 1: 'completed', 2: 'pending' })
    await resetNode(store, planDeps, caller, { planId, nodeId: 1 }, {})
    writeFileSync(join(root, 'out/report.md'), 'done')
    await execute(opened, planId)
    expect(await opened.statuses(planId)).toEqual({ 1: 'completed', 2: 'completed' })
    expect((await opened.node(planId, 2)).result?.checks).toMatchObject([{ passed: false, warning: true }])
  })

  it('two runs on one plan do every node once', async () => {
    const done: string[] = []
    await using opened = await openPlans(openDatabase, {
      node: (name) => {
        done.push(name)
        return undefined
      },
    })
    const { planId } = await opened.plan(['A', 'B', { name: 'C', after: [1, 2] }, { name: 'D', after: [3] }])
    const runs = await Promise.all([execute(opened, planId), execute(opened, planId)])
    expect(runs.map(({ status }) => status)).toEqual(['completed', 'completed'])
    expect(done.toSorted()).toEqual(['A', 'B', 'C', 'D'])
  })

  it('a node whose session is deleted is tried again, and its run does not wait for ever', async () => {
    let isFirst = true
    await using opened = await openPlans(openDatabase, {
      node: () => {
        if (!isFirst) return undefined
        isFirst = false
        return [new Promise(() => {})]
      },
    })
    const { planId } = await opened.plan(['A'])
    const running = execute(opened, planId)
    await expect.poll(() => opened.statuses(planId)).toEqual({ 1: 'running' })
    const { sessionId } = await opened.node(planId, 1)
    await expect.poll(() => isFirst).toBe(false)
    await opened.parley.sessions.stop(sessionId!)
    await opened.parley.sessions.delete(sessionId!)
    expect((await running).status).toMatch(/completed|failed/)
    expect(Object.values(await opened.statuses(planId))).not.toContain('running')
  })

  it('follows changes that are made meanwhile', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await using opened = await openPlans(openDatabase, {
      node: (name) => (name === 'A' ? [held, ...calls(['set_result', { output: 'a' }])] : undefined),
    })
    const { planId } = await opened.plan(['A', { name: 'B', after: [1] }])
    const { store } = opened.parley
    const { plans: planDeps } = opened.parley.services
    const running = execute(opened, planId)
    await expect.poll(() => opened.statuses(planId)).toMatchObject({ 1: 'running' })
    await expect(resetNode(store, planDeps, caller, { planId, nodeId: 1 }, {})).rejects.toThrow('being done')
    await skipNode(store, planDeps, caller, { planId, nodeId: 2 }, {})
    release()
    expect((await running).status).toBe('completed')
    expect(await opened.statuses(planId)).toEqual({ 1: 'completed', 2: 'skipped' })
  })
})
