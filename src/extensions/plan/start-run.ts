import { requireRunning } from '../../core/tasks/start-task.ts'
import { depthBelow } from '../../core/tasks/inherited-rights.ts'
import type { DecomposePlan, ExecutePlan } from './protocol/plan-run.ts'
import type { Session } from '../../core/protocol/session.ts'
import { planRunSource } from './protocol/session-kinds.ts'
import { budgetIdOf } from '../../core/runs/budget.ts'
import { rightsOf } from '../../core/sessions/copied-rights.ts'
import type { PlanRunRecord, PlanStepRecord } from './store/plan-runs.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { PlanBase } from './changed-since.ts'
import type { PlanDeps } from './plan-service.ts'
import { limitsFor } from './run-budget.ts'

/** What a run of kind `plan` is stored with. */
export type PlanRunInput =
  | {
      type: 'actions'
      /** A person repeats them: running nodes requires no approval. */
      isRepeated?: true
      /** What the model had seen of the plan. */
      base?: PlanBase
    }
  | ({
      type: 'execute'
      planId: string
      nodeIds?: number[]
      rootId?: number
      /** Nodes that were added later are not run. */
      lastNode?: number
    } & Pick<ExecutePlan, 'onFailure' | 'maxParallel' | 'maxRetries' | 'model' | 'maxTokens' | 'maxCost'>)
  | ({ type: 'decompose'; planId: string } & Omit<DecomposePlan, 'scope' | 'nodeId'>)

/** Where a run comes from. */
export interface PlanRunOrigin {
  /** The session whose model or person requested it: the run has its rights, and no others. */
  parentSessionId?: string
  /** The run that starts it: its budget and its end are this one's too. */
  parentRun?: Run
  /** The step of that run which waits for this one. */
  parentStep?: number
  /** The conversation that is notified of the end. */
  chatSessionId?: string
  messageId?: string
  round?: number
  id?: string
}

export interface PlanRunRequest {
  scope: string
  planId?: string
  title: string
  input: PlanRunInput
  steps?: readonly PlanStepRecord[]
}

/** Stores a run; any free node claims it. */
export async function startPlanRun(
  tx: StoreOperations,
  deps: PlanDeps,
  { scope, planId, title, input, steps = [] }: PlanRunRequest,
  origin: PlanRunOrigin,
): Promise<{ run: Run; session: Session }> {
  const { parentRun, chatSessionId } = origin
  const runId = origin.id ?? deps.ids.next('run')
  await tx.ensureScope(scope)
  const parent =
    origin.parentSessionId === undefined ? undefined : await tx.requireSession(scope, origin.parentSessionId)
  if (parentRun) await requireRunning(tx, parentRun)
  const session = await tx.createSession({
    scope,
    kind: 'tool',
    title,
    parentId: parent?.id,
    toolMeta: { source: planRunSource, runId, depth: depthBelow(parent) },
    model: parent?.model,
    ...(parent && rightsOf(tx, parent)),
  })
  const limits = ownLimits(deps, input, parentRun)
  const run = await tx.createRun({
    id: runId,
    scope,
    sessionId: session.id,
    kind: 'plan',
    parentId: parentRun?.id,
    timeoutMs: deps.limits.runTimeoutMs,
    taskOf: parent?.id,
    input,
    budget: limits ? { id: runId } : parentRun?.budget,
  })
  if (limits) await tx.openBudget(run, parentRun && budgetIdOf(parentRun), limits)
  const record: Omit<PlanRunRecord, 'createdAt'> = {
    runId,
    scope,
    type: input.type,
    planId,
    sessionId: session.id,
    chatSessionId,
    messageId: origin.messageId,
    parentRunId: origin.parentStep === undefined ? undefined : parentRun?.id,
    parentStep: origin.parentStep,
    round: origin.round ?? 0,
  }
  await tx.createPlanRun(record)
  await tx.putPlanSteps(runId, steps)
  await tx.recordEvent(scope, {
    type: 'plan-run-started',
    sessionId: chatSessionId ?? session.id,
    data: { runId, planId, type: input.type },
  })
  return { run, session }
}

/** A run below one that has a budget spends from that one, unless it is to use less. */
function ownLimits(deps: PlanDeps, input: PlanRunInput, parentRun: Run | undefined) {
  if (input.type === 'actions') return undefined
  const hasOwnLimits = input.maxTokens !== undefined || input.maxCost !== undefined
  if (!hasOwnLimits && parentRun && budgetIdOf(parentRun) !== undefined) return undefined
  const limits = limitsFor(deps, input)
  return limits.tokens === undefined && limits.cost === undefined ? undefined : limits
}
