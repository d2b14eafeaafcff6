// up to here the engine's own search is quick on any text; beyond, some pieces take it the product of both lengths
const maxPlainLength = 250

/** Where a piece is in a text, from a place on, or -1; takes no longer than both are long. */
export function findText(text: string, piece: string, from = 0): number {
  if (piece.length <= maxPlainLength) return text.indexOf(piece, from)
  return createFinder(piece)(text, from)
}

/** The same for a piece that is searched more than once. */
export function createFinder(piece: string): (text: string, from?: number) => number {
  if (piece.length <= maxPlainLength) return (text, from = 0) => text.indexOf(piece, from)
  const borders = bordersOf(piece)
  return (text, from = 0) => {
    let matched = 0
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at)
      while (matched > 0 && piece.charCodeAt(matched) !== code) matched = borders[matched - 1]!
      if (piece.charCodeAt(matched) === code) matched++
      if (matched === piece.length) return at + 1 - matched
    }
    return -1
  }
}

/** Of each beginning, how much of its end is a beginning as well (the table of Knuth, Morris and Pratt). */
function bordersOf(piece: string): Int32Array {
  const borders = new Int32Array(piece.length)
  let length = 0
  for (let at = 1; at < piece.length; at++) {
    const code = piece.charCodeAt(at)
    while (length > 0 && piece.charCodeAt(length) !== code) length = borders[length - 1]!
    if (piece.charCodeAt(length) === code) length++
    borders[at] = length
  }
  return borders
}
