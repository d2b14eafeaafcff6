import type { TaskRequest } from '../protocol/background.ts'
import { cut } from '../shared/cut.ts'
import { isObject } from '../shared/is-object.ts'

// enough to see what the step before found; the rest is where it was made
const maxValue = 500

/**
 * What a background session is told before its task. A function of the request alone: it becomes part of the static
 * prompt, once.
 */
export function buildPreamble({
  systemInstructions,
  context = {},
  expectedOutput,
  outputSchema,
  label,
}: TaskRequest): string {
  const { previousStepStructured, ...rest } = context
  return [
    systemInstructions,
    isObject(previousStepStructured) && section('previous_step', toTable(previousStepStructured)),
    Object.keys(rest).length > 0 && section('task_context', JSON.stringify(rest, undefined, 2)),
    expectedOutput && section('expected_output', expectedOutput),
    outputSchema && section('output_schema', JSON.stringify(outputSchema)),
    section(
      'result',
      'When you are done, call set_result once with the whole result: nobody reads your other words. ' +
        'If you could not do it, call set_result with status "failed" and say why; if only a part, with "partial".',
    ),
    label && `The task is called "${label}".`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

type Tag = 'previous_step' | 'task_context' | 'expected_output' | 'output_schema' | 'result'

/** What is handed in cannot close its tag and go on as instructions, nor begin another one. */
const section = (tag: Tag, text: string) => `<${tag}>\n${text.replaceAll(anyTag, '< $1')}\n</${tag}>`

const anyTag = /<(\/?(?:previous_step|task_context|expected_output|output_schema|result)\b)/g

function toTable(values: Record<string, unknown>): string {
  return Object.entries(values)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
      return `${name}: ${cut(text, maxValue)}`
    })
    .join('\n')
}
