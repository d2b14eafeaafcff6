/** Kinds of sessions of workflows, by their facets; apart from the schemas, which pages do not need to load. */

/** The `source` of the session that a run of a workflow has. */
export const workflowRunSource = 'workflow-run'

/** Sessions that edit a workflow. Older ones were background sessions with another spelling of their source. */
export const isWorkflowManagement = ({ kind, toolMeta, bgMeta }: ManagementFacets): boolean => {
  const source = kind === 'tool' ? toolMeta?.source : kind === 'background' ? bgMeta?.source : undefined
  return source === 'workflow-management' || source === 'workflow_management'
}

interface ManagementFacets {
  kind?: string
  toolMeta?: { source?: string }
  bgMeta?: { source?: string }
}
