/** Answers that must be an object: they are parsed and checked before anybody sees them. */
import { attemptPart, replyPart, type FormedReply, type ReplyForm } from '../../core/chat/reply-form.ts'
import type { TurnInput } from '../../core/chat/turn-input.ts'
import { describeIssues } from '../../core/protocol/issues.ts'
import { compileObjectSchema } from '../../core/protocol/json-schema.ts'
import type { Part } from '../../core/protocol/message.ts'
import { cut } from '../../core/shared/text.ts'
import { isObject } from '../../core/shared/type-checks.ts'
import { readLoose } from '../../core/shared/loose-json.ts'

const maxRepairs = 2
const maxReply = 200_000
const maxProblem = 1_900

export function readSeatForm({ seat }: TurnInput): ReplyForm | undefined {
  if (!seat?.schema) return undefined
  const { schema, textAs, repairs = maxRepairs } = seat
  const check = compileObjectSchema(schema, 'schema of an answer')
  return {
    format: { name: 'room_answer', schema },
    async read(text, parts): Promise<FormedReply> {
      const found = textAs === undefined || text.includes('{') ? findObject(text) : { [textAs]: text.trim() }
      if (typeof found === 'string') return refuse(text, parts, found, repairs)
      const read = check.safeParse(found)
      if (!read.success) return refuse(text, parts, describeIssues(read.error, found), repairs)
      const action = read.data as Record<string, unknown>
      const say = typeof action.say === 'string' ? action.say.trim() : ''
      return {
        parts: [
          ...(say === '' ? [] : [{ type: 'text', text: say, state: 'done' }]),
          replyPart(JSON.stringify(action)),
          { type: 'data-action', id: 'action', data: action },
        ],
      }
    },
  }
}

/** The object that was answered with. */
export function actionOf(parts: readonly Part[]): Record<string, unknown> | undefined {
  const found = parts.findLast(({ type }) => type === 'data-action')?.data
  return isObject(found) ? found : undefined
}

/** The first object in an answer, with whatever words and fences around it; otherwise what is wrong. */
function findObject(text: string): Record<string, unknown> | string {
  if (text.length > maxReply) return `The answer has more than ${maxReply} characters.`
  const at = text.indexOf('{')
  if (at < 0) return 'The answer is no JSON object.'
  const read = readLoose(text, at)
  if ('problem' in read) return `The answer is no JSON: ${read.problem}.`
  return isObject(read.value) ? read.value : 'The answer is no JSON object.'
}

function refuse(text: string, earlier: readonly Part[], reason: string, repairs: number): FormedReply {
  const problem = cut(reason, maxProblem).toWellFormed()
  const attempt = attemptPart(text, problem)
  const tries = earlier.filter(({ type }) => type === 'data-reply-attempt').length
  if (tries >= repairs)
    return {
      parts: [attempt],
      fault: {
        code: 'reply_invalid',
        message: `The agent did not answer in the form that was asked for, ${tries + 1} times. ${problem}`,
      },
    }
  return {
    parts: [attempt],
    again: `Your answer was not taken. ${problem}\nAnswer again with the whole JSON object, and nothing else.`,
  }
}
