import { foldLetter, foldName, letters } from '../../core/shared/fold-name.ts'

export interface Match<Value> {
  value: Value
  end: number
}

interface Node<Value> {
  next: Map<number, Node<Value>>
  value?: Value
}

/** Names, found in a text by one pass over its letters. Forms and cases of a letter are one. */
export class NameTrie<Value> {
  readonly #root: Node<Value> = { next: new Map() }
  /** Letters as they are compared, since to find that out takes longer than all else; one entry per UTF-16 unit. */
  readonly #folds = new Map<number, string>()

  /** Keeps the value for this name unless there is one; answers the one that is kept. */
  add(name: string, value: Value): Value {
    const key = foldName(name)
    let node = this.#root
    for (let at = 0; at < key.length; at++) {
      const unit = key.charCodeAt(at)
      let next = node.next.get(unit)
      if (!next) node.next.set(unit, (next = { next: new Map() }))
      node = next
    }
    return (node.value ??= value)
  }

  /** The longest name that stands in the text from here on and may end where it does. */
  longest(
    text: string,
    start: number,
    mayEnd: (text: string, end: number) => boolean,
  ): Match<Value> | undefined {
    let node: Node<Value> | undefined = this.#root
    let last: Node<Value> | undefined
    let lastEnd = start
    for (let at = start; at < text.length;) {
      const end = letterEnd(text, at)
      node = this.#step(node, text, at, end)
      if (!node) break
      if (node.value !== undefined && mayEnd(text, end)) {
        last = node
        lastEnd = end
      }
      at = end
    }
    return last && { value: last.value!, end: lastEnd }
  }

  #step(node: Node<Value>, text: string, at: number, end: number): Node<Value> | undefined {
    const unit = text.charCodeAt(at)
    if (end > at + maxLetter) return undefined
    if (end > at + 1) return walk(node, foldLetter(text.slice(at, end)))
    const next = node.next.get(unit)
    if (next || unit < 0x41) return next
    let folded = this.#folds.get(unit)
    if (folded === undefined) this.#folds.set(unit, (folded = foldLetter(text[at]!)))
    return walk(node, folded)
  }
}

// a letter with more marks than this is no part of a name
const maxLetter = 16

function walk<Value>(node: Node<Value>, units: string): Node<Value> | undefined {
  let next: Node<Value> | undefined = node
  for (let at = 0; next && at < units.length; at++) next = next.next.get(units.charCodeAt(at))
  return next
}

const letterHere = new RegExp(letters.source, 'uy')

function letterEnd(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  if (isAlone(text.charCodeAt(at + 1)) && (unit < 0xd800 || unit > 0xdfff)) return at + 1
  letterHere.lastIndex = at
  letterHere.test(text)
  return letterHere.lastIndex
}

/** Whether the unit surely does not join the letter before it, as most do not; the end of the text is NaN. */
const isAlone = (unit: number) =>
  !(unit >= 0x300) ||
  (unit >= 0x370 && unit < 0x483) ||
  (unit >= 0x3400 && unit < 0xa000) ||
  (unit >= 0xac00 && unit < 0xd7b0) ||
  (unit >= 0xff00 && unit < 0xff9e)
