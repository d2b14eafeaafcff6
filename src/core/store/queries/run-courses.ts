import type { Part } from '../../protocol/message.ts'
import type { Reply } from '../run-course.ts'

/** The run itself joined with its reply: the same read finds rows of a run, or its course, and never half of each. */
export interface RunCourseRow {
  id: string
  course: string | null
  /** Those of a run that has a course; where its outcome has parts, those are the reply. */
  usage: string | null
  outcome: string | null
  parts: string | null
}

export const courseColumns = `
  runs.id, runs.course,
  case when runs.course is not null then runs.usage end as usage,
  case when runs.course is not null then runs.outcome end as outcome,
  coalesce(runs.words, messages.parts) as parts
`
export const joinReply = `
  left join messages on runs.course is not null and runs.words is null
    and messages.session_id = runs.session_id and messages.id = 'msg_' || substr(runs.id, 5)
`

export function toReply({ id, usage, outcome, parts }: RunCourseRow): Reply {
  const { parts: own } = JSON.parse(outcome ?? '{}') as { parts?: Part[] }
  return {
    runId: id,
    usage: JSON.parse(usage ?? '{}') as unknown,
    parts: own ?? (JSON.parse(parts ?? '[]') as Part[]),
  }
}
