import { tagged, type Fragment } from '../fragment.ts'
import { workflowFormat } from './workflow-format.ts'

export const workflowManagementContext: Fragment = {
  name: 'workflow_management_context',
  render: ({ managedWorkflow }) =>
    managedWorkflow &&
    tagged(
      'workflow_management_context',
      [
        managedWorkflow.name
          ? `This session edits the workflow "${managedWorkflow.name}". Its current definition comes with each message.`
          : 'This session creates a new workflow; there is no definition yet.',
        'Ask when it is not clear what the owner wants. Change the definition by the tool "workflow": validate, then diff, then create or update with the whole text; keep comments and whatever you were not asked to change. Say afterwards in a few words what changed.',
        workflowFormat,
      ].join('\n\n'),
    ),
}
