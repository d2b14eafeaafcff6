import { requireRunning, sessionIdOf } from '../../core/tasks/start-task.ts'
import { depthBelow } from '../../core/tasks/inherited-rights.ts'
import { invalidRequest, ParleyError } from '../../core/protocol/error.ts'
import { workflowRunSource } from './protocol/session-kinds.ts'
import { rightsOf } from '../../core/sessions/copied-rights.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { allSteps } from './blocks.ts'
import { resolveArgs } from './run-args.ts'
import type { RunRequest, StartedRun, WorkflowDeps } from './workflow-service.ts'
import { foldersOf } from './run-folders.ts'
import type { Definition } from './named-steps.ts'
import { rightsWithin } from './run-rights.ts'
import type { StepState } from './step-state.ts'

/** What a run of kind `workflow` is stored with. */
export interface WorkflowInput {
  text: string
  args: Record<string, unknown>
}

/** Where a run comes from that is a part of another, or repeats one. */
export interface RunLineage {
  parent?: { run: Run; path: string }
  rerunOf?: string
  /** How long it may take, where that is less than what its definition says. */
  timeoutMs?: number
  /** Steps that are not repeated. */
  reused?: readonly StepState[]
}

/** Stores a run; any free node claims it. */
export async function startRunIn(
  tx: StoreOperations,
  deps: WorkflowDeps,
  request: RunRequest,
  { parent: outer, rerunOf, timeoutMs = Infinity, reused = [] }: RunLineage = {},
): Promise<StartedRun> {
  const { scope, text, workflow, source, key } = request
  const definition = deps.definitions.read(text)
  const args = resolveArgs(definition, request.args ?? {})
  requireModels(deps, definition)
  const id = key === undefined ? deps.ids.next('ses') : sessionIdOf(scope, key)
  const known = key === undefined ? undefined : await tx.getSession(scope, id)
  if (known) {
    const { items } = await tx.listRuns(scope, { sessionId: known.id, kind: 'workflow', limit: 1 })
    return { session: known, run: items[0]! }
  }
  await requirePlace(tx, deps, outer !== undefined)
  await tx.ensureScope(scope)
  const parent =
    request.parentSessionId === undefined
      ? undefined
      : await tx.requireSession(scope, request.parentSessionId)
  const author = request.writtenIn === undefined ? undefined : await tx.getSession(scope, request.writtenIn)
  if (request.deliverTo !== undefined) await tx.requireSession(scope, request.deliverTo)
  const level = requireLevel(deps, outer?.run)
  const above = outer?.run ?? (await findRun(tx, scope, request.parentRunId))
  if (above) await requireRunning(tx, above)
  const runId = deps.ids.next('run')
  const session = await tx.createSession({
    id,
    scope,
    kind: 'tool',
    title: definition.name,
    parentId: parent?.id,
    toolMeta: {
      source: workflowRunSource,
      workflowDefId: workflow?.id,
      workflowName: definition.name,
      runId,
      triggerType: source,
      depth: depthBelow(parent),
      ...foldersOf(deps, definition, { scope, sessionId: id, workflowId: workflow?.id }),
    },
    model: parent?.model,
    ...(parent ? rightsOf(tx, parent) : author && (await rightsWithin(tx, deps, author))),
  })
  const run = await tx.createRun({
    id: runId,
    scope,
    sessionId: session.id,
    kind: 'workflow',
    parentId: above?.id,
    depth: level,
    timeoutMs: Math.min(timeoutMs, definition.config?.maxTotalTimeoutMs ?? deps.limits.maxTotalTimeoutMs),
    taskOf: parent?.id,
    input: { text, args } satisfies WorkflowInput,
    budget: above?.budget,
  })
  await tx.createWorkflowRun({
    runId,
    scope,
    sessionId: session.id,
    workflowId: workflow?.id,
    version: workflow?.version,
    name: definition.name,
    source,
    sourceId: request.sourceId,
    parentRunId: outer?.run.id,
    parentPath: outer?.path,
    rerunOf,
    deliverTo: request.deliverTo,
  })
  await tx.putWorkflowSteps(runId, reused)
  await tx.recordEvent(scope, {
    type: 'workflow-started',
    sessionId: session.id,
    data: { runId, workflowId: workflow?.id, name: definition.name, source },
  })
  return { session, run }
}

/** Rejects an unavailable model before anything starts. */
function requireModels({ requireModel }: WorkflowDeps, definition: Definition): void {
  for (const { step } of allSteps(definition.steps))
    if (step.type === 'agent')
      for (const model of [step.model, step.sessionConfig?.model])
        if (model !== undefined) requireModel(model)
}

function requireLevel({ limits }: WorkflowDeps, outer: Run | undefined): number {
  const level = outer ? outer.depth + 1 : 0
  if (level >= limits.maxDepth)
    throw invalidRequest(
      `Workflows may be ${limits.maxDepth} deep (workflows.maxDepth); this one would be deeper.`,
    )
  return level
}

/** A nested run without a slot fails its step: the runs above would wait for a slot that they hold themselves. */
async function requirePlace(tx: StoreOperations, { limits }: WorkflowDeps, isStep: boolean): Promise<void> {
  if ((await tx.countOpenWorkflowRuns()) < limits.maxOpenRuns) return
  throw new ParleyError(
    isStep ? 'invalid_request' : 'too_many_requests',
    `${limits.maxOpenRuns} runs of workflows go on already (workflows.maxOpenRuns).`,
  )
}

const findRun = async (tx: StoreOperations, scope: string, id: string | undefined) =>
  id === undefined ? undefined : tx.getRun(scope, id)
