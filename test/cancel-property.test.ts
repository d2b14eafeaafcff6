import fc from 'fast-check'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { TurnInput } from '../src/core/chat/turn-input.ts'
import type { ModelAdapter, ModelRequest } from '../src/core/models/adapter.ts'
import { createParley, type Parley } from '../src/parley.ts'
import type { Session } from '../src/core/protocol/session.ts'
import type { Run } from '../src/core/store/queries/run-row.ts'
import { defineTool } from '../src/core/tools/tool.ts'
import { calls } from './chat-harness.ts'
import { databases, toOptions, type TestDatabase } from './harness.ts'
import { takeSeed } from './seed.ts'

/** A release runs many more. */
const runs = Math.max(1, Math.round((60 * Number(process.env.PARLEY_TEST_FUZZ ?? 500)) / 2_000))

const scope = 'default'
const maxGlobal = 3

/** What a task does: starts others, then goes on for ever in its words or in a tool, or hands in its result. */
interface Plan {
  children: { plan: Plan; mode: 'async' | 'sync' }[]
  last: 'stream' | 'tool' | 'end'
}

interface Scenario {
  plan: Plan
  /** Nothing else runs, or every place is taken and the task waits. */
  isBlocked: boolean
  /** After so many things have happened, or when nothing happens any more. */
  when: number | 'quiet'
  /** In this order, or all at once. */
  cancels: ('task' | 'session' | 'chat')[]
  isAtOnce: boolean
  /** Asked in the process that does the work, or in another one. */
  by: 'owner' | 'other'
  /** The process stops right after the cancel, before it was heard of; or when all is over. */
  restart: 'none' | 'amid' | 'after'
}

const last = fc.constantFrom<Plan['last']>('stream', 'tool', 'end')
const mode = fc.constantFrom('async' as const, 'sync' as const)
const planOf = (deeper: fc.Arbitrary<Plan> | undefined): fc.Arbitrary<Plan> =>
  fc.record({
    children: deeper
      ? fc.array(fc.record({ plan: deeper, mode }), { maxLength: 2 })
      : fc.constant<Plan['children']>([]),
    last,
  })

const scenario: fc.Arbitrary<Scenario> = fc.record({
  plan: planOf(planOf(planOf(undefined))),
  isBlocked: fc.nat(4).map((number) => number === 0),
  when: fc.oneof(fc.nat(8), fc.constant('quiet' as const)),
  cancels: fc.array(fc.constantFrom('task' as const, 'session' as const, 'chat' as const), {
    minLength: 1,
    maxLength: 3,
  }),
  isAtOnce: fc.boolean(),
  by: fc.constantFrom('owner' as const, 'other' as const),
  restart: fc.constantFrom('none' as const, 'none' as const, 'amid' as const, 'after' as const),
})

/** Follows plans, and knows which of its requests are still open. */
function createPlanned() {
  const open = new Set<AbortSignal>()
  let progress = 0
  const untilAborted = async (signal: AbortSignal) => {
    signal.throwIfAborted()
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
  }
  const model: ModelAdapter = {
    id: 'planned/test',
    async *stream(request, signal) {
      signal.throwIfAborted()
      open.add(signal)
      progress++
      try {
        const plan = planIn(request)
        const hasSpawned = request.messages.some(({ role }) => role === 'tool')
        if (plan.children.length > 0 && !hasSpawned)
          return yield* calls(
            ...plan.children.map((child): [string, object] => [
              'spawn_task',
              { task: toPrompt(child.plan), mode: child.mode },
            ]),
          )
        if (plan.last === 'tool') return yield* calls(['hold', {}])
        if (plan.last === 'end') return yield* calls(['set_result', { output: 'done' }])
        yield { type: 'text-delta', text: 'I am ' }
        progress++
        await untilAborted(signal)
      } finally {
        open.delete(signal)
      }
    },
  }
  const hold = defineTool({
    name: 'hold',
    description: 'Does not end, and does not listen',
    input: z.strictObject({}),
    execute() {
      progress++
      return new Promise(() => {})
    },
  })
  return {
    model,
    hold,
    progress: () => progress,
    openRequests: () => [...open].filter(({ aborted }) => !aborted).length,
  }
}

const toPrompt = (plan: Plan) => `plan ${JSON.stringify(plan)}`

function planIn({ messages }: ModelRequest): Plan {
  const texts = messages.flatMap(({ content }) =>
    content.map((part) => (part.type === 'text' ? part.text : '')),
  )
  return JSON.parse(/^plan (.*)$/m.exec(texts.join('\n'))![1]!) as Plan
}

/** The processes of one store: one that works, and one that only asks. */
async function openNodes(database: TestDatabase) {
  const planned = createPlanned()
  const start = (takesUpRuns: boolean) =>
    createParley({
      ...toOptions(database),
      models: { model: 'planned/test', extra: { planned: () => planned.model } },
      tools: [planned.hold],
      background: { maxGlobal, maxPerParent: maxGlobal, maxDepth: 3, overLimit: 'queue' },
      chat: { leaseMs: 1_500 },
      takesUpRuns,
      shutdownMs: 0,
    })
  let owner = await start(true)
  const other = await start(false)
  return {
    planned,
    store: other.store,
    owner: () => owner,
    other,
    async restart() {
      await owner.close()
      owner = await start(true)
    },
    async [Symbol.asyncDispose]() {
      await owner.close()
      await other.close()
    },
  }
}
type Nodes = Awaited<ReturnType<typeof openNodes>>

describe.each(databases)('a task that is cancelled on %s', (_name, openDatabase) => {
  it(
    'ends once, with everything below it, whenever and however often that is said',
    async () => {
      await using database = await openDatabase()
      await using nodes = await openNodes(database)
      await fc.assert(
        fc.asyncProperty(scenario, (given) => play(nodes, given)),
        // a failure leaves tasks behind: what comes after it would say nothing
        { numRuns: runs, seed: takeSeed(), endOnFailure: true },
      )
    },
    120_000 + runs * 10_000,
  )
})

async function play(nodes: Nodes, given: Scenario): Promise<void> {
  const { planned, store, other } = nodes
  const start = (plan: Plan, parentSessionId?: string) =>
    nodes
      .owner()
      .background.trigger(scope, { prompt: toPrompt(plan) }, { triggerType: 'api', parentSessionId })
  const blockers = given.isBlocked
    ? await Promise.all(Array.from({ length: maxGlobal }, () => start({ children: [], last: 'stream' })))
    : []
  await expect.poll(() => planned.openRequests()).toBe(blockers.length)
  const before = planned.progress()
  const chat = await other.sessions.create()
  const task = await start(given.plan, chat.id)
  await until(planned, before, given.when)

  const asked = given.by === 'owner' ? nodes.owner() : other
  const said: Record<Scenario['cancels'][number], () => Promise<unknown>> = {
    task: () => asked.background.cancel(scope, task.sessionId),
    session: () => asked.sessions.stop(task.sessionId),
    chat: () => asked.sessions.stop(chat.id),
  }
  if (given.isAtOnce) await Promise.all(given.cancels.map((name) => said[name]()))
  else for (const name of given.cancels) await said[name]()
  if (given.restart === 'amid') await nodes.restart()
  for (const { sessionId } of blockers) await nodes.owner().background.cancel(scope, sessionId)

  await expect
    .poll(() => store.countTasks(undefined), { timeout: 200_000, interval: 10, message: 'a task goes on' })
    .toMatchObject({ all: 0 })
  await expect.poll(() => planned.openRequests(), { message: 'a request to the provider is open' }).toBe(0)
  const ended = await tasksOf(store, chat.id)
  await expectOneEnd(store, ended)
  const delivered = (await store.listInbox(chat.id)).map(
    ({ payload }) => (payload as { result: { taskId: string } }).result.taskId,
  )
  expect(delivered, 'the result is delivered').toContain(task.sessionId)
  // what it had started and left behind reports too
  expect(new Set(delivered).size, 'each result is delivered once').toBe(delivered.length)

  expect(await other.background.cancel(scope, task.sessionId)).toBe(false)
  if (given.restart === 'after') {
    await nodes.restart()
    // it has looked for work when this is over
    await (
      await start({ children: [], last: 'end' })
    ).promise
  }
  expect(await tasksOf(store, chat.id)).toEqual(ended)
}

/** Looks often, so that a cancel comes right after what it waits for; gives up when nothing more happens. */
async function until(planned: Nodes['planned'], before: number, when: Scenario['when']): Promise<void> {
  const patienceMs = when === 'quiet' ? 150 : 60
  let known = -1
  let since = 0
  while (when === 'quiet' || known < when) {
    const count = planned.progress() - before
    if (count !== known) since = Date.now()
    else if (Date.now() - since >= patienceMs) return
    known = count
    await sleep(5)
  }
}

interface Ended {
  session: Session
  run: Run
}

/** Everything below a session, with the run that did it. */
async function tasksOf(store: Parley['store'], parentId: string): Promise<Ended[]> {
  const { items } = await store.listSessions(scope, { parentId, archived: 'all', limit: 100 })
  const found: Ended[] = []
  for (const session of items) {
    const { items: itsRuns } = await store.listRuns(scope, {
      sessionId: session.id,
      kind: 'background',
      limit: 10,
    })
    expect(itsRuns).toHaveLength(1)
    found.push({ session, run: itsRuns[0]! }, ...(await tasksOf(store, session.id)))
  }
  return found
}

async function expectOneEnd(store: Parley['store'], ended: Ended[]): Promise<void> {
  const { last: lastSeq } = await store.getEventRange(scope)
  const events = await store.listEvents(scope, { after: Math.max(0, lastSeq - 500), limit: 500 })
  for (const { session, run } of ended) {
    const plan = planOfRun(run)
    const possible = plan.last === 'end' ? ['completed', 'cancelled'] : ['cancelled']
    expect(possible, JSON.stringify(plan)).toContain(run.status)
    expect(session.bgStatus).toBe(run.status)
    expect(run.finishedAt).toBeTypeOf('number')
    const ends = events.filter(
      ({ type, sessionId }) => sessionId === session.id && /^bg:session\.(?!created|started)/.test(type),
    )
    expect(ends.map(({ type }) => type)).toEqual([`bg:session.${run.status}`])
    const { items: audit } = await store.listAudit(scope, { sessionId: session.id, limit: 50 })
    expect(audit.filter(({ action }) => action.startsWith('background.'))).toHaveLength(1)
  }
}

function planOfRun({ input }: Run): Plan {
  const { parts } = (input as TurnInput).message
  return JSON.parse((parts[0]!.text as string).replace(/^plan /, '')) as Plan
}
