import { chosenOption, letterOf, normalised } from './compare.ts'
import { questionSchema, type Question } from './state.ts'

/** JSON Schema of what a questioner answers with. */
export const questionJsonSchema = {
  type: 'object',
  properties: {
    question: { type: 'string' },
    kind: { type: 'string', enum: ['choice', 'fill_in', 'open'] },
    options: { type: 'array', items: { type: 'string' }, maxItems: 8 },
    answer: { type: 'string' },
    explanation: { type: 'string' },
  },
  required: ['question', 'kind', 'answer'],
  additionalProperties: false,
}

/** Undefined when nobody could answer it, or the answers could not be judged. */
export function readQuestion(data: unknown): Question | undefined {
  const { data: question } = questionSchema.safeParse(data)
  if (!question) return undefined
  const { options: given, ...rest } = question
  if (question.kind !== 'choice') return normalised(question.answer) ? rest : undefined
  const options = (given ?? []).map(withoutLetter)
  if (options.length < 2 || new Set(options.map(normalised)).size < options.length) return undefined
  return chosenOption(options, question.answer) === undefined ? undefined : { ...rest, options }
}

/** As all may read it: without its answer. */
export const askedText = ({ question, options = [] }: Question) =>
  [question, ...options.map((option, index) => `${letterOf(index)}. ${option}`)].join('\n')

export function solutionOf({ options, answer }: Question): string {
  const chosen = options && chosenOption(options, answer)
  return chosen === undefined ? answer : `${letterOf(chosen)}. ${options![chosen]}`
}

/** Some write the letter that an option gets anyway. */
const withoutLetter = (option: string, index: number) =>
  option.replace(new RegExp(`^\\(?${letterOf(index)}[).、:：．]\\s*(?=\\S)`, 'i'), '')
