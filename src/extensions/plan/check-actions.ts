import { isDeepStrictEqual } from 'node:util'
import { quote } from '../../core/protocol/error.ts'
import { describeIssues } from '../../core/protocol/issues.ts'
import type { ToolActionType } from './actions/action.ts'
import { findAction } from './actions/catalogue.ts'
import type { Action } from './read-reply.ts'

export interface ActionFacts {
  /** The plan of the session; undefined while it has none. */
  planId?: string
  hasTool(name: string): boolean
}

/** The actions as they will be performed, or their problems, for the model. */
export type CheckedActions = { actions: Action[] } | { problem: string }

/** Decides what a model may do, regardless of its prompt. */
export function checkActions(actions: readonly Action[], facts: ActionFacts): CheckedActions {
  let isBound = facts.planId !== undefined
  // one that is created or bound in the same reply is not known yet
  let ownId = facts.planId
  const checked: Action[] = []
  for (const [index, given] of actions.entries()) {
    const at = `actions[${index}] (${given.kind}/${given.name})`
    const action = withId(given)
    const type = findAction(action)
    if (!type) return { problem: `${at}: there is no such action. Use only those of the catalogue.` }
    if (type.kind === 'context_request' && actions.length > 1)
      return { problem: `${at}: it has to be the only action of its reply.` }
    if (type.needsPlan && !isBound)
      return { problem: `${at}: the session has no plan. Create one first, or bind one that is there.` }
    if ('tool' in type && !facts.hasTool(type.tool))
      return { problem: `${at}: it is not available here. Say so, and answer without it.` }
    const result = type.parameters.safeParse(action.parameters)
    if (!result.success)
      return { problem: `${at}: parameters: ${describeIssues(result.error, action.parameters)}` }
    const named = action.parameters.plan_id ?? ownId
    if (ownId !== undefined && named !== ownId && action.name !== 'bind_plan')
      return {
        problem: `${at}: parameters: plan_id: this conversation is about the plan ${quote(ownId)}, and ${quote(named)} is another one. Leave "plan_id" out.`,
      }
    // a repeated lookup in one reply is done once, and approved once
    if ('tool' in type && checked.some((other) => isSameCall(type, other, action))) continue
    checked.push(withoutSecondTree(action, actions))
    if (action.name === 'create_plan' || action.name === 'bind_plan') isBound = true
    if (action.name === 'delete_plan') isBound = false
    if (action.name === 'create_plan' || action.name === 'delete_plan') ownId = undefined
  }
  return { actions: checked }
}

const isSameCall = (type: ToolActionType, one: Action, other: Action) => {
  const inputOf = ({ parameters }: Action) => type.toInput(type.parameters.parse(parameters))
  return findAction(one) === type && isDeepStrictEqual(inputOf(one), inputOf(other))
}

/** An action without a task to run shows the tasks first. */
function withId(action: Action): Action {
  const isMissing = action.name === 'rerun_task' && (action.parameters.task_id ?? undefined) === undefined
  return isMissing && action.kind === 'task_operation'
    ? {
        ...action,
        name: 'show_tasks',
        parameters: {},
        metadata: { ...action.metadata, insteadOf: 'rerun_task' },
      }
    : action
}

/** A plan whose tasks come in the same reply is not decomposed as well. */
function withoutSecondTree(action: Action, actions: readonly Action[]): Action {
  const isCreated = actions.some(({ name }) => name === 'create_task' || name === 'decompose_task')
  if (action.name !== 'create_plan' || action.parameters.decompose !== undefined || !isCreated) return action
  return { ...action, parameters: { ...action.parameters, decompose: false } }
}
