import type { StepState } from './step-state.ts'

/** What has to be read of a run before a walk through it can continue. */
export interface Wanted {
  /** Steps whose outputs and data are needed. */
  outputs?: readonly string[]
  /** Steps of which the beginning of the output is needed. */
  heads?: readonly string[]
  /** A step with items: all that is below it. */
  below?: string
}

/** Thrown during a walk when something is needed that was not read. Read it, and walk again. */
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

/** A finished step without its output: reading or copying that throws `Unread`. */
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

/** Requests all of them at once. */
export function requireOutputs(states: readonly StepState[]): void {
  const outputs = states.flatMap((state) => (unread.has(state) ? [state.path] : []))
  if (outputs.length > 0) throw new Unread({ outputs })
}

export const hasOutput = (state: StepState): boolean =>
  unread.get(state)?.hasOutput ?? (state.output !== undefined && state.output !== '')

/** The beginnings of outputs, as far as they were read. */
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
