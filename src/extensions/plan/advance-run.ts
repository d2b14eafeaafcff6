/** What a plan run does each time a node claims it; waiting, waking and ending are common to all orchestrations. */
import { createSteppedRuns, type SteppedRuns } from '../../core/orchestrator/stepped-runs.ts'
import type { PlanDeps } from './plan-service.ts'
import { doActions } from './do-actions.ts'
import { expandNodes } from './expand-nodes.ts'
import { executeNodes } from './execute-nodes.ts'
import type { ActivePlanRun, Advanced } from './active-run.ts'
import { onPlanRunEnd, type PlanRunEnd } from './settle-run.ts'
import type { PlanRunInput } from './start-run.ts'

export const createPlanAdvance = (deps: PlanDeps): SteppedRuns =>
  createSteppedRuns<ActivePlanRun, PlanRunEnd>({
    name: 'plan',
    store: deps.store,
    clock: deps.clock,
    background: deps.background,
    async load({ run, lease, signal }) {
      const listed = await deps.store.getPlanRun(run.scope, run.id)
      return listed && { run, lease, signal, record: listed.record, input: run.input as PlanRunInput }
    },
    advance: (active) => advance(deps, active),
    toEnd({ status, message = status === 'timeout' ? 'It took too long.' : 'It was cancelled.' }) {
      const isLate = status === 'timeout'
      return { status, summary: message, error: isLate ? 'It took too long (plans.runTimeoutMs).' : message }
    },
    toOutcome: (end) => ({ ...end }),
    // the plan before its runs, as everywhere
    async lock(tx, run, active) {
      const { planId } = active?.record ?? (await tx.getPlanRun(run.scope, run.id))?.record ?? {}
      if (planId !== undefined) await tx.lockPlanIfThere(run.scope, planId)
    },
    async onEnd(tx, run, end, active) {
      const record = active?.record ?? (await tx.getPlanRun(run.scope, run.id))?.record
      if (record) await onPlanRunEnd(tx, deps, run, record, end)
    },
    leavesTasks: ({ status }) => status === 'completed',
  })

function advance(deps: PlanDeps, active: ActivePlanRun): Promise<Advanced> {
  switch (active.input.type) {
    case 'actions':
      return doActions(deps, active as ActivePlanRun<'actions'>)
    case 'execute':
      return executeNodes(deps, active as ActivePlanRun<'execute'>)
    case 'decompose':
      return expandNodes(deps, active as ActivePlanRun<'decompose'>)
  }
}
