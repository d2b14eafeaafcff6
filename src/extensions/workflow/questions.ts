/** Questions of a run to people, and their answers. */
import { randomBytes } from 'node:crypto'
import { putSteps } from '../../core/orchestrator/steps.ts'
import { recordApprovalEvents } from '../../core/runs/approval-events.ts'
import { cut } from '../../core/shared/text.ts'
import type { StoredApproval } from '../../core/store/queries/approvals.ts'
import type { Store, StoreOperations } from '../../core/store/store.ts'
import { answered } from './answered-questions.ts'
import type { ActiveWorkflowRun } from './begin-step.ts'
import { allSteps } from './blocks.ts'
import type { Step } from './named-steps.ts'
import type { StepState } from './step-state.ts'
import { stepTable } from './step-table.ts'

/** Listed in the inbox of approvals, and answerable with a token that is only sent with its notification. */
export async function askQuestion(
  tx: StoreOperations,
  { run, definition }: ActiveWorkflowRun,
  state: StepState,
): Promise<StepState> {
  const { question = '' } = state.details
  const { approval } = await tx.createApproval({
    scope: run.scope,
    sessionId: run.sessionId,
    runId: run.id,
    toolCallId: state.path,
    toolName: 'workflow',
    action: 'approve',
    kind: 'question',
    input: { workflow: definition.name, step: state.path, question, content: state.output ?? '' },
    resources: [],
    outside: [],
    reason: question,
    fallback: 'deny',
    timeoutMs: Math.max(0, (state.wakeAt ?? 0) - (state.startedAt ?? 0)),
  })
  await recordApprovalEvents(tx, 'approval-requested', approval)
  await tx.recordEvent(run.scope, {
    type: 'workflow-paused',
    sessionId: run.sessionId,
    data: { runId: run.id, name: definition.name, path: state.path, question: cut(question, 500) },
  })
  return {
    ...state,
    token: randomBytes(24).toString('base64url'),
    details: { ...state.details, approvalId: approval.id },
  }
}

/** Answers that arrived since, and questions that timed out. */
export async function takeAnswers(
  store: Store,
  states: Map<string, StepState>,
  active: ActiveWorkflowRun,
  now: number,
): Promise<void> {
  for (const state of states.values()) {
    const id = state.status === 'paused' ? state.details.approvalId : undefined
    if (id === undefined) continue
    const approval = await store.getApproval(active.run.scope, id)
    const step = findStep(active, state.stepId)
    if (!approval || step?.type !== 'approve') continue
    const settled = approval.status === 'pending' ? await expire(store, id) : approval
    if (!settled) continue
    const next = answered(step, state, { ...toAnswer(settled), now })
    states.set(state.path, next)
    await putSteps(store, stepTable, active, [next])
  }
}

function expire(store: Store, id: string): Promise<StoredApproval | undefined> {
  return store.transaction(async (tx) => {
    const expired = await tx.expireApproval(id)
    if (expired) await recordApprovalEvents(tx, 'approval-settled', expired)
    return expired
  })
}

const findStep = ({ definition }: ActiveWorkflowRun, id: string) =>
  allSteps(definition.steps).find(({ step }) => step.id === id)?.step as Step | undefined

function toAnswer({ status, answer }: StoredApproval): {
  approved: boolean
  comment?: string
  isLate: boolean
} {
  return {
    approved: status === 'approved',
    comment: answer?.message,
    isLate: status === 'expired',
  }
}
