import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { changePlan } from '../../src/extensions/plan/change-plan.ts'
import { defaultPlanLimits, type PlanDeps } from '../../src/extensions/plan/plan-service.ts'
import { addNode } from '../../src/extensions/plan/nodes.ts'
import { outlineOf } from '../../src/extensions/plan/outline.ts'
import { executePlan, requirePlanRun } from '../../src/extensions/plan/runs.ts'
import { programIn as callerIn } from '../../src/core/operations/calls.ts'
import { systemClock } from '../../src/core/shared/clock.ts'
import { createIds } from '../../src/core/shared/ids.ts'
import type { NodeRecord } from '../../src/extensions/plan/store/plans.ts'
import type { Store } from '../../src/core/store/store.ts'
import { databases, temporaryFolder } from '../harness.ts'
import {
  countOpen,
  listTasks,
  nextMoment,
  noteAndHandIn,
  readJournal,
  longLease,
  startNode,
  startProvider,
} from './nodes.ts'

const kills = Number(process.env.PARLEY_TEST_PLAN_KILLS ?? 2)
/** So that the default kills fall on all groups of nodes. */
const requestsPerKill = 6
const nodesPerPlan = 50

describe.each(databases)(`%s: a plan of ${nodesPerPlan} nodes`, (name, openDatabase) => {
  // a file has one node; a server any number
  const nodeCount = name === 'SQLite' ? 1 : 2

  it(
    `is executed over ${kills} kills: every node at least once, and stored once`,
    async () => {
      await using database = await openDatabase()
      using folder = temporaryFolder()
      /** Nodes that were stored as completed when no process was there to do anything. */
      const stored = new Set<string>()
      const doneAgain: string[] = []
      await using provider = await startProvider((messages) => {
        const { key, reply } = noteAndHandIn(messages, 'node')
        if (stored.has(key)) doneAgain.push(key)
        return reply
      })
      const journal = join(folder.path, 'journal')
      writeFileSync(journal, '')
      const storage = database.environment.DATABASE_URL ?? database.environment.PARLEY_DATA_DIR!
      const start = () => startNode('journal-node.ts', provider.url, journal, storage, longLease)
      await using store = await database.open(systemClock)
      await store.ensureScope('default')
      const deps = toDeps(store)
      const begun: { planId: string; runId: string; tag: string }[] = []
      const begin = async () => {
        const tag = `t${begun.length + 1}`
        const planId = await makePlan(store, tag)
        const { id: runId } = await executePlan(store, deps, callerIn(), planId, {})
        begun.push({ planId, runId, tag })
      }
      await begin()

      let nodes = await Promise.all(Array.from({ length: nodeCount }, start))
      for (let killed = 0; killed < kills; killed++) {
        await nextMoment(provider, killed, requestsPerKill)
        // all of them, so that nothing is going on when it is looked at what is stored
        await Promise.all(nodes.map(({ kill }) => kill()))
        for (const { planId, tag } of begun) {
          const states = await store.listNodes(planId)
          requireRight(states)
          for (const node of states) if (node.status === 'completed') stored.add(`${tag}:${node.name}`)
        }
        const last = await requirePlanRun(store, 'default', begun.at(-1)!.runId)
        if (last.status === 'completed') await begin()
        nodes = await Promise.all(Array.from({ length: nodeCount }, start))
      }
      await expect.poll(() => countOpen(store), { timeout: 200_000, interval: 100 }).toBe(0)
      await Promise.all(nodes.map(({ kill }) => kill()))

      for (const { planId, runId, tag } of begun) {
        const run = await requirePlanRun(store, 'default', runId)
        expect(run).toMatchObject({ status: 'completed' })
        // one step for each node, and none was tried twice: a kill is no failure
        expect(run.steps.map(({ nodeId }) => nodeId).toSorted((a, b) => a! - b!)).toEqual(
          Array.from({ length: nodesPerPlan }, (_, index) => index + 1),
        )
        expect(new Set(run.steps.map(({ attempts }) => attempts))).toEqual(new Set([1]))
        const states = await store.listNodes(planId)
        for (const node of states)
          expect(node).toMatchObject({ status: 'completed', result: { output: `${tag}:${node.name}` } })
        const plan = await store.requirePlan('default', planId)
        const outline = await outlineOf(store, plan, { maxNodes: 100 })
        expect(outline.match(/\(completed\)/g)).toHaveLength(nodesPerPlan)
      }
      expect(doneAgain).toEqual([])
      const sessions = await listTasks(store)
      expect(sessions).toHaveLength(begun.length * nodesPerPlan)
      expect(readJournal(journal).size).toBe(begun.length * nodesPerPlan)
      process.stdout.write(
        `${name}: ${kills} kills of ${nodeCount} nodes, ${begun.length} plans of ${nodesPerPlan} nodes, each node stored once, 0 done again after that\n`,
      )
    },
    300_000 + kills * 6_000,
  )
})

/** Nothing is done before what it waits for, at whatever moment one looks. */
function requireRight(states: readonly NodeRecord[]): void {
  const byId = new Map(states.map((node) => [node.id, node]))
  for (const { id, status, dependencies, sessionId, result } of states) {
    expect(status).toMatch(/^(pending|running|completed)$/)
    if (status === 'pending') continue
    expect(sessionId).toBeDefined()
    if (status === 'completed') expect(result).toBeDefined()
    for (const on of dependencies) expect(byId.get(on)!.status).toBe('completed')
    for (const below of states) if (below.parentId === id) expect(below.status).toBe('completed')
  }
}

/** Five groups of nine and what they are a part of; each group waits for the one before, and its last for its first. */
async function makePlan(store: Store, tag: string): Promise<string> {
  const { id: planId } = await store.createPlan({
    scope: 'default',
    title: tag,
    description: '',
    metadata: {},
  })
  const now = systemClock.now()
  const caller = { scope: 'default', actor: { type: 'user', id: 'test' } } as const
  await changePlan(store, caller, planId, { action: 'test', now }, async (edit) => {
    let before: number[] = []
    for (const group of ['a', 'b', 'c', 'd', 'e']) {
      const add = (name: string, parentId: number, dependencies: number[]) =>
        addNode(edit, { name, instruction: `node ${name} of ${tag}.`, dependencies }, { parentId }, now)
      const { id: parentId } = await add(group, 0, before)
      let first = 0
      for (let number = 1; number < nodesPerPlan / 5; number++) {
        const { id } = await add(`${group}${number}`, parentId, number === 9 ? [first] : before)
        if (number === 1) first = id
      }
      before = [parentId]
    }
  })
  return planId
}

/** Enough to start a run; the processes do the rest. */
const toDeps = (store: Store) =>
  ({
    store,
    clock: systemClock,
    ids: createIds(systemClock),
    limits: defaultPlanLimits,
    requireModel: () => undefined,
  }) as unknown as PlanDeps
