import type { WorkflowRun } from '../../../src/extensions/workflow/protocol/workflow.ts'

type RunStatus = WorkflowRun['status']

/** As the server knows them; its own list would bring its schemas along. */
export const workflowRunStatuses: readonly RunStatus[] = [
  'pending',
  'running',
  'paused',
  'completed',
  'failed',
  'timeout',
  'cancelled',
  'interrupted',
]

const going: ReadonlySet<RunStatus> = new Set(['pending', 'running', 'paused'])

export const isOver = (status: RunStatus) => !going.has(status)
