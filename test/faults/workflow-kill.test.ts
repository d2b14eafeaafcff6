import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { programIn as callerIn } from '../../src/core/operations/calls.ts'
import { createIds } from '../../src/core/shared/ids.ts'
import { systemClock } from '../../src/core/shared/clock.ts'
import type { Store } from '../../src/core/store/store.ts'
import { createDefinitionReader } from '../../src/extensions/workflow/definition-reader.ts'
import { defaultWorkflowLimits, type WorkflowDeps } from '../../src/extensions/workflow/workflow-service.ts'
import { requireRun, resumeRun, startRun } from '../../src/extensions/workflow/runs.ts'
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

const kills = Number(process.env.PARLEY_TEST_WORKFLOW_KILLS ?? 2)
const atOnce = 2
/** So that the default kills fall on all kinds of steps. */
const requestsPerKill = 6

const reading = { definitions: createDefinitionReader() } as WorkflowDeps

const agent = (id: string, prompt = `step ${id}`) => ({
  id,
  type: 'agent',
  prompt: `${prompt} of $args.tag.`,
})
const branch = (name: string) => ['1', '2', '3'].map((number) => agent(`${name}${number}`))
const steps = [
  ...['a1', 'a2', 'a3'].map((id) => agent(id)),
  { id: 'wide', type: 'parallel', branches: { x: branch('x'), y: branch('y'), z: branch('z') } },
  { id: 'check', type: 'approve', approvePrompt: 'Go on with $args.tag?' },
  {
    id: 'each',
    type: 'foreach',
    items: ['p', 'q', 'r'],
    steps: [{ id: 'one', type: 'agent', prompt: 'step one-$item of $args.tag.' }],
  },
  {
    id: 'again',
    type: 'loop',
    until: '$iteration == 2',
    maxIterations: 3,
    steps: [{ id: 'turn', type: 'agent', prompt: 'step turn-$iteration of $args.tag.' }],
  },
  agent('b1'),
  {
    id: 'all',
    type: 'transform',
    transform: `${[
      'a1',
      'a2',
      'a3',
      ...['x', 'y', 'z'].flatMap((name) => ['1', '2', '3'].map((n) => name + n)),
    ]
      .map((id) => `$${id}.output`)
      .join(' ')} $check.approved $each.data $again.output $b1.output`,
  },
]
const definition = stringify({ name: 'killed', steps })
const modelSteps = 18

const expected = (tag: string) => {
  const said = (id: string) => `${tag}:${id}`
  const first = ['a1', 'a2', 'a3', 'x1', 'x2', 'x3', 'y1', 'y2', 'y3', 'z1', 'z2', 'z3'].map(said)
  const items = JSON.stringify(['p', 'q', 'r'].map((item) => said(`one-${item}`)))
  return [...first, 'true', items, said('turn-2'), said('b1')].join(' ')
}

describe.each(databases)('%s: a workflow of 20 steps', (name, openDatabase) => {
  // a file has one node; a server any number
  const nodeCount = name === 'SQLite' ? 1 : 2

  it(
    `comes to its end over ${kills} kills, and does nothing again whose result was stored`,
    async () => {
      await using database = await openDatabase()
      using folder = temporaryFolder()
      /** Steps that were stored as completed when no node was there to do anything. */
      const stored = new Set<string>()
      const doneAgain: string[] = []
      await using provider = await startProvider((messages) => {
        const { key, reply } = noteAndHandIn(messages, 'step')
        if (stored.has(key)) doneAgain.push(key)
        return reply
      })
      const journal = join(folder.path, 'journal')
      writeFileSync(journal, '')
      const storage = database.environment.DATABASE_URL ?? database.environment.PARLEY_DATA_DIR!
      const start = () => startNode('journal-node.ts', provider.url, journal, storage, longLease)
      await using store = await database.open(systemClock)
      const deps = toDeps(store)
      const begun: { id: string; tag: string }[] = []
      const begin = async () => {
        const tag = `t${begun.length + 1}`
        const args = { tag }
        const run = await store.transaction((tx) =>
          startRun(tx, deps, callerIn(), { text: definition, args }),
        )
        begun.push({ id: run.id, tag })
      }
      while (begun.length < atOnce) await begin()

      let nodes = await Promise.all(Array.from({ length: nodeCount }, start))
      let killed = 0
      while (killed < kills) {
        await nextMoment(provider, killed, requestsPerKill)
        // all of them, so that nothing is going on when it is looked at what is stored
        await Promise.all(nodes.map(({ kill }) => kill()))
        killed++
        for (const { id, tag } of begun)
          for (const { path, status } of await store.listWorkflowSteps(id))
            if (status === 'completed') stored.add(`${tag}:${path.replace(/.*\//, '')}`)
        await answerAll(store, begun)
        const runs = await Promise.all(begun.map(({ id }) => requireRun(store, reading, 'default', id)))
        const open = runs.filter(({ status }) => status !== 'completed')
        for (let more = open.length; more < atOnce; more++) await begin()
        nodes = await Promise.all(Array.from({ length: nodeCount }, start))
      }
      await expect
        .poll(
          async () => {
            await answerAll(store, begun)
            return countOpen(store)
          },
          { timeout: 200_000, interval: 100 },
        )
        .toBe(0)
      await Promise.all(nodes.map(({ kill }) => kill()))

      for (const { id, tag } of begun) {
        const run = await requireRun(store, reading, 'default', id)
        expect(run).toMatchObject({ status: 'completed', output: expected(tag) })
        expect(run.steps.every(({ attempt }) => attempt === 1)).toBe(true)
      }
      expect(doneAgain).toEqual([])
      // a step that was begun has one session, whoever went on with it
      const sessions = await listTasks(store)
      expect(sessions).toHaveLength(begun.length * modelSteps)
      expect(new Set(sessions.map(({ bgStatus }) => bgStatus))).toEqual(new Set(['completed']))
      expect(readJournal(journal).size).toBe(begun.length * modelSteps)
      process.stdout.write(
        `${name}: ${killed} kills of ${nodeCount} nodes, ${begun.length} runs of 20 steps, all with the right output, 0 steps done again after their result was stored\n`,
      )
    },
    300_000 + kills * 6_000,
  )
})

async function answerAll(store: Store, begun: { id: string }[]): Promise<void> {
  for (const { id } of begun) {
    const run = await requireRun(store, reading, 'default', id)
    for (const { token, status } of run.steps)
      if (status === 'paused' && token !== undefined)
        await store
          .transaction((tx) => resumeRun(tx, reading, callerIn(), id, { token, approved: true }))
          // answered before, and nobody was there to hear of it yet
          .catch((error: { code?: string }) => expect(error.code).toBe('conflict'))
  }
}

/** Enough to start a run; the nodes do the rest. */
const toDeps = (store: Store) =>
  ({
    ...reading,
    store,
    clock: systemClock,
    ids: createIds(systemClock),
    limits: defaultWorkflowLimits,
    requireModel: () => undefined,
    findDefinition: async () => undefined,
  }) as unknown as WorkflowDeps
