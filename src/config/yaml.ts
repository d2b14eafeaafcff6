import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type YAMLError,
  type YAMLMap,
} from 'yaml'
import { quote } from '../protocol/error.ts'
import type { Path } from './problem.ts'

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
}

// enough for every honest file; a bomb needs thousands
const maxAliasCount = 100

const notPlainText = 'has a key that is not plain text'

/** For errors that the parser explains by quoting the text, or in terms of its own interface. */
const ownWords: Partial<Record<YAMLError['code'], string>> = {
  BAD_DIRECTIVE: 'has an unknown directive, a line that starts with %',
  BAD_DQ_ESCAPE: 'has an unknown escape sequence in double quotes',
  MULTIPLE_DOCS: 'has more than one document',
  NON_STRING_KEY: notPlainText,
  RESOURCE_EXHAUSTION: 'is nested too deeply',
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
    const value: unknown = faults.length > 0 ? undefined : document.toJS({ maxAliasCount })
    return { value, faults, lineOf: (path) => findLine(document, lines, path) }
  } catch (error) {
    const message = explain(error)
    if (message === undefined) throw error
    return { value: undefined, faults: [{ message }], lineOf: () => undefined }
  }
}

function findFaults(document: Document.Parsed, lines: LineCounter): YamlFault[] {
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  // what follows the first error is mostly its echo
  const [error] = [...document.errors, ...document.warnings]
  if (error) return [{ message: describeError(error), ...at(error.pos[0]) }]
  const faults: YamlFault[] = []
  visit(document, {
    Map: (_, map) => {
      for (const { message, offset } of findBadKeys(map)) faults.push({ message, ...at(offset) })
    },
  })
  return faults
}

function findBadKeys(map: YAMLMap): { message: string; offset: number }[] {
  const seen = new Set<string>()
  return map.items.flatMap(({ key }) => {
    if (!isScalar(key)) return [{ message: notPlainText, offset: 0 }]
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

function explain(error: unknown): string | undefined {
  if (error instanceof RangeError) return 'is nested too deeply'
  if (!(error instanceof ReferenceError)) return undefined
  return error.message.startsWith('Excessive alias')
    ? 'uses too many aliases'
    : 'uses an alias that is not defined before it'
}

/** The line of the deepest part of the path that is there. */
function findLine(document: Document.Parsed, lines: LineCounter, path: Path): number | undefined {
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
  return offset === undefined ? undefined : lines.linePos(offset).line
}
