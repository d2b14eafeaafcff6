import { isObject } from '../shared/type-checks.ts'
import type { Approval } from './approval.ts'
import type { ApprovalFacets } from './facets.ts'

export interface AskText {
  name: string
  text: string
}

type Asked = Pick<Approval, 'action' | 'input' | 'resources' | 'outside'> & ApprovalFacets

/** How what tools show of their calls is said to the person who is asked, by field. */
export type PreviewTexts = {
  readonly [Field in keyof ApprovalFacets]?: (shown: NonNullable<ApprovalFacets[Field]>) => AskText[]
}

/** What a call touches: those outside of the workspaces first, which a yes grants. */
export const touchedBy = ({ resources, outside }: Asked): string[] => [...new Set([...outside, ...resources])]

/**
 * What a call would be made with, field by field and whole, without those that `touchedBy` or the action has already said.
 * A text is written as it is, unless it could be taken for a number or the like; everything else as JSON. What its
 * preview says comes first.
 */
export const inputTexts = (asked: Asked, previews: PreviewTexts = {}): AskText[] => [
  ...Object.entries(previews).flatMap(([field, toTexts]) => previewTexts(asked, field, toTexts)),
  ...argumentTexts(asked),
]

function previewTexts(asked: object, field: string, toTexts: (shown: never) => AskText[]): AskText[] {
  const shown = (asked as Record<string, never>)[field]
  return shown === undefined ? [] : toTexts(shown)
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
