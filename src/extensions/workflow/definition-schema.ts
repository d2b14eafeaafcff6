import { z } from 'zod'
import { definitionSchema } from './definition.ts'

/**
 * JSON Schema 2020-12 of a workflow, for editors. What it cannot express, such as which names are defined where,
 * `check-definition.ts` checks.
 */
export function definitionJsonSchema(schema = definitionSchema): Record<string, unknown> {
  const { $schema, $defs } = z.toJSONSchema(schema, { io: 'input' })
  const { WorkflowDefinition, ...parts } = $defs!
  return {
    $schema,
    $id: 'urn:parley:schema:workflow',
    title: 'Parley workflow',
    ...WorkflowDefinition,
    $defs: parts,
  }
}
