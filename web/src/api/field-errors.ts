import { ParleyError } from '../../../src/client/index.ts'

/** What a server has to say about what was sent, by field; `form` is what belongs to none that is shown. */
export type FieldErrors<Name extends string> = Partial<Record<Name | 'form', string>>

/**
 * Sentences of the server begin with `At "field": …`, or name the thing they are about; `words` says which words name
 * which field.
 */
export function toFieldErrors<Name extends string>(
  error: unknown,
  fields: readonly Name[],
  words: Partial<Record<Name, RegExp>> = {},
): FieldErrors<Name> {
  if (!error) return {}
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof ParleyError) || error.code !== 'invalid_request') return { form: message } as never
  const found: Record<string, string> = {}
  for (const sentence of message.split(/(?<=\.) (?=At ["t])/)) {
    const path = /^At "([^"]+)"/.exec(sentence)?.[1]
    const field =
      fields.find((name) => path === name || path?.startsWith(`${name}.`)) ??
      fields.find((name) => words[name]?.test(sentence)) ??
      'form'
    const text = field === 'form' ? sentence : sentence.replace(/^At "[^"]+": /, '')
    found[field] = found[field] === undefined ? capitalised(text) : `${found[field]} ${text}`
  }
  return found as FieldErrors<Name>
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
