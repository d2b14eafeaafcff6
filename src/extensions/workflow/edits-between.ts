import { isObject } from '../../core/shared/type-checks.ts'
import type { Path } from './blocks.ts'

/**
 * One change of a definition. `set` puts a value at a key, which may be new, or in the place of an item, and changes no
 * more than what differs; without a path it is the whole definition. `insert` puts one before the item with that index,
 * or after the last.
 */
export type Edit =
  | { type: 'set'; path: Path; value: unknown }
  | { type: 'insert'; path: Path; value: unknown }
  | { type: 'remove'; path: Path }

/** The smallest edits that turn one JSON value into another. */
export function editsBetween(before: unknown, after: unknown, path: Path): Edit[] {
  if (isSame(before, after)) return []
  if (Array.isArray(before) && Array.isArray(after)) return betweenLists(before, after, path)
  if (isObject(before) && isObject(after)) return betweenObjects(before, after, path)
  return [{ type: 'set', path, value: after }]
}

type Values = Record<string, unknown>

function betweenObjects(before: Values, after: Values, path: Path): Edit[] {
  const kept = Object.keys(after).filter((key) => Object.hasOwn(before, key))
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key))
  const fresh = Object.keys(after).filter((key) => !Object.hasOwn(before, key))
  return [
    ...kept.flatMap((key) => editsBetween(before[key], after[key], [...path, key])),
    // new ones first: a mapping that is never empty keeps its place
    ...fresh.map((key): Edit => ({ type: 'set', path: [...path, key], value: after[key] })),
    ...gone.map((key): Edit => ({ type: 'remove', path: [...path, key] })),
  ]
}

/** A common beginning and end stay; in between, item by item. */
function betweenLists(before: unknown[], after: unknown[], path: Path): Edit[] {
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && isSame(before[head], after[head])) head++
  let tail = 0
  while (tail < shorter - head && isSame(before.at(-1 - tail), after.at(-1 - tail))) tail++
  const [old, fresh] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)]
  const both = Math.min(old.length, fresh.length)
  const end = head + both
  return [
    ...fresh.slice(0, both).flatMap((item, at) => editsBetween(old[at], item, [...path, head + at])),
    ...fresh.slice(both).map((value, at): Edit => ({ type: 'insert', path: [...path, end + at], value })),
    ...old.slice(both).map((): Edit => ({ type: 'remove', path: [...path, end] })),
  ]
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
