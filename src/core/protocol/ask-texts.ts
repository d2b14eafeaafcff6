import { builtInPreviews } from '../../extensions/built-in-previews.ts'
import { isObject } from '../shared/type-checks.ts'
import type { Approval, ApprovalPreview } from './approval.ts'

export interface AskText {
  name: string
  text: string
}

type Asked = Pick<Approval, 'action' | 'input' | 'resources' | 'outside'> & ApprovalPreview

type Previews = typeof builtInPreviews
/** How previews are said where that is not as on the command line; a page has its own. */
export type PreviewWords = { [Field in keyof Previews]?: Previews[Field]['words'] }

/** What a call touches: those outside of the workspaces first, which a yes grants. */
export const touchedBy = ({ resources, outside }: Asked): string[] => [...new Set([...outside, ...resources])]

/**
 * What a call would be made with, field by field and whole, without those that `touchedBy` or the action has already said.
 * A text is written as it is, unless it could be taken for a number or the like; everything else as JSON. What its
 * preview says comes first.
 */
export const inputTexts = (asked: Asked, words: PreviewWords = {}): AskText[] => [
  ...(Object.keys(builtInPreviews) as (keyof Previews)[]).flatMap((field) =>
    previewTexts(field, asked, words),
  ),
  ...argumentTexts(asked),
]

function previewTexts(field: keyof Previews, asked: Asked, words: PreviewWords): AskText[] {
  const shown = asked[field]
  const { texts, words: usual } = builtInPreviews[field]
  return shown === undefined ? [] : texts(shown, words[field] ?? usual)
}

function argumentTexts(asked: Asked): AskText[] {
  const { action, input } = asked
  if (input === undefined || input === null) return []
  if (!isObject(input)) return [{ name: 'input', text: toText(input) }]
  const said = new Set<unknown>(touchedBy(asked))
  return Object.entries(input)
    .filter(([name, value]) => !said.has(value) && !(name === 'action' && value === action))
    .map(([name, value]) => ({ name, text: toText(value) }))
}

const toText = (value: unknown): string =>
  typeof value === 'string' && value !== '' && !isJson(value) ? value : JSON.stringify(value, undefined, 2)

function isJson(text: string): boolean {
  // what begins neither like a value nor like one in quotes cannot be one; most texts do not
  if (!/^\s*[[{"\d-]|^\s*(?:true|false|null)\s*$/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Whether a question shows what it is about: on lines of its own, since a short text is found in any sentence. */
export const quotes = (question: string, content: string): boolean =>
  content.trim() === '' || `\n${question}\n`.includes(`\n${content.trim()}\n`)

/** How long a text is, where that is more than one sees at a glance. */
export interface Size {
  characters: number
  lines: number
}

export const sizeOf = (text: string): Size => ({
  characters: text.length,
  lines: text.split(/\r\n|[\n\r\u2028\u2029\u0085]/).length,
})

/** What is left out of a text in a place that is small, if anything is. */
export interface Shortened {
  text: string
  left?: Size
}

const maxCharacters = 2_000
const maxLines = 20

/** The beginning of a text, and how much of it is missing then. */
export function shorten(text: string): Shortened {
  let end = text.length > maxCharacters ? maxCharacters : text.length
  for (let at = -1, line = 1; ; line++) {
    at = text.indexOf('\n', at + 1)
    if (at === -1 || at >= end) break
    if (line === maxLines) end = at
  }
  if (end === text.length) return { text }
  // not within one character
  if (/[\ud800-\udbff]/.test(text[end - 1]!)) end--
  const rest = text.slice(end)
  return { text: text.slice(0, end), left: { characters: rest.length, lines: rest.split('\n').length - 1 } }
}
