/**
 * Takes runs of plans on: each time somebody claims one, it does what can be done now, and lets go of it until a node is
 * done, a run below it ends or a time comes. Everything it knows is stored; a crash at any line costs nothing but the
 * claim.
 */
import type { Execution } from '../../core/runs/in-process.ts'
import type { RunKind } from '../../core/runs/run-engine.ts'
import { whyStopped } from '../../core/runs/why-stopped.ts'
import { earliest } from '../../core/shared/earliest.ts'
import { cancelBelow, cancelRun, endRun } from './cancel.ts'
import type { PlanDeps } from './deps.ts'
import { doActions } from './do-actions.ts'
import { expandNodes } from './expand-nodes.ts'
import { executeNodes } from './execute-nodes.ts'
import type { Going, Look } from './going.ts'
import { settlePlanRun, type PlanRunEnd } from './settle-run.ts'
import type { PlanRunInput } from './start-run.ts'

export function createPlanAdvance(deps: PlanDeps): RunKind {
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
        await store.parkRun(lease, { wakeAt: earliest(look.wakeAt, run.deadlineAt) })
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

    cancel: (tx, run) => cancelRun(deps, run, tx),
    end: (tx, run) => endRun(tx, deps, run),
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
function endedBy(signal: AbortSignal, run: Execution['run']): PlanRunEnd | undefined {
  const status = whyStopped(signal, run)
  if (!status) return undefined
  const summary = status === 'timeout' ? 'It took too long.' : 'It was cancelled.'
  return { status, summary, error: status === 'timeout' ? 'It took too long (plans.runTimeoutMs).' : summary }
}

async function finish(deps: PlanDeps, going: Going, end: PlanRunEnd): Promise<void> {
  // after a crash between this and the end, both are done again
  if (end.status !== 'completed') await cancelBelow(deps, going.run)
  await deps.store.transaction((tx) => settlePlanRun(tx, deps, going, end))
}
