import {
  Document,
  isCollection,
  isNode,
  isPair,
  stringify,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'

export type Item = Pair | Node

export const lineEndOf = (text: string): string => /\r?\n/.exec(text)?.[0] ?? '\n'

/** A mapping or a list in its text. */
export class TextPlace {
  readonly text: string
  readonly holder: YAMLMap | YAMLSeq
  readonly lineEnd: string

  constructor(text: string, holder: YAMLMap | YAMLSeq) {
    this.text = text
    this.holder = holder
    this.lineEnd = lineEndOf(text)
  }

  get isFlow(): boolean {
    return this.holder.flow === true
  }

  /** Where an item begins: at its key, or at its dash. */
  startOf(index: number): number {
    const item = this.holder.items[index] as Item
    if (isPair(item)) return startOfNode(item.key as Node)
    if (this.isFlow) return startOfNode(item)
    const token = this.holder.srcToken
    const dashes =
      token?.type === 'block-seq'
        ? token.items.flatMap(({ start }) => start.find(({ type }) => type === 'seq-item-ind') ?? [])
        : []
    return dashes[index]?.offset ?? startOfNode(item)
  }

  endOf(index: number): number {
    return this.trim(endOfItem(this.holder.items[index] as Item))
  }

  trim(end: number): number {
    let at = end
    while (at > 0 && /\s/.test(this.text[at - 1]!)) at--
    return at
  }

  lineStart(offset: number): number {
    return this.text.lastIndexOf('\n', offset - 1) + 1
  }

  /** Behind the line that an offset is in, and what ends it. */
  nextLine(offset: number): number {
    const at = this.text.indexOf('\n', offset)
    return at < 0 ? this.text.length : at + 1
  }

  /** The end of a line's content, a trailing comment included. */
  lineTextEnd(offset: number): number {
    const at = this.text.indexOf('\n', offset)
    const end = at < 0 ? this.text.length : at
    return this.text[end - 1] === '\r' ? end - 1 : end
  }

  column(offset: number): number {
    return (
      offset -
      this.lineStart(offset) -
      (this.text.startsWith('\uFEFF') && this.lineStart(offset) === 0 ? 1 : 0)
    )
  }

  /** Whether only spaces are before it on its line. */
  beginsLine(offset: number): boolean {
    return /^\uFEFF?[ \t]*$/.test(this.text.slice(this.lineStart(offset), offset))
  }

  /** The beginning of an item with the comment right above it, which belongs to it. */
  startWithComment(index: number): number {
    const own = this.lineStart(this.startOf(index))
    const floor = index > 0 ? this.nextLine(this.endOf(index - 1)) : 0
    let start = own
    while (start > floor) {
      const above = this.lineStart(start - 1)
      if (above < floor || !/^\s*#/.test(this.text.slice(above, start))) break
      start = above
    }
    // a comment at the top belongs to the whole text
    return start === 0 ? own : start
  }

  /** Whether there is an empty line between the items. */
  get isSpaced(): boolean {
    if (this.holder.items.length < 2) return false
    return /\n[ \t]*\r?\n/.test(this.text.slice(this.endOf(0), this.startOf(1)))
  }

  /** Ways to write a value at this place: the readable one first, then one that works everywhere. */
  render(value: unknown, column: number): string[] {
    const json = JSON.stringify(value)
    const indented = (text: string, by: number) =>
      text
        .split('\n')
        .map((line, at) => (at === 0 || line === '' ? line : ' '.repeat(by) + line))
        .join(this.lineEnd)
    if (this.isFlow) {
      if (!this.isJson) return [toFlow(value), json]
      return [indented(this.isSpread ? JSON.stringify(value, null, 2) : json, column), json]
    }
    return [indented(stringify(value, { lineWidth: 0 }).replace(/\n$/, ''), column), toFlow(value), json]
  }

  /** Whether its keys are written as JSON wants it. */
  get isJson(): boolean {
    return /^\s*[[{]/.test(this.text) && !/^\s*[[{]\s*[A-Za-z_]/.test(this.text)
  }

  /** Whether the items of a `{}` or `[]` have lines of their own. */
  get isSpread(): boolean {
    return this.isFlow && this.holder.items.length > 0 && this.beginsLine(this.startOf(0))
  }
}

export const startOfNode = (node: Node): number => {
  const token = node.srcToken as { offset?: number } | undefined
  return node.range?.[0] ?? token?.offset ?? 0
}

function endOfItem(item: Item): number {
  if (!isPair(item)) return endOfNode(item)
  return isNode(item.value)
    ? Math.max(endOfNode(item.value), endOfNode(item.key as Node))
    : endOfNode(item.key as Node)
}

/** Without what follows its last part: comments belong to the next item. */
export function endOfNode(node: Node): number {
  const last = isCollection(node) && node.flow !== true ? (node.items.at(-1) as Item | undefined) : undefined
  return last ? endOfItem(last) : (node.range?.[1] ?? 0)
}

/** On one line, as inside braces. */
export function toFlow(value: unknown): string {
  const document = new Document(value)
  if (isCollection(document.contents)) document.contents.flow = true
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: true }).trim()
  return text.includes('\n') || (typeof value === 'string' && /[,[\]{}]/.test(text) && !/^["']/.test(text))
    ? JSON.stringify(value)
    : text
}
