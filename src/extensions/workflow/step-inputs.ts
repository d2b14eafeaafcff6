import { valueIn, type Frame } from './expression-frame.ts'
import type { OfType, Step } from './named-steps.ts'

/** The input of a step: its own, else the output of the step before it. */
export function resolveInput(step: Step, here: Frame, wantsData = false): unknown {
  if (step.input !== undefined) return valueIn(here, step.input)
  if (!here.prev) return here.pipe
  return wantsData ? (here.prev.data ?? here.prev.output) : here.prev.output
}

/** A prompt that mentions the previous output contains it already. */
export function inputOf(step: OfType<'agent'> | OfType<'workflow'> | OfType<'own'>, here: Frame): unknown {
  if (step.input !== undefined || step.type !== 'agent') return resolveInput(step, here)
  const isIn = here.prev
    ? mentions(step.prompt, ['prev', here.prev.stepId])
    : mentions(step.prompt, pipeNames(here))
  return isIn ? undefined : resolveInput(step, here)
}

/** Names by which a prompt can refer to the first input. */
const pipeNames = ({ locals }: Frame) => ['args', ...Object.keys(locals)]

const mentions = (text: string, names: readonly string[]) =>
  names.some((name) => new RegExp(`\\$${name}(?![\\w-])`).test(text))

/** A text may contain data: models answer with JSON. */
export function asData(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
