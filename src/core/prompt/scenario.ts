import { isAboutPlan, isSeat, isWorkflowManagement } from '../protocol/session-kinds.ts'

/** The facets of a session that decide which recipe it uses; nothing else does. */
export interface ScenarioFacets {
  kind?: string
  bgMeta?: { source?: string }
  toolMeta?: { source?: string }
  planId?: string
  mode?: string
}

export const scenarios = [
  'interactive',
  'background_task',
  'background_workflow_step',
  'background_plan_node',
  'tool_workflow_management',
  'plan_chat',
  'room',
] as const
export type Scenario = (typeof scenarios)[number]

export function resolveScenario(session: ScenarioFacets | undefined): Scenario {
  if (session && isWorkflowManagement(session)) return 'tool_workflow_management'
  if (session && isSeat(session)) return 'room'
  if (session?.kind !== 'background') return session && isAboutPlan(session) ? 'plan_chat' : 'interactive'
  if (session.bgMeta?.source === 'workflow') return 'background_workflow_step'
  return session.bgMeta?.source === 'plan' ? 'background_plan_node' : 'background_task'
}
