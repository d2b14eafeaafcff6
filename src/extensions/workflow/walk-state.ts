import type { LinkedAction } from './definition.ts'
import type { WorkflowLimits } from './workflow-service.ts'
import type { Frame } from './expression-frame.ts'
import type { Definition, OfType } from './named-steps.ts'
import type { StepState } from './step-state.ts'

export interface WalkFacts {
  definition: Definition
  args: Readonly<Record<string, unknown>>
  /** The stored states of the run, by path. The walk adds to them. */
  states: Map<string, StepState>
  now: number
  limits: Pick<WorkflowLimits, 'maxStepOutputChars' | 'approvalTimeoutMs' | 'maxRunSteps'>
}

/** A step that has to be started. */
export interface Begin {
  step: OfType<'agent'> | OfType<'workflow'> | OfType<'own'>
  state: StepState
  frame: Frame
  /** Its input; undefined where its prompt contains it already. */
  input: unknown
}

export interface Link {
  state: StepState
  /** Those that are not done yet, with their names resolved. */
  actions: LinkedAction[]
}

export interface WalkEnd {
  status: 'completed' | 'failed' | 'timeout'
  output?: string
  data?: unknown
  error?: string
  /** Paths of steps that failed while the run continued. */
  failedSteps: string[]
}

export interface Walk {
  /** States that differ from what is stored. */
  changed: Map<string, StepState>
  begins: Begin[]
  links: Link[]
  /** Set when nothing is left to do. */
  end?: WalkEnd
  /** When the run has to be woken. */
  wakeAt?: number
  /** Steps with items whose progress was noted; no event is recorded for that. */
  noted: Map<string, StepState>
  /** Paths of steps that need not be read any more while their siblings are running. */
  passed: string[]
}

/** A walk in progress. */
export interface Walking extends WalkFacts {
  result: Walk
  failedSteps: string[]
  /** How many steps it has visited. */
  count: number
}
