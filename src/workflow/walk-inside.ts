import { toText } from './expression.ts'
import { evaluateIn, isTrueIn, textIn, valueIn, within, type Frame } from './frame.ts'
import { asData } from './given.ts'
import type { OfType, Step } from './named.ts'
import type { StepState } from './step-state.ts'

/** How far steps that come one after the other have got. */
export type BlockEnd = { isOver: false } | OverBlock
export type OverBlock = { isOver: true; failed?: StepState; last?: StepState }
export type WalkBlock = (steps: readonly Step[], here: Frame) => BlockEnd

/** What a step comes to. */
export type Finished = Partial<Pick<StepState, 'status' | 'output' | 'data' | 'error'>>

const defaultItemsAtOnce = 5
const defaultMaxItems = 1_000

/** Undefined while something inside is not over, and for steps that have nothing inside. */
export function goThrough(step: Step, here: Frame, walkBlock: WalkBlock): Finished | undefined {
  switch (step.type) {
    case 'parallel':
      return goParallel(step, here, walkBlock)
    case 'foreach':
      return goForeach(step, here, walkBlock)
    case 'branch':
      return goBranch(step, here, walkBlock)
    case 'loop':
      return goLoop(step, here, walkBlock)
    default:
      return undefined
  }
}

function goParallel(step: OfType<'parallel'>, here: Frame, walkBlock: WalkBlock): Finished | undefined {
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

function goForeach(step: OfType<'foreach'>, here: Frame, walkBlock: WalkBlock): Finished | undefined {
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

function goBranch(step: OfType<'branch'>, here: Frame, walkBlock: WalkBlock): Finished | undefined {
  const taken = step.cases.find(({ when }) => isTrueIn(here, when))?.steps ?? step.else
  if (!taken) return { output: here.prev?.output, data: here.prev?.data }
  const inner = within(here, { prefix: `${here.prefix}${step.id}/` })
  const blockEnd = walkBlock(taken as Step[], inner)
  if (!blockEnd.isOver) return undefined
  if (blockEnd.failed) return failedInside(blockEnd.failed)
  for (const [id, state] of inner.steps) here.steps.set(id, state)
  return { output: blockEnd.last?.output, data: blockEnd.last?.data }
}

function goLoop(step: OfType<'loop'>, here: Frame, walkBlock: WalkBlock): Finished | undefined {
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

const failedInside = ({ path, status, error }: StepState): Finished => ({
  status: status === 'timeout' ? 'timeout' : 'failed',
  error: `Step ${JSON.stringify(path)}: ${error ?? 'failed'}`,
})

const toData = (last: StepState | undefined): unknown => last?.data ?? last?.output ?? null
