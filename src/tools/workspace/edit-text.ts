import { invalidRequest } from '../../protocol/error.ts'
import { describeNearest } from './nearest-lines.ts'

export interface Edit {
  old: string
  new: string
  /** Every place, rather than the only one. */
  all?: boolean
}

export interface Edited {
  text: string
  /** The line of each change as it was when the change was made, and how many places were changed. */
  changes: { line: number; count: number }[]
}

// a list of more says no more
const maxNamedLines = 10

/** Makes the changes one after the other, each on what the one before left; throws when one of them cannot be made. */
export function editText(text: string, edits: readonly Edit[]): Edited {
  const changes: Edited['changes'] = []
  for (const [index, edit] of edits.entries()) {
    const places = findPlaces(text, edit.old)
    const name = edits.length === 1 ? '"old"' : `"old" of edit ${index + 1}`
    if (edit.old === edit.new) throw invalidRequest(`${name} and "new" are the same; nothing was changed.`)
    if (places.length === 0)
      throw invalidRequest(
        `${name} is not in the file; nothing was changed. ${describeNearest(text, edit.old)}`,
      )
    if (places.length > 1 && !edit.all) {
      const lines = places.slice(0, maxNamedLines).map((place) => lineOf(text, place))
      throw invalidRequest(
        `${name} is in the file ${places.length} times (lines ${lines.join(', ')}${places.length > maxNamedLines ? ' …' : ''}); ` +
          'nothing was changed. Add lines around it until it is there once, or set "all".',
      )
    }
    changes.push({ line: lineOf(text, places[0]!), count: places.length })
    text = text.split(edit.old).join(edit.new)
  }
  return { text, changes }
}

function findPlaces(text: string, piece: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + piece.length)) places.push(at)
  return places
}

const lineOf = (text: string, place: number) => text.slice(0, place).split('\n').length
