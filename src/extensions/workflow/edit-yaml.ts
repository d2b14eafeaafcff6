import { isAlias, isNode, parseDocument, visit, type Document } from 'yaml'
import { invalidRequest, quote } from '../../core/protocol/error.ts'
import { parseYaml } from '../../core/protocol/yaml-text.ts'
import { isObject } from '../../core/shared/type-checks.ts'
import type { Path } from './blocks.ts'
import { type Edit, editsBetween } from './edits-between.ts'
import { splices } from './splice-yaml.ts'
import { lineEndOf } from './yaml-positions.ts'

/**
 * A definition as somebody wrote it, which can be changed in places: comments, order, quotes and blank lines stay as
 * they are wherever nothing was changed, and an unchanged text stays the same to the byte. Whether it is
 * valid is checked by `parse-definition.ts`. Throws `invalid_request` for invalid YAML, and for a path that does not exist.
 */
export class DefinitionDocument {
  #text: string

  constructor(text: string) {
    requireValue(text)
    this.#text = text
  }

  get(path: Path): unknown {
    return valueAt(requireValue(this.#text), path)
  }

  set(path: Path, value: unknown): this {
    return this.edit({ type: 'set', path, value })
  }

  insert(path: Path, value: unknown): this {
    return this.edit({ type: 'insert', path, value })
  }

  remove(path: Path): this {
    return this.edit({ type: 'remove', path })
  }

  edit(...edits: Edit[]): this {
    // all of them or none
    this.#text = edits.reduce(editText, this.#text)
    return this
  }

  toString(): string {
    return this.#text
  }
}

/**
 * Tries several ways to write the change, the least intrusive first, and takes the first that parses to the expected
 * value.
 */
export function editText(text: string, edit: Edit): string {
  const before = requireValue(text)
  const after = changed(before, edit)
  const wanted = JSON.stringify(after)
  if (wanted === JSON.stringify(before)) return text
  const smaller = edit.type === 'set' ? editsBetween(valueAt(before, edit.path), edit.value, edit.path) : []
  if (smaller.some(({ path }) => path.length > edit.path.length)) {
    const candidate = smaller.reduce(editText, text)
    if (readsAs(candidate, wanted)) return candidate
  }
  for (const write of waysToWrite(text, edit)) {
    const candidate = write()
    if (candidate !== undefined && readsAs(candidate, wanted)) return candidate
  }
  throw invalidRequest(`${quote(edit.path.join('.'))} cannot be changed to what was given.`)
}

function* waysToWrite(text: string, edit: Edit): Generator<() => string | undefined> {
  for (const candidate of splices(text, edit)) yield () => candidate
  if (isJson(text)) yield () => toJson(text, changed(JSON.parse(text), edit))
  yield () => rewritten(text, edit)
  // where one place has two names, a change of one must not reach the other
  yield () => rewritten(text, edit, writeOutAliases)
}

/** Prints the whole text again: comments and order stay, white space may not. */
function rewritten(text: string, { type, path, ...rest }: Edit, prepare?: (document: Document) => void) {
  const document = parseDocument(text)
  const [parent, last] = [path.slice(0, -1), path.at(-1)]
  prepare?.(document)
  try {
    if (type === 'remove') document.deleteIn(path)
    else if (type === 'set' && last === undefined)
      document.contents = document.createNode(valueOf(rest)) as never
    else if (type === 'set') document.setIn(path, document.createNode(valueOf(rest)))
    else {
      const list = document.getIn(parent) as { items: unknown[] }
      list.items.splice(Number(last), 0, document.createNode(valueOf(rest)))
    }
  } catch {
    return undefined // the way leads through an alias
  }
  const lines = document.toString({ lineWidth: 0 }).split('\n')
  return `${text.startsWith('\uFEFF') ? '\uFEFF' : ''}${lines.join(lineEndOf(text))}`
}

const valueOf = (rest: object) => (rest as { value: unknown }).value

function writeOutAliases(document: Document): void {
  visit(document, {
    Alias: (_, alias) => {
      const copy: unknown = alias.resolve(document)?.clone()
      return isNode(copy) ? copy : undefined
    },
  })
  visit(document, {
    Node: (_, node) => {
      if (!isAlias(node)) delete node.anchor
    },
  })
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

function toJson(text: string, value: unknown): string {
  const [, indent] = /\n([ \t]+)\S/.exec(text) ?? []
  const [head = ''] = /^\s*/.exec(text) ?? []
  const tail = text.slice(text.trimEnd().length)
  return `${head}${JSON.stringify(value, null, indent).replaceAll('\n', lineEndOf(text))}${tail}`
}

function readsAs(text: string, wanted: string): boolean {
  const { value, faults } = parseYaml(text)
  return faults.length === 0 && JSON.stringify(value) === wanted
}

function requireValue(text: string): unknown {
  const { value, faults } = parseYaml(text)
  const [fault] = faults
  if (!fault) return value
  const place = fault.line === undefined ? '' : ` (line ${fault.line}, column ${fault.column})`
  throw invalidRequest(`The definition ${fault.message}${place}.`)
}

/** The expected value after an edit. */
function changed(value: unknown, edit: Edit): unknown {
  const last = edit.path.at(-1)
  if (last === undefined) {
    if (edit.type === 'set') return edit.value
    throw invalidRequest('The definition as a whole can only be set.')
  }
  const made = structuredClone(value)
  let holder = made
  for (const part of edit.path.slice(0, -1)) holder = unshare(holder, part, edit.path)
  if (Array.isArray(holder)) {
    const end = holder.length - (edit.type === 'insert' ? 0 : 1)
    if (typeof last !== 'number' || !Number.isInteger(last) || last < 0 || last > end)
      throw leadsNowhere(edit.path)
    if (edit.type === 'remove') holder.splice(last, 1)
    else holder.splice(last, edit.type === 'set' ? 1 : 0, edit.value)
  } else if (isObject(holder) && typeof last === 'string' && edit.type !== 'insert') {
    if (last === '__proto__') throw invalidRequest('The key "__proto__" is never allowed.')
    if (edit.type === 'set') holder[last] = edit.value
    else if (Object.hasOwn(holder, last)) delete holder[last]
    else throw leadsNowhere(edit.path)
  } else throw leadsNowhere(edit.path)
  return made
}

/** What is under an alias is the same thing as what it stands for, until it is changed. */
function unshare(holder: unknown, part: string | number, path: Path): unknown {
  const inner = partOf(holder, part)
  if (typeof inner !== 'object' || inner === null) throw leadsNowhere(path)
  return ((holder as Record<string | number, unknown>)[part] = Array.isArray(inner)
    ? [...inner]
    : { ...inner })
}

const valueAt = (value: unknown, path: Path) => path.reduce<unknown>(partOf, value)

function partOf(value: unknown, part: string | number): unknown {
  if (Array.isArray(value)) return typeof part === 'number' ? value[part] : undefined
  return isObject(value) && typeof part === 'string' && Object.hasOwn(value, part) ? value[part] : undefined
}

const leadsNowhere = (path: Path) =>
  invalidRequest(`There is nothing at ${quote(path.join('.'))} in the definition.`)
