import { evaluate, isTrue, parseExpression, type LookUp, type Reference } from './expression.ts'
import type { StepState } from './step-state.ts'
import { fillIn, fillInValue } from './template.ts'

/** What the names in a definition mean at one place of a run. */
export interface Frame {
  /** In front of the ids of the steps here. */
  prefix: string
  args: Readonly<Record<string, unknown>>
  /** Ids of all steps; those that have not run yet have no value. */
  names: ReadonlySet<string>
  /** Steps by id, as they are visible from here. */
  steps: Map<string, StepState>
  /** Names that are only defined in here: an item and its number. */
  locals: Readonly<Record<string, unknown>>
  /** The step that was completed last before this place. */
  prev?: StepState
  /** The input of the very first step, as there is none before it. */
  pipe?: unknown
}

export const within = (frame: Frame, change: Partial<Frame>): Frame => ({
  ...frame,
  steps: new Map(frame.steps),
  ...change,
})

export const isTrueIn = (frame: Frame, condition: string | boolean): boolean =>
  typeof condition === 'boolean' ? condition : isTrue(evaluateIn(frame, condition))

export const evaluateIn = (frame: Frame, expression: string): unknown =>
  evaluate(parseExpression(expression), lookUpIn(frame))

export const textIn = (frame: Frame, text: string): string =>
  fillIn(text, lookUpIn(frame), (root) => isKnown(frame, root))

export const valueIn = (frame: Frame, value: unknown): unknown =>
  fillInValue(value, lookUpIn(frame), (root) => isKnown(frame, root))

const isKnown = ({ names, locals }: Frame, root: string) =>
  root === 'args' || root === 'prev' || Object.hasOwn(locals, root) || names.has(root)

function lookUpIn(frame: Frame): LookUp {
  return ({ root, path }: Reference) => {
    if (Object.hasOwn(frame.locals, root)) return dig(frame.locals[root], path)
    if (root === 'args') return dig(frame.args, path)
    const step = root === 'prev' ? frame.prev : frame.steps.get(root)
    return step && (path.length === 0 ? step.output : dig(readableOf(step), path))
  }
}

/** Fields of a step that expressions can read; `check-definition.ts` lists the same. */
const readableOf = ({ output, data, approved, sessionId, status, error }: StepState) => ({
  output: output ?? '',
  data,
  approved,
  sessionId,
  status,
  error,
})

/** Own properties only, nothing from prototypes. */
export function dig(value: unknown, path: readonly string[]): unknown {
  let found = value
  for (const part of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined
    found = (found as Record<string, unknown>)[part]
  }
  return found
}
