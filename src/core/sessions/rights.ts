import type { Session } from '../protocol/session.ts'
import type { NewSession } from '../store/queries/sessions.ts'

/** What a model started has the rights of its session, and no others. */
export const rightsOf = (parent: Session): Partial<NewSession> => ({
  allowedTools: parent.allowedTools,
  allowedSkills: parent.allowedSkills,
  allowedMcpServerIds: parent.allowedMcpServerIds,
  permissionMode: parent.permissionMode,
  permissionRules: parent.permissionRules,
  toolGroups: parent.toolGroups,
  grantedPaths: parent.grantedPaths,
})
