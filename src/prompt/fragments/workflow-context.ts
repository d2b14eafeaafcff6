import { tagged, type Fragment } from '../fragment.ts'

const maxOutput = 300
const maxArgument = 200

/** Where a workflow step stands in its run; long outputs and arguments are cut, the step gets its input apart. */
export const workflowContext: Fragment = {
  name: 'workflow_context',
  render: ({ workflow }) =>
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
      ]
        .filter(Boolean)
        .join('\n'),
    ),
}

const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
const cut = (text: string, limit: number) => (text.length <= limit ? text : `${text.slice(0, limit)}…`)
