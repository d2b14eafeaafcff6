import { ParleyError } from '../../../../src/client/index.ts'
import { toFieldErrors, type FieldErrors } from '../../api/field-errors.ts'
import type { IssueTexts } from '../../api/texts.ts'

const fields = ['title', 'agents', 'room', 'thread'] as const
export type RoomErrors = FieldErrors<(typeof fields)[number]>

/** Where what the server refused is shown; `thread` is the one that was sent, which may have been made first. */
export function toRoomErrors(error: unknown, thread: string | undefined, t: IssueTexts): RoomErrors {
  // a thread that is archived, or gone meanwhile
  if (error instanceof ParleyError && ['conflict', 'not_found'].includes(error.code)) {
    const { slug, id } = (error.details ?? {}) as { slug?: unknown; id?: unknown }
    if (thread !== undefined && (slug ?? id) === thread) return { thread: error.message }
  }
  const { slug, ...errors } = toFieldErrors(error, [...fields, 'slug'], t)
  return slug === undefined ? errors : { thread: slug, ...errors }
}
