import type { TaskResult } from '../../core/protocol/background.ts'
import type { PlanStepRecord } from './store/plan-runs.ts'
import type { NodeStatus } from './store/plans.ts'
import type { Action } from './read-reply.ts'

/** What only the step itself has to know. A type, so that it is a record as the store has it. */
export type StepDetails = {
  title: string
  /** Of an action: what the model asked for. */
  action?: Action
  approvalId?: string
  /** Others changed the same: it holds up nothing but what cannot be taken back. */
  isConflict?: boolean
  /** The results were told to the conversation in an answer of their own. */
  isDelivered?: boolean
  /** Of an action: what the runs of the tries before it used of its limit. */
  spent?: { tokens: number; cost: number }
  /** Of a node: what was wrong with the last try. */
  problem?: string
  /** Of a node: what the tries before this one changed. */
  files?: string[]
  /** What it builds on and was replaced since it was begun: its result is stale from the beginning. */
  stale?: number[]
  /** Another try would come to the same. */
  isFinal?: boolean
  /** Of a node that is taken apart: how far it is from where it began. */
  depth?: number
  /** What ended it before it was done, although nothing was wrong with it. */
  endedBy?: 'budget' | 'person'
  /** What all tries cost and used. */
  cost?: number
  tokens?: { input: number; output: number }
}

export type Step = Omit<PlanStepRecord, 'details'> & { details: StepDetails }

export const toSteps = (records: readonly PlanStepRecord[]): Step[] => records as Step[]

export const isFinished = ({ status }: Pick<Step, 'status'>): boolean =>
  status !== 'pending' && status !== 'running' && status !== 'paused'

/** It was done, and is not done: what waits for it goes on when a person says so, or when it was done again. */
export const isUndone = ({ status }: { status: Step['status'] | NodeStatus }): boolean =>
  (undoneStatuses as readonly string[]).includes(status)

export const undoneStatuses = ['partial', 'refused', 'failed'] as const

/** What the session of a running step came to, before anybody has looked at it. */
export const outcomeOf = (step: Step): TaskResult | undefined =>
  step.status === 'running' && step.result !== undefined ? (step.result as TaskResult) : undefined
