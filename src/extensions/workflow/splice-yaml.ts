/**
 * Ways to change a YAML text at one place and leave every other byte alone. They are guesses: the caller parses
 * the result to verify it.
 */
import {
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  stringify,
  type Node,
} from 'yaml'
import type { Path } from './blocks.ts'
import type { Edit } from './edits-between.ts'
import { endOfNode, startOfNode, TextPlace, toFlow, type Item } from './yaml-positions.ts'

/** What is put where: from one offset to another. */
type Cut = [from: number, to: number, put: string]

export function* splices(text: string, edit: Edit): Generator<string> {
  if (edit.path.length === 0) return
  const document = parseDocument(text, { keepSourceTokens: true })
  const holder = edit.path.slice(0, -1).reduce<unknown>(itemValue, document.contents)
  if (!isMap(holder) && !isSeq(holder)) return
  const last = edit.path.at(-1)!
  const index = isMap(holder)
    ? holder.items.findIndex(({ key }) => isScalar(key) && key.value === last)
    : Number(last)
  for (const [from, to, put] of cutsFor(new TextPlace(text, holder), index, edit))
    yield text.slice(0, from) + put + text.slice(to)
}

function cutsFor(place: TextPlace, index: number, edit: Edit): Iterable<Cut> {
  const { items } = place.holder
  if (edit.type === 'remove') return items.length === 1 ? emptied(place) : removed(place, index)
  const key = isMap(place.holder) ? String(edit.path.at(-1)) : undefined
  if (edit.type === 'set' && items[index]) return replaced(place, items[index] as Item, edit.value)
  if (items.length === 0) return begun(place, key, edit.value)
  return added(place, index < 0 ? items.length : index, key, edit.value)
}

function itemValue(node: unknown, part: Path[number]): unknown {
  if (isMap(node)) return node.items.find(({ key }) => isScalar(key) && key.value === part)?.value
  return isSeq(node) && typeof part === 'number' ? node.items[part] : undefined
}

function* replaced(place: TextPlace, item: Item, value: unknown): Generator<Cut> {
  const { text, isFlow } = place
  const node = isPair(item) ? item.value : item
  if (!isNode(node)) return
  const from = startOfNode(node)
  const to = Math.max(from, place.trim(endOfNode(node)))
  const own = isPair(item) ? place.column(startOfNode(item.key as Node)) : place.column(from)
  const space = from > 0 && /[:-]/.test(text[from - 1]!) ? ' ' : ''
  const isFlowNow = isCollection(node) && node.flow === true && !isFlow
  const comment = /^[ \t]+#.*/.exec(text.slice(to, place.lineTextEnd(to)))?.[0] ?? ''
  for (const put of [
    ...(isFlowNow ? [toFlow(value)] : []),
    ...place.render(value, isPair(item) ? own + 2 : own),
  ]) {
    const isBlock = !isFlow && isPair(item) && isFilled(value) && !/^[[{"]/.test(put)
    // a mapping begins on a line of its own below its key, and a list too
    if (isBlock && place.beginsLine(from)) yield [from, to, put]
    else if (isBlock)
      yield [text[from - 1] === ' ' ? from - 1 : from, to, `${place.lineEnd}${' '.repeat(own + 2)}${put}`]
    else {
      // what is behind a value goes behind the sign that begins a text of many lines
      if (/^[|>]/.test(put) && comment) {
        const head = /^.*/.exec(put)![0].replace(/\r$/, '')
        yield [from, to + comment.length, `${space}${head}${comment}${put.slice(head.length)}`]
      }
      yield [from, to, space + put]
      // from a mapping below its key to a single value
      const before = place.trim(from)
      if (text[before - 1] === ':') yield [before, to, ` ${put}`]
    }
  }
}

const isScalarValue = (value: unknown) => typeof value !== 'object' || value === null
const isFilled = (value: unknown) => !isScalarValue(value) && Object.keys(value as object).length > 0

function* emptied(place: TextPlace): Generator<Cut> {
  const { holder, isFlow, text } = place
  const empty = isMap(holder) ? '{}' : '[]'
  const from = isFlow ? holder.range![0] : place.startOf(0)
  const to = isFlow ? holder.range![1] : place.endOf(0)
  const before = place.trim(from)
  if (!isFlow && text[before - 1] === ':') yield [before, to, ` ${empty}`]
  yield [from, to, empty]
}

function* begun(place: TextPlace, key: string | undefined, value: unknown): Generator<Cut> {
  const [from, to] = place.holder.range!
  const item = key === undefined ? toFlow(value) : `${toFlow(key)}: ${toFlow(value)}`
  yield [from, to, key === undefined ? `[${item}]` : `{ ${item} }`]
  const json = JSON.stringify(value)
  yield [from, to, key === undefined ? `[${json}]` : `{${JSON.stringify(key)}: ${json}}`]
}

function* removed(place: TextPlace, index: number): Generator<Cut> {
  const { holder, isFlow, text } = place
  const start = place.startOf(index)
  const isLast = index === holder.items.length - 1
  if (isFlow || !place.beginsLine(start)) {
    if (!isLast) yield [start, place.startOf(index + 1), '']
    else if (isFlow) yield [place.endOf(index - 1), place.endOf(index), '']
    return
  }
  const from = place.startWithComment(index)
  let to = place.nextLine(place.endOf(index))
  // one empty line is enough where there was one before and one after it
  const isAfterGap = from === 0 || /\n[ \t]*\r?\n$/.test(text.slice(0, from))
  const [gap = ''] = (isAfterGap ? /^(?:[ \t]*\r?\n)+/.exec(text.slice(to)) : undefined) ?? []
  to += gap.length
  if (to === text.length && isAfterGap) yield [place.trim(from), to, place.lineEnd]
  yield [from, to, '']
}

function* added(place: TextPlace, index: number, key: string | undefined, value: unknown): Generator<Cut> {
  const { holder, isFlow, lineEnd } = place
  const { length } = holder.items
  const column = place.column(place.startOf(0))
  for (const shown of place.render(value, isFlow ? column : column + 2)) {
    const item = toItem(place, key, value, shown, column)
    if (isFlow) yield* addedToFlow(place, index, item, column)
    else if (
      !place.beginsLine(place.startOf(index < length ? index : length - 1)) &&
      length > 1 &&
      index < length
    )
      return
    else {
      const gap = place.isSpaced ? lineEnd : ''
      if (index < length) {
        const at = place.startWithComment(index)
        yield [at, at, `${' '.repeat(column)}${item}${lineEnd}${gap}`]
      } else {
        const at = place.lineTextEnd(place.endOf(length - 1))
        yield [at, at, `${lineEnd}${gap}${' '.repeat(column)}${item}`]
      }
    }
  }
}

function toItem(
  place: TextPlace,
  key: string | undefined,
  value: unknown,
  shown: string,
  column: number,
): string {
  if (key === undefined) return place.isFlow ? shown : `- ${shown}`
  const name = place.isFlow && place.isJson ? JSON.stringify(key) : stringify(key, { lineWidth: 0 }).trim()
  const isBlock = !place.isFlow && isFilled(value) && !/^[[{"]/.test(shown)
  return isBlock ? `${name}:${place.lineEnd}${' '.repeat(column + 2)}${shown}` : `${name}: ${shown}`
}

function* addedToFlow(place: TextPlace, index: number, item: string, column: number): Generator<Cut> {
  const { holder, lineEnd } = place
  const separator = place.isSpread ? `,${lineEnd}${' '.repeat(column)}` : ', '
  if (index < holder.items.length) {
    const at = place.startOf(index)
    yield [at, at, `${item}${separator}`]
  } else {
    const at = place.endOf(holder.items.length - 1)
    yield [at, at, `${separator}${item}`]
  }
}
