/**
 * Takes runs of plans on: each time somebody claims one, it does what can be done now, and lets go of it until a node is
 * done, a run below it ends or a time comes. Everything it knows is stored; a crash at any line costs nothing but the
 * claim.
 */
import type { RunExecutor } from '../chat/chats.ts'
import type { Execution } from '../dispatch/in-process.ts'
import { HandOver } from '../runs/hand-over.ts'
import { TimedOut } from '../runs/timed-out.ts'
import type { PlanRunRecord } from '../store/queries/plan-runs.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { Lease } from '../store/queries/claims.ts'
import { cancelBelow } from './cancel.ts'
import type { PlanDeps } from './deps.ts'
import { doActions } from './do-actions.ts'
import { expandNodes } from './expand-nodes.ts'
import { executeNodes } from './execute-nodes.ts'
import { settlePlanRun, type PlanRunEnd } from './settle-run.ts'
import type { PlanRunInput } from './start-run.ts'

/** A run in the hands of this process. */
export interface Going<Type extends PlanRunInput['type'] = PlanRunInput['type']> {
  run: Run
  lease: Lease
  record: PlanRunRecord
  input: Extract<PlanRunInput, { type: Type }>
  signal: AbortSignal
}

/** What one look came to: the end, a wait, or that there is more to do at once. */
export type Look = { end: PlanRunEnd } | { wakeAt?: number } | 'more'

export function createPlanAdvance(deps: PlanDeps): RunExecutor {
  const { store } = deps
  return {
    async execute({ run, lease, signal }) {
      const listed = await store.getPlanRun(run.scope, run.id)
      if (!listed) return
      const going: Going = { run, lease, signal, record: listed.record, input: run.input as PlanRunInput }
      for (;;) {
        const stopped = endedBy(signal, run)
        if (stopped) return finish(deps, going, stopped)
        const look = await lookAt(deps, going)
        if (look === 'more') continue
        if ('end' in look) return finish(deps, going, look.end)
        if (signal.aborted) continue
        const times = [look.wakeAt, run.deadlineAt].filter((time) => time !== undefined)
        await store.parkRun(lease, { wakeAt: times.length > 0 ? Math.min(...times) : undefined })
        return 'waits'
      }
    },

    async giveUp({ run, lease, signal }, { code, message }) {
      const listed = await store.getPlanRun(run.scope, run.id)
      if (!listed) return
      const going: Going = { run, lease, signal, record: listed.record, input: run.input as PlanRunInput }
      const status = code === 'interrupted' ? 'interrupted' : 'failed'
      await finish(deps, going, { status, summary: message, error: message })
    },
  }
}

function lookAt(deps: PlanDeps, going: Going): Promise<Look> {
  switch (going.input.type) {
    case 'actions':
      return doActions(deps, going as Going<'actions'>)
    case 'execute':
      return executeNodes(deps, going as Going<'execute'>)
    case 'decompose':
      return expandNodes(deps, going as Going<'decompose'>)
  }
}

/** Why the run may not go on. */
function endedBy(signal: AbortSignal, { stopReason, remainingMs }: Execution['run']): PlanRunEnd | undefined {
  const reason: unknown = signal.aborted ? signal.reason : stopReason
  if (reason instanceof HandOver) throw reason
  if (reason instanceof TimedOut || (remainingMs !== undefined && remainingMs <= 0))
    return {
      status: 'timeout',
      summary: 'It took too long.',
      error: 'It took too long (plans.runTimeoutMs).',
    }
  return reason === undefined
    ? undefined
    : { status: 'cancelled', summary: 'It was cancelled.', error: 'It was cancelled.' }
}

async function finish(deps: PlanDeps, going: Going, end: PlanRunEnd): Promise<void> {
  // after a crash between this and the end, both are done again
  if (end.status !== 'completed') await cancelBelow(deps, going.run)
  await deps.store.transaction((tx) => settlePlanRun(tx, deps, going, end))
}
