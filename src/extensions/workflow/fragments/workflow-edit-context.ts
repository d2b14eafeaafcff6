import { sealed } from '../../../core/protocol/prompt-tags.ts'
import { tagged, type Fragment } from '../../../core/prompt/fragment.ts'

export const workflowEditContext: Fragment = {
  name: 'workflow_edit_context',
  tag: 'current_definition',
  render: ({ editedWorkflow: text }) =>
    tagged('current_definition', text === undefined || sealed(text) === text ? text : `${text}\n\n${note}`),
}

// it is written back as a whole
const note =
  '[Some "<" have a blank after them here that the definition does not have. "get" has its exact text: take that before you change it.]'
