import type { WorkflowStep } from '../../../../src/extensions/workflow/protocol/workflow.ts'

export type StepStatus = WorkflowStep['status']

/** How a step of the definition stands in a run, all of its rounds together. */
export interface Standing {
  status: StepStatus
  /** How often it was begun: in each round of a loop, for each item. */
  times: number
  /** Of a step that is run in rounds: how many have begun. */
  rounds: number
  /** How often it failed. */
  failures: number
}

// what a person has to know of first
const order: readonly StepStatus[] = [
  'paused',
  'running',
  'failed',
  'timeout',
  'cancelled',
  'pending',
  'completed',
  'skipped',
]

export function standingsOf(steps: readonly WorkflowStep[]): Map<string, Standing> {
  const standings = new Map<string, Standing>()
  for (const { stepId, status } of steps) {
    const known = standings.get(stepId)
    standings.set(stepId, {
      status: known && order.indexOf(known.status) < order.indexOf(status) ? known.status : status,
      times: (known?.times ?? 0) + 1,
      rounds: known?.rounds ?? 0,
      failures: (known?.failures ?? 0) + (isFailure(status) ? 1 : 0),
    })
  }
  for (const { path } of steps)
    for (const [, id = '', round] of path.matchAll(/(?:^|\/)([\w-]+)#(\d+)/g)) {
      const known = standings.get(id)
      if (known) known.rounds = Math.max(known.rounds, Number(round))
    }
  return standings
}

export const isFailure = (status: StepStatus) => status === 'failed' || status === 'timeout'

/** Of several the one that a person has to know of first. */
export const urgentOf = (statuses: readonly StepStatus[]): StepStatus | undefined =>
  order.find((status) => statuses.includes(status))

export const mostUrgent = (steps: readonly WorkflowStep[]): WorkflowStep | undefined => {
  const status = urgentOf(steps.map((step) => step.status))
  return steps.find((step) => step.status === status)
}

/** The step that the run is at: what asks before what runs, and of those what is deepest in others. */
export function activeStepOf(steps: readonly WorkflowStep[]): string | undefined {
  const depthOf = ({ path }: WorkflowStep) => path.split('/').length
  for (const status of ['paused', 'running'] as const) {
    const at = steps.filter((step) => step.status === status)
    if (at.length > 0) return at.reduce((a, b) => (depthOf(b) > depthOf(a) ? b : a)).stepId
  }
  return undefined
}
