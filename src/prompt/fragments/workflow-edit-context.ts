import { tagged, type Fragment } from '../fragment.ts'

export const workflowEditContext: Fragment = {
  name: 'workflow_edit_context',
  render: ({ editedWorkflow }) => tagged('current_definition', editedWorkflow),
}
