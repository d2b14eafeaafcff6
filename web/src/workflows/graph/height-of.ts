import { lanesOf, type Step } from '../definition.ts'
import { gapHeight, headHeight, laneHeight, padding, stepHeight } from './sizes.ts'

/** How high the drawing of steps will be, known before what draws it is loaded: the page need not jump when it comes. */
export const heightOf = (steps: readonly Step[]): number =>
  steps.reduce((sum, step) => sum + heightOfStep(step), 0) + gapHeight * Math.max(0, steps.length - 1)

function heightOfStep(step: Step): number {
  const lanes = lanesOf(step)
  if (lanes.length === 0) return stepHeight
  const inside = lanes.map(({ steps }) => laneHeight + (steps.length > 0 ? gapHeight + heightOf(steps) : 0))
  return headHeight + Math.max(...inside) + padding
}
