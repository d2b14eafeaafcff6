import type { PassedItems } from './store/workflow-runs.ts'
import { evaluateIn, valueIn, within, type Frame } from './expression-frame.ts'
import { toText } from './expression.ts'
import { asData } from './step-inputs.ts'
import type { OfType, Step } from './named-steps.ts'
import { countIn, holds, withIndexes } from './passed-items.ts'
import { isFinished, type StepState } from './step-state.ts'
import { requireOutputs, Unread } from './unread-outputs.ts'
import { failedInside, shorten, toData, type End, type FinishedBlock, type WalkBlock } from './walk-blocks.ts'
import type { Walking } from './walk-state.ts'

const defaultItemsAtOnce = 5
const defaultMaxItems = 1_000
// noted together: each note is a write
const passedAtOnce = 16

/**
 * The same steps for each item of a list. Finished items are passed: nothing of them is read or walked
 * again before all are, so that an item costs as much in a long list as in a short one.
 */
export function walkItems(
  walking: Walking,
  step: OfType<'foreach'>,
  state: StepState,
  here: Frame,
  walkBlock: WalkBlock,
): End | undefined {
  const known: PassedItems = state.details.items ?? { ranges: [], steps: 0 }
  const { failedSteps, result } = walking
  walking.count += known.steps
  if (isFinished(state)) failedSteps.push(...(known.failed ?? []))
  if (known.isClosed) return undefined
  const items = readItems(step, here)
  if (!Array.isArray(items))
    return () => {
      note({ ...known, isClosed: true })
      return { status: 'failed', error: items.error }
    }

  const prefixOf = (index: number) => `${here.prefix}${step.id}#${index + 1}/`
  const walkItem = (index: number): { end: ReturnType<WalkBlock>; failed: string[] } => {
    const before = failedSteps.length
    const end = walkBlock(
      step.steps as Step[],
      within(here, {
        prefix: prefixOf(index),
        locals: { ...here.locals, [step.as ?? 'item']: items[index], index },
        prev: undefined,
        pipe: items[index],
      }),
    )
    return { end, failed: failedSteps.splice(before) }
  }

  const finished = new Map<number, { end: FinishedBlock; failed: string[] }>()
  const passable: number[] = []
  let open = 0
  let { steps } = known
  for (const index of items.keys()) {
    if (holds(known.ranges, index)) continue
    if (open >= (step.maxConcurrency ?? defaultItemsAtOnce)) break
    const [count, links] = [walking.count, result.links.length]
    const { end, failed } = walkItem(index)
    if (!end.isFinished) open++
    else if (end.failed) return () => failedInside(end.failed!)
    else finished.set(index, { end, failed })
    // an item with linked actions left is walked again
    if (!end.isFinished || result.links.length > links) continue
    passable.push(index)
    steps += walking.count - count
  }
  const ranges = withIndexes(known.ranges, passable)
  const isWhole = finished.size + countIn(known.ranges) === items.length
  const isClosed = countIn(ranges) === items.length

  if (isFinished(state)) {
    const failed = known.failed ?? [...finished.values()].flatMap((one) => one.failed)
    if (!known.failed) failedSteps.push(...failed)
    if (isClosed) note({ ranges, steps, isClosed, failed }, `${state.path}#`)
    return undefined
  }
  if (!isWhole) {
    if (passable.length >= passedAtOnce) note({ ranges, steps }, ...passable.map(prefixOf))
    return undefined
  }
  return () => {
    const first = (step.steps as Step[])[0]!.id
    const { count } = walking
    const ends = [...items.keys()].map((index) => {
      const walked = finished.get(index)
      if (walked) return walked
      if (!walking.states.has(`${prefixOf(index)}${first}`)) throw new Unread({ below: `${state.path}#` })
      return walkItem(index) as { end: FinishedBlock; failed: string[] }
    })
    // those were counted when they were passed
    walking.count = count
    const lasts = ends.map(({ end }) => end.last)
    requireOutputs(lasts.filter((last) => last !== undefined))
    const failed = ends.flatMap((one) => one.failed)
    failedSteps.push(...failed)
    note(
      { ranges, steps, ...(isClosed && { isClosed }), failed },
      ...(isClosed ? [`${state.path}#`] : passable.map(prefixOf)),
    )
    return { output: lasts.map((last) => last?.output ?? '').join('\n\n'), data: lasts.map(toData) }
  }

  /** Stores the progress with the step, and drops the states below these prefixes. */
  function note(found: PassedItems, ...prefixes: string[]): void {
    const noted = { ...state, details: { ...state.details, items: found } }
    walking.states.set(state.path, noted)
    const kept = result.changed.has(state.path) ? result.changed : result.noted
    kept.set(state.path, noted)
    for (const path of walking.states.keys())
      if (prefixes.some((prefix) => path.startsWith(prefix))) result.passed.push(path)
  }
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
