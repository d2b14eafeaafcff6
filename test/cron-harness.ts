import { pino } from 'pino'
import { createBackgroundManager, type BackgroundManager } from '../src/core/tasks/background-manager.ts'
import { defaultBackgroundLimits, type BackgroundLimits } from '../src/core/tasks/task-limits.ts'
import { createChatRuns } from '../src/core/chat/chat-runs.ts'
import { createSessionTypes } from '../src/core/chat/session-types.ts'
import { defaultChatLimits } from '../src/core/chat/turn-limits.ts'
import { createRunEngine } from '../src/core/runs/run-engine.ts'
import type { CreateCron, CronFire } from '../src/extensions/schedule/protocol/cron.ts'
import type { CreateEventHook } from '../src/extensions/schedule/protocol/event-hook.ts'
import { createCron, listFires } from '../src/extensions/schedule/crons.ts'
import type { ScheduleCaller, ScheduleDeps } from '../src/extensions/schedule/schedule-service.ts'
import { createEventHook } from '../src/extensions/schedule/event-hooks.ts'
import { createScheduler, type Scheduler } from '../src/extensions/schedule/scheduler.ts'
import { settleFire } from '../src/extensions/schedule/settle-fire.ts'
import type { Clock } from '../src/core/shared/clock.ts'
import { createIds } from '../src/core/shared/ids.ts'
import type { FinalStatus } from '../src/core/store/queries/run-row.ts'
import type { Store } from '../src/core/store/store.ts'
import { createScripted, says } from './chat-harness.ts'
import type { OpenDatabase, TestDatabase } from './harness.ts'
import { createStoredRuns } from './stored-runs.ts'

/** A clock that stands still until it is set: both ways, as real ones are. */
export interface SetClock extends Clock {
  set(time: number | string): void
  advance(ms: number): void
}

export function setClock(start: number | string): SetClock {
  const toMs = (time: number | string) => (typeof time === 'string' ? Date.parse(time) : time)
  let now = toMs(start)
  return {
    now: () => now,
    set: (time) => void (now = toMs(time)),
    advance: (ms) => void (now += ms),
  }
}

/** One node: a store, background sessions and a scheduler that looks when it is told to. */
export interface CronNode {
  store: Store
  deps: ScheduleDeps
  background: BackgroundManager
  scheduler: Scheduler
  /** What was logged as a problem. */
  problems: string[]
  close(): Promise<void>
}

export const caller: ScheduleCaller = { scope: 'default', actor: { type: 'user', id: 'test' } }
const slots = { maxGlobal: 100_000, maxPerParent: 100_000 }

export async function openNode(
  database: TestDatabase,
  clock: Clock,
  limits: Partial<BackgroundLimits> = {},
  definitions: ReadonlyMap<string, string> = new Map(),
): Promise<CronNode> {
  const store = await database.open(clock)
  await store.ensureScope('default')
  const ids = createIds(clock)
  const problems: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void problems.push(line) })
  const model = createScripted(() => says('Hello'))
  const requireModel = () => model
  const node = ids.next('node')
  const engine = createRunEngine({ store, logger, owner: async () => node, takesUpRuns: false })
  const background = createBackgroundManager({
    store,
    engine,
    chats: createChatRuns({ store, engine, requireModel, ids, limits: defaultChatLimits }),
    types: createSessionTypes(),
    clock,
    ids,
    limits: { ...defaultBackgroundLimits, ...slots, ...limits },
    requireModel,
  })
  background.onSettled((tx, session, result) => settleFire({ clock }, tx, session, result))
  // sessions end when a test says so, see `endSession`
  const never = () => Promise.reject(new Error('No turn is taken here.'))
  engine.register('background', { execute: never, giveUp: never, ...background.runKind })
  const deps: ScheduleDeps = {
    store,
    background,
    ...createStoredRuns(store, clock, definitions),
    clock,
    requireModel,
    prices: { hasPrices: false },
  }
  const scheduler = createScheduler({ ...deps, logger })
  return {
    store,
    deps,
    background,
    scheduler,
    problems,
    async close() {
      await scheduler.stop()
      await engine.close(100)
      await store.close()
    },
  }
}

export interface CronTest extends CronNode, AsyncDisposable {
  database: TestDatabase
  clock: SetClock
  add(cron: Partial<CreateCron>): Promise<string>
  hook(hook: Partial<CreateEventHook>): Promise<string>
  /** Oldest first. */
  fires(id: string): Promise<CronFire[]>
  /** Ends the session of a fire as a turn would. */
  end(sessionId: string | undefined, status?: FinalStatus, words?: string): Promise<void>
}

export async function openCron(
  openDatabase: OpenDatabase,
  start: string,
  limits?: Partial<BackgroundLimits>,
  definitions?: ReadonlyMap<string, string>,
): Promise<CronTest> {
  const database = await openDatabase()
  const clock = setClock(start)
  const node = await openNode(database, clock, limits, definitions)
  const { store, deps } = node
  return {
    ...node,
    database,
    clock,
    add: async (cron) =>
      (await createCron(deps, store, caller, { schedule: '* * * * *', prompt: 'Do it', ...cron })).id,
    hook: async (hook) =>
      (await createEventHook(deps, store, caller, { event: 'thing-happened', prompt: 'Do it', ...hook })).id,
    fires: async (id) =>
      (await listFires(store, { pageSize: 1_000 }, caller, id, { limit: 1_000 })).items.toReversed(),
    end: (sessionId, status = 'completed', words = 'done') => endSession(node, sessionId!, status, words),
    async [Symbol.asyncDispose]() {
      await node.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** What the chat core does at the end of a background run, without the turn before it. */
export async function endSession(
  { store, background }: Pick<CronNode, 'store' | 'background'>,
  sessionId: string,
  status: FinalStatus,
  words: string,
): Promise<void> {
  const [open] = await store.listOpenRuns(sessionId)
  const claimed = await store.claimRun(open!.id, { owner: 'test', leaseMs: 60_000, slots })
  const output = { status: 'success', output: words }
  const parts =
    status === 'completed'
      ? [{ type: 'dynamic-tool', toolName: 'set_result', state: 'output-available', output }]
      : []
  await store.transaction(async (tx) => {
    await tx.finishRun(claimed!.lease, { status })
    const session = await tx.requireSession('default', sessionId)
    await background.hooks.onEnd!(tx, {
      session,
      run: claimed!.run,
      status,
      code: status,
      message: status === 'completed' ? undefined : words,
      parts,
    })
  })
}
