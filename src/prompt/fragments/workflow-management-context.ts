import { tagged, type Fragment } from '../fragment.ts'

export const workflowManagementContext: Fragment = {
  name: 'workflow_management_context',
  render: ({ managedWorkflow }) =>
    managedWorkflow &&
    tagged(
      'workflow_management_context',
      managedWorkflow.name
        ? `This session edits the workflow "${managedWorkflow.name}". Its current definition comes with each message.`
        : 'This session creates a new workflow; there is no definition yet.',
    ),
}
