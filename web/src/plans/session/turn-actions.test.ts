import { expect, it } from 'vitest'
import type { PlanRun, PlanTurn } from '../../../../src/extensions/plan/protocol/plan-run.ts'
import { actionsOf } from './turn-actions.ts'

const turn: PlanTurn = {
  status: 'pending',
  actions: [
    { number: 1, name: 'create_task', parameters: { task_name: 'Tea' }, status: 'pending' },
    { number: 2, name: 'rerun_task', parameters: { task_id: '7' }, status: 'pending' },
  ],
  suggestions: [],
}

it('knows the node that an action names', () => {
  expect(actionsOf(turn).map(({ nodeId }) => nodeId)).toEqual([undefined, 7])
})

it('goes by the run once it is known, and shows its actions alone', () => {
  const run = {
    steps: [
      { number: 1, type: 'action', title: 'create_task', status: 'completed', attempts: 1, nodeId: 3 },
      { number: 2, type: 'node', title: 'Tea', status: 'running', attempts: 1, nodeId: 3 },
    ],
  } as unknown as PlanRun
  expect(actionsOf(turn, run)).toMatchObject([{ number: 1, status: 'completed', nodeId: 3 }])
})
