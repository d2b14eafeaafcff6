import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changePlan } from '../src/extensions/plan/change-plan.ts'
import { addNode, deleteNode, moveNode, updateNode } from '../src/extensions/plan/nodes.ts'
import { nextNodes } from '../src/extensions/plan/next-nodes.ts'
import { executePlan } from '../src/extensions/plan/runs.ts'
import { skipNode } from '../src/extensions/plan/node-status.ts'
import { undoChange } from '../src/extensions/plan/undo-change.ts'
import { ParleyError } from '../src/core/protocol/error.ts'
import type { NodeRecord, NodeStatus } from '../src/extensions/plan/store/plans.ts'
import type { Store } from '../src/core/store/store.ts'
import { calls } from './chat-harness.ts'
import { databases } from './harness.ts'
import { caller, openPlans, type OpenedPlans } from './plan-harness.ts'
import { tries } from './property-runs.ts'

/** A look as a run has it: what is found to wait says for what, and is not looked at again before that changes. */
async function lookAt(store: Store, planId: string): Promise<number[]> {
  const found = await store.listCandidates(planId, { limit: 1_000 })
  const waiting = found.filter(({ waitsFor }) => waitsFor !== undefined)
  await store.noteWaits(
    planId,
    waiting.map(({ id }) => id),
  )
  return found.filter(({ waitsFor }) => waitsFor === undefined).map(({ id }) => id)
}

async function addChain({ parley: { store } }: OpenedPlans, planId: string, count: number): Promise<void> {
  await changePlan(store, caller, planId, { action: 'test', now: 1 }, (edit) =>
    edit.addAll(
      Array.from({ length: count }, (): NodeRecord => {
        const id = edit.nextId()
        const facts = { name: `Node ${id}`, instruction: '', status: 'pending' as const, metadata: {} }
        const place = { id, parentId: 0, sort: id * 1_000, dependencies: id === 1 ? [] : [id - 1] }
        return { ...facts, ...place, createdAt: 1, updatedAt: 1 }
      }),
    ),
  )
}

const states: NodeStatus[] = ['pending', 'running', 'completed', 'failed', 'skipped', 'blocked']

describe.each(databases)('what comes next in a plan on %s', (_name, openDatabase) => {
  it('is found without a look at all of it, whatever was changed', async () => {
    await using opened = await openPlans(openDatabase)
    const { store } = opened.parley
    const change = fc.record({
      what: fc.constantFrom('add', 'wait', 'move', 'delete', 'state', 'state', 'state', 'reset', 'undo'),
      first: fc.nat(),
      second: fc.nat(),
      state: fc.constantFrom(...states),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 10, maxLength: 60 }), async (changes) => {
        const { planId } = await opened.plan()
        for (const [index, { what, first, second, state }] of changes.entries()) {
          const nodes = await store.listNodes(planId)
          const pick = (number: number) => nodes[number % Math.max(1, nodes.length)]?.id ?? 0
          const now = index + 1
          const edit = (work: Parameters<typeof changePlan>[4]) =>
            changePlan(store, caller, planId, { action: 'test', now }, work)
          const done = async (): Promise<unknown> => {
            if (what === 'add' || nodes.length === 0)
              return edit((open) =>
                addNode(open, { name: 'n' }, { parentId: second % 3 === 0 ? pick(first) : 0 }, now),
              )
            if (what === 'wait')
              return edit((open) => updateNode(open, pick(first), { dependencies: [pick(second)] }, now))
            if (what === 'move')
              return edit((open) => moveNode(open, pick(first), { parentId: pick(second) }, now))
            if (what === 'delete') return edit((open) => deleteNode(open, pick(first), now))
            if (what === 'reset') return store.resetNodes(planId, [pick(first)], states)
            if (what === 'undo')
              return undoChange(
                store,
                caller,
                planId,
                (await store.requirePlan('default', planId)).version,
                now,
              )
            const node = (await store.getNode(planId, pick(first)))!
            return store.putNodeState(planId, { ...node, status: state })
          }
          await done().catch((error: unknown) => {
            // a circle, or nothing to take back
            if (!(error instanceof ParleyError)) throw error
          })
          const links = await store.listLinks(planId)
          expect(await lookAt(store, planId)).toEqual(nextNodes(links, () => true).ready)
        }
      }),
      tries(15),
    )
  })

  it('what is blocked is stored in pieces, and what is freed as well', async () => {
    const count = 650
    await using opened = await openPlans(
      openDatabase,
      { node: () => calls(['set_result', { output: 'no luck', status: 'failed' }]) },
      { plans: { nodeRetries: 0 } },
    )
    const { store, chats } = opened.parley
    const { plans: planDeps } = opened.parley.services
    const { planId } = await opened.plan()
    await addChain(opened, planId, count)
    // what is told of a transaction is told at once
    let most = 0
    let told = 0
    store.subscribe(({ type }) => {
      if (type !== 'event-recorded') return
      if (told++ === 0) queueMicrotask(() => (told = 0))
      most = Math.max(most, told)
    })
    const { id } = await executePlan(store, planDeps, caller, planId, {})
    const run = (await store.getRun('default', id))!
    await chats.answerOf(run, new AbortController().signal)
    expect(await store.countNodes(planId)).toEqual({ failed: 1, blocked: count - 1 })
    expect((await store.getNode(planId, count))!.reason).toBe('It waits: task 1 failed.')
    expect(most).toBeLessThanOrEqual(200)
    await skipNode(store, planDeps, caller, { planId, nodeId: 1 }, {})
    expect(await store.countNodes(planId)).toEqual({ skipped: 1, pending: 500, blocked: count - 501 })
    // the others when it is their turn
    await skipNode(store, planDeps, caller, { planId, nodeId: 501 }, {})
    expect(await store.countNodes(planId)).toEqual({ skipped: 2, pending: count - 2 })
  })
})
