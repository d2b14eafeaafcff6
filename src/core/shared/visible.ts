/**
 * Text written by others, made safe to show. Every character that a terminal or a page would act on, hide, or draw like
 * another one is written as `<U+202E>`; a run of the same one as `<U+0020 ×412>`. The notation has one reading: a text
 * that holds `<U+` itself is shown as `<U+003C>U+`. Callers draw the marks in a style that no text can have.
 */

/** A stretch of text as it is, or the mark for a character that is not drawn. */
export type Piece = { text: string; mark?: undefined } | { text: string; mark: Mark }

export interface Mark {
  /** Such as `U+202E`. */
  code: string
  count: number
}

export interface Reading {
  /**
   * For commands, paths, addresses and code: marks whatever cannot be distinguished from a space or from nothing. Otherwise the
   * text is prose, where joiners inside of emoji and of words of many scripts stay as they are.
   */
  isExact?: boolean
  /** For names and cells of tables: line breaks and tabs are marked as well. */
  isLine?: boolean
  /** The character before the text, where the text continues another. */
  before?: string
}

// Cc controls, Cs halves of surrogate pairs, Zl and Zp separators of lines; DI, "default ignorable", has the directional
// controls, joiners, fillers, variation selectors and tags
const hiddenInProse = String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{DI}\ufff9-\ufffb\ufffe\uffff]`
// and everything unassigned, private or formatting, all spaces but one, and the blank of Braille
const hiddenInExact = String.raw`(?! )[\p{C}\p{Z}\p{DI}\u2800]`
const ownNotation = '<(?=U\\+)'
// that many would push what follows out of sight
const longBlanks = String.raw`[ \t]{41,}|\n(?:[ \t]*\n){3,}`
const spacesAtEnds = '^ +| +$'

const runOf = (hidden: string) => `(?:${hidden})+`
const linesOf = (hidden: string) => `(?![\\t\\n])${hidden}`
const toPattern = (...parts: string[]) => new RegExp(parts.join('|'), 'gu')

const patterns = {
  prose: toPattern(runOf(linesOf(hiddenInProse)), ownNotation),
  proseLine: toPattern(runOf(hiddenInProse), ownNotation),
  exact: toPattern(runOf(linesOf(hiddenInExact)), ownNotation, longBlanks),
  exactLine: toPattern(runOf(hiddenInExact), ownNotation, spacesAtEnds, longBlanks),
}

const patternOf = ({ isExact, isLine }: Reading) =>
  patterns[isExact ? (isLine ? 'exactLine' : 'exact') : isLine ? 'proseLine' : 'prose']

export function toPieces(text: string, reading: Reading = {}): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  const add = (plain: string) => plain !== '' && pieces.push({ text: plain })
  for (const match of text.matchAll(patternOf(reading))) {
    const [run] = match
    const end = match.index + run.length
    if (!reading.isExact && isOrdinary(run, charBefore(text, match.index) ?? reading.before, text, end))
      continue
    add(text.slice(from, match.index))
    // the line end of other systems, which breaks the line as any other
    if (!(run === '\r' && text[end] === '\n' && !reading.isExact && !reading.isLine))
      pieces.push(...toMarks(run))
    from = end
  }
  add(text.slice(from))
  return pieces
}

/** The same as one text, for where there are no styles. */
export const toVisible = (text: string, reading?: Reading): string =>
  toPieces(text, reading)
    .map((piece) => piece.text)
    .join('')

const candidates = new RegExp(patterns.prose.source, 'u')

/** A quick check of prose: false for nearly every text, and true where something may have to be marked. */
export const mayHide = (text: string): boolean => candidates.test(text)

/** Whether something would be marked. */
export const hasHidden = (text: string, reading: Reading = {}): boolean =>
  toPieces(text, reading).some(({ mark }) => mark !== undefined)

function toMarks(run: string): Piece[] {
  if (/^[ \t]{41,}$/.test(run)) return [toMark(' ', run.length)]
  // whole lines that are empty stay out of the way of those around them
  if (run.length > 1 && /^[ \t\n]+$/.test(run) && run.includes('\n'))
    return [{ text: '\n' }, toMark('\n', run.split('\n').length - 2), { text: '\n' }]
  const pieces: Piece[] = []
  const characters = [...run]
  for (let at = 0, end = 0; at < characters.length; at = end) {
    while (characters[end] === characters[at]) end++
    pieces.push(toMark(characters[at]!, end - at))
  }
  return pieces
}

function toMark(character: string, count: number): Piece {
  const code = `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
  return { text: count === 1 ? `<${code}>` : `<${code} ×${count}>`, mark: { code, count } }
}

const joiner = /^(?:[\u034f\u061c\u180b-\u180f\u200b-\u200f]|[\ufe00-\ufe0f]|\ufe0f\u200d)$/
const flagTags = /^[\u{e0020}-\u{e007e}]{1,6}\u{e007f}$/u
const ideographVariant = /^[\u{e0100}-\u{e01ef}]$/u

/** What writing needs: a joiner beside a character that is not ASCII, a soft hyphen in a word, the tags of a flag. */
function isOrdinary(run: string, before: string | undefined, text: string, end: number): boolean {
  const after = text.codePointAt(end)
  const next = after === undefined ? undefined : String.fromCodePoint(after)
  if (run === '\u00ad') return isLetter(before) && isLetter(next)
  if (joiner.test(run)) return isForeign(before) || isForeign(next)
  if (flagTags.test(run)) return before === '\u{1f3f4}'
  return ideographVariant.test(run) && before !== undefined && /\p{Script=Han}/u.test(before)
}

const isLetter = (character: string | undefined) => character !== undefined && /\p{L}/u.test(character)
const isForeign = (character: string | undefined) => character !== undefined && character > '\u007f'

function charBefore(text: string, at: number): string | undefined {
  if (at === 0) return undefined
  const last = text.charCodeAt(at - 1)
  return last >= 0xdc00 && last <= 0xdfff && at > 1 ? text.slice(at - 2, at) : text[at - 1]
}

// longer than anything that is left alone: more is marked whatever follows it
const maxHeld = 64
const undecided = new RegExp(`(?:${runOf(linesOf(hiddenInProse))}|<U?)$`, 'u')

export interface VisibleStream {
  add(text: string): Piece[]
  /** What was held back until more would come. */
  end(): Piece[]
}

/** The same for prose that comes in parts: what depends on the next character waits for it. */
export function createVisibleStream(): VisibleStream {
  let held = ''
  let before: string | undefined
  const take = (text: string) => {
    const pieces = toPieces(text, { before })
    before = charBefore(text, text.length) ?? before
    return pieces
  }
  return {
    add(text) {
      const all = held + text
      const tail = undecided.exec(all.slice(-maxHeld))?.[0] ?? ''
      held = tail.length === maxHeld ? '' : tail
      return take(all.slice(0, all.length - held.length))
    },
    end() {
      const rest = take(held)
      held = ''
      before = undefined
      return rest
    },
  }
}

const inJson = new RegExp(hiddenInProse, 'gu')
const escapeUnits = (text: string) =>
  text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

/**
 * JSON that means the same and holds nothing that a terminal acts on or that reads in another order. Takes text that is
 * JSON already.
 */
export const escapeJson = (json: string): string =>
  json.replace(inJson, (character) =>
    character === '\n' || character === '\t' ? character : escapeUnits(character),
  )
