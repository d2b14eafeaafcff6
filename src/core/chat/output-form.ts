/**
 * Answers of a form that whoever asks has chosen. The model is told the form with the input, the provider holds it to that
 * where it can, and what does not fit goes back to it, a limited number of times.
 */
import { describeIssues } from '../protocol/issues.ts'
import { requireCleanJson } from '../protocol/json.ts'
import { compileObjectSchema, withoutPatterns } from '../protocol/json-schema.ts'
import { invalidRequest, ParleyError } from '../protocol/error.ts'
import type { Part } from '../protocol/message.ts'
import { objectsIn } from '../shared/objects-in-text.ts'
import { cut } from '../shared/text.ts'
import { attemptPart, type FormedReply, type ReplyForm } from './reply-form.ts'
import type { SessionType } from './session-types.ts'
import type { TurnInput } from './turn-input.ts'

type Output = NonNullable<TurnInput['output']>

const maxRepairs = 2
// it goes back to the model, and into the log
const maxProblem = 1_900

/** Patterns are for the model: run over its words, some of them never come to an end. */
const compile = ({ schema }: Output) => compileObjectSchema(withoutPatterns(schema), 'schema of "output"')

/** Refuses a form that nothing can be checked against, and one for a session that answers in its own. */
export function checkOutput({ output }: TurnInput, type: SessionType): void {
  if (!output) return
  compile(output)
  if (type.replyForm || type.hasSeveralVoices)
    throw invalidRequest(
      `"output" is not for a session of the type ${type.name}: it answers in its own form.`,
    )
}

export function outputForm({ output }: TurnInput): ReplyForm | undefined {
  if (!output) return undefined
  const check = compile(output)
  const problemOf = (value: Record<string, unknown>): string | undefined => {
    try {
      requireCleanJson(value)
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error
      return error.message
    }
    const result = check.safeParse(value)
    return result.success ? undefined : describeIssues(result.error, value)
  }
  return {
    format: { name: output.name ?? 'output', schema: output.schema },
    keepsTools: true,
    read: async (text, said) => readOutput(text, said, problemOf),
  }
}

function readOutput(
  text: string,
  said: readonly Part[],
  problemOf: (value: Record<string, unknown>) => string | undefined,
): FormedReply {
  let problem = 'The answer has no JSON object.'
  let isFirst = true
  for (const found of objectsIn(text)) {
    const wrong = 'problem' in found ? `The answer is no JSON: ${found.problem}.` : problemOf(found.object)
    if (wrong === undefined && 'object' in found) {
      const written = found.isWhole ? text.trim() : JSON.stringify(found.object)
      return { parts: [{ type: 'text', text: written, state: 'done' }] }
    }
    if (isFirst && wrong !== undefined) problem = wrong
    isFirst = false
  }
  return refuse(text, said, cut(problem, maxProblem).toWellFormed())
}

function refuse(text: string, said: readonly Part[], problem: string): FormedReply {
  const parts = [attemptPart(text, problem)]
  const tries = said.filter(({ type }) => type === 'data-reply-attempt').length
  if (tries >= maxRepairs)
    return {
      parts,
      fault: {
        code: 'output_invalid',
        message: `The model did not answer in the requested form, ${tries + 1} times. ${problem}`,
      },
    }
  return {
    parts,
    again: `Your answer does not have the requested form. ${problem}\nAnswer again with the whole JSON object, and nothing else.`,
  }
}
