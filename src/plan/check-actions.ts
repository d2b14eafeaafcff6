import { describeIssues } from '../protocol/issues.ts'
import { findAction } from './actions/catalogue.ts'
import type { Action } from './reply.ts'

export interface ActionFacts {
  /** Whether the session has a plan. */
  isBound: boolean
  /** What the user said, and what the assistant had asked before: searches are made on request. */
  request: string
  hasTool(name: string): boolean
}

/** The actions as they will be done, or what is wrong with them, for the model. */
export type CheckedActions = { actions: Action[] } | { problem: string }

/** What a model may do is decided here, whatever its prompt says. */
export function checkActions(actions: readonly Action[], facts: ActionFacts): CheckedActions {
  let { isBound } = facts
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
    if ('tool' in type && !isRequested(type.tool, facts.request))
      return {
        problem: `${at}: the user has not asked for it. Answer with what you know, or ask whether to search.`,
      }
    const result = type.parameters.safeParse(action.parameters)
    if (!result.success)
      return { problem: `${at}: parameters: ${describeIssues(result.error, action.parameters)}` }
    checked.push(withoutSecondTree(action, actions))
    if (action.name === 'create_plan' || action.name === 'bind_plan') isBound = true
    if (action.name === 'delete_plan') isBound = false
  }
  return { actions: checked }
}

/** Whoever does not say which task to run gets to see them first. */
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

/** A plan whose tasks come in the same reply is not taken apart as well. */
function withoutSecondTree(action: Action, actions: readonly Action[]): Action {
  const isCreated = actions.some(({ name }) => name === 'create_task' || name === 'decompose_task')
  if (action.name !== 'create_plan' || action.parameters.decompose !== undefined || !isCreated) return action
  return { ...action, parameters: { ...action.parameters, decompose: false } }
}

const requests: Record<string, RegExp> = {
  web_search:
    /search|look\s?up|google|bing|\bweb\b|internet|online|browse|latest|news|find out|搜|查一下|查询|查找|检索|联网|上网|网上|最新|新闻|검색|検索|調べ|recherch|such[et]|busc|поиск|найд/i,
  graph_rag:
    /graph|knowledge|\brag\b|triple|entit|图谱|知识|实体|三元组|关系|検索|ナレッジ|wissen|connaissance|conocimiento/i,
}

const isRequested = (tool: string, request: string): boolean => requests[tool]?.test(request) ?? true
