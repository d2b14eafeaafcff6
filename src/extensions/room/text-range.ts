/** A part of a text, in UTF-16 units; the end is not in it. */
export interface TextRange {
  start: number
  end: number
}

export const lineEnd = 0x0a

/** Space, tab, carriage return, no-break and ideographic space. */
export const isSpace = (unit: number): boolean =>
  unit === 0x20 || unit === 0x09 || unit === 0x0d || unit === 0xa0 || unit === 0x3000
