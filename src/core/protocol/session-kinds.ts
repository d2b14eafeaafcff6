/** What a session is, by its facets; beside the schemas, which pages do not need to load. */

/** The `source` of the session that a run of a workflow has. */
export const workflowRunSource = 'workflow-run'
/** The same of a run of a plan. */
export const planRunSource = 'plan-run'
/** The same of an agent in a room. */
export const roomSeatSource = 'room-seat'

/** Sessions that talk about a plan, also while they have none: they answer with words and actions. */
export const isAboutPlan = ({
  kind = 'interactive',
  planId,
  mode,
}: {
  kind?: string
  planId?: string
  mode?: string
}): boolean => kind === 'interactive' && (planId !== undefined || mode === 'plan')

/** Sessions in which several agents answer; who does is decided by the mode. */
export const isRoom = ({ kind = 'interactive', mode, agents }: RoomFacets): boolean =>
  kind === 'interactive' && mode !== undefined && mode !== 'plan' && agents !== undefined

interface RoomFacets {
  kind?: string
  mode?: string
  agents?: readonly string[]
}

/** A room as one of its agents sees it. */
export const isSeat = ({ kind, toolMeta }: { kind?: string; toolMeta?: { source?: string } }): boolean =>
  kind === 'tool' && toolMeta?.source === roomSeatSource

/** Sessions that edit a workflow. Those of an older shape were background ones, and spelled their source otherwise. */
export const isWorkflowManagement = ({ kind, toolMeta, bgMeta }: ManagementFacets): boolean => {
  const source = kind === 'tool' ? toolMeta?.source : kind === 'background' ? bgMeta?.source : undefined
  return source === 'workflow-management' || source === 'workflow_management'
}

interface ManagementFacets {
  kind?: string
  toolMeta?: { source?: string }
  bgMeta?: { source?: string }
}
