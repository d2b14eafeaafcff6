import { isTrueIn, textIn, within, type Frame } from './expression-frame.ts'
import type { OfType, Step } from './named-steps.ts'
import type { StepState } from './step-state.ts'
import { requireOutputs } from './unread-outputs.ts'

/** How far a sequence of steps has got. */
export type BlockEnd = { isFinished: false } | FinishedBlock
export type FinishedBlock = { isFinished: true; failed?: StepState; last?: StepState }
export type WalkBlock = (steps: readonly Step[], here: Frame) => BlockEnd

/** The outcome of a step. */
export type Finished = Partial<Pick<StepState, 'status' | 'output' | 'data' | 'error'>>

/** The outcome of a step with inner steps, on demand: outputs may have to be read first. */
export type End = () => Finished

/** What is known of a step with inner steps before they are walked. */
export interface Inside {
  walkBlock: WalkBlock
  /** Whether a step was reached before, so that the decision of its container was made. */
  isKnown(path: string): boolean
  /** It has finished: only its names and the remaining linked actions are of interest. */
  isFinished: boolean
}

/** Undefined while an inner step has not finished, and for steps without inner steps. */
export function walkInner(step: Step, here: Frame, inside: Inside): End | undefined {
  switch (step.type) {
    case 'parallel':
      return walkParallel(step, here, inside)
    case 'branch':
      return walkBranch(step, here, inside)
    case 'loop':
      return walkLoop(step, here, inside)
    default:
      return undefined
  }
}

function walkParallel(step: OfType<'parallel'>, here: Frame, { walkBlock }: Inside): End | undefined {
  const ends: [string, FinishedBlock][] = []
  let open = 0
  const reached = new Map<string, StepState>()
  for (const [name, steps] of Object.entries(step.branches)) {
    if (open >= (step.maxConcurrency ?? Infinity)) break
    const inner = within(here, { prefix: `${here.prefix}${step.id}/` })
    const blockEnd = walkBlock(steps as Step[], inner)
    if (!blockEnd.isFinished) open++
    else if (blockEnd.failed) return () => failedInside(blockEnd.failed!)
    // the output before the step is not the outcome of a branch
    else ends.push([name, blockEnd.last === here.prev ? { isFinished: true } : blockEnd])
    for (const [id, state] of inner.steps) reached.set(id, state)
  }
  if (ends.length < Object.keys(step.branches).length) return undefined
  for (const [id, state] of reached) here.steps.set(id, state)
  return () => {
    requireOutputs(ends.flatMap(([, { last }]) => last ?? []))
    return {
      output: ends.map(([name, { last }]) => `## ${name}\n\n${last?.output ?? ''}`).join('\n\n'),
      data: Object.fromEntries(ends.map(([name, { last }]) => [name, toData(last)])),
    }
  }
}

function walkBranch(step: OfType<'branch'>, here: Frame, inside: Inside): End | undefined {
  const inner = within(here, { prefix: `${here.prefix}${step.id}/` })
  const taken = findTaken(step, here, inner.prefix, inside)
  if (!taken) return () => ({ output: here.prev?.output, data: here.prev?.data })
  const blockEnd = inside.walkBlock(taken, inner)
  if (!blockEnd.isFinished) return undefined
  if (blockEnd.failed) return () => failedInside(blockEnd.failed!)
  for (const [id, state] of inner.steps) here.steps.set(id, state)
  return () => ({ output: blockEnd.last?.output, data: blockEnd.last?.data })
}

/** Once a branch was started, its condition is not evaluated again. */
function findTaken(
  step: OfType<'branch'>,
  here: Frame,
  prefix: string,
  { isKnown, isFinished }: Inside,
): Step[] | undefined {
  const all = [...step.cases.map(({ steps }) => steps), step.else ?? []] as Step[][]
  const begun = all.find(([first]) => first && isKnown(`${prefix}${first.id}`))
  if (begun || isFinished) return begun
  return (step.cases.find(({ when }) => isTrueIn(here, when))?.steps ?? step.else) as Step[] | undefined
}

function walkLoop(
  step: OfType<'loop'>,
  here: Frame,
  { walkBlock, isKnown, isFinished }: Inside,
): End | undefined {
  const steps = step.steps as Step[]
  const prefixOf = (iteration: number) => `${here.prefix}${step.id}#${iteration}/`
  let before = within(here, {})
  for (let iteration = 1; iteration <= step.maxIterations; iteration++) {
    const inner = within(before, {
      prefix: prefixOf(iteration),
      locals: { ...here.locals, iteration },
    })
    const blockEnd = walkBlock(steps, inner)
    if (!blockEnd.isFinished) return undefined
    if (blockEnd.failed) return () => failedInside(blockEnd.failed!)
    for (const [id, state] of inner.steps) here.steps.set(id, state)
    // the next round was started: the condition need not be evaluated again
    if (!isKnown(`${prefixOf(iteration + 1)}${steps[0]!.id}`)) {
      if (isFinished) return undefined
      const end = endAfter(step, iteration, inner, before, blockEnd)
      if (end) return end
    }
    before = inner
  }
  return undefined
}

/** The outcome of a loop after a round; undefined when there is another round. */
function endAfter(
  { until, stopWhenRepeated, maxIterations, onLimit }: OfType<'loop'>,
  iteration: number,
  inner: Frame,
  before: Frame,
  { last }: FinishedBlock,
): End | undefined {
  const finished = () => ({ output: last?.output, data: last?.data })
  if (isTrueIn(inner, until)) return finished
  const repeatedText = (frame: Frame) =>
    stopWhenRepeated === undefined ? '' : textIn(frame, stopWhenRepeated)
  const now = repeatedText(inner)
  if (iteration > 1 && now.trim() !== '' && now === repeatedText(before))
    return () => ({
      ...finished(),
      status: 'failed',
      error: `Rounds ${iteration - 1} and ${iteration} came to the same: ${shorten(now)}`,
    })
  if (iteration < maxIterations) return undefined
  return onLimit === 'continue'
    ? finished
    : () => ({ ...finished(), status: 'failed', error: `It is not done after ${iteration} rounds.` })
}

export const shorten = (text: string) => (text.length > 200 ? `${text.slice(0, 200).toWellFormed()}…` : text)

export const failedInside = ({ path, status, error }: StepState): Finished => ({
  status: status === 'timeout' ? 'timeout' : 'failed',
  error: `Step ${JSON.stringify(path)}: ${error ?? 'failed'}`,
})

export const toData = (last: StepState | undefined): unknown => last?.data ?? last?.output ?? null
