import { invalidRequest } from '../../core/protocol/error.ts'
import { maxDependencies, maxInstruction } from './protocol/plan-node.ts'
import type { NodeStatus } from './store/plans.ts'
import { closesFence, fenceOf, isRule, listMark, unescapeLine } from './markdown-text.ts'
import { maxNodes } from './nodes.ts'

/** One item of a list, or a heading. */
export interface MarkdownItem {
  /** Its parent among the items, which stands before it; -1 at the top. */
  parent: number
  depth: number
  name: string
  instruction: string
  status: NodeStatus
  acceptance: string[]
  /** The items that it waits for. */
  after: number[]
}

/** The line of an item. */
interface Mark {
  line: number
  /** The column of its mark; headings are less than 0, the higher ones more so. */
  indent: number
  /** The column where its text begins. */
  textAt: number
  name: string
  status: NodeStatus
  number?: number
  afterNumbers: number[]
  text: string[]
}

interface Draft extends Mark {
  index: number
  parent: number
  depth: number
  acceptance: string[]
  /** The first and the last line of its text that are not blank. */
  first?: number
  last?: number
}

const maxName = 500
const maxChecks = 50
const maxCheck = 2_000
// an id and as many others as an item may wait for
const maxComment = 2_000

/**
 * Reads todo lists, bullets, numbered lists and headings, nested by their indentation. Other text belongs to the item that
 * it is indented below, or to the heading above it; text that is below neither is left out.
 */
export function readMarkdown(markdown: string): MarkdownItem[] {
  const reader = new Reader()
  const lines = markdown.replace(/^\uFEFF/, '').split('\n')
  for (const [index, line] of lines.entries())
    reader.read(line.endsWith('\r') ? line.slice(0, -1) : line, index + 1)
  return resolve(reader.drafts)
}

class Reader {
  readonly drafts: Draft[] = []
  /** Those that the next line may be below of, the deepest last. */
  readonly #open: Draft[] = []
  #fence: string | undefined
  #isAfterBlank = true

  read(line: string, number: number): void {
    const text = line.trim()
    const indent = columnsOf(line)
    const top = this.#open.at(-1)
    // code ends with the item that it is in
    if (this.#fence !== undefined && text !== '' && indent < (top?.textAt ?? 0)) this.#fence = undefined
    if (this.#fence !== undefined) this.#readCode(line, this.#fence)
    else if (text === '' || isRule(text)) this.#readBlank(line, text)
    else this.#readOther(line, text, indent, number)
  }

  #readCode(line: string, fence: string): void {
    this.#addText(line, true)
    if (closesFence(line, fence)) this.#fence = undefined
  }

  #readBlank(line: string, text: string): void {
    const owner = this.#open.at(-1)
    owner?.text.push(text === '' ? cutColumns(line, owner.textAt) : '')
    this.#isAfterBlank = true
  }

  #readOther(line: string, text: string, indent: number, number: number): void {
    const mark = readMark(text, indent, number)
    if (mark) this.#addItem(mark)
    else {
      // right below an item, text may stand anywhere
      if (this.#isAfterBlank) this.#close(indent)
      this.#fence = fenceOf(line)
      this.#addText(line, this.#fence !== undefined)
    }
    this.#isAfterBlank = false
  }

  #addItem(mark: Mark): void {
    if (this.drafts.length === maxNodes)
      throw invalidRequest(`Line ${mark.line}: a plan has ${maxNodes} nodes at most.`)
    this.#close(mark.indent)
    const above = this.#open.at(-1)
    const draft: Draft = {
      ...mark,
      parent: above?.index ?? -1,
      index: this.drafts.length,
      depth: above ? above.depth + 1 : 0,
      acceptance: [],
      ...(mark.text.length > 0 && { first: 0, last: mark.text.length - 1 }),
    }
    this.drafts.push(draft)
    this.#open.push(draft)
  }

  /** What is not deeper than a column is below nothing that begins there. */
  #close(indent: number): void {
    while (this.#open.length > 0 && this.#open.at(-1)!.indent >= indent) this.#open.pop()
  }

  #addText(line: string, isCode: boolean): void {
    const owner = this.#open.at(-1)
    if (!owner) return
    const text = cutColumns(line, owner.textAt)
    const check = isCode ? undefined : readCheck(text)
    if (check !== undefined) return void owner.acceptance.push(check)
    const index = owner.text.push(isCode ? text : unescapeLine(text)) - 1
    if (line.trim() === '') return
    owner.first ??= index
    owner.last = index
  }
}

function readMark(text: string, indent: number, line: number): Mark | undefined {
  const [hashes] = indent < 4 ? (/^#{1,6}(?=\s|$)/.exec(text) ?? []) : []
  if (hashes !== undefined)
    return {
      line,
      indent: hashes.length - 7,
      textAt: 0,
      status: 'pending',
      ...readName(withoutHashes(text.slice(hashes.length).trim())),
    }
  const [mark] = listMark.exec(text) ?? []
  if (mark === undefined) return undefined
  const content = text.slice(mark.length).trim()
  const [box, state] = /^\[([ xX~!?/=>-])\](?=\s|$)/.exec(content) ?? []
  return {
    line,
    indent,
    textAt: indent + mark.length + 1,
    status: state === 'x' || state === 'X' ? 'completed' : state === '-' ? 'skipped' : 'pending',
    ...readName(box === undefined ? content : content.slice(box.length).trim()),
  }
}

/** A heading may end with them as well. */
function withoutHashes(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === '#') end--
  return end === 0 || /\s/.test(text[end - 1]!) ? text.slice(0, end).trim() : text
}

/** The name and the comment at its end. A name that is too long also becomes text. */
function readName(content: string): Pick<Mark, 'name' | 'number' | 'afterNumbers' | 'text'> {
  const start = content.endsWith('-->') ? content.lastIndexOf('<!--') : -1
  const comment = start < 0 || content.length - start > maxComment ? '' : content.slice(start)
  const [isOurs, number, after = ''] =
    /^<!--\s?(?:#(\d{1,9}))?(?:\s?after ([#\d, ]+?))?\s?-->$/.exec(comment) ?? []
  const whole = (isOurs === undefined ? content : content.slice(0, start)).replaceAll(/\p{Cc}/gu, ' ').trim()
  const isLong = whole.length > maxName
  return {
    name: isLong ? `${whole.slice(0, maxName - 1).toWellFormed()}…` : whole || 'Task',
    text: isLong ? [whole] : [],
    afterNumbers: [...after.matchAll(/\d{1,9}/g)].map(([digits]) => Number(digits)),
    ...(number !== undefined && { number: Number(number) }),
  }
}

function readCheck(line: string): string | undefined {
  const [begin, end] = ['<!-- accept: ', ' -->']
  const text = line.trim()
  if (!text.startsWith(begin) || !text.endsWith(end) || text.length <= begin.length + end.length)
    return undefined
  const check = text.slice(begin.length, -end.length)
  if (!check.startsWith('"')) return check
  try {
    const value: unknown = JSON.parse(check)
    return typeof value === 'string' && value !== '' ? value : check
  } catch {
    return check // somebody wrote it by hand
  }
}

/** The columns of blanks at its beginning; a tab leads to the next fourth one. */
function columnsOf(line: string): number {
  let columns = 0
  for (const character of line)
    if (character === ' ') columns++
    else if (character === '\t') columns += 4 - (columns % 4)
    else break
  return columns
}

function cutColumns(line: string, wanted: number): string {
  let columns = 0
  let at = 0
  for (; at < line.length && columns < wanted; at++)
    if (line[at] === ' ') columns++
    else if (line[at] === '\t') columns += 4 - (columns % 4)
    else break
  return ' '.repeat(Math.max(0, columns - wanted)) + line.slice(at)
}

/** Numbers in the text name items of the text. */
function resolve(drafts: readonly Draft[]): MarkdownItem[] {
  const byNumber = new Map<number, number>()
  for (const [index, { number, line }] of drafts.entries()) {
    if (number === undefined) continue
    const other = byNumber.get(number)
    if (other !== undefined)
      throw invalidRequest(`Line ${line}: #${number} is the item of line ${drafts[other]!.line} already.`)
    byNumber.set(number, index)
  }
  return drafts.map((draft) => {
    const { line, parent, depth, name, status, acceptance, afterNumbers, text, first = 0, last = -1 } = draft
    const instruction = text.slice(first, last + 1).join('\n')
    const after = [...new Set(afterNumbers)].map((number) => {
      const index = byNumber.get(number)
      if (index === undefined)
        throw invalidRequest(`Line ${line} waits for #${number}, which is not in the list.`)
      return index
    })
    requireBounds(line, { instruction, acceptance, after })
    return { parent, depth, name, instruction, status, acceptance, after }
  })
}

function requireBounds(
  line: number,
  { instruction, acceptance, after }: Pick<MarkdownItem, 'instruction' | 'acceptance' | 'after'>,
): void {
  const refuse = (what: string, count: number, most: number) =>
    invalidRequest(`Line ${line}: ${what} is ${count}, the most is ${most}.`)
  if (instruction.length > maxInstruction)
    throw refuse('the length of its text', instruction.length, maxInstruction)
  if (acceptance.length > maxChecks) throw refuse('the number of its checks', acceptance.length, maxChecks)
  const longest = Math.max(0, ...acceptance.map((check) => check.length))
  if (longest > maxCheck) throw refuse('the length of a check', longest, maxCheck)
  if (after.length > maxDependencies)
    throw refuse('the number of items that it waits for', after.length, maxDependencies)
}
