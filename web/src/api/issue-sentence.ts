import type { Issue, IssueParams } from '../../../src/client/index.ts'
import type { IssueTexts } from './texts.ts'

/** What is wrong, in the language of the page; undefined when only the server has words for it. */
export function toSentence({ code, params }: Issue, t: IssueTexts): string | undefined {
  switch (code) {
    case 'required':
      return t.required
    case 'invalid_type':
      return t.mustBe((params.expected ?? []).map((type) => own(t.types, type) ?? type).join(t.or))
    case 'invalid_value':
      return t.mustBe((params.values ?? []).map((value) => t.quote(String(value))).join(t.or))
    case 'too_small':
      return tooSmall(params, t)
    case 'too_big':
      return tooBig(params, t)
    case 'not_multiple':
      return t.multiple(params.divisor ?? 1)
    case 'invalid_format':
      return wrongForm(params, t)
    case 'unknown_key':
      return t.unknownKeys(quoted(params.keys, t))
    case 'invalid_key':
      return t.wrongKey(params.values ? t.mustBe(quoted(params.values, t)) : wrongForm(params, t))
    case 'no_match':
      return t.noMatch
    case 'custom':
      return brokenRule(params, t)
  }
}

const quoted = (items: IssueParams['values'] = [], t: IssueTexts) =>
  items.map((item) => t.quote(String(item))).join(t.list)

function tooSmall({ origin = '', minimum = 0, inclusive, exact }: IssueParams, t: IssueTexts): string {
  if (!isSized(origin)) return inclusive === false ? t.above(minimum) : t.least(minimum)
  const size = t.sizes[origin](minimum)
  if (exact) return t.exactly(size)
  return minimum === 1 ? t.empty : t.atLeast(size)
}

function tooBig({ origin = '', maximum = 0, inclusive, exact }: IssueParams, t: IssueTexts): string {
  if (!isSized(origin)) return inclusive === false ? t.below(maximum) : t.most(maximum)
  const size = t.sizes[origin](maximum)
  return exact ? t.exactly(size) : t.atMost(size)
}

const isSized = (origin: string): origin is keyof IssueTexts['sizes'] =>
  ['string', 'array', 'object'].includes(origin)

function wrongForm({ format = '', prefix, suffix, includes }: IssueParams, t: IssueTexts): string {
  if (prefix !== undefined) return t.startsWith(prefix)
  if (suffix !== undefined) return t.endsWith(suffix)
  if (includes !== undefined) return t.includes(includes)
  return own(t.wordings, format) ?? own(t.formats, format) ?? t.wrongForm
}

function brokenRule({ rule = '', keys, maximum }: IssueParams, t: IssueTexts): string | undefined {
  if (rule === 'one_of') return t.oneOf(quoted(keys, t))
  if (rule === 'renamed') return t.renamed(keys?.[0] ?? '')
  if (rule === 'max_entries') return t.atMost(t.sizes.object(maximum ?? 0))
  return own(t.wordings, rule)
}

/** Names come from the server: what every object inherits is no text. */
const own = (texts: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(texts, name) ? texts[name] : undefined
