import { tagged, type Fragment } from '../../../core/prompt/fragment.ts'
import { workflowFormat } from './workflow-format.ts'

export const workflowManagementContext: Fragment = {
  name: 'workflow_management_context',
  render: ({ managedWorkflow }) =>
    managedWorkflow &&
    tagged(
      'workflow_management_context',
      [
        managedWorkflow.name
          ? `This session edits the workflow "${managedWorkflow.name}". Its definition comes with a message whenever it is another one than before: the last one counts.`
          : 'This session creates a new workflow. Whether there is a definition by now, and which one, comes with the messages: the last word counts.',
        'Ask when it is not clear what the owner wants. Change the definition by the tool "workflow": validate, then diff, then create or update with the whole text; keep comments and whatever you were not asked to change. Say afterwards in a few words what changed.',
        workflowFormat,
      ].join('\n\n'),
    ),
}
