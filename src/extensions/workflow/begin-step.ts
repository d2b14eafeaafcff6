import type { ActiveRun } from '../../core/orchestrator/orchestrate.ts'
import {
  beginStep as beginStepOf,
  putSteps,
  readRefusal,
  startStepTask,
} from '../../core/orchestrator/steps.ts'
import type { TaskRequest } from '../../core/protocol/background.ts'
import { invalidRequest, ParleyError, quote } from '../../core/protocol/error.ts'
import type { Session } from '../../core/protocol/session.ts'
import type { TurnInput } from '../../core/chat/turn-input.ts'
import { isObject } from '../../core/shared/type-checks.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { modeWithin } from '../../core/protocol/mode-within.ts'
import type { WorkflowContext } from './facets.ts'
import type { WorkflowDeps } from './workflow-service.ts'
import { textIn, valueIn } from './expression-frame.ts'
import type { Definition, Step } from './named-steps.ts'
import { runOwnStep } from './run-own-step.ts'
import { fieldsOf, isOwn } from './step-types.ts'
import { startRunIn, type WorkflowInput } from './start-run.ts'
import { isFinished, type StepState } from './step-state.ts'
import { stepTable } from './step-table.ts'
import { hasOutput, headsOf } from './unread-outputs.ts'
import type { Begin } from './walk-state.ts'

type SessionConfig = NonNullable<Extract<Step, { type: 'agent' }>['sessionConfig']>

export interface ActiveWorkflowRun extends ActiveRun {
  definition: Definition
}

// how much a step sees of the outputs of others
const maxOutput = 300
const maxOutputs = 50
// one more than is shown, to detect that there is more
export const headLength = maxOutput + 1

/** What a step is started with: the values of all its names. */
export type Prepared =
  | {
      type: 'agent'
      request: TaskRequest
      turn: Pick<TurnInput, 'workflow' | 'referencesIn'>
    }
  | { type: 'workflow'; args: Record<string, unknown> }
  | { type: 'own'; fields: Record<string, unknown>; input: unknown }
  | { type: 'refused'; error: ParleyError }

/** Uses earlier outputs, which may have to be read first. A name that cannot be resolved fails the step. */
export function prepare(active: ActiveWorkflowRun, begin: Begin): Prepared {
  const { step, frame, input } = begin
  try {
    if (step.type === 'agent')
      return {
        type: 'agent',
        request: toRequest(active, begin, step),
        turn: { workflow: toContext(active, begin), referencesIn: withoutOutputs(begin, step.prompt) },
      }
    if (isOwn(step))
      return { type: 'own', fields: valueIn(frame, fieldsOf(step)) as Record<string, unknown>, input }
    const args = step.args === undefined ? input : valueIn(frame, step.args)
    const named = isObject(args) ? args : args === undefined || args === '' ? {} : { input: args }
    return { type: 'workflow', args: named }
  } catch (error) {
    if (!(error instanceof ParleyError) || error.status >= 500) throw error
    return { type: 'refused', error }
  }
}

/** Starts a session for a step. A refusal fails the step. */
export async function beginStep(
  deps: WorkflowDeps,
  active: ActiveWorkflowRun,
  begin: Begin,
  prepared: Prepared,
): Promise<StepState | 'full'> {
  const { store, clock } = deps
  const running: StepState = {
    ...begin.state,
    status: 'running',
    // of a failed attempt
    output: undefined,
    data: undefined,
    error: undefined,
    wakeAt: undefined,
    startedAt: begin.state.startedAt ?? clock.now(),
  }
  if (prepared.type === 'own') {
    const done = { ...running, ...(await runOwnStep(deps, active, begin, prepared)), finishedAt: clock.now() }
    await putSteps(store, stepTable, active, [done])
    return done
  }
  const begun =
    prepared.type === 'refused'
      ? await readRefusal(store, active.run, prepared.error)
      : await beginStepOf(store, stepTable, active, {
          start: (tx) =>
            prepared.type === 'agent'
              ? startAgent(tx, deps, active, begin, prepared)
              : startWorkflow(tx, deps, active, begin, prepared),
          toStep: (task) => ({ ...running, sessionId: task.session.id, taskRunId: task.run.id }),
        })
  if (begun === 'full') return 'full'
  if ('step' in begun) return begun.step
  const failed: StepState = { ...running, status: 'failed', error: begun.refused, finishedAt: clock.now() }
  await putSteps(store, stepTable, active, [failed])
  return failed
}

async function startAgent(
  tx: StoreOperations,
  deps: WorkflowDeps,
  active: ActiveWorkflowRun,
  begin: Begin,
  { request, turn }: Extract<Prepared, { type: 'agent' }>,
) {
  const { run } = active
  const { sessionConfig: config = {} } = begin.step as Extract<Step, { type: 'agent' }>
  return startStepTask(tx, deps.background, run, request, {
    meta: {
      memoryPolicy:
        config.memoryPolicy === 'full'
          ? { skipPerRoundExtract: false, skipNarrativeBatchExtract: false }
          : { skipDocumentExtract: true },
    },
    title: `${active.definition.name}: ${begin.state.path}`,
    allowedTools: config.allowedTools,
    session: await rightsOf(tx, deps, run, config),
    turn: {
      ...turn,
      actor: { type: 'system', source: 'workflow' },
      thinking: config.thinking,
      maxSteps: config.maxTurns,
      activeSkills: config.skills,
      ...(config.memoryPolicy === 'none' && { skipMemory: true }),
    },
  })
}

/** The output of a model, or a page that it read, must not pull files into the next prompt by naming them. */
const withoutOutputs = ({ frame }: Begin, text: string): string =>
  textIn({ ...frame, steps: new Map(), locals: {}, prev: undefined }, text)

/** A definition can only narrow what the run may do. */
async function rightsOf(
  tx: StoreOperations,
  { readMode }: WorkflowDeps,
  { scope, sessionId }: Run,
  { allowedSkills, allowedMcpServerIds, permissionMode, toolGroups, skills }: SessionConfig,
) {
  const session = await tx.requireSession(scope, sessionId)
  requireSkills(session, skills)
  return {
    allowedSkills,
    allowedMcpServerIds,
    // not left to the sessions above it alone: a fork of the session has none
    permissionMode: modeWithin(await readMode(tx, session), permissionMode),
    toolGroups,
  }
}

/** Skills are loaded on behalf of whoever started the run. */
function requireSkills({ allowedSkills }: Session, skills: readonly string[] = []): void {
  const refused = allowedSkills && skills.find((name) => !allowedSkills.includes(name))
  if (refused !== undefined)
    throw new ParleyError(
      'forbidden',
      `The session that started the run may not load the skill ${quote(refused)}.`,
    )
}

async function startWorkflow(
  tx: StoreOperations,
  deps: WorkflowDeps,
  { run }: ActiveWorkflowRun,
  { state, step: begun }: Begin,
  { args }: Extract<Prepared, { type: 'workflow' }>,
) {
  const step = begun as Extract<Step, { type: 'workflow' }>
  const found = await tx.getWorkflowByName(run.scope, step.workflow)
  if (!found) throw invalidRequest(`There is no workflow named ${quote(step.workflow)} in this scope.`)
  return startRunIn(
    tx,
    deps,
    {
      scope: run.scope,
      text: found.text,
      workflow: { id: found.id, version: found.version },
      args,
      source: 'workflow',
      sourceId: run.id,
      parentSessionId: run.sessionId,
    },
    { parent: { run, path: state.path }, timeoutMs: step.timeoutMs },
  )
}

function toRequest(
  { definition }: ActiveWorkflowRun,
  { frame, state, input }: Begin,
  { id, prompt, model, timeoutMs, sessionConfig: config = {} }: Extract<Step, { type: 'agent' }>,
): TaskRequest {
  const before = frame.prev?.data
  const context = {
    ...(input !== undefined && { input }),
    ...(isObject(before) && { previousStepStructured: before }),
  }
  return {
    prompt: textIn(frame, prompt),
    systemInstructions: config.systemPrompt === undefined ? undefined : textIn(frame, config.systemPrompt),
    ...(Object.keys(context).length > 0 && { context }),
    expectedOutput: config.expectedOutputFormat,
    outputSchema: config.outputSchema ?? (isLast(definition, id) ? toSchema(definition.outputs) : undefined),
    label: state.path.slice(0, 200),
    model: model ?? config.model,
    timeoutMs,
  }
}

const isLast = ({ steps }: Definition, id: string) => steps.at(-1)?.id === id

/** The output schema of the workflow applies to its last step. */
function toSchema(outputs: Definition['outputs']): Record<string, unknown> | undefined {
  if (!outputs || Object.keys(outputs).length === 0) return undefined
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(outputs).map(([name, { type = 'string', description }]) => [
        name,
        { type, ...(description !== undefined && { description }) },
      ]),
    ),
    required: Object.keys(outputs),
  }
}

function toContext({ run, definition }: ActiveWorkflowRun, { state, frame }: Begin): WorkflowContext {
  const steps = definition.steps.map(({ id }) => id)
  const top = state.path.split(/[#/]/)[0]!
  const known = [...frame.steps.values()].filter(hasOutput).slice(-maxOutputs)
  const heads = headsOf(known)
  return {
    name: definition.name,
    runId: run.id,
    step: state.path,
    completed: steps.filter((id) => frame.steps.has(id) && isFinished(frame.steps.get(id)!)).length,
    steps,
    nextStep: steps[steps.indexOf(top) + 1],
    outputs: known.map(({ path }, index) => ({
      step: path,
      output: heads[index]!.slice(0, headLength).toWellFormed(),
    })),
    args: (run.input as WorkflowInput).args,
  }
}
