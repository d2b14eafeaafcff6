import { putSteps } from '../../core/orchestrator/steps.ts'
import type { ToolCallPlace } from '../../core/chat/tool-caller.ts'
import { ParleyError } from '../../core/protocol/error.ts'
import type { RunPreview } from './protocol/run-preview.ts'
import { HandOver } from '../../core/runs/stop-reasons.ts'
import { isLeaseLost } from '../../core/store/queries/claims.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { cut } from '../../core/shared/text.ts'
import { earliest } from '../../core/shared/clock.ts'
import type { ActionOutcome, ActionType, Scene } from './actions/action.ts'
import { findAction } from './actions/catalogue.ts'
import { ChangedSince } from './changed-since.ts'
import { isFinalError } from './final-errors.ts'
import type { ActivePlanRun, Advanced } from './active-run.ts'
import type { PlanDeps } from './plan-service.ts'
import { addSpent, lessSpent } from './run-budget.ts'
import type { PlanRunEnd } from './settle-run.ts'
import { startPlanRun } from './start-run.ts'
import { isFinished, toSteps, type Step } from './plan-step.ts'
import { stepTable } from './step-table.ts'

type Actions = ActivePlanRun<'actions'>

/** Advances the actions of an answer: performs the next one, or stores the result of one that was waiting. */
export async function doActions(deps: PlanDeps, active: Actions): Promise<Advanced> {
  const { store, clock } = deps
  const steps = toSteps(await store.listPlanSteps(active.run.id))
  for (const step of steps) {
    if (step.status === 'running' && step.taskRunId !== undefined && step.result !== undefined) {
      await takeIn(deps, active, step)
      return 'more'
    }
  }
  let failed: Step | undefined
  const conflict = steps.find(({ details }) => details.isConflict)
  for (const step of steps) {
    if (active.signal.aborted) return 'more'
    const now = clock.now()
    const stopper = failed && isBlocking(step) ? failed : isRisky(step) ? conflict : undefined
    if (stopper && stopper.number < step.number && !isFinished(step)) {
      step.status = 'skipped'
      step.message = `Not done, because step ${stopper.number} failed.`
      step.finishedAt = now
      if (stopper !== failed) step.details = { ...step.details, isConflict: true }
      await put(deps, active, step)
    }
    if (isFinished(step)) {
      if (isStopper(step)) failed ??= step
      continue
    }
    if (step.status === 'running' && step.taskRunId !== undefined) {
      // actions that block nothing let others go first
      if (isBlocking(step)) return {}
      continue
    }
    if (step.wakeAt !== undefined && step.wakeAt > now) {
      if (isBlocking(step)) return { wakeAt: step.wakeAt }
      continue
    }
    Object.assign(step, await doAction(deps, active, step))
    if (isStopper(step)) failed ??= step
    if (step.details.isConflict || (!isFinished(step) && isBlocking(step))) return 'more'
  }
  const open = steps.filter((step) => !isFinished(step))
  if (open.length > 0) return { wakeAt: earliest(...open.map(({ wakeAt }) => wakeAt)) }
  return { end: endOf(steps) }
}

const isBlocking = ({ details }: Step) => details.action?.blocking !== false
const isStopper = (step: Step) =>
  (step.status === 'failed' || step.status === 'skipped') && isBlocking(step) && !step.details.isConflict

/** Actions that should not follow a change that was not made as intended. */
const isRisky = ({ details }: Step) => {
  const effect = details.action && findAction(details.action)?.effect
  return isBlocking({ details } as Step) && (effect === 'run' || effect === 'delete')
}

/** Returns the step as it is stored then. */
async function doAction(deps: PlanDeps, active: Actions, step: Step): Promise<Step> {
  const { clock } = deps
  const type = findAction(step.details.action!)
  const begun: Step = {
    ...step,
    status: 'running',
    // an interrupted one counts as the same attempt
    attempts: step.status === 'pending' ? step.attempts + 1 : step.attempts,
    wakeAt: undefined,
    startedAt: step.startedAt ?? clock.now(),
  }
  try {
    if (!type) throw new ParleyError('invalid_request', 'Unrecognized action kind or name.')
    const given = type.parameters.parse(step.details.action!.parameters)
    if ('tool' in type) {
      await put(deps, active, begun)
      const result = await deps.callTool(type.tool, type.toInput(given), callPlace(deps, active, begun))
      return await put(deps, active, done(deps, begun, { message: `${type.name} has answered.`, result }))
    } else {
      const needsApproval = type.effect === 'delete' || (type.effect === 'run' && !active.input.isRepeated)
      const agreed = needsApproval ? await ask(deps, active, begun, type) : { parameters: given }
      return await performOnce(deps, active, begun, type, agreed)
    }
  } catch (error) {
    if (active.signal.reason instanceof HandOver) throw active.signal.reason
    if (isLeaseLost(error) || isOfServer(error)) throw error
    if (active.signal.aborted) return step
    return fail(deps, active, begun, error)
  }
}

/** A model or a server that a tool needs may be missing; that only fails the action. */
const isOfServer = (error: unknown) =>
  error instanceof ParleyError && error.status >= 500 && error.code !== 'adapter_unavailable'

/** Its changes and its completion are stored together: a crash repeats nothing. */
async function performOnce(
  deps: PlanDeps,
  active: Actions,
  step: Step,
  type: Extract<ActionType, { perform: unknown }>,
  { parameters, agreed }: Agreed,
): Promise<Step> {
  const { run, lease, record } = active
  let boundTo: string | null | undefined
  const stored = await deps.store.transaction(async (tx) => {
    const { planId } = record
    if (planId !== undefined) await tx.lockPlanIfThere(run.scope, planId)
    await tx.holdRun(lease)
    const denial = await deps.findDenial(tx, placeOf(active), {
      tool: 'plan',
      action: type.name,
      effect: type.effect === 'read' ? 'read' : 'write',
      resources: [`plan:${planId ?? 'new'}`],
    })
    if (denial !== undefined) throw new ParleyError('forbidden', denial)
    const events: Parameters<StoreOperations['recordEvent']>[1][] = []
    const scene = sceneOf(deps, active, tx, step, (event) => events.push(event))
    const bind = async (wanted: string | null) => {
      boundTo = wanted
      await scene.bind(wanted)
    }
    const outcome = await type.perform({ ...scene, bind, agreed }, parameters)
    const next: Step = outcome.conflict
      ? conflicted(deps, step, outcome.conflict)
      : outcome.runId === undefined
        ? done(deps, step, outcome)
        : { ...step, message: outcome.message, taskRunId: outcome.runId, result: undefined }
    await tx.putPlanSteps(run.id, [next])
    for (const event of events) await tx.recordEvent(run.scope, event)
    await stepTable.emit(tx, run, next)
    return next
  })
  if (boundTo !== undefined) active.record = { ...record, planId: boundTo ?? undefined }
  return stored
}

function sceneOf(
  deps: PlanDeps,
  active: Actions,
  tx: StoreOperations,
  step: Step,
  emit: (event: { type: string; sessionId: string; data: Record<string, unknown> }) => void,
): Scene {
  const { run, record } = active
  const { scope, sessionId } = placeOf(active)
  return {
    tx,
    deps,
    caller: { scope, sessionId, actor: { type: 'agent', id: sessionId } },
    planId: record.planId,
    base: active.input.base,
    now: deps.clock.now(),
    async bind(planId) {
      // one that has lost its plan is still about plans
      await tx.updateSession(scope, sessionId, { planId, ...(planId === null && { mode: 'plan' }) })
      if (planId !== null) await tx.setPlanOfRun(run.id, planId)
      emit({ type: 'session-updated', sessionId, data: { fields: ['planId'] } })
    },
    emit: (type, data) => emit({ type, sessionId, data }),
    async startRun(request) {
      const { chatSessionId } = record
      const origin = {
        parentSessionId: run.sessionId,
        parentRun: run,
        parentStep: step.number,
        chatSessionId,
      }
      const { input: wish } = request
      const input = wish.type === 'actions' ? wish : lessSpent(deps, wish, step.details.spent)
      return (await startPlanRun(tx, deps, { ...request, input }, origin)).run.id
    },
  }
}

/** The conversation, whose rights apply. */
const placeOf = ({ run, record }: Actions) => ({
  scope: run.scope,
  sessionId: record.chatSessionId ?? run.sessionId,
})

const callPlace = (deps: PlanDeps, active: Actions, step: Step): ToolCallPlace => ({
  ...placeOf(active),
  runId: active.run.id,
  // the same for every attempt: approval is requested once
  toolCallId: `${active.run.id}-${step.number}`,
  signal: active.signal,
  async onAsk(approvalId) {
    await put(deps, active, { ...step, status: 'paused', details: { ...step.details, approvalId } })
  },
})

/** The parameters of an action, and what was shown to the person who approved it. */
interface Agreed {
  parameters: unknown
  agreed?: RunPreview
}

/** Deleting is final and running costs money: both require approval, unless the session is allowed to do it. */
async function ask(
  deps: PlanDeps,
  active: Actions,
  step: Step,
  { name, ...type }: ActionType,
): Promise<Agreed> {
  const { planId } = active.record
  const { parameters } = step.details.action!
  const input = { action: name, ...(planId !== undefined && { plan_id: planId }), parameters }
  const admitted = await deps.admitCall('plan', input, callPlace(deps, active, step))
  const made = admitted.input as typeof input
  if (made.action !== name || made.plan_id !== input.plan_id)
    throw new ParleyError('forbidden', 'Of an action of a plan, only the parameters can be changed.')
  return { parameters: type.parameters.parse(made.parameters), agreed: admitted.agreed?.planRun }
}

/** The result of a run that an action has started. */
async function takeIn(deps: PlanDeps, active: Actions, step: Step): Promise<Step> {
  const end = step.result as PlanRunEnd
  const result = end.report === undefined ? end.result : { ...(end.result as object), report: end.report }
  if (end.status === 'completed')
    return put(deps, active, done(deps, step, { message: end.summary, result: result ?? end.summary }))
  const { error = end.summary, isFinal } = end
  const details = { ...step.details, spent: await addSpent(deps.store, step.details.spent, step.taskRunId!) }
  return fail(deps, active, { ...step, details }, new Error(error), { result, isFinal })
}

const done = ({ clock }: PlanDeps, step: Step, { message, result }: ActionOutcome): Step => ({
  ...step,
  status: 'completed',
  message,
  result,
  error: undefined,
  finishedAt: clock.now(),
})

/** Not retried: the caller has to check the plan first. */
const conflicted = ({ clock }: PlanDeps, step: Step, { message }: ChangedSince): Step => ({
  ...step,
  status: 'failed',
  error: cut(message, 4_000),
  result: undefined,
  details: { ...step.details, isConflict: true },
  finishedAt: clock.now(),
})

async function fail(
  deps: PlanDeps,
  active: Actions,
  step: Step,
  error: unknown,
  { result, isFinal = isFinalError(error) }: { result?: unknown; isFinal?: boolean } = {},
): Promise<Step> {
  const { max_retries: maxRetries, backoff_sec: backoff } = step.details.action?.retry_policy ?? {
    max_retries: 0,
    backoff_sec: 0,
  }
  const now = deps.clock.now()
  if (error instanceof ChangedSince) return put(deps, active, conflicted(deps, step, error))
  const problem = cut(error instanceof Error ? error.message : String(error), 2_000)
  const next: Step =
    step.attempts <= maxRetries && !isFinal
      ? {
          ...step,
          status: 'pending',
          error: problem,
          result: undefined,
          taskRunId: undefined,
          wakeAt: now + backoff * 1_000,
        }
      : { ...step, status: 'failed', error: problem, result, finishedAt: now }
  return put(deps, active, next)
}

async function put({ store }: PlanDeps, active: Actions, step: Step): Promise<Step> {
  await putSteps(store, stepTable, active, [step])
  return step
}

function endOf(steps: readonly Step[]): PlanRunEnd {
  const failed = steps.filter(({ status }) => status === 'failed')
  const left = steps.filter(({ status }) => status === 'skipped')
  const doneCount = steps.length - failed.length - left.length
  const summary = `${doneCount} of ${steps.length} actions done`
  if (failed.length === 0) return { status: 'completed', summary }
  const error = failed.map(({ number, error: problem }) => `step ${number}: ${problem}`).join('; ')
  return { status: 'failed', summary, error: cut(error, 2_000) }
}
