import type { TaskResult } from '../../core/protocol/background.ts'
import type { PlanStepRecord } from './store/plan-runs.ts'
import type { NodeStatus } from './store/plans.ts'
import type { Action } from './read-reply.ts'

/** What only the step itself has to know. A type, so that it is a record as the store has it. */
export type StepDetails = {
  title: string
  /** Of an action: the request of the model. */
  action?: Action
  approvalId?: string
  /** Others changed the same: it only blocks actions that cannot be undone. */
  isConflict?: boolean
  /** The conversation was notified of the results in an answer of their own. */
  isDelivered?: boolean
  /** Of an action: what the runs of earlier attempts used of its limit. */
  spent?: { tokens: number; cost: number }
  /** Of a node: the problem of the last attempt. */
  problem?: string
  /** Of a node: files that earlier attempts changed. */
  files?: string[]
  /** What it builds on and was replaced since it was begun: its result is stale from the beginning. */
  stale?: number[]
  /** A retry would have the same outcome. */
  isFinal?: boolean
  /** Of a node that is decomposed: its depth below the first one. */
  depth?: number
  /** What ended it before it was done, although nothing was wrong with it. */
  endedBy?: 'budget' | 'person'
  /** Cost and usage of all attempts. */
  cost?: number
  tokens?: { input: number; output: number }
}

export type Step = Omit<PlanStepRecord, 'details'> & { details: StepDetails }

export const toSteps = (records: readonly PlanStepRecord[]): Step[] => records as Step[]

export const isFinished = ({ status }: Pick<Step, 'status'>): boolean =>
  status !== 'pending' && status !== 'running' && status !== 'paused'

/** It ended without being done: what waits for it continues when a person accepts it, or when it was done again. */
export const isUndone = ({ status }: { status: Step['status'] | NodeStatus }): boolean =>
  (undoneStatuses as readonly string[]).includes(status)

export const undoneStatuses = ['partial', 'refused', 'failed'] as const

/** The result of the session of a running step, before it is judged. */
export const outcomeOf = (step: Step): TaskResult | undefined =>
  step.status === 'running' && step.result !== undefined ? (step.result as TaskResult) : undefined
