import { describe, expect, it } from 'vitest'
import { executePlan, runNode } from '../src/extensions/plan/runs.ts'
import type { ExecutePlan } from '../src/extensions/plan/protocol/plan-run.ts'
import { calls } from './chat-harness.ts'
import { anyDatabase } from './harness.ts'
import { caller, openPlans, type OpenedPlans, type PlanModel } from './plan-harness.ts'

const start = async ({ parley }: OpenedPlans, planId: string, wish: ExecutePlan = {}) =>
  (await executePlan(parley.store, parley.services.plans, caller, planId, wish)).id

/** Nodes that are done one at a time, when somebody says so. */
function heldNodes() {
  const held = new Map<string, () => void>()
  let most = 0
  const node: PlanModel['node'] = (name) => {
    const gate = Promise.withResolvers<void>()
    held.set(name, gate.resolve)
    most = Math.max(most, held.size)
    return [gate.promise, ...calls(['set_result', { output: name }])]
  }
  const release = (name = [...held.keys()][0]!) => {
    const open = held.get(name)!
    held.delete(name)
    open()
  }
  return { node, held, release, most: () => most }
}

describe.each(anyDatabase)('how much of a plan is done at once on %s', (_name, openDatabase) => {
  it('more than the background does at once is refused, with the setting that says so', async () => {
    await using opened = await openPlans(openDatabase, {}, { background: { maxPerParent: 3, maxGlobal: 8 } })
    const { planId } = await opened.plan(['A', 'B'])
    const refused = 'maxParallel is 4, but background.maxPerParent lets 3 go on at once: say 3 or less.'
    await expect(start(opened, planId, { maxParallel: 4 })).rejects.toMatchObject({
      code: 'invalid_request',
      message: refused,
    })
    const { store } = opened.parley
    const { plans: planDeps } = opened.parley.services
    await expect(runNode(store, planDeps, caller, { planId, nodeId: 1 }, { maxParallel: 4 })).rejects.toThrow(
      refused,
    )
    expect((await opened.parley.plans.runs({ plan: planId })).items).toEqual([])
    expect(await opened.statuses(planId)).toEqual({ 1: 'pending', 2: 'pending' })
    const run = await opened.settled(await start(opened, planId, { maxParallel: 3 }))
    expect(run.status).toBe('completed')
  })

  it('names the limit that is the lower one, also where it is configured', async () => {
    await using opened = await openPlans(openDatabase, {}, { background: { maxPerParent: 9, maxGlobal: 2 } })
    const { planId } = await opened.plan(['A'])
    await expect(start(opened, planId, { maxParallel: 3 })).rejects.toThrow('background.maxGlobal lets 2')
    // what nobody asked for gives way
    expect(opened.parley.services.plans.limits.maxParallel).toBe(2)
    await expect(
      openPlans(openDatabase, {}, { background: { maxPerParent: 2 }, plans: { maxParallel: 3 } }),
    ).rejects.toThrow('plans.maxParallel is 3, but background.maxPerParent lets 2 go on at once')
  })

  it('what may go on at once does, up to the limit of the background', async () => {
    const { node, held, release, most } = heldNodes()
    await using opened = await openPlans(
      openDatabase,
      { node },
      { background: { maxPerParent: 7, maxGlobal: 7 } },
    )
    const { planId } = await opened.plan(['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'])
    const id = await start(opened, planId, { maxParallel: 7 })
    await expect.poll(() => held.size).toBe(7)
    for (let left = 8; left > 0; left--) {
      await expect.poll(() => held.size).toBeGreaterThan(0)
      release()
    }
    expect((await opened.settled(id)).status).toBe('completed')
    expect(most()).toBe(7)
  })

  it('two runs of a plan share its places, and both end', async () => {
    const { node, held, release, most } = heldNodes()
    await using opened = await openPlans(openDatabase, { node }, { plans: { maxParallel: 2 } })
    const { planId } = await opened.plan([
      'A',
      { name: 'A1', parentId: 1 },
      'B',
      { name: 'B1', parentId: 3 },
      'C',
      'D',
    ])
    const first = await start(opened, planId, { nodeId: 1 })
    await expect.poll(() => [...held.keys()]).toEqual(['A1'])
    const second = await start(opened, planId)
    await expect.poll(() => held.size).toBe(2)
    for (let left = 6; left > 0; left--) {
      await expect.poll(() => held.size).toBeGreaterThan(0)
      // whoever has room has begun by now, or begins when the next one is done
      release()
    }
    expect((await opened.settled(first)).status).toBe('completed')
    expect((await opened.settled(second)).status).toBe('completed')
    expect(most()).toBe(2)
  })

  it('one whose nodes another is doing is over when they are', async () => {
    const { node, held, release } = heldNodes()
    await using opened = await openPlans(openDatabase, { node })
    const { planId } = await opened.plan(['A', 'B'])
    const first = await start(opened, planId)
    await expect.poll(() => held.size).toBe(2)
    const second = await start(opened, planId, { nodeId: 1 })
    // one that came later is done: this one has looked, and waits
    const later = await start(opened, (await opened.plan(['C'])).planId)
    await expect.poll(() => held.has('C')).toBe(true)
    release('C')
    await opened.settled(later)
    expect((await opened.parley.plans.getRun(second)).status).not.toBe('completed')
    const left = opened.settled(second).then(() => opened.statuses(planId))
    release('A')
    expect(await left).toEqual({ 1: 'completed', 2: 'running' })
    release('B')
    expect((await opened.settled(first)).status).toBe('completed')
  })

  it('one that finds all places taken begins when the other has ended, or was cancelled', async () => {
    const { node, held, release, most } = heldNodes()
    await using opened = await openPlans(openDatabase, { node }, { plans: { maxParallel: 1 } })
    const { planId } = await opened.plan(['A', 'B'])
    const first = await start(opened, planId, { nodeId: 1 })
    await expect.poll(() => [...held.keys()]).toEqual(['A'])
    const second = await start(opened, planId, { nodeId: 2 })
    // it has looked, found no place and waits
    await expect
      .poll(async () => (await opened.parley.plans.getRun(second)).status, { timeout: 200_000 })
      .toBe('running')
    expect(await opened.statuses(planId)).toEqual({ 1: 'running', 2: 'pending' })
    await opened.parley.plans.cancelRun(first)
    await opened.settled(first)
    await expect.poll(() => [...held.keys()].at(-1)).toBe('B')
    release('B')
    expect((await opened.settled(second)).status).toBe('completed')
    expect(most()).toBeLessThanOrEqual(2)
  })
})
