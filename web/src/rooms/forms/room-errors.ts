import { ParleyError } from '../../../../src/client/index.ts'
import { toFieldErrors, type FieldErrors } from '../../api/field-errors.ts'

const fields = ['title', 'agents', 'room', 'thread'] as const
export type RoomErrors = FieldErrors<(typeof fields)[number]>

/** Where what the server refused is shown. */
export function toRoomErrors(error: unknown): RoomErrors {
  // a thread that is archived, or gone meanwhile
  if (error instanceof ParleyError && error.code !== 'invalid_request' && /\bthread\b/.test(error.message))
    return { thread: error.message }
  return toFieldErrors(error, fields, { thread: /slug/, agents: /\bagents?\b|\bplayers?\b/i })
}
