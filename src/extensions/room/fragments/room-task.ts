import { tagged, type Fragment } from '../../../core/prompt/fragment.ts'

/** What this agent alone is to do now. */
export const roomTask: Fragment = {
  name: 'room_task',
  isForOneTurn: true,
  render: ({ seat }) =>
    seat &&
    tagged('room_task', [seat.task, seat.schema && answerWith(seat.schema)].filter(Boolean).join('\n\n')),
}

const answerWith = (schema: Record<string, unknown>) =>
  `Answer with one JSON object of this JSON Schema and nothing else:\n${JSON.stringify(schema)}`
