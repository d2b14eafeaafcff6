import { cut } from '../../../core/shared/text.ts'
import { tagged, type Fragment, type PromptContext } from '../../../core/prompt/fragment.ts'

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

/** Where files go: what is only for this run, what the next ones shall find, and what is the project's. */
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
