import { styleText } from 'node:util'
import { type Piece, type Reading, toPieces } from '../shared/visible.ts'

/**
 * What is printed. A string may hold anything, and is made visible where it leaves; styles are objects, which no text can
 * imitate. Put together by lists: a style inside of a template string is lost, and never becomes dangerous.
 */
export type Shown = string | Styled | Ready | readonly Shown[]

type Paint = (text: string, stream: NodeJS.WriteStream) => string

class Styled {
  readonly paint: Paint
  readonly inner: Shown
  constructor(paint: Paint, inner: Shown) {
    this.paint = paint
    this.inner = inner
  }
}

/** Made visible already. */
class Ready {
  readonly pieces: readonly Piece[]
  constructor(pieces: readonly Piece[]) {
    this.pieces = pieces
  }
}

export const styled = (paint: Paint, inner: Shown): Shown => new Styled(paint, inner)
export const dim = (inner: Shown): Shown =>
  styled((text, stream) => styleText('dim', text, { stream }), inner)

/** A command, a path, an address or code, of one line or of many: strict, also where an answer goes to a file. */
export const exact = (text: string): Shown => visible(text, { isExact: true })
/** What must not break its line, such as a name or a cell of a table. */
export const oneLine = (text: string): Shown => visible(text, { isLine: true })

const visible = (text: string, reading: Reading) => ready(toPieces(text, reading))
export const ready = (pieces: readonly Piece[]): Shown => new Ready(pieces)

/** `isRaw` leaves strings as they are, for a stream that is no terminal. */
export function render(shown: Shown, stream: NodeJS.WriteStream, isRaw = false): string {
  if (typeof shown === 'string') return isRaw ? shown : renderPieces(toPieces(shown), stream)
  if (shown instanceof Styled) return shown.paint(render(shown.inner, stream, isRaw), stream)
  if (shown instanceof Ready) return renderPieces(shown.pieces, stream)
  return shown.map((part) => render(part, stream, isRaw)).join('')
}

/** Inverse video, which no text can have by itself. */
const renderPieces = (pieces: readonly Piece[], stream: NodeJS.WriteStream): string =>
  pieces.map(({ text, mark }) => (mark ? styleText('inverse', text, { stream }) : text)).join('')

/** The same without styles, to measure it. */
export function toPlain(shown: Shown): string {
  if (typeof shown === 'string') return shown
  if (shown instanceof Styled) return toPlain(shown.inner)
  if (shown instanceof Ready) return shown.pieces.map(({ text }) => text).join('')
  return shown.map(toPlain).join('')
}

/** Lists of lines, as one. */
export const joinLines = (lines: readonly Shown[]): Shown =>
  lines.flatMap((line, index) => (index === 0 ? [line] : ['\n', line]))

const maxLength = 200

/** The arguments of a call in one line, with the count of characters it leaves out. */
export function summarizeInput(input: unknown): Shown {
  const text = JSON.stringify(input) ?? ''
  if (text.length <= maxLength) return exact(text)
  const left = text.length - maxLength
  return [exact(text.slice(0, maxLength)), ` … ${left.toLocaleString('en')} more characters`]
}
