/**
 * The state of a run and what to do next: a function of what is stored, so that any node that continues
 * a run takes the same path as before. It has no effects itself; `advance-run.ts` has them. What it needs and was not
 * given it requests by throwing `Unread`; then the run has to be walked again with that.
 */
import { invalidRequest } from '../../core/protocol/error.ts'
import { allSteps } from './blocks.ts'
import { toText } from './expression.ts'
import { dig, isTrueIn, textIn, valueIn, within, type Frame } from './expression-frame.ts'
import { asData, resolveInput, inputOf } from './step-inputs.ts'
import type { LinkedAction } from './definition.ts'
import type { OfType, Step } from './named-steps.ts'
import { cutOutput, hasFailed, isFinished, newState, type StepState } from './step-state.ts'
import { isOwn } from './step-types.ts'
import { requireOutputs } from './unread-outputs.ts'
import { walkInner, type BlockEnd, type End, type Finished, type FinishedBlock } from './walk-blocks.ts'
import { walkItems } from './walk-items.ts'
import type { Begin, Walk, WalkEnd, WalkFacts, Walking } from './walk-state.ts'

// between two checks of a question that should have timed out
const lateRecheckMs = 500
// nested lists grow without bounds in a few steps
const maxDataChars = 4_000_000
const maxRetryDelayMs = 3_600_000

export function walk(facts: WalkFacts): Walk {
  const { definition, args } = facts
  const result: Walk = { changed: new Map(), begins: [], links: [], noted: new Map(), passed: [] }
  const walking: Walking = { ...facts, result, failedSteps: [], count: 0 }
  const names = new Set(allSteps(definition.steps).map(({ step }) => step.id!))
  // without arguments the first step has no input
  const pipe = Object.keys(args).length > 0 ? args : undefined
  const frame: Frame = { prefix: '', args, names, steps: new Map(), locals: {}, pipe }
  const end = walkBlock(walking, definition.steps, frame)
  // after a failure nothing else is started
  if (end.isFinished) result.begins.length = 0
  if (end.isFinished && result.links.length === 0) result.end = toEnd(walking, end)
  return result
}

function toEnd({ definition, states, failedSteps }: Walking, { failed, last }: FinishedBlock): WalkEnd {
  if (failed)
    return {
      status: failed.status === 'timeout' ? 'timeout' : 'failed',
      error: `Step ${JSON.stringify(failed.path)}: ${failed.error ?? 'failed'}`,
      failedSteps,
    }
  // where the run continues after failures, the last step must still succeed
  const final = states.get(definition.steps.at(-1)!.id)
  if (final && hasFailed(final))
    return {
      status: 'failed',
      error: `The last step, ${JSON.stringify(final.path)}, failed: ${final.error ?? ''}`,
      failedSteps,
    }
  return { status: 'completed', output: last?.output ?? '', data: last?.data, failedSteps }
}

/** Steps in sequence. Adds their names to the given frame. */
function walkBlock(walking: Walking, steps: readonly Step[], here: Frame): BlockEnd {
  for (const step of steps) {
    const state = walkStep(walking, step, here)
    if (!state || !isFinished(state)) return { isFinished: false }
    here.steps.set(step.id, state)
    if (hasFailed(state)) {
      if (walking.definition.config?.errorStrategy !== 'continue') return { isFinished: true, failed: state }
      walking.failedSteps.push(state.path)
    } else if (state.status === 'completed') here.prev = state
  }
  return { isFinished: true, last: here.prev }
}

/** Undefined where it cannot begin yet. */
function walkStep(walking: Walking, step: Step, here: Frame): StepState | undefined {
  const { states, limits, now } = walking
  // lists in lists in loops: everything that needs no model would run in this walk
  if (++walking.count > limits.maxRunSteps)
    throw invalidRequest(`The run has more than ${limits.maxRunSteps} steps (workflows.maxRunSteps).`)
  const path = `${here.prefix}${step.id}`
  const known = states.get(path)
  if (!known && step.condition !== undefined && !isTrueIn(here, step.condition))
    return keep(walking, newState(step, path, { status: 'skipped', finishedAt: now }))
  const state =
    known && isFinished(known)
      ? revisit(walking, step, known, here)
      : advanceStep(walking, step, path, known, here)
  // a rejection that the run continues after is not a success
  if (state?.status === 'completed' && state.approved !== false) link(walking, step, state, here)
  return state
}

/** Of a finished step: starts a retry, or adds its names. */
function revisit(walking: Walking, step: Step, state: StepState, here: Frame): StepState {
  const retry = 'retryConfig' in step ? step.retryConfig : undefined
  const { status, attempt } = state
  const wantsRetry =
    retry !== undefined &&
    (status === 'failed' || status === 'timeout') &&
    attempt <= retry.maxRetries &&
    (retry.retryOn ?? ['failed', 'timeout']).includes(status)
  if (wantsRetry) {
    const { retryDelayMs = 1_000, backoff = 2 } = retry
    const wakeAt = walking.now + Math.min(retryDelayMs * backoff ** (attempt - 1), maxRetryDelayMs)
    const next: StepState = {
      ...state,
      status: 'pending',
      attempt: attempt + 1,
      wakeAt,
      finishedAt: undefined,
    }
    return advanceStep(walking, step, state.path, keep(walking, next), here)!
  }
  // later steps may refer to inner steps, and linked actions may be left
  if (status !== 'skipped') walkInside(walking, step, state, here)
  return state
}

/** Walks the inner steps of a step. */
function walkInside(walking: Walking, step: Step, state: StepState, here: Frame): End | undefined {
  const inside = (steps: readonly Step[], inner: Frame) => walkBlock(walking, steps, inner)
  return step.type === 'foreach'
    ? walkItems(walking, step, state, here, inside)
    : walkInner(step, here, {
        walkBlock: inside,
        isKnown: (path) => walking.states.has(path),
        isFinished: isFinished(state),
      })
}

function advanceStep(
  walking: Walking,
  step: Step,
  path: string,
  known: StepState | undefined,
  here: Frame,
): StepState | undefined {
  if (isOwn(step)) return beginOrWait(walking, step, known ?? newState(step, path, {}), here)
  switch (step.type) {
    case 'agent':
    case 'workflow':
      return beginOrWait(walking, step, known ?? newState(step, path, {}), here)
    case 'approve':
      return known ? waitForAnswer(walking, known) : ask(walking, step, path, here)
    case 'transform':
      return keep(
        walking,
        newState(step, path, { startedAt: walking.now, ...transform(walking, step, here) }),
      )
    default:
      return advanceContainer(walking, step, path, known, here)
  }
}

function beginOrWait(walking: Walking, step: Begin['step'], state: StepState, here: Frame): StepState {
  if (state.status === 'running') return state
  if (state.wakeAt !== undefined && state.wakeAt > walking.now) wake(walking, state.wakeAt)
  else walking.result.begins.push({ step, state, frame: within(here, {}), input: inputOf(step, here) })
  return state
}

function ask(walking: Walking, step: OfType<'approve'>, path: string, here: Frame): StepState {
  const { definition, limits, now } = walking
  const timeoutMs = step.timeoutMs ?? definition.config?.approvalTimeoutMs ?? limits.approvalTimeoutMs
  wake(walking, now + timeoutMs)
  return keep(
    walking,
    newState(step, path, {
      status: 'paused',
      // its input is passed to the next step, whatever the answer
      output: cut(walking, toText(resolveInput(step, here))),
      data: step.input === undefined ? here.prev?.data : undefined,
      details: { question: cut(walking, textIn(here, step.approvePrompt ?? step.prompt ?? '')) },
      startedAt: now,
      wakeAt: now + timeoutMs,
    }),
  )
}

/** Whether it has timed out is decided by the store, which knows of answers that came in time. */
function waitForAnswer(walking: Walking, state: StepState): StepState {
  wake(walking, Math.max(state.wakeAt ?? 0, walking.now + lateRecheckMs))
  return state
}

/** A step with inner steps: it finishes when they do. */
function advanceContainer(
  walking: Walking,
  step: Step,
  path: string,
  known: StepState | undefined,
  here: Frame,
): StepState {
  const { now } = walking
  const state = known ?? keep(walking, newState(step, path, { status: 'running', startedAt: now }))
  const finished = walkInside(walking, step, state, here)?.()
  if (!finished) return state
  return keep(walking, {
    // the progress of its items may have been noted
    ...walking.states.get(path)!,
    status: 'completed',
    ...bounded(finished),
    ...(finished.output !== undefined && { output: cut(walking, finished.output) }),
    finishedAt: now,
  })
}

function transform(
  walking: Walking,
  step: OfType<'transform'>,
  here: Frame,
): Finished & { finishedAt: number } {
  const value = dotPath.test(step.transform)
    ? dig(asData(resolveInput(step, here, true)), toPath(step.transform))
    : valueIn(here, step.transform)
  const output = cut(walking, toText(value))
  const data = typeof value === 'string' ? undefined : (value ?? null)
  return { status: 'completed', output, ...bounded({ data }), finishedAt: walking.now }
}

function link({ result }: Walking, step: Step, state: StepState, here: Frame): void {
  const all = step.linkedActions ?? []
  if (state.linked >= all.length) return
  // it is stored again with each of them
  requireOutputs([state])
  const seen = within(here, { prev: state })
  seen.steps.set(step.id, state)
  result.links.push({
    state,
    actions: all.slice(state.linked).map(({ type, params = {} }) => ({
      type,
      params: valueIn(seen, params) as LinkedAction['params'],
    })),
  })
}

function keep({ states, result }: Walking, state: StepState): StepState {
  states.set(state.path, state)
  result.changed.set(state.path, state)
  result.noted.delete(state.path)
  return state
}

function wake({ result }: Walking, at: number): void {
  result.wakeAt = Math.min(result.wakeAt ?? Infinity, at)
}

const cut = ({ definition, limits }: Walking, text: string): string =>
  cutOutput(text, definition.config?.maxStepOutputChars ?? limits.maxStepOutputChars)

/** Data that is too long fails its step. */
export function bounded(finished: Finished): Finished {
  const length = finished.data === undefined ? 0 : JSON.stringify(finished.data).length
  if (length <= maxDataChars) return finished
  return {
    status: 'failed',
    error: `Its data has ${length} characters as JSON; the most is ${maxDataChars}.`,
    data: undefined,
  }
}

const dotPath = /^\.?(?:[\w-]+(?:\.[\w-]+|\[\d+\])*)?$/

const toPath = (text: string): string[] =>
  text
    .trim()
    .split(/[.[\]]+/)
    .filter((part) => part !== '')
