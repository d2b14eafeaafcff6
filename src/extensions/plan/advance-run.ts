/** What runs of plans do each time somebody claims one; how they wait, are woken and end is that of every orchestration. */
import { createSteppedRuns, type SteppedRuns } from '../../core/orchestrator/stepped-runs.ts'
import type { PlanDeps } from './plan-service.ts'
import { doActions } from './do-actions.ts'
import { expandNodes } from './expand-nodes.ts'
import { executeNodes } from './execute-nodes.ts'
import type { Going, Look } from './active-run.ts'
import { onPlanRunEnd, type PlanRunEnd } from './settle-run.ts'
import type { PlanRunInput } from './start-run.ts'

export const createPlanAdvance = (deps: PlanDeps): SteppedRuns =>
  createSteppedRuns<Going, PlanRunEnd>({
    name: 'plan',
    store: deps.store,
    clock: deps.clock,
    background: deps.background,
    async load({ run, lease, signal }) {
      const listed = await deps.store.getPlanRun(run.scope, run.id)
      return listed && { run, lease, signal, record: listed.record, input: run.input as PlanRunInput }
    },
    advance: (going) => lookAt(deps, going),
    toEnd({ status, message = status === 'timeout' ? 'It took too long.' : 'It was cancelled.' }) {
      const isLate = status === 'timeout'
      return { status, summary: message, error: isLate ? 'It took too long (plans.runTimeoutMs).' : message }
    },
    toOutcome: (end) => ({ ...end }),
    // the plan before its runs, as everywhere
    async lock(tx, run, going) {
      const { planId } = going?.record ?? (await tx.getPlanRun(run.scope, run.id))?.record ?? {}
      if (planId !== undefined) await tx.lockPlanIfThere(run.scope, planId)
    },
    async onEnd(tx, run, end, going) {
      const record = going?.record ?? (await tx.getPlanRun(run.scope, run.id))?.record
      if (record) await onPlanRunEnd(tx, deps, run, record, end)
    },
    leavesTasks: ({ status }) => status === 'completed',
  })

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
