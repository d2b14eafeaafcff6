import type { StepDetails, StepRecord } from './store/workflow-runs.ts'
import type { Step } from './named-steps.ts'

export type { StepDetails, StepRecord as StepState } from './store/workflow-runs.ts'

export const isFinished = ({ status }: Pick<StepRecord, 'status'>): boolean =>
  status !== 'pending' && status !== 'running' && status !== 'paused'

export const hasFailed = ({ status }: Pick<StepRecord, 'status'>): boolean =>
  status === 'failed' || status === 'timeout' || status === 'cancelled'

export const newState = (step: Step, path: string, more: Partial<StepRecord>): StepRecord => ({
  path,
  stepId: step.id,
  type: step.type,
  status: 'pending',
  attempt: 1,
  details: {} satisfies StepDetails,
  linked: 0,
  ...more,
})

const cutMark = '\n... (truncated)'

export const cutOutput = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit).toWellFormed()}${cutMark}`
