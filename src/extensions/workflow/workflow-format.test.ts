import { expect, it } from 'vitest'
import { workflowFormat } from './workflow-format.ts'
import { workflowStepTypes } from './protocol/workflow.ts'
import { definitionJsonSchema } from './definition-schema.ts'
import { parseDefinition } from './parse-definition.ts'

it('the format that models read is correct, and has every field', () => {
  const [, example] = /```yaml\n(.*?)```/s.exec(workflowFormat)!
  expect(parseDefinition(example!)).not.toHaveProperty('problems')
  const words = new Set(workflowFormat.match(/\w+/g))
  for (const type of workflowStepTypes) expect(words).toContain(type)
  // those that lists of ids and labels are for, and what the example need not show
  const untold = new Set(['allowedSkills', 'allowedMcpServerIds', 'version', 'prompt', 'params'])
  for (const name of fieldNames(definitionJsonSchema()))
    if (!untold.has(name)) expect(words, `"${name}" is missing`).toContain(name)
})

/** Names of properties, however deep. */
function fieldNames(schema: unknown, found = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return found
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties') for (const name of Object.keys(value as object)) found.add(name)
    fieldNames(value, found)
  }
  return found
}
