/** Kinds of sessions of plans, by their facets; apart from the schemas, which pages do not need to load. */

/** The `source` of the session that a run of a plan has. */
export const planRunSource = 'plan-run'

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
