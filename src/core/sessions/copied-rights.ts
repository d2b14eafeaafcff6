import type { Session } from '../protocol/session.ts'
import type { NewSession } from '../store/queries/sessions.ts'
import type { StoreOperations } from '../store/store.ts'

/** What a model started has the rights of its session, and no others. */
export const rightsOf = ({ facets }: StoreOperations, parent: Session): Partial<NewSession> => ({
  allowedTools: parent.allowedTools,
  allowedSkills: parent.allowedSkills,
  ...Object.fromEntries(facets.limits.map((name) => [name, parent[name]])),
  permissionMode: parent.permissionMode,
  permissionRules: parent.permissionRules,
  toolGroups: parent.toolGroups,
  grantedPaths: parent.grantedPaths,
})
