import type { Action } from '../read-reply.ts'
import type { ActionType } from './action.ts'
import { contextRequests } from './context-requests.ts'
import { planOperations } from './plan-operations.ts'
import { systemOperations } from './system-operations.ts'
import { taskOperations } from './task-operations.ts'
import { toolOperations } from './tool-operations.ts'

/** All actions of a model in a session about a plan. A new one is added here. */
export const actionTypes: readonly ActionType[] = [
  ...planOperations,
  ...taskOperations,
  ...contextRequests,
  ...systemOperations(describeCatalogue),
  ...toolOperations,
]

export const findAction = ({ kind, name }: Pick<Action, 'kind' | 'name'>): ActionType | undefined =>
  actionTypes.find((type) => type.kind === kind && type.name === name)

/** The catalogue for the model; a session without a plan gets the actions that need none. */
export function describeCatalogue(isBound: boolean, hasTool: (name: string) => boolean): string {
  return actionTypes
    .filter(({ needsPlan, name }) => (isBound ? name !== 'bind_plan' : !needsPlan))
    .filter((type) => !('tool' in type) || hasTool(type.tool))
    .map(({ kind, name, description }) => `- ${kind}/${name}: ${description}`)
    .join('\n')
}
