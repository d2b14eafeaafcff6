import { conflict, quote } from '../protocol/error.ts'
import type { Message } from '../protocol/message.ts'
import type { Claim, Lease } from '../store/queries/claims.ts'
import type { NewRun } from '../store/queries/runs.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { TurnStart } from '../store/queries/turn-start.ts'
import type { StoreOperations } from '../store/store.ts'

export const busyPolicies = ['enqueue', 'steer', 'interrupt', 'reject'] as const
export type BusyPolicy = (typeof busyPolicies)[number]

// a person waits for one or two; more than this is a program out of control
const maxQueued = 100

export interface Admission {
  run: Run
  /** Set when the run began at once, in the hands of the caller. */
  lease?: Lease
  /** The run that has to give way. */
  interrupted?: Run
  /** True when the run was running already and takes the input in between two steps. */
  isSteered?: true
  /** Set when the run begins at once: what its admission read and stored, so that the turn need not read it again. */
  begun?: BegunRun
}

/** What is known when a run begins, and the input as it is in the log. */
export interface BegunRun {
  start: TurnStart
  message: Message
}

interface AdmitMeans {
  claim(): Promise<Claim>
  /** Whether nobody answers in the session of a run before the end of that. Default: nothing does. */
  ownsSession?(run: Run): boolean
  /** The session is known to have no run that has not ended. */
  isIdle?: boolean
}

/**
 * Takes a run in, in the transaction that is open: it begins at once when its session is idle; otherwise the policy
 * decides whether it waits, is taken in by the running one, makes that one stop, or is refused.
 */
export async function admitRun(
  tx: StoreOperations,
  run: NewRun,
  policy: BusyPolicy,
  { claim, ownsSession = () => false, isIdle = false }: AdmitMeans,
): Promise<Admission> {
  const open = isIdle ? [] : await tx.listOpenRuns(run.sessionId)
  if (open.length === 0) return tx.startRun(run, await claim())
  const own = open.find(ownsSession)
  if (own)
    throw conflict(
      `The session ${quote(run.sessionId)} is that of the ${own.kind} run ${quote(own.id)}, which goes on: nobody answers here before its end.`,
      { runId: own.id },
    )
  if (policy === 'reject')
    throw conflict(`The session ${quote(run.sessionId)} is busy with ${quote(open[0]!.id)}.`, {
      runId: open[0]!.id,
    })
  if (open.length > maxQueued)
    throw conflict(
      `The session ${quote(run.sessionId)} has ${open.length - 1} inputs waiting; the most is ${maxQueued}.`,
    )
  const running = open.find(({ status }) => status === 'running')
  if (
    policy === 'steer' &&
    running &&
    (await tx.steerRun(running, { dedupeKey: run.id ?? '', payload: run.input }))
  )
    return { run: running, isSteered: true }
  if (policy === 'enqueue' || policy === 'steer') return { run: await tx.createRun(run) }
  const highest = Math.max(0, ...open.map(({ priority }) => priority))
  const admitted = await tx.createRun({ ...run, priority: highest + 1 })
  if (running) await tx.requestStop(run.scope, running.id, 'interrupted by a newer input')
  return { run: admitted, interrupted: running }
}
