import type { InScope } from '../../../core/protocol/names.ts'
import type { Session } from '../../../core/protocol/session.ts'

interface ManagementCalls {
  newManagementSession(options?: InScope): Promise<Session>
  editManagementSession(id: string, options?: InScope): Promise<Session>
}

export interface ManagementSession {
  /** The session that edits the workflow, created when there is none; without an id, one that will create a new workflow. */
  managementSession(id?: string, options?: InScope): Promise<Session>
}

/** One call for both. */
export const joinManagement = <Workflows extends ManagementCalls>(
  workflows: Workflows,
): Workflows & ManagementSession => ({
  ...workflows,
  managementSession: (id, options) =>
    id === undefined ? workflows.newManagementSession(options) : workflows.editManagementSession(id, options),
})
