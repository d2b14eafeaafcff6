import { createElement, Fragment, type ReactElement } from 'react'
import { toPieces, type Piece, type Reading } from '../../../src/core/shared/visible.ts'

/** Looks that no text can give itself. */
const markClass =
  'mx-px rounded-sm bg-warning px-0.5 font-mono text-[0.85em] whitespace-nowrap text-page [unicode-bidi:isolate]'

interface Props extends Reading {
  text: string
}

/** A text with what nobody would see of it marked: see `src/core/shared/visible.ts`. */
export const VisibleText = ({ text, ...reading }: Props): ReactElement => drawPieces(toPieces(text, reading))

// not in JSX, whose texts are looked through for the notation itself
export const drawPieces = (pieces: readonly Piece[]): ReactElement =>
  createElement(
    Fragment,
    null,
    ...pieces.map(({ text, mark }) =>
      mark ? createElement('span', { className: markClass, 'data-hidden': mark.code }, text) : text,
    ),
  )
