import { tagged, type Fragment } from '../fragment.ts'

export const workspaceContext: Fragment = {
  name: 'workspace_context',
  render: ({ workspace, scope }) =>
    tagged('workspace_context', workspace, { attributes: ` scope="${scope.name}"` }),
}
