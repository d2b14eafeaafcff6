import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { ModelAdapter } from '../src/core/models/adapter.ts'
import { createParley, type Parley } from '../src/parley.ts'
import { changePlan } from '../src/extensions/plan/change-plan.ts'
import { executePlan } from '../src/extensions/plan/runs.ts'
import type { NodeRecord } from '../src/extensions/plan/store/plans.ts'
import type { Bench, Figure } from './bench.ts'

const fewNodes = 50
const manyNodes = 3_200
const fewItems = 40
const manyItems = 400
const itemCharacters = 50_000
// short ones are done before and after the long one, so that a slow moment of the machine meets both
const shortRuns = 8

/** What a step costs in a large plan and in a long list, beside what it costs in a small one. */
export const growth: Bench = {
  name: 'growth',
  async run() {
    const figures: Figure[] = []
    for (const measure of [
      (parley: Parley) => measureNodes(parley, 'in a chain', (id) => (id === 1 ? [] : [id - 1])),
      (parley: Parley) => measureNodes(parley, 'side by side', () => []),
      measureItems,
    ]) {
      const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
      try {
        await using parley = await createParley({
          dataDir: folder,
          models: { model: 'bench/worker', extra: { bench: () => worker } },
        })
        figures.push(...(await measure(parley)))
      } finally {
        rmSync(folder, { recursive: true })
      }
    }
    return figures
  },
}

const worker: ModelAdapter = {
  id: 'bench/worker',
  async *stream({ messages }) {
    const output = JSON.stringify(messages).includes('at length') ? 'x'.repeat(itemCharacters) : 'done'
    const input = JSON.stringify({ output })
    yield { type: 'tool-call', toolCallId: crypto.randomUUID(), toolName: 'set_result', input }
    yield { type: 'finish', reason: 'tool-calls', usage: { inputTokens: 10, outputTokens: 5 } }
  },
}

const caller = { scope: 'default', actor: { type: 'user', id: 'bench' } } as const

async function measureNodes(
  parley: Parley,
  how: string,
  dependencies: (id: number) => number[],
): Promise<Figure[]> {
  const execute = async (count: number) => {
    const planId = await grow(parley, count, dependencies)
    return (
      await timed(() => finish(parley, executePlan(parley.store, parley.services.plans, caller, planId, {})))
    ).cpuMs
  }
  const [few, many] = await compare(execute, fewNodes, manyNodes)
  return [
    { what: `CPU of a node, ${fewNodes} ${how}`, value: few / fewNodes, unit: 'ms' },
    { what: `CPU of a node, ${count(manyNodes)} ${how}`, value: many / manyNodes, unit: 'ms' },
    {
      what: `nodes ${how}, many to few`,
      value: many / manyNodes / (few / fewNodes),
      unit: '×',
      goal: { max: 1.3 },
    },
  ]
}

/** What both come to: the mean of short runs, and the long one between them. */
async function compare(
  measure: (count: number) => Promise<number>,
  few: number,
  many: number,
): Promise<[number, number]> {
  const short: number[] = []
  const warmUp = 2
  for (let index = 0; index < warmUp + shortRuns / 2; index++) short.push(await measure(few))
  const long = await measure(many)
  for (let index = 0; index < shortRuns / 2; index++) short.push(await measure(few))
  return [short.slice(warmUp).reduce((sum, value) => sum + value, 0) / shortRuns, long]
}

async function grow(
  { store }: Parley,
  nodes: number,
  dependencies: (id: number) => number[],
): Promise<string> {
  await store.ensureScope('default')
  const { id: planId } = await store.createPlan({
    scope: 'default',
    title: 'Large',
    description: '',
    metadata: {},
  })
  await changePlan(store, caller, planId, { action: 'bench', now: Date.now() }, (edit) =>
    edit.addAll(
      Array.from({ length: nodes }, (): NodeRecord => {
        const id = edit.nextId()
        return {
          id,
          parentId: 0,
          sort: id * 1_000,
          name: `Node ${id}`,
          instruction: 'do it',
          status: 'pending',
          metadata: {},
          dependencies: dependencies(id),
          createdAt: Date.now(),
          updatedAt: Date.now(),
        }
      }),
    ),
  )
  return planId
}

async function measureItems(parley: Parley): Promise<Figure[]> {
  let seconds = 0
  const goOver = async (items: number) => {
    const text = stringify({
      name: `list of ${items}`,
      steps: [
        {
          id: 'each',
          type: 'foreach',
          items: Array.from({ length: items }, (_, index) => index),
          steps: [
            { id: 'long', type: 'agent', prompt: 'tell of $item at length' },
            { id: 'short', type: 'transform', transform: 'done with $item' },
          ],
        },
      ],
    })
    const taken = await timed(() => finish(parley, parley.workflows.start({ text })))
    if (items === manyItems) ({ seconds } = taken)
    return taken.cpuMs
  }
  const [few, many] = await compare(goOver, fewItems, manyItems)
  return [
    { what: `CPU of an item of 50 kB, ${fewItems} in the list`, value: few / fewItems, unit: 'ms' },
    { what: `CPU of an item of 50 kB, ${manyItems} in the list`, value: many / manyItems, unit: 'ms' },
    { what: `time of ${manyItems} items of 50 kB`, value: seconds, unit: 's' },
    { what: 'items, many to few', value: many / manyItems / (few / fewItems), unit: '×', goal: { max: 1.3 } },
  ]
}

async function finish({ store, chats }: Parley, started: Promise<{ id: string }>): Promise<void> {
  const run = await store.getRun('default', (await started).id)
  const { status } = (await chats.answerOf(run!, new AbortController().signal)).run
  if (status !== 'completed') throw new Error(`A run of the benchmark ended as ${status}.`)
}

async function timed(work: () => Promise<void>): Promise<{ seconds: number; cpuMs: number }> {
  const [begun, before] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { seconds: (performance.now() - begun) / 1_000, cpuMs: (user + system) / 1_000 }
}

const count = (value: number) => value.toLocaleString('en')
