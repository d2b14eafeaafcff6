import type { PlanRun, PlanTurn } from '../../../../src/extensions/plan/protocol/plan-run.ts'

export type TurnAction = PlanTurn['actions'][number] & {
  /** The node it is about, where it says so. */
  nodeId?: number
  error?: string
  /** The question that it waits for. */
  approvalId?: string
}

/** The actions of an answer as they stand: as they were stored with it, or as the run that does them has them now. */
export function actionsOf(turn: PlanTurn, run?: PlanRun): TurnAction[] {
  const actions: TurnAction[] = run ? run.steps.filter(({ type }) => type === 'action') : turn.actions
  return actions.map((action) => ({ ...action, nodeId: action.nodeId ?? nodeOf(action.parameters) }))
}

const names = ['task_id', 'node_id', 'taskId', 'nodeId']

function nodeOf(parameters: Record<string, unknown> | undefined): number | undefined {
  const id = names
    .map((name) => Number(parameters?.[name]))
    .find((value) => Number.isInteger(value) && value > 0)
  return id
}
