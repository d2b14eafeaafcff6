import type { LinkedAction } from './definition.ts'
import type { WorkflowLimits } from './workflow-service.ts'
import type { Frame } from './expression-frame.ts'
import type { Definition, OfType } from './named-steps.ts'
import type { StepState } from './step-state.ts'

export interface WalkFacts {
  definition: Definition
  args: Readonly<Record<string, unknown>>
  /** What is stored of the run, by path. The walk adds what it finds out. */
  states: Map<string, StepState>
  now: number
  limits: Pick<WorkflowLimits, 'maxStepOutputChars' | 'approvalTimeoutMs' | 'maxRunSteps'>
}

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
  /** Steps with items of which it was noted how far they are; nobody is told of that. */
  noted: Map<string, StepState>
  /** Paths of steps that nobody has to read any more while others beside them go on. */
  passed: string[]
}

/** The walk while it goes on. */
export interface Walking extends WalkFacts {
  result: Walk
  failedSteps: string[]
  /** How many steps it has come by. */
  count: number
}
