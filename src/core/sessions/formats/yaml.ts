import { CST, Document, isScalar, Lexer, LineCounter, parseDocument, visit, type YAMLMap } from 'yaml'
import { invalidRequest, ParleyError, quote } from '../../protocol/error.ts'
import { countValues, requireCleanJson } from '../../protocol/json.ts'
import type { DocumentRules } from '../../protocol/joined-facets.ts'
import type { SessionDocument } from '../../protocol/session.ts'
import { documentDepth, type DocumentHead, requireDocument, type Writing } from './document.ts'

// The `yaml` package needs 2 to 3 µs per token, however long, and up to 6 in a hostile file; long text costs up
// to 0.4 s per MB. Both limits keep a parse near one second. 200,000 tokens are some 2,400 messages of 500 bytes.
const maxTokens = 200_000
const maxCharacters = 4_000_000

// values that are written in one go; takes some 150 ms
const maxWritten = 30_000

// deeper flow collections overflow the stack of the parser; the exact depth is checked on the value
const maxFlowDepth = 2 * documentDepth

/** YAML that was cut off is mostly still YAML; this last line shows that nothing is missing. */
const endMarker = '...'

/** As the whole document would be written; throws when it has become more than `readYaml` accepts. */
export function startYaml(head: DocumentHead, messageCount: number): Writing {
  const written = { tokens: 0, characters: 0 }
  const add = (text: string) => {
    written.characters += text.length
    written.tokens += requirePlainYaml(text)
    if (written.characters > maxCharacters) throw tooLarge(`more than ${maxCharacters} characters`)
    if (written.tokens > maxTokens) throw tooLarge(`more than ${maxTokens} tokens`)
    return text
  }
  const outer = toYaml(head)
  return {
    begin: add(`${outer}messages:${messageCount === 0 ? ' []' : ''}\n`),
    message: (message) => add(toYaml({ messages: [message] }).slice('messages:\n'.length)),
    end: `${endMarker}\n`,
  }
}

export function readYaml(text: string, rules?: DocumentRules): SessionDocument {
  if (!text.trimEnd().endsWith(`\n${endMarker}`))
    throw invalidRequest(`The YAML does not end with the line "${endMarker}". It may have been cut off.`)
  return requireDocument(parseYaml(text), rules)
}

/** JSON values as YAML without aliases or folded lines; refuses what `parseYaml` would refuse for its size. */
export function toYaml(value: unknown): string {
  // before the work: writing is slow too
  requireLength(JSON.stringify(value))
  if (countValues(value, maxWritten) > maxWritten)
    throw tooLarge(`more than ${maxWritten} values in one piece`)
  // `compat` also quotes "yes", "1:30" and the like, for readers of YAML 1.1
  const document = new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' })
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && !survivesAsBlock(node.value)) node.type = 'QUOTE_DOUBLE'
    },
  })
  const text = document.toString({ lineWidth: 0, blockQuote: 'literal', doubleQuotedAsJSON: true })
  requirePlainYaml(text)
  return text
}

/** The package loses blanks at the edges of a block of lines, so such text is written as a JSON string. */
function survivesAsBlock(text: string): boolean {
  return !text.includes('\n') || /^\S[^]*\S\n*$/.test(text)
}

/**
 * The JSON value of one YAML 1.2 document. Anchors, aliases, tags, directives, merge and duplicate keys,
 * `.nan` and `.inf` are refused or plain text: none has a meaning here, and most have been used for attacks.
 */
export function parseYaml(text: string): unknown {
  requirePlainYaml(text)
  const { stackTraceLimit } = Error
  // the parser collects every error of a file, and most of the cost of one is its stack trace
  Error.stackTraceLimit = 0
  try {
    return compose(text)
  } catch (error) {
    if (error instanceof ParleyError) throw error
    // a stack overflow in the parser, mostly
    throw invalidRequest(
      `The YAML cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    )
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function compose(text: string): unknown {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, {
    lineCounter,
    prettyErrors: false,
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    stringKeys: true,
    uniqueKeys: false, // compares each key with all others; `requireUniqueKeys` does it in one pass
  })
  const lineOf = (offset = 0) => lineCounter.linePos(offset).line
  const [error] = document.errors
  if (error) throw invalidRequest(`Line ${lineOf(error.pos[0])} is not valid YAML: ${error.message}.`)
  visit(document, {
    Map: (_key, map) => requireUniqueKeys(map, lineOf),
    Scalar(_key, node) {
      if (typeof node.value === 'number' && !Number.isFinite(node.value))
        throw invalidRequest(
          `Line ${lineOf(node.range?.[0])} holds ${node.value}, which JSON cannot express.`,
        )
    },
  })
  const value: unknown = document.toJS({ maxAliasCount: 0 })
  requireCleanJson(value, documentDepth)
  return value
}

function requireUniqueKeys(map: YAMLMap, lineOf: (offset?: number) => number): void {
  const seen = new Set<unknown>()
  for (const { key } of map.items) {
    if (!isScalar(key)) continue
    if (seen.has(key.value))
      throw invalidRequest(`Line ${lineOf(key.range?.[0])} repeats the key ${quote(key.value)}.`)
    seen.add(key.value)
  }
}

const refusedTokens: Partial<Record<CST.TokenType, string>> = {
  alias: 'an alias',
  anchor: 'an anchor',
  tag: 'a tag',
  'directive-line': 'a directive',
}

/** Looks at the tokens alone, which is cheap, so that no bomb reaches the parser; answers how many there are. */
function requirePlainYaml(text: string): number {
  requireLength(text)
  let tokens = 0
  let depth = 0
  let offset = 0
  let previous = ''
  for (const token of new Lexer().lex(text)) {
    if (++tokens > maxTokens) throw tooLarge(`more than ${maxTokens} tokens`)
    const type = previous === CST.SCALAR ? 'scalar' : CST.tokenType(token)
    const refused = type && refusedTokens[type]
    if (refused)
      throw invalidRequest(
        `Line ${lineAt(text, offset)} holds ${refused}, ${quote(token)}, which is not accepted.`,
      )
    if (type === 'flow-map-start' || type === 'flow-seq-start') depth++
    if (type === 'flow-map-end' || type === 'flow-seq-end') depth--
    if (depth > maxFlowDepth)
      throw invalidRequest(`The YAML is nested too deeply at line ${lineAt(text, offset)}.`)
    if (!isControl(token)) offset += token.length
    previous = token
  }
  return tokens
}

// tokens that the lexer adds, which stand for nothing in the text
const isControl = (token: string) => token === CST.SCALAR || token === CST.DOCUMENT || token === CST.FLOW_END

const lineAt = (text: string, offset: number) => text.slice(0, offset).split('\n').length

function requireLength(text: string): void {
  if (text.length > maxCharacters)
    throw tooLarge(`${text.length} characters, and the limit is ${maxCharacters}`)
}

const tooLarge = (size: string) =>
  invalidRequest(`The YAML is too large: ${size}. Use JSON or JSONL, which have no such limit.`)
