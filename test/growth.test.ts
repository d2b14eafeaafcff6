import { describe, expect, it } from 'vitest'
import type { Parley } from '../src/parley.ts'
import { changePlan } from '../src/extensions/plan/change-plan.ts'
import { executePlan } from '../src/extensions/plan/runs.ts'
import type { ExecutePlan } from '../src/extensions/plan/protocol/plan-run.ts'
import { calls } from './chat-harness.ts'
import { anyDatabase, databases, type OpenDatabase } from './harness.ts'
import { caller, openPlans } from './plan-harness.ts'
import { countReads, type Reads } from './read-counter.ts'
import { testTier } from './runner/tier.ts'
import { openWorkflows, promptOf } from './workflow-runs-harness.ts'

// more than an outline shows, so that what a node is told is as much in both
const fewNodes = 80
const manyNodes = Number(process.env.PARLEY_TEST_GROWTH_NODES ?? 160)
const fewItems = 20
const manyItems = Number(process.env.PARLEY_TEST_GROWTH_ITEMS ?? 60)

/** What each of so many costs; what is done once for all of them counts for little. */
const perOne = ({ statements, rows, bytes }: Reads, count: number): Reads => ({
  statements: statements / count,
  rows: rows / count,
  bytes: bytes / count,
})

function expectFlat(few: Reads, many: Reads): void {
  for (const kind of ['statements', 'rows', 'bytes'] as const)
    expect(many[kind], `${kind} for each, of many and of few (${few[kind]})`).toBeLessThan(few[kind] * 1.2)
}

const ended = async ({ chats, store }: Parley, id: string) => {
  const run = await store.getRun('default', id)
  return (await chats.answerOf(run!, new AbortController().signal)).run.status
}

interface Shape {
  parentId?: (number: number) => number
  after?: (number: number) => number[]
  wish?: ExecutePlan
}

const shapes: [string, Shape][] = [
  ['in a chain', { after: (id) => (id === 1 ? [] : [id - 1]) }],
  ['in chains that go backwards', { after: (id) => (id % fewNodes === 0 ? [] : [id + 1]) }],
  ['beside others', {}],
  ['below one node that waits for all', { parentId: (id) => (id === 1 ? 0 : 1) }],
  ['below a node that was asked for', { parentId: (id) => (id === 1 ? 0 : 1), wish: { nodeId: 1 } }],
]

/** A plan of so many nodes, all of them done; what one of them cost. */
async function executeMany(openDatabase: OpenDatabase, count: number, shape: Shape): Promise<Reads> {
  await using opened = await openPlans(openDatabase, {
    node: () => calls(['set_result', { output: 'x'.repeat(2_000) }]),
  })
  const { parley } = opened
  const { planId } = await opened.plan()
  await changePlan(parley.store, caller, planId, { action: 'test', now: 1 }, (edit) =>
    edit.addAll(
      Array.from({ length: count }, () => {
        const id = edit.nextId()
        return {
          id,
          parentId: shape.parentId?.(id) ?? 0,
          sort: id * 1_000,
          name: `Node ${id}`,
          instruction: '',
          status: 'pending',
          metadata: {},
          dependencies: shape.after?.(id) ?? [],
          createdAt: 1,
          updatedAt: 1,
        }
      }),
    ),
  )
  using counted = countReads()
  const wish = { maxParallel: 1, ...shape.wish }
  const { id } = await executePlan(parley.store, parley.services.plans, caller, planId, wish)
  expect(await ended(parley, id)).toBe('completed')
  return perOne(counted.reads, count)
}

describe.each(anyDatabase)('what a step of a plan costs on %s', (_name, openDatabase) => {
  it.each(testTier === 'long' ? shapes : shapes.filter((_, index) => index % 2 === 0))(
    'a node of a plan reads no more in a large one, %s',
    { timeout: 900_000 },
    async (_shape, shape) => {
      const few = await executeMany(openDatabase, fewNodes, shape)
      const many = await executeMany(openDatabase, manyNodes, shape)
      expectFlat(few, many)
    },
  )
})

describe.each(databases)('what a step of a workflow costs on %s', (_name, openDatabase) => {
  it('an item of a workflow reads no more in a long list', async () => {
    const overItems = async (count: number) => {
      const list = JSON.stringify(Array.from({ length: count }, (_, index) => index))
      await using opened = await openWorkflows(openDatabase, (request) => {
        const output = promptOf(request).includes('the list') ? list : 'x'.repeat(10_000)
        return calls(['set_result', { output }])
      })
      using counted = countReads()
      const { id } = await opened.start({
        name: 'many',
        steps: [
          { id: 'list', type: 'agent', prompt: 'make the list' },
          {
            id: 'each',
            type: 'foreach',
            items: '$list.output',
            maxConcurrency: 1,
            steps: [
              { id: 'long', type: 'agent', prompt: 'number $item' },
              { id: 'short', type: 'transform', transform: 'done' },
            ],
          },
        ],
      })
      expect(await ended(opened.parley, id)).toBe('completed')
      return perOne(counted.reads, count)
    }
    expectFlat(await overItems(fewItems), await overItems(manyItems))
  })
})
