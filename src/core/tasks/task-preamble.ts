import type { TaskRequest } from '../protocol/background.ts'
import { sealed, type preambleTags } from '../protocol/prompt-tags.ts'
import { cut } from '../shared/text.ts'
import { isObject } from '../shared/type-checks.ts'

// enough to see what the step before found; the rest is where it was made
const maxValue = 500

/**
 * What precedes the task in a background session. A function of the request alone: it becomes part of the static
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
    systemInstructions && sealed(systemInstructions),
    isObject(previousStepStructured) && section('previous_step', toTable(previousStepStructured)),
    Object.keys(rest).length > 0 && section('task_context', JSON.stringify(rest, undefined, 2)),
    expectedOutput && section('expected_output', expectedOutput),
    outputSchema && section('output_schema', JSON.stringify(outputSchema)),
    section(
      'result',
      'When you are done, call set_result once with the whole result: nobody reads your other words. ' +
        'If you could not do it, call set_result with status "failed" and say why; if only a part, with "partial".',
    ),
    label && sealed(`The task is called "${label}".`),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** Submitted text cannot close its tag and continue as instructions, nor open another one. */
const section = (tag: (typeof preambleTags)[number], text: string) => `<${tag}>\n${sealed(text)}\n</${tag}>`

function toTable(values: Record<string, unknown>): string {
  return Object.entries(values)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
      return `${name}: ${cut(text, maxValue)}`
    })
    .join('\n')
}
