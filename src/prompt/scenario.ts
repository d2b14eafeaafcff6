/** The facets of a session that decide which recipe it uses; nothing else does. */
export interface ScenarioFacets {
  kind?: string
  bgMeta?: { source?: string }
  toolMeta?: { source?: string }
}

export const scenarios = [
  'interactive',
  'background_task',
  'background_workflow_step',
  'tool_workflow_management',
] as const
export type Scenario = (typeof scenarios)[number]

export function resolveScenario(session: ScenarioFacets | undefined): Scenario {
  if (session?.kind === 'tool' && isWorkflowManagement(session.toolMeta?.source))
    return 'tool_workflow_management'
  if (session?.kind !== 'background') return 'interactive'
  // sessions of an older shape were background ones with this source
  if (isWorkflowManagement(session.bgMeta?.source)) return 'tool_workflow_management'
  return session.bgMeta?.source === 'workflow' ? 'background_workflow_step' : 'background_task'
}

const isWorkflowManagement = (source: string | undefined) =>
  source === 'workflow-management' || source === 'workflow_management'
