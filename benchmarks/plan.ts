import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createParley, type Parley } from '../src/parley.ts'
import { changePlan } from '../src/extensions/plan/change-plan.ts'
import { addNode } from '../src/extensions/plan/nodes.ts'
import { outlineOf } from '../src/extensions/plan/outline.ts'
import { startPlanRun } from '../src/extensions/plan/start-run.ts'
import { median, type Bench, type Figure } from './bench.ts'

const nodes = 10_000
const rounds = 20
const actionsPerRun = 50

/** What it costs to look at a large plan, and to do what a model asks for with it. */
export const plan: Bench = {
  name: 'plan',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
    try {
      await using parley = await createParley({ dataDir: folder })
      const planId = await grow(parley)
      return [await measureOutline(parley, planId), ...(await measureActions(parley, planId))]
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

/** A hundred groups of a hundred, each node with an instruction, each group after the one before. */
async function grow({ store }: Parley): Promise<string> {
  await store.ensureScope('default')
  const { id } = await store.createPlan({ scope: 'default', title: 'Large', description: '', metadata: {} })
  const now = Date.now()
  await changePlan(store, caller, id, { action: 'bench', now }, async (edit) => {
    for (let group = 0; group < nodes / 100; group++) {
      const { id: parentId } = await addNode(edit, { name: `Group ${group}` }, { parentId: 0 }, now)
      for (let index = 1; index < 100; index++)
        await addNode(edit, { name: `Node ${index}`, instruction: 'do it '.repeat(30) }, { parentId }, now)
    }
  })
  return id
}

const caller = { scope: 'default', actor: { type: 'user', id: 'bench' } } as const

async function measureOutline({ store }: Parley, planId: string): Promise<Figure> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const record = await store.requirePlan('default', planId)
    const begun = performance.now()
    await outlineOf(store, record)
    times.push(performance.now() - begun)
  }
  return {
    what: `the outline of a plan of ${nodes.toLocaleString('en')} nodes`,
    value: median(times),
    unit: 'ms',
    goal: { max: 20 },
  }
}

async function measureActions(parley: Parley, planId: string): Promise<Figure[]> {
  const session = await parley.sessions.create({ planId, permissionMode: 'bypassPermissions' })
  const perAction = async (name: string, parameters: (index: number) => Record<string, unknown>) => {
    const measure = (count: number) => doActions(parley, planId, session.id, { name, parameters, count })
    const figures: number[] = []
    for (let round = 0; round <= rounds; round++) {
      // what the run itself costs is not the action's
      const alone = await measure(1)
      figures.push(((await measure(actionsPerRun)) - alone) / (actionsPerRun - 1))
    }
    // the first one warms up
    return median(figures.slice(1))
  }
  const update = await perAction('update_task', (index) => ({ task_id: index * 7 + 2, metadata: { index } }))
  const create = await perAction('create_task', (index) => ({ name: `New ${index}`, parent_id: 1 }))
  return [
    { what: 'CPU of an action that changes a node', value: update, unit: 'ms', goal: { max: 1 } },
    { what: 'CPU of an action that adds a node', value: create, unit: 'ms', goal: { max: 1 } },
  ]
}

/** The CPU of a run of so many actions, in milliseconds. */
async function doActions(
  parley: Parley,
  planId: string,
  chatSessionId: string,
  {
    name,
    parameters,
    count,
  }: { name: string; parameters: (index: number) => Record<string, unknown>; count: number },
): Promise<number> {
  const { store, chats } = parley
  const { plans: planDeps } = parley.services
  const steps = Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    type: 'action' as const,
    status: 'pending' as const,
    attempts: 0,
    details: {
      title: name,
      action: {
        kind: 'task_operation',
        name,
        parameters: parameters(index),
        blocking: true,
        order: 1,
        metadata: {},
      },
    },
  }))
  const before = process.cpuUsage()
  const { run } = await store.transaction((tx) =>
    startPlanRun(
      tx,
      planDeps,
      { scope: 'default', planId, title: 'bench', input: { type: 'actions' }, steps },
      { parentSessionId: chatSessionId, chatSessionId },
    ),
  )
  const { run: ended } = await chats.answerOf(run, new AbortController().signal)
  const { user, system } = process.cpuUsage(before)
  if (ended.status !== 'completed') throw new Error(`The actions ended as ${ended.status}.`)
  return (user + system) / 1_000
}
