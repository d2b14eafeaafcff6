import { tagged, type Fragment, type PromptContext } from '../../core/prompt/fragment.ts'
import { workflowFormat } from './workflow-format.ts'
import { sealed } from '../../core/protocol/prompt-tags.ts'
import { cut } from '../../core/shared/text.ts'

export const identityWorkflow: Fragment = {
  name: 'identity_workflow',
  render: () =>
    tagged(
      'identity',
      'You are an expert who designs workflows. Together with the owner you create or change one workflow definition; you change it through your tools and explain what you changed.',
    ),
}

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

export const workflowEditContext: Fragment = {
  name: 'workflow_edit_context',
  tag: 'current_definition',
  render: ({ editedWorkflow: text }) =>
    tagged('current_definition', text === undefined || sealed(text) === text ? text : `${text}\n\n${note}`),
}

// it is written back as a whole
const note =
  '[Some "<" have a blank after them here that the definition does not have. "get" has its exact text: take that before you change it.]'

const maxOutput = 300
const maxArgument = 200

/** Where a workflow step stands in its run; long outputs and arguments are cut, the step gets its input apart. */
export const workflowContext: Fragment = {
  name: 'workflow_context',
  render: ({ workflow, session }) =>
    workflow &&
    tagged(
      'workflow_context',
      [
        `workflow: ${workflow.name}, run ${workflow.runId}`,
        `step: ${workflow.step} (${workflow.completed} of ${workflow.steps.length} completed)`,
        `sequence: ${workflow.steps.join(' → ')}`,
        workflow.nextStep && `next: ${workflow.nextStep}`,
        ...workflow.outputs.map(({ step, output }) => `output of ${step}: ${cut(output, maxOutput)}`),
        ...Object.entries(workflow.args).map(
          ([name, value]) => `argument ${name}: ${cut(toText(value), maxArgument)}`,
        ),
        ...workspaceRules(session),
      ]
        .filter(Boolean)
        .join('\n'),
    ),
}

/** Where files go: those of this run, those for later runs, and those of the project. */
function workspaceRules({ folders = [] }: PromptContext['session']): string[] {
  const has = (name: string) => folders.some((folder) => folder.name === name)
  if (!has('run') && !has('workflow')) return []
  return [
    ...(has('run')
      ? ['files of this run: workspace "run", where relative paths start; later steps find them there']
      : []),
    ...(has('workflow') ? ['files that later runs of the workflow shall find: workspace "workflow"'] : []),
    'files of the project: workspace "main", only when the task says so',
  ]
}

const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
