/**
 * Where a run of a definition stands, and what is to be done next: a function of what is stored, so that whoever goes on
 * with a run takes the way that was taken before. It does nothing itself; `advance.ts` does.
 */
import { invalidRequest } from '../protocol/error.ts'
import { allSteps } from './blocks.ts'
import type { WorkflowLimits } from './deps.ts'
import { toText } from './expression.ts'
import { dig, evaluateIn, isTrueIn, textIn, valueIn, within, type Frame } from './frame.ts'
import type { LinkedAction } from './linked-actions.ts'
import type { Definition, Step } from './named.ts'
import { hasFailed, isOver, type StepDetails, type StepState } from './step-state.ts'

export interface WalkFacts {
  definition: Definition
  args: Readonly<Record<string, unknown>>
  /** What is stored of the run, by path. The walk adds what it finds out. */
  states: Map<string, StepState>
  now: number
  limits: Pick<WorkflowLimits, 'maxStepOutputChars' | 'approvalTimeoutMs' | 'maxRunSteps'>
}

type OfType<Type extends Step['type']> = Extract<Step, { type: Type }>

/** A step that has to be done by somebody else. */
export interface Begin {
  step: OfType<'agent'> | OfType<'workflow'>
  state: StepState
  frame: Frame
  /** What it works on; undefined where its text says all of it. */
  input: unknown
}

export interface Link {
  state: StepState
  /** Those that are not done yet, with their names filled in. */
  actions: LinkedAction[]
}

export interface WalkEnd {
  status: 'completed' | 'failed' | 'timeout'
  output?: string
  data?: unknown
  error?: string
  /** Paths of steps that failed while the run went on. */
  failedSteps: string[]
}

export interface Walk {
  /** States that are not stored as they are now. */
  changed: Map<string, StepState>
  begins: Begin[]
  links: Link[]
  /** Set when nothing is left to do. */
  end?: WalkEnd
  /** When something happens by itself. */
  wakeAt?: number
}

// between two looks at a question whose time should be over
const lateLookMs = 500
const cutMark = '\n... (truncated)'
const defaultItemsAtOnce = 5
const defaultMaxItems = 1_000
// lists of lists of the same grow beyond all bounds in a few steps
const maxDataChars = 4_000_000

export function walk(facts: WalkFacts): Walk {
  const { definition, args, states, now, limits } = facts
  const goesOnAfterFailure = definition.config?.errorStrategy === 'continue'
  const maxOutput = definition.config?.maxStepOutputChars ?? limits.maxStepOutputChars
  const result: Walk = { changed: new Map(), begins: [], links: [] }
  const failedSteps: string[] = []
  let walked = 0

  const names = new Set(allSteps(definition.steps).map(({ step }) => step.id!))
  const frame: Frame = { prefix: '', args, names, steps: new Map(), locals: {}, pipe: toPipe(args) }
  const end = walkBlock(definition.steps, frame)
  // what was found beside a failure is not begun any more
  if (end.isOver) result.begins.length = 0
  if (end.isOver && result.links.length === 0) result.end = toEnd(end)
  return result

  function toEnd({ failed, last }: OverBlock): WalkEnd {
    if (failed)
      return {
        status: failed.status === 'timeout' ? 'timeout' : 'failed',
        error: `Step ${JSON.stringify(failed.path)}: ${failed.error ?? 'failed'}`,
        failedSteps,
      }
    // where the run goes on after failures, the last word still has to be one
    const final = states.get(definition.steps.at(-1)!.id)
    if (final && hasFailed(final))
      return {
        status: 'failed',
        error: `The last step, ${JSON.stringify(final.path)}, failed: ${final.error ?? ''}`,
        failedSteps,
      }
    return { status: 'completed', output: last?.output ?? '', data: last?.data, failedSteps }
  }

  /** Steps one after the other. What the names mean after it is in the frame that was given. */
  function walkBlock(steps: readonly Step[], here: Frame): BlockEnd {
    for (const step of steps) {
      const state = walkStep(step, here)
      if (!state || !isOver(state)) return { isOver: false }
      here.steps.set(step.id, state)
      if (hasFailed(state)) {
        if (!goesOnAfterFailure) return { isOver: true, failed: state }
        failedSteps.push(state.path)
      } else if (state.status === 'completed') here.prev = state
    }
    return { isOver: true, last: here.prev }
  }

  /** Undefined where it cannot begin yet. */
  function walkStep(step: Step, here: Frame): StepState | undefined {
    // lists in lists in rounds: all that needs no model would be done here and now
    if (++walked > limits.maxRunSteps)
      throw invalidRequest(`The run has more than ${limits.maxRunSteps} steps (workflows.maxRunSteps).`)
    const path = `${here.prefix}${step.id}`
    const known = states.get(path)
    if (!known && step.condition !== undefined && !isTrueIn(here, step.condition))
      return keep(newState(step, path, { status: 'skipped', finishedAt: now }))
    const state = known && isOver(known) ? passOver(step, known, here) : go(step, path, known, here)
    // a no that the run goes on after is no success
    if (state?.status === 'completed' && state.approved !== false) link(step, state, here)
    return state
  }

  /** Of a step that is over: whether it is tried again, and what of it can be told of. */
  function passOver(step: Step, state: StepState, here: Frame): StepState {
    const retry = 'retryConfig' in step ? step.retryConfig : undefined
    const { status, attempt } = state
    const wantsRetry =
      retry !== undefined &&
      (status === 'failed' || status === 'timeout') &&
      attempt <= retry.maxRetries &&
      (retry.retryOn ?? ['failed', 'timeout']).includes(status)
    if (wantsRetry) {
      const { retryDelayMs = 1_000, backoff = 2 } = retry
      const wakeAt = now + Math.min(retryDelayMs * backoff ** (attempt - 1), maxRetryDelayMs)
      return go(
        step,
        state.path,
        keep({ ...state, status: 'pending', attempt: attempt + 1, wakeAt, finishedAt: undefined }),
        here,
      )!
    }
    // what comes after may speak of what is inside, and what was to be done after it may not be done yet
    if (state.status !== 'skipped') goThrough(step, here)
    return state
  }

  function go(step: Step, path: string, known: StepState | undefined, here: Frame): StepState | undefined {
    switch (step.type) {
      case 'agent':
      case 'workflow':
        return goBegin(step, path, known, here)
      case 'approve':
        return known ? goWait(known) : ask(step, path, here)
      case 'transform':
        return keep(newState(step, path, { startedAt: now, ...transform(step, here) }))
      default:
        return goInside(step, path, known, here)
    }
  }

  /** Undefined while something inside is not over, and for steps that have nothing inside. */
  function goThrough(step: Step, here: Frame): Finished | undefined {
    switch (step.type) {
      case 'parallel':
        return goParallel(step, here)
      case 'foreach':
        return goForeach(step, here)
      case 'branch':
        return goBranch(step, here)
      case 'loop':
        return goLoop(step, here)
      default:
        return undefined
    }
  }

  function goBegin(
    step: OfType<'agent'> | OfType<'workflow'>,
    path: string,
    known: StepState | undefined,
    here: Frame,
  ): StepState {
    const state = known ?? newState(step, path, {})
    if (state.status === 'running') return state
    if (state.wakeAt !== undefined && state.wakeAt > now) {
      wake(state.wakeAt)
      return state
    }
    result.begins.push({ step, state, frame: within(here, {}), input: inputOf(step, here) })
    return state
  }

  function ask(step: OfType<'approve'>, path: string, here: Frame): StepState {
    const timeoutMs = step.timeoutMs ?? definition.config?.approvalTimeoutMs ?? limits.approvalTimeoutMs
    wake(now + timeoutMs)
    return keep(
      newState(step, path, {
        status: 'paused',
        // what it was given goes on to the next step, whatever the answer
        output: cut(toText(given(step, here))),
        data: step.input === undefined ? here.prev?.data : undefined,
        details: { question: cut(textIn(here, step.approvePrompt ?? step.prompt ?? '')) },
        startedAt: now,
        wakeAt: now + timeoutMs,
      }),
    )
  }

  /** Whose time is over is for the store to say, which knows of answers that came in time. */
  function goWait(state: StepState): StepState {
    wake(Math.max(state.wakeAt ?? 0, now + lateLookMs))
    return state
  }

  /** A step with steps in it: it is over when they are. */
  function goInside(step: Step, path: string, known: StepState | undefined, here: Frame): StepState {
    const state = known ?? keep(newState(step, path, { status: 'running', startedAt: now }))
    const finished = goThrough(step, here)
    if (!finished) return state
    return keep({
      ...state,
      status: 'completed',
      ...bounded(finished),
      ...(finished.output !== undefined && { output: cut(finished.output) }),
      finishedAt: now,
    })
  }

  function goParallel(step: OfType<'parallel'>, here: Frame): Finished | undefined {
    const ends: [string, OverBlock][] = []
    let open = 0
    const told = new Map<string, StepState>()
    for (const [name, steps] of Object.entries(step.branches)) {
      if (open >= (step.maxConcurrency ?? Infinity)) break
      const inner = within(here, { prefix: `${here.prefix}${step.id}/` })
      const blockEnd = walkBlock(steps as Step[], inner)
      if (!blockEnd.isOver) open++
      else if (blockEnd.failed) return failedInside(blockEnd.failed)
      // what came before the step is nothing that a branch came to
      else ends.push([name, blockEnd.last === here.prev ? { isOver: true } : blockEnd])
      for (const [id, state] of inner.steps) told.set(id, state)
    }
    if (ends.length < Object.keys(step.branches).length) return undefined
    for (const [id, state] of told) here.steps.set(id, state)
    return {
      output: ends.map(([name, { last }]) => `## ${name}\n\n${last?.output ?? ''}`).join('\n\n'),
      data: Object.fromEntries(ends.map(([name, { last }]) => [name, toData(last)])),
    }
  }

  function goForeach(step: OfType<'foreach'>, here: Frame): Finished | undefined {
    const items = readItems(step, here)
    if (!Array.isArray(items)) return { status: 'failed', error: items.error }
    const ends: OverBlock[] = []
    let open = 0
    for (const [index, item] of items.entries()) {
      if (open >= (step.maxConcurrency ?? defaultItemsAtOnce)) break
      const blockEnd = walkBlock(
        step.steps as Step[],
        within(here, {
          prefix: `${here.prefix}${step.id}#${index + 1}/`,
          locals: { ...here.locals, [step.as ?? 'item']: item, index },
          prev: undefined,
          pipe: item,
        }),
      )
      if (!blockEnd.isOver) open++
      else if (blockEnd.failed) return failedInside(blockEnd.failed)
      else ends.push(blockEnd)
    }
    if (ends.length < items.length) return undefined
    return {
      output: ends.map(({ last }) => last?.output ?? '').join('\n\n'),
      data: ends.map(({ last }) => toData(last)),
    }
  }

  function goBranch(step: OfType<'branch'>, here: Frame): Finished | undefined {
    const taken = step.cases.find(({ when }) => isTrueIn(here, when))?.steps ?? step.else
    if (!taken) return { output: here.prev?.output, data: here.prev?.data }
    const inner = within(here, { prefix: `${here.prefix}${step.id}/` })
    const blockEnd = walkBlock(taken as Step[], inner)
    if (!blockEnd.isOver) return undefined
    if (blockEnd.failed) return failedInside(blockEnd.failed)
    for (const [id, state] of inner.steps) here.steps.set(id, state)
    return { output: blockEnd.last?.output, data: blockEnd.last?.data }
  }

  function goLoop(step: OfType<'loop'>, here: Frame): Finished | undefined {
    let before = within(here, {})
    let repeated: string | undefined
    for (let iteration = 1; iteration <= step.maxIterations; iteration++) {
      const inner = within(before, {
        prefix: `${here.prefix}${step.id}#${iteration}/`,
        locals: { ...here.locals, iteration },
      })
      const blockEnd = walkBlock(step.steps as Step[], inner)
      if (!blockEnd.isOver) return undefined
      if (blockEnd.failed) return failedInside(blockEnd.failed)
      for (const [id, state] of inner.steps) here.steps.set(id, state)
      const finished = { output: blockEnd.last?.output, data: blockEnd.last?.data }
      if (isTrueIn(inner, step.until)) return finished
      const said = step.stopWhenRepeated === undefined ? undefined : textIn(inner, step.stopWhenRepeated)
      if (said !== undefined && said.trim() !== '' && said === repeated)
        return {
          ...finished,
          status: 'failed',
          error: `Rounds ${iteration - 1} and ${iteration} came to the same: ${shorten(said)}`,
        }
      if (iteration === step.maxIterations)
        return step.onLimit === 'continue'
          ? finished
          : { ...finished, status: 'failed', error: `It is not done after ${iteration} rounds.` }
      repeated = said
      before = inner
    }
    return undefined
  }

  function transform(step: OfType<'transform'>, here: Frame): Finished & { finishedAt: number } {
    const value = dotPath.test(step.transform)
      ? dig(asData(given(step, here, true)), toPath(step.transform))
      : valueIn(here, step.transform)
    const output = cut(toText(value))
    const data = typeof value === 'string' ? undefined : (value ?? null)
    return { status: 'completed', output, ...bounded({ data }), finishedAt: now }
  }

  /** What a step is given: its own input, else what came before it. */
  function given(step: Step, here: Frame, wantsData = false): unknown {
    if (step.input !== undefined) return valueIn(here, step.input)
    if (!here.prev) return here.pipe
    return wantsData ? (here.prev.data ?? here.prev.output) : here.prev.output
  }

  /** A text that speaks of what came before has it in it already. */
  function inputOf(step: OfType<'agent'> | OfType<'workflow'>, here: Frame): unknown {
    if (step.input !== undefined || step.type !== 'agent') return given(step, here)
    const isIn = here.prev
      ? speaksOf(step.prompt, ['prev', here.prev.stepId])
      : speaksOf(step.prompt, pipeNames(here))
    return isIn ? undefined : given(step, here)
  }

  function link(step: Step, state: StepState, here: Frame): void {
    const all = step.linkedActions ?? []
    if (state.linked >= all.length) return
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

  function keep(state: StepState): StepState {
    states.set(state.path, state)
    result.changed.set(state.path, state)
    return state
  }

  function wake(at: number): void {
    result.wakeAt = Math.min(result.wakeAt ?? Infinity, at)
  }

  function cut(text: string): string {
    return cutOutput(text, maxOutput)
  }
}

type OverBlock = { isOver: true; failed?: StepState; last?: StepState }
type BlockEnd = { isOver: false } | OverBlock
type Finished = Partial<Pick<StepState, 'status' | 'output' | 'data' | 'error'>>

const maxRetryDelayMs = 3_600_000

function bounded(finished: Finished): Finished {
  const length = finished.data === undefined ? 0 : JSON.stringify(finished.data).length
  if (length <= maxDataChars) return finished
  return {
    status: 'failed',
    error: `Its data has ${length} characters as JSON; the most is ${maxDataChars}.`,
    data: undefined,
  }
}

export const cutOutput = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit).toWellFormed()}${cutMark}`

export const newState = (step: Step, path: string, more: Partial<StepState>): StepState => ({
  path,
  stepId: step.id,
  type: step.type,
  status: 'pending',
  attempt: 1,
  details: {} satisfies StepDetails,
  linked: 0,
  ...more,
})

/** An approve step with its answer; one that came too late is a no. */
export function answered(
  step: OfType<'approve'>,
  state: StepState,
  { approved, comment, now, isLate }: { approved: boolean; comment?: string; now: number; isLate?: boolean },
): StepState {
  const goesOn = approved || step.onReject === 'continue'
  const why = isLate
    ? 'Nobody answered in time.'
    : comment
      ? `It was rejected: ${comment}`
      : 'It was rejected.'
  return {
    ...state,
    status: goesOn ? 'completed' : isLate ? 'timeout' : 'failed',
    approved,
    data: mergeComment(state.data, comment),
    details: { ...state.details, ...(comment !== undefined && { comment }) },
    ...(!approved && { error: why }),
    wakeAt: undefined,
    finishedAt: now,
  }
}

const mergeComment = (data: unknown, comment: string | undefined) =>
  comment === undefined
    ? data
    : { ...(typeof data === 'object' && !Array.isArray(data) ? data : undefined), comment }

const failedInside = ({ path, status, error }: StepState): Finished => ({
  status: status === 'timeout' ? 'timeout' : 'failed',
  error: `Step ${JSON.stringify(path)}: ${error ?? 'failed'}`,
})

const toData = (last: StepState | undefined): unknown => last?.data ?? last?.output ?? null

const toPipe = (args: Readonly<Record<string, unknown>>) => (Object.keys(args).length > 0 ? args : undefined)

/** Names under which the first thing that is given can be spoken of. */
const pipeNames = ({ locals }: Frame) => ['args', ...Object.keys(locals)]

const speaksOf = (text: string, names: readonly string[]) =>
  names.some((name) => new RegExp(`\\$${name}(?![\\w-])`).test(text))

/** A text may hold data: models answer with JSON. */
function asData(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

const dotPath = /^\.?(?:[\w-]+(?:\.[\w-]+|\[\d+\])*)?$/

const toPath = (text: string): string[] =>
  text
    .trim()
    .split(/[.[\]]+/)
    .filter((part) => part !== '')

function readItems(step: OfType<'foreach'>, here: Frame): unknown[] | { error: string } {
  const value = typeof step.items === 'string' ? evaluateIn(here, step.items) : valueIn(here, step.items)
  const items = asData(value)
  if (!Array.isArray(items))
    return { error: `"items" is no list: ${shorten(toText(items)) || 'there is nothing'}` }
  const most = step.maxItems ?? defaultMaxItems
  return items.length > most
    ? { error: `There are ${items.length} items; the most is ${most} (maxItems).` }
    : items
}

const shorten = (text: string) => (text.length > 200 ? `${text.slice(0, 200).toWellFormed()}…` : text)
