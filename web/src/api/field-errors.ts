import { countMoreIssues, issuesOf, type Issue } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { toSentence } from './issue-sentence.ts'
import { issueTexts, type IssueTexts } from './texts.ts'

/** What a server has to say about what was sent, by field; `form` is what belongs to none that is shown. */
export type FieldErrors<Name extends string> = Partial<Record<Name | 'form', string>>

/** A field is named by its path in what was sent, such as `prompt` or `limit.chars`. */
export function useFieldErrors<Name extends string>(
  error: unknown,
  fields: readonly Name[],
): FieldErrors<Name> {
  return toFieldErrors(error, fields, useTexts(issueTexts))
}

export function toFieldErrors<Name extends string>(
  error: unknown,
  fields: readonly Name[],
  t: IssueTexts,
): FieldErrors<Name> {
  if (!error) return {}
  const message = messageOf(error)
  const issues = issuesOf(error)
  // several that only the server has words for are told together, as it tells them
  const isUnknown = issues.length > 1 && issues.some((issue) => sentenceOf(issue, t) === undefined)
  if (issues.length === 0 || isUnknown) return { form: message } as FieldErrors<Name>
  const found: Partial<Record<string, string[]>> = {}
  for (const issue of issues) {
    const field = fields.find((name) => isWithin(issue.path, name.split('.')))
    const rest = field === undefined ? issue.path : issue.path.slice(field.split('.').length)
    const sentence = sentenceOf(issue, t)
    ;(found[field ?? 'form'] ??= []).push(sentence === undefined ? message : placed(rest, sentence, t))
  }
  const more = countMoreIssues(error)
  if (more > 0) (found.form ??= []).push(t.more(more))
  return Object.fromEntries(
    Object.entries(found).map(([field, sentences]) => [field, [...new Set(sentences)].join(' ')]),
  ) as FieldErrors<Name>
}

/** An error in the language of the page, as far as there are words for it. */
export const toErrorText = (error: unknown, t: IssueTexts): string =>
  toFieldErrors(error, [], t).form ?? messageOf(error)

/** For what is shown without fields. */
export function useErrorText(): (error: unknown) => string {
  const t = useTexts(issueTexts)
  return (error) => toErrorText(error, t)
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const sentenceOf = (issue: Issue, t: IssueTexts) => toSentence(issue, t) ?? issue.params.message

const isWithin = (path: Issue['path'], field: readonly string[]) =>
  field.every((name, index) => String(path[index]) === name)

/** Places in lists are counted from one. */
function placed(path: Issue['path'], sentence: string, t: IssueTexts): string {
  if (path.length === 0) return sentence
  return t.at(path.map((key) => (typeof key === 'number' ? key + 1 : key)).join('.'), sentence)
}
