import type { StepRecord } from '../store/queries/workflow-runs.ts'

export type { StepDetails, StepRecord as StepState } from '../store/queries/workflow-runs.ts'

export const isOver = ({ status }: Pick<StepRecord, 'status'>): boolean =>
  status !== 'pending' && status !== 'running' && status !== 'paused'

export const hasFailed = ({ status }: Pick<StepRecord, 'status'>): boolean =>
  status === 'failed' || status === 'timeout' || status === 'cancelled'
