import { isObject } from '../../../../core/shared/type-checks.ts'
import { cut } from '../../../../core/shared/text.ts'
import { chosenOption, isLike, normalised, withoutLeadIn } from './compare.ts'
import type { GivenAnswer, Mark, Question } from './state.ts'
import type { QuizTexts } from './texts-en.ts'

const maxReason = 500

/** JSON Schema of what a judge answers with. */
export const verdictSchema = (players: readonly string[]) => ({
  type: 'object',
  properties: {
    verdicts: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          player: { type: 'string', enum: players },
          points: { type: 'number', minimum: 0, maximum: 1 },
          reason: { type: 'string' },
        },
        required: ['player', 'points', 'reason'],
        additionalProperties: false,
      },
    },
  },
  required: ['verdicts'],
  additionalProperties: false,
})

/** Undefined where only somebody who understands the answers can judge them. */
export function isRight(question: Question, answer: string): boolean | undefined {
  if (question.kind === 'open') return undefined
  // as it is said, and without what people say before an answer
  const ways = [answer, withoutLeadIn(answer)]
  if (question.kind === 'fill_in') return ways.some((way) => normalised(way) === normalised(question.answer))
  const options = question.options ?? []
  const chosen = ways.map((way) => chosenOption(options, way)).find((index) => index !== undefined)
  return chosen !== undefined && chosen === chosenOption(options, question.answer)
}

/**
 * One mark for each who was to answer. What the judge says of an open question counts where it says something that can
 * be; where it does not, the answer counts when it is like the one that was kept hidden.
 */
export function marksOf(
  question: Question,
  answers: readonly GivenAnswer[],
  verdicts: unknown,
  texts: QuizTexts,
): Mark[] {
  return answers.map(({ player, text }) => {
    if (text === undefined) return { player, points: 0, reason: texts.noAnswer }
    const right = isRight(question, text)
    if (right !== undefined)
      return { player, answer: text, points: right ? 1 : 0, reason: right ? texts.right : texts.wrong }
    const verdict = verdictOn(player, verdicts)
    if (verdict) return { player, answer: text, ...verdict }
    const like = isLike(text, question.answer)
    return { player, answer: text, points: like ? 1 : 0, reason: texts.notJudged(like) }
  })
}

function verdictOn(player: string, verdicts: unknown): Pick<Mark, 'points' | 'reason'> | undefined {
  if (!Array.isArray(verdicts)) return undefined
  const verdict: unknown = verdicts.find((each) => isObject(each) && each['player'] === player)
  if (!isObject(verdict)) return undefined
  const { points, reason } = verdict
  if (typeof points !== 'number' || !(points >= 0 && points <= 1)) return undefined
  return {
    points: Math.round(points * 100) / 100,
    reason: typeof reason === 'string' ? cut(reason.replace(/\s+/gu, ' ').trim(), maxReason) : '',
  }
}
