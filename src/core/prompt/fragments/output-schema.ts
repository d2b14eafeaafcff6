import { tagged, type Fragment } from '../fragment.ts'

/** The form in which this input is to be answered. */
export const outputSchema: Fragment = {
  name: 'output_schema',
  isForOneTurn: true,
  render: ({ outputSchema: schema }) =>
    tagged(
      'output_schema',
      schema &&
        `Your final answer to this message is one JSON object that fits this JSON Schema, without words or fences around it:\n${JSON.stringify(schema)}`,
    ),
}
