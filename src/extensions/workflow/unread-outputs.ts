import type { StepState } from './step-state.ts'

/** What has to be read of a run before a walk through it can go on. */
export interface Wanted {
  /** Steps whose outputs and data are needed. */
  outputs?: readonly string[]
  /** Steps of which the beginning of the output is needed. */
  heads?: readonly string[]
  /** A step with items: all that is below it. */
  below?: string
}

/** Thrown on the way by whoever looks at something that was not read. Read it, and walk again. */
export class Unread extends Error {
  readonly wanted: Wanted

  constructor(wanted: Wanted) {
    super('Something that is needed of the run was not read.')
    this.wanted = wanted
  }
}

/** What is known of an output that was not read. */
interface Known {
  hasOutput: boolean
  head?: string
}

const unread = new WeakMap<StepState, Known>()

/** A step that is over, without what it came to: whoever asks for that, or copies it, is told that it was not read. */
export function withoutOutput(state: StepState, known: Known): StepState {
  const get = () => {
    throw new Unread({ outputs: [state.path] })
  }
  const light = Object.defineProperties(
    { ...state },
    { output: { get, enumerable: true }, data: { get, enumerable: true } },
  )
  unread.set(light, known)
  return light
}

/** Asks for all of them at once. */
export function requireOutputs(states: readonly StepState[]): void {
  const outputs = states.flatMap((state) => (unread.has(state) ? [state.path] : []))
  if (outputs.length > 0) throw new Unread({ outputs })
}

export const hasOutput = (state: StepState): boolean =>
  unread.get(state)?.hasOutput ?? (state.output !== undefined && state.output !== '')

/** The beginnings of outputs, as far as they were read; what else there is to an output is not looked at. */
export function headsOf(states: readonly StepState[]): string[] {
  const heads = states.flatMap((state) => {
    const known = unread.get(state)
    return known && known.head === undefined ? [state.path] : []
  })
  if (heads.length > 0) throw new Unread({ heads })
  return states.map((state) => unread.get(state)?.head ?? state.output ?? '')
}

export const setHead = (state: StepState, head: string): void => {
  const known = unread.get(state)
  if (known) known.head = head
}
