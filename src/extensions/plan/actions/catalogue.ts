import type { Action } from '../read-reply.ts'
import type { ActionType } from './action.ts'
import { contextRequests } from './context-requests.ts'
import { planOperations } from './plan-operations.ts'
import { systemOperations } from './system-operations.ts'
import { taskOperations } from './task-operations.ts'
import { toolOperations } from './tool-operations.ts'

/** All that a model can do in a session about a plan. Adding one here is all it takes. */
export const actionTypes: readonly ActionType[] = [
  ...planOperations,
  ...taskOperations,
  ...contextRequests,
  ...systemOperations(describeCatalogue),
  ...toolOperations,
]

export const findAction = ({ kind, name }: Pick<Action, 'kind' | 'name'>): ActionType | undefined =>
  actionTypes.find((type) => type.kind === kind && type.name === name)

/** As the model is told; a session without a plan is told of what it may do. */
export function describeCatalogue(isBound: boolean, hasTool: (name: string) => boolean): string {
  return actionTypes
    .filter(({ needsPlan, name }) => (isBound ? name !== 'bind_plan' : !needsPlan))
    .filter((type) => !('tool' in type) || hasTool(type.tool))
    .map(({ kind, name, description }) => `- ${kind}/${name}: ${description}`)
    .join('\n')
}
