import { conflict, invalidRequest, notFound, quote } from '../../core/protocol/error.ts'
import { toTimestamp } from '../../core/protocol/names.ts'
import type {
  RerunWorkflow,
  ResumeWorkflow,
  WorkflowRun,
  WorkflowRunListQuery,
  WorkflowRunPage,
  WorkflowRunSummary,
  WorkflowStep,
} from './protocol/workflow.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import { requireLimit, type PageLimits } from '../../core/sessions/list.ts'
import { recordApprovalEvents } from '../../core/runs/approval-events.ts'
import type { ListedWorkflowRun, WorkflowRunFilter } from './store/workflow-runs.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { createAdvance } from './advance-run.ts'
import type { RunRequest, WorkflowDeps } from './workflow-service.ts'
import type { Definition } from './named-steps.ts'
import { startRunIn, type WorkflowInput } from './start-run.ts'
import { isFinished, type StepState } from './step-state.ts'

/** The definition, stored (by id or name) or as a text, and its args. */
export interface RunWish {
  id?: string
  name?: string
  text?: string
  args?: Record<string, unknown>
}

/** Where a run comes from; default: a request. */
export type RunOrigin = Partial<
  Pick<RunRequest, 'source' | 'sourceId' | 'parentSessionId' | 'parentRunId' | 'deliverTo' | 'key'>
>

export function startRun(
  store: StoreOperations,
  deps: WorkflowDeps,
  { scope }: Pick<Caller, 'scope'>,
  { args, ...which }: RunWish,
  origin: RunOrigin = {},
): Promise<WorkflowRun> {
  return store.transaction(async (tx) => {
    const definition = await findDefinition(tx, scope, which)
    const { run } = await startRunIn(tx, deps, { scope, ...definition, args, source: 'api', ...origin })
    return requireRun(tx, deps, scope, run.id)
  })
}

async function findDefinition(
  tx: StoreOperations,
  scope: string,
  { id, name = '', text }: RunWish,
): Promise<Pick<RunRequest, 'text' | 'workflow'>> {
  if (text !== undefined) return { text }
  const found = id === undefined ? await tx.getWorkflowByName(scope, name) : await tx.getWorkflow(scope, id)
  if (!found) throw notFound('workflow', id ?? name)
  return { text: found.text, workflow: { id: found.id, version: found.version } }
}

export async function requireRun(
  store: StoreOperations,
  { definitions }: WorkflowDeps,
  scope: string,
  id: string,
): Promise<WorkflowRun> {
  const found = await store.getWorkflowRun(scope, id)
  if (!found) throw notFound('workflow run', id)
  const { text, args } = found.run.input as WorkflowInput
  const { output, data } = (found.run.outcome ?? {}) as { output?: string; data?: unknown }
  return {
    ...toSummary(found),
    args,
    text,
    definition: { ...(definitions.tryRead(text) ?? { name: found.record.name, steps: [] }) },
    steps: (await openQuestionsOnly(store, scope, await store.listWorkflowSteps(id))).map(toStep),
    ...(output !== undefined && { output }),
    ...(data !== undefined && { data }),
  }
}

/** A question can be answered once, even before the run has processed the answer. */
async function openQuestionsOnly(
  store: StoreOperations,
  scope: string,
  steps: readonly StepState[],
): Promise<StepState[]> {
  const isAnswered = async ({ status, details }: StepState) =>
    status === 'paused' &&
    details.approvalId !== undefined &&
    (await store.getApproval(scope, details.approvalId))?.status !== 'pending'
  const shown: StepState[] = []
  for (const step of steps) shown.push((await isAnswered(step)) ? { ...step, token: undefined } : step)
  return shown
}

export async function listRuns(
  store: StoreOperations,
  pages: PageLimits,
  { scope }: Pick<Caller, 'scope'>,
  { workflow, status, limit, cursor }: Omit<WorkflowRunListQuery, 'scope'>,
): Promise<WorkflowRunPage> {
  const page = await store.listWorkflowRuns(scope, {
    workflowId: workflow,
    status: status === 'pending' ? 'queued' : (status as WorkflowRunFilter['status']),
    limit: requireLimit(pages, limit),
    cursor,
  })
  return { ...page, items: page.items.map(toSummary) }
}

/** Stores the answer of a person for the step with that token. */
export function resumeRun(
  store: StoreOperations,
  deps: WorkflowDeps,
  caller: Caller,
  id: string,
  answer: Omit<ResumeWorkflow, 'scope'>,
): Promise<WorkflowRun> {
  return store.transaction((tx) => answerStep(tx, deps, caller, id, answer))
}

async function answerStep(
  tx: StoreOperations,
  deps: WorkflowDeps,
  { scope, actor }: Caller,
  id: string,
  { token, approved, comment }: Omit<ResumeWorkflow, 'scope'>,
): Promise<WorkflowRun> {
  if (!(await tx.getWorkflowRun(scope, id))) throw notFound('workflow run', id)
  const found = await tx.findStepByToken(token)
  if (found?.runId !== id) throw invalidRequest('The token is none of this run.')
  const { path, details } = found.step
  // the run before the question, as its end takes them
  await tx.wakeRun(id)
  const decided = await tx.decideApproval(details.approvalId ?? '', {
    status: approved ? 'approved' : 'denied',
    decidedBy: actor.id,
    answer: comment === undefined ? undefined : { message: comment },
  })
  if (!decided) throw conflict(`The question of ${quote(path)} was answered, or has expired.`)
  await tx.recordAudit(scope, {
    actor,
    action: approved ? 'approve' : 'deny',
    resourceType: 'workflow_run',
    resourceId: id,
    sessionId: decided.sessionId,
    detail: { step: path, approvalId: decided.id },
  })
  await recordApprovalEvents(tx, 'approval-settled', decided)
  return requireRun(tx, deps, scope, id)
}

export async function cancelWorkflowRun(
  deps: WorkflowDeps,
  { scope }: Pick<Caller, 'scope'>,
  id: string,
): Promise<WorkflowRun> {
  await createAdvance(deps).cancelById(scope, id)
  return requireRun(deps.store, deps, scope, id)
}

/** A new run of the definition as it was then; the old one stays as it is. */
export function rerun(
  store: StoreOperations,
  deps: WorkflowDeps,
  { scope }: Caller,
  id: string,
  wish: Omit<RerunWorkflow, 'scope'>,
): Promise<WorkflowRun> {
  return store.transaction((tx) => startAgain(tx, deps, scope, id, wish))
}

async function startAgain(
  tx: StoreOperations,
  deps: WorkflowDeps,
  scope: string,
  id: string,
  { fromStep, args }: Omit<RerunWorkflow, 'scope'>,
): Promise<WorkflowRun> {
  const found = await tx.getWorkflowRun(scope, id)
  if (!found) throw notFound('workflow run', id)
  const { record, run } = found
  const input = run.input as WorkflowInput
  if (fromStep !== undefined && args)
    throw invalidRequest('With "fromStep" the args stay: what came before was done with them.')
  const reused =
    fromStep === undefined ? [] : await reusedSteps(tx, id, deps.definitions.read(input.text), fromStep)
  const { workflowId, version } = record
  const started = await startRunIn(
    tx,
    deps,
    {
      scope,
      text: input.text,
      workflow: workflowId !== undefined && version !== undefined ? { id: workflowId, version } : undefined,
      args: args ?? input.args,
      source: 'rerun',
      sourceId: id,
    },
    { rerunOf: id, reused },
  )
  return requireRun(tx, deps, scope, started.run.id)
}

/** The steps before a top-level step. All of them must have ended. */
async function reusedSteps(
  tx: StoreOperations,
  runId: string,
  { steps, config }: Definition,
  fromStep: string,
): Promise<StepState[]> {
  const ids = steps.map(({ id }) => id)
  const index = ids.indexOf(fromStep)
  if (index < 0)
    throw invalidRequest(
      `${quote(fromStep)} is no step of the top level; there is ${ids.map((id) => quote(id)).join(', ')}.`,
    )
  const before = new Set(ids.slice(0, index))
  const states = (await tx.listWorkflowSteps(runId)).filter(({ path }) => before.has(path.split(/[#/]/)[0]!))
  const goesOn = config?.errorStrategy === 'continue'
  const isDone = (state: StepState) =>
    state.status === 'completed' ||
    state.status === 'skipped' ||
    (goesOn && isFinished(state) && state.status !== 'cancelled')
  const done = new Set(states.filter(isDone).map(({ path }) => path))
  const missing = [...before].filter((id) => !done.has(id))
  if (missing.length > 0)
    throw conflict(
      `The run did not get to ${quote(fromStep)}: ${missing.map((name) => quote(name)).join(', ')} was not done.`,
    )
  // a run that was begun again has no second session for what it took over
  return states.map(({ details: { items: _, ...details }, ...state }) => ({
    ...state,
    token: undefined,
    taskRunId: undefined,
    details: { ...details, reused: true },
  }))
}

function toSummary({ record, run, isPaused }: ListedWorkflowRun): WorkflowRunSummary {
  const { error, failedSteps } = (run.outcome ?? {}) as { error?: string; failedSteps?: string[] }
  return {
    id: run.id,
    scope: run.scope,
    sessionId: run.sessionId,
    ...(record.workflowId !== undefined && { workflowId: record.workflowId }),
    ...(record.version !== undefined && { version: record.version }),
    name: record.name,
    status: run.status === 'queued' ? 'pending' : isPaused ? 'paused' : run.status,
    trigger: record.source,
    ...(record.parentRunId !== undefined && { parentRunId: record.parentRunId }),
    ...(record.rerunOf !== undefined && { rerunOf: record.rerunOf }),
    ...(error !== undefined && { error }),
    ...(failedSteps && { failedSteps }),
    createdAt: toTimestamp(run.createdAt),
    ...(run.startedAt !== undefined && { startedAt: toTimestamp(run.startedAt) }),
    ...(run.finishedAt !== undefined && { finishedAt: toTimestamp(run.finishedAt) }),
  }
}

function toStep({
  taskRunId,
  details,
  linked: _,
  wakeAt,
  startedAt,
  finishedAt,
  token,
  ...step
}: StepState): WorkflowStep {
  const { approvalId: _approvalId, items: _items, ...shown } = details
  const isAsking = step.status === 'paused'
  return {
    ...step,
    ...shown,
    ...(isAsking && token !== undefined && { token }),
    ...(taskRunId !== undefined && { runId: taskRunId }),
    ...(isAsking && wakeAt !== undefined && { expiresAt: toTimestamp(wakeAt) }),
    ...(step.status === 'pending' && wakeAt !== undefined && { retryAt: toTimestamp(wakeAt) }),
    ...(startedAt !== undefined && { startedAt: toTimestamp(startedAt) }),
    ...(finishedAt !== undefined && { finishedAt: toTimestamp(finishedAt) }),
  }
}
