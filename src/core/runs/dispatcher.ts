import type { Logger } from 'pino'
import { isStoreUnavailable, ParleyError } from '../protocol/error.ts'
import type { BegunRun } from './busy-policy.ts'
import type { EventHub, RunLog } from './event-hub.ts'
import { HandOver, TimedOut } from './stop-reasons.ts'
import { type Claim, isLeaseLost, type Lease, type Slots } from '../store/queries/claims.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { Store } from '../store/store.ts'

export interface Execution {
  run: Run
  lease: Lease
  log: RunLog
  signal: AbortSignal
  /** Of a run that began here when it was admitted. */
  begun?: BegunRun
  /** Set by what ended it, where it looked: whether another run was queued in the session. */
  hasNext?: boolean
}

export interface DispatcherOptions {
  store: Store
  hub: EventHub
  logger: Logger
  /** Makes this process known as alive, when it is about to execute its first run; its name in leases, the same each time. */
  owner(): Promise<string>
  /** False: executes only runs of sessions in which it has executed one already. */
  takesUpRuns: boolean
  /** Which runs of the store it may claim; default all. */
  claims?(run: Run): boolean
  /** Which runs it can do; one that was claimed and is not among them is given up. Default all. */
  canExecute?(run: Run): boolean
  /**
   * Does the work of a run and stores its end, or that it waits for others. What it throws is a bug and fails the run.
   */
  execute(execution: Execution): Promise<void | 'waits'>
  /** Ends a run that cannot continue, and stores why. */
  giveUp(execution: Execution, reason: { code: string; message: string }): Promise<void>
  /** Default 30,000: a claim older than this belongs to a dead process; shorter would steal from a slow one. */
  leaseMs?: number
  /** Default 1,000, or a third of a short lease: how often the store is polled for runs that were not announced here. */
  pollMs?: number
  /** Default 3: a run that took its process down so often is given up. */
  maxClaims?: number
  /** How many background runs may be running at once, over all nodes; none are executed when left out. */
  slots?: Slots
  /** Default 64: queued runs are taken up only while fewer than this are running here. */
  maxTakenUp?: number
}

export interface Dispatcher {
  claim(): Promise<Claim>
  start(): void
  /** Executes a run that was claimed when it was admitted. */
  take(run: Run, lease: Lease, begun?: BegunRun): void
  /** Looks at once for runs that can be claimed. */
  wake(): void
  /** Executes what waits in this session too, where only own runs are executed. */
  adopt(sessionId: string): void
  /** Stops a run that is executed here; false when it is not. */
  abort(runId: string, reason: string): boolean
  isRunning(runId: string): boolean
  /** Lets runs finish for a while; those that do not are left to the next process. */
  stop(graceMs: number): Promise<void>
}

/** Stops a run that has timed out; the time is that of the store, and continues over a crash. */
function startDeadline({ remainingMs, timeoutMs }: Run, abort: AbortController): NodeJS.Timeout | undefined {
  // longer than a timer can be set for; nobody works on a run for so long without letting go of it
  if (remainingMs === undefined || remainingMs > maxTimerMs) return undefined
  return setTimeout(() => abort.abort(new TimedOut(timeoutMs)), Math.max(0, remainingMs))
}

const runsPerPoll = 20
const maxTimerMs = 2 ** 31 - 1

export function createInProcessDispatcher(options: DispatcherOptions): Dispatcher {
  const {
    store,
    hub,
    logger,
    owner,
    execute,
    giveUp,
    takesUpRuns,
    leaseMs = 30_000,
    pollMs = Math.min(1_000, leaseMs / 3),
    maxClaims = 3,
    maxTakenUp = 64,
    slots,
    claims = () => true,
    canExecute = () => true,
  } = options
  const claim = async (): Promise<Claim> => ({ owner: await owner(), leaseMs, slots })
  const active = new Map<
    string,
    { sessionId: string; lease: Lease; abort: AbortController; done: Promise<void> }
  >()
  /** Sessions with a run that is executed here in which another one was queued meanwhile. */
  const announced = new Set<string>()
  const leaving = new Set<Promise<void>>()
  let isStopping = false
  let isBeating = false
  let isCheckingOwners = false
  let polling: Promise<void> | undefined
  let wantsPoll = false
  /** More waits in the store than was taken up. */
  let hasMore = false
  let takesOverAt = 0
  let pollTimer: NodeJS.Timeout | undefined
  let heartbeat: NodeJS.Timeout | undefined
  let unsubscribe = () => {}

  /**
   * Of a program that lives shortly: it does its own runs and the tasks that they start, and no others. Elsewhere those
   * that runs here wait for.
   */
  const sessions = new Set<string>()
  const looksForRuns = () => takesUpRuns || sessions.size > 0

  const take = (run: Run, lease: Lease, begun?: BegunRun) => {
    if (isStopping) return leave(lease)
    if (!takesUpRuns) sessions.add(run.sessionId)
    const abort = new AbortController()
    const log = hub.open(lease, run.lastEventSeq)
    const deadline = startDeadline(run, abort)
    const execution: Execution = { run, lease, log, signal: abort.signal, begun }
    const done = perform(execution).then((isFinished) => {
      clearTimeout(deadline)
      log.close(isFinished)
      active.delete(run.id)
      if (active.size === 0) heartbeat?.unref()
      if (takesUpRuns) sessions.delete(run.sessionId)
      if (isStopping) return
      // what is queued after the look is announced, by this process at least
      const isAnnounced = announced.delete(run.sessionId)
      if (execution.hasNext !== false || isAnnounced) void takeNext(run.sessionId)
      // a slot is free now
      if (hasMore || run.kind === 'background') poll()
    })
    active.set(run.id, { sessionId: run.sessionId, lease, abort, done })
    // what it waits for may be a promise of the program, which keeps no process alive
    heartbeat?.ref()
    if (run.stopReason !== undefined) abort.abort(run.stopReason)
  }

  /** It was admitted or claimed while this process stops: the next process executes it, and need not wait for its lease. */
  function leave(lease: Lease): void {
    const left = store
      .releaseRuns([lease])
      .catch((error: unknown) =>
        logger.warn({ err: error, runId: lease.runId }, 'a run could not be given back; its lease lapses'),
      )
      .finally(() => leaving.delete(left))
    leaving.add(left)
  }

  /** Returns whether the run has finished. */
  async function perform(execution: Execution): Promise<boolean> {
    const { run } = execution
    try {
      if (run.attempt > maxClaims)
        await giveUp(execution, {
          code: 'crash_loop',
          message: `The run took its process down ${maxClaims} times.`,
        })
      else if (canExecute(run)) return (await execute(execution)) !== 'waits'
      else
        await giveUp(execution, {
          code: 'interrupted',
          message: 'The process that worked on it is gone.',
        })
      return true
    } catch (error) {
      if (error instanceof HandOver) return false
      if (isLeaseLost(error)) {
        logger.warn({ runId: run.id }, 'the run has another owner; it is released here')
        return false
      }
      if (isStoreUnavailable(error)) {
        logger.warn({ err: error, runId: run.id }, 'the store was out of reach; the run is given back')
        await giveBack(execution.lease)
        return false
      }
      logger.error({ err: error, runId: run.id }, 'a run failed unexpectedly')
      const reason = {
        code: 'internal',
        // a refusal, or a bug of the program's own code, is written to be shown; any other may quote what must stay private
        message:
          error instanceof ParleyError
            ? error.message
            : 'Something unexpected failed; the log has it under the id of the run.',
      }
      return giveUp(execution, reason).then(
        () => true,
        (cause) => {
          logger.warn(
            { err: cause, runId: run.id },
            'the end of a run could not be stored; it will be taken over',
          )
          return false
        },
      )
    }
  }

  /** Not the run's fault: it resumes, uncounted, as soon as the store is back. */
  async function giveBack(lease: Lease): Promise<void> {
    while (!isStopping) {
      await new Promise((resolve) => setTimeout(resolve, pollMs))
      try {
        return await store.releaseRuns([lease])
      } catch (error) {
        if (isStoreUnavailable(error)) continue
        return logger.warn(
          { err: error, runId: lease.runId },
          'a run could not be given back; its lease lapses',
        )
      }
    }
  }

  /** Takes the run that was waiting for the one that just ended. */
  async function takeNext(sessionId: string): Promise<void> {
    try {
      const [next] = await store.listOpenRuns(sessionId)
      const claimed =
        next?.status === 'queued' && claims(next) && !isStopping
          ? await store.claimRun(next.id, await claim())
          : undefined
      if (claimed) take(claimed.run, claimed.lease)
    } catch (error) {
      logger.warn({ err: error }, 'taking the next run failed; it will be found again')
    }
  }

  const poll = () => {
    wantsPoll = true
    polling ??= claimAll().finally(() => {
      polling = undefined
    })
  }
  async function claimAll(): Promise<void> {
    while (wantsPoll && !isStopping) {
      wantsPoll = false
      if (!looksForRuns()) return
      try {
        // what others here wait for is taken up all the same: they would never free their place
        const isFull = active.size >= maxTakenUp
        const runs = await store.listClaimableRuns({
          limit: runsPerPoll,
          slots,
          ...((!takesUpRuns || isFull) && { sessions: [...sessions] }),
        })
        hasMore = isFull || runs.length >= runsPerPoll
        for (const run of runs) {
          // after an outage every lease has lapsed; owners that are alive get the time to renew theirs
          if (run.status === 'running' && performance.now() < takesOverAt) continue
          if (active.size >= maxTakenUp && !(takesUpRuns && sessions.has(run.sessionId))) {
            hasMore = true
            continue
          }
          // slow is not dead: a process does not take a run over from itself
          if (active.has(run.id) || !claims(run)) continue
          const claimed = isStopping ? undefined : await store.claimRun(run.id, await claim())
          if (claimed) take(claimed.run, claimed.lease)
        }
      } catch (error) {
        takesOverAt = performance.now() + Math.max(2 * pollMs, leaseMs / 3)
        logger.warn({ err: error }, 'looking for runs failed, will try again')
      }
    }
  }

  /** What nobody works on any more need not wait for its lease. */
  async function checkOwners(): Promise<void> {
    // after an outage owners that are alive get the time to make themselves known again
    if (isCheckingOwners || !looksForRuns() || performance.now() < takesOverAt) return
    isCheckingOwners = true
    try {
      if (await store.lapseLeasesOfGone(await owner())) poll()
    } catch (error) {
      if (!isStopping) logger.warn({ err: error }, 'looking for owners that are gone failed, will try again')
    } finally {
      isCheckingOwners = false
    }
  }

  async function beat(): Promise<void> {
    const leases = [...active.values()].map(({ lease }) => lease)
    // a slow one is not helped by another behind it
    if (leases.length === 0 || isBeating) return
    isBeating = true
    try {
      const held = new Map((await store.renewLeases(leases, leaseMs)).map((entry) => [entry.runId, entry]))
      for (const { runId, fence } of leases) {
        const current = active.get(runId)
        // it was released meanwhile, and may be here again under another lease
        if (current?.lease.fence !== fence) continue
        const entry = held.get(runId)
        if (!entry) current.abort.abort(new HandOver('the lease was lost'))
        else if (entry.stopReason !== undefined) current.abort.abort(entry.stopReason)
      }
    } catch (error) {
      logger.warn({ err: error }, 'renewing leases failed, will try again')
    } finally {
      isBeating = false
    }
  }

  return {
    claim,
    start() {
      pollTimer = setInterval(() => {
        poll()
        void checkOwners()
      }, pollMs)
      pollTimer.unref()
      unsubscribe = store.subscribe((change) => {
        if (change.type === 'run-queued') {
          for (const { sessionId } of active.values())
            if (sessionId === change.sessionId) announced.add(sessionId)
          poll()
        }
        // the next heartbeat would notice it too
        if (change.type === 'run-stopping') active.get(change.runId)?.abort.abort(change.reason)
      })
      heartbeat = setInterval(() => void beat(), leaseMs / 6)
      heartbeat.unref()
      poll()
      void checkOwners()
    },
    take,
    wake: poll,
    adopt(sessionId) {
      sessions.add(sessionId)
      poll()
    },
    abort(runId, reason) {
      const entry = active.get(runId)
      entry?.abort.abort(reason)
      return entry !== undefined
    },
    isRunning: (runId) => active.has(runId),
    async stop(graceMs) {
      isStopping = true
      clearInterval(pollTimer)
      unsubscribe()
      await polling
      const all = () => Promise.all([...leaving, ...[...active.values()].map(({ done }) => done)])
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, graceMs)))
      await Promise.race([all(), late])
      clearTimeout(timer)
      const leases = [...active.values()].map(({ lease }) => lease)
      for (const { abort } of active.values()) abort.abort(new HandOver('the server stops'))
      clearInterval(heartbeat)
      // lapsed at once, so that the next process need not wait for it
      await store
        .releaseRuns(leases)
        .catch((error: unknown) =>
          logger.warn({ err: error }, 'runs could not be given back; their leases lapse'),
        )
      await all()
    },
  }
}
