import { setImmediate as others } from 'node:timers/promises'
import { invalidRequest } from '../../core/protocol/error.ts'
import { createFinder } from '../../core/shared/find-text.ts'
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

// a longer list is of no more use
const maxNamedLines = 10
// of all edits together; more is no longer the work of moments
const maxPlaces = 100_000

/**
 * Makes the changes one after the other, each on what the one before left; throws when one of them cannot be made. How
 * long the text would become is known before it is: at no point is it longer than `maxLength`, or than it was.
 */
export async function editText(text: string, edits: readonly Edit[], maxLength: number): Promise<Edited> {
  const changes: Edited['changes'] = []
  const most = Math.max(maxLength, text.length)
  let placesLeft = maxPlaces
  for (const [index, edit] of edits.entries()) {
    if (index > 0) await others()
    const name = edits.length === 1 ? '"old"' : `"old" of edit ${index + 1}`
    const { first, count } = findPlaces(text, edit.old, placesLeft)
    requireChange(text, edit, name, { first, count })
    if (count > placesLeft)
      throw invalidRequest(
        `${name} is in the file too often: at most ${maxPlaces} places are changed at once; nothing was changed.`,
      )
    const length = text.length + count * (edit.new.length - edit.old.length)
    if (length > most)
      throw invalidRequest(
        `With ${edits.length === 1 ? 'the edit' : `edit ${index + 1}`} the file would have ${length} characters; the most is ${most}. Nothing was changed.`,
      )
    changes.push({ line: linesAt(text, first.slice(0, 1))[0]!, count })
    text = replaceAll(text, edit)
    placesLeft -= count
  }
  return { text, changes }
}

interface Places {
  /** The first few. */
  first: number[]
  count: number
}

function requireChange(text: string, edit: Edit, name: string, { first, count }: Places): void {
  if (edit.old === edit.new) throw invalidRequest(`${name} and "new" are the same; nothing was changed.`)
  if (count === 0)
    throw invalidRequest(
      `${name} is not in the file; nothing was changed. ${describeNearest(text, edit.old)}`,
    )
  if (count > 1 && !edit.all)
    throw invalidRequest(
      `${name} is in the file ${count} times (lines ${linesAt(text, first).join(', ')}${count > maxNamedLines ? ' …' : ''}); ` +
        'nothing was changed. Add lines around it until it is there once, or set "all".',
    )
}

/** Stops once there are more than `enough`. */
function findPlaces(text: string, piece: string, enough: number): Places {
  const first: number[] = []
  let count = 0
  const find = createFinder(piece)
  for (let at = find(text); at >= 0 && count <= enough; at = find(text, at + piece.length)) {
    if (count++ < maxNamedLines) first.push(at)
  }
  return { first, count }
}

function replaceAll(text: string, edit: Edit): string {
  const find = createFinder(edit.old)
  const kept: string[] = []
  let end = 0
  for (let at = find(text); at >= 0; at = find(text, end)) {
    kept.push(text.slice(end, at))
    end = at + edit.old.length
  }
  return [...kept, text.slice(end)].join(edit.new)
}

/** The lines of places that come one after the other, in one pass. */
function linesAt(text: string, places: readonly number[]): number[] {
  let line = 1
  let next = text.indexOf('\n')
  return places.map((place) => {
    for (; next >= 0 && next < place; next = text.indexOf('\n', next + 1)) line++
    return line
  })
}
