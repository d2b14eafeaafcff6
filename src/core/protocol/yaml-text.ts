import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type YAMLError,
  type YAMLMap,
} from 'yaml'
import { quote } from './error.ts'

type Path = readonly PropertyKey[]

export interface TextPlace {
  line: number
  column: number
}

/** Something wrong with the text itself; `message` starts after the name of the file. */
interface YamlFault {
  message: string
  line?: number
  column?: number
}

interface YamlText {
  value: unknown
  faults: YamlFault[]
  lineOf(path: Path): number | undefined
  /** Where the deepest part of the path begins that is there. */
  placeOf(path: Path): TextPlace | undefined
}

// enough for every honest file; a bomb needs thousands
const maxAliasCount = 100
// with aliases written out; a text without them never comes to more than one and a half of its length
const maxExpandedLength = 1_000_000
// whoever walks through the value may call itself for every level
const maxDepth = 200

const tooDeep = 'is nested too deeply'

const notPlainText = 'has a key that is not plain text'

/** For errors that the parser explains by quoting the text, or in terms of its own interface. */
const ownWords: Partial<Record<YAMLError['code'], string>> = {
  BAD_DIRECTIVE: 'has an unknown directive, a line that starts with %',
  BAD_DQ_ESCAPE: 'has an unknown escape sequence in double quotes',
  MULTIPLE_DOCS: 'has more than one document',
  NON_STRING_KEY: notPlainText,
  RESOURCE_EXHAUSTION: tooDeep,
  TAG_RESOLVE_FAILED: 'has an unknown tag; a text that starts with ! needs quotes',
}

/**
 * Parses YAML 1.2 that may come from a stranger. Duplicate keys, `__proto__`, custom tags, alias bombs and
 * endless nesting are faults. No fault quotes a value, because a value may be a secret.
 */
export function parseYaml(text: string): YamlText {
  const lines = new LineCounter()
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false, // the pretty form quotes the line
      stringKeys: true,
      resolveKnownTags: false,
      uniqueKeys: false, // quadratic: a file of 1 MiB takes minutes; findFaults looks instead
      logLevel: 'error', // with "silent" a second document goes unnoticed
    })
    const faults = findFaults(document, lines)
    const placeOf = (path: Path) => findPlace(document, lines, path)
    const read = faults.length > 0 ? { faults } : readValue(document, lines, text.length)
    return { value: undefined, ...read, lineOf: (path) => placeOf(path)?.line, placeOf }
  } catch (error) {
    // thrown by the parser itself, far from any place
    if (!(error instanceof RangeError)) throw error
    return {
      value: undefined,
      faults: [{ message: tooDeep }],
      lineOf: () => undefined,
      placeOf: () => undefined,
    }
  }
}

/** Only aliases can still be wrong. */
function readValue(
  document: Document.Parsed,
  lines: LineCounter,
  length: number,
): { value?: unknown; faults: YamlFault[] } {
  const refuse = (message: string) => ({ faults: [{ message, ...findAlias(document, lines) }] })
  try {
    const value: unknown = document.toJS({ maxAliasCount })
    const { size, depth } = measure(value, new Map())
    if (depth === Infinity) return refuse('uses an alias inside of what it stands for')
    if (depth > maxDepth) return refuse(tooDeep)
    return size > Math.max(maxExpandedLength, 2 * length)
      ? refuse('is too large with its aliases written out')
      : { value, faults: [] }
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error
    return refuse(
      error.message.startsWith('Excessive alias')
        ? 'uses too many aliases'
        : 'uses an alias that is not defined before it',
    )
  }
}

interface Measure {
  size: number
  depth: number
}

/** How large a value is when everything that it has twice is counted twice; what contains itself has no end. */
function measure(value: unknown, known: Map<object, Measure>): Measure {
  if (typeof value === 'string') return { size: 1 + value.length, depth: 0 }
  if (typeof value !== 'object' || value === null) return { size: 1, depth: 0 }
  const before = known.get(value)
  if (before) return before
  known.set(value, { size: 1, depth: Infinity })
  const total = { size: 1, depth: 0 }
  for (const [key, item] of Object.entries(value)) {
    const { size, depth } = measure(item, known)
    total.size += size + (Array.isArray(value) ? 0 : key.length)
    total.depth = Math.max(total.depth, depth + 1)
  }
  known.set(value, total)
  return total
}

/** The first that stands for nothing yet, else the first of all. */
function findAlias(document: Document.Parsed, lines: LineCounter): TextPlace | undefined {
  const anchors = new Set<string>()
  let first: number | undefined
  let undefinedOne: number | undefined
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node)) {
        first ??= node.range?.[0]
        if (!anchors.has(node.source)) undefinedOne ??= node.range?.[0]
      } else if (node.anchor !== undefined) anchors.add(node.anchor)
    },
  })
  const offset = undefinedOne ?? first
  return offset === undefined ? undefined : toPlace(lines, offset)
}

function toPlace(lines: LineCounter, offset: number): TextPlace {
  const { line, col } = lines.linePos(offset)
  return { line, column: col }
}

function findFaults(document: Document.Parsed, lines: LineCounter): YamlFault[] {
  // what follows the first error is mostly its echo
  const [error] = [...document.errors, ...document.warnings]
  if (error) return [{ message: describeError(error), ...toPlace(lines, error.pos[0]) }]
  const faults: YamlFault[] = []
  look(document.contents, 1)
  return faults

  function look(node: unknown, depth: number): void {
    if (!isMap(node) && !isSeq(node)) return
    if (depth > maxDepth) {
      faults.push({ message: tooDeep, ...toPlace(lines, node.range?.[0] ?? 0) })
      return
    }
    if (isMap(node))
      for (const { message, offset } of findBadKeys(node)) faults.push({ message, ...toPlace(lines, offset) })
    for (const item of node.items) look(isPair(item) ? item.value : item, depth + 1)
  }
}

function findBadKeys(map: YAMLMap): { message: string; offset: number }[] {
  const seen = new Set<string>()
  return map.items.flatMap(({ key }) => {
    if (!isScalar(key)) return [{ message: notPlainText, offset: map.range?.[0] ?? 0 }]
    const name = String(key.value)
    const offset = key.range?.[0] ?? 0
    if (name === '__proto__')
      return [{ message: `has the key ${quote(name)}, which is never allowed`, offset }]
    if (seen.has(name)) return [{ message: `has the key ${quote(name)} twice`, offset }]
    seen.add(name)
    return []
  })
}

function describeError({ code, message }: YAMLError): string {
  // after a colon the parser quotes the text it stumbled over
  return ownWords[code] ?? `is not valid YAML: ${message.replace(/(?<=\S): .*$/s, '')}`
}

function findPlace(document: Document.Parsed, lines: LineCounter, path: Path): TextPlace | undefined {
  let node: unknown = document.contents
  let offset: number | undefined
  for (const part of path) {
    if (isAlias(node)) node = node.resolve(document)
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === part)
      if (!pair || !isScalar(pair.key)) break
      offset = pair.key.range?.[0] ?? offset
      node = pair.value
    } else if (isSeq(node) && typeof part === 'number') {
      node = node.items[part]
      if (isScalar(node) || isMap(node) || isSeq(node) || isAlias(node)) offset = node.range?.[0] ?? offset
    } else break
  }
  if (offset === undefined) return undefined
  return toPlace(lines, offset)
}
