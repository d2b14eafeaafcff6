import { parseDocument, type YAMLError } from 'yaml'
import { toPlainLines } from '../files/decode-text.ts'
import { formatCount } from './cut-to-tokens.ts'

export interface FrontMatter {
  fields: Record<string, unknown>
  body: string
  /** Why the front matter was not understood; `body` is then the whole text. */
  fault?: string
}

// YAML costs far more than its length; honest front matter has some hundred characters
const maxLength = 16_384
const maxAliasCount = 20

/**
 * Splits Markdown into its YAML front matter and the rest. A text without front matter, with one that is never
 * closed, or whose first lines are not a mapping, is all body. Never throws, whatever the text.
 */
export function parseFrontMatter(input: string): FrontMatter {
  const text = toPlainLines(input)
  const opening = /^---[ \t]*\n/.exec(text)?.[0]
  if (opening === undefined) return { fields: {}, body: text }
  const closing = /^---[ \t]*$/gm
  closing.lastIndex = opening.length
  const end = closing.exec(text)
  if (!end) return { fields: {}, body: text }
  const yaml = text.slice(opening.length, end.index)
  if (yaml.length > maxLength)
    return {
      fields: {},
      body: text,
      fault: `has front matter of more than ${formatCount(maxLength)} characters`,
    }
  const { value, fault } = parseYaml(yaml)
  if (fault !== undefined || (value !== null && !isMapping(value))) return { fields: {}, body: text, fault }
  return { fields: value ?? {}, body: text.slice(closing.lastIndex).replace(/^\n+/, '') }
}

/** A field that is text and not empty. */
export function textField({ fields }: FrontMatter, name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

export function flagField({ fields }: FrontMatter, name: string): boolean | undefined {
  const value = fields[name]
  return typeof value === 'boolean' ? value : undefined
}

/** A field that is a list of texts, or one text that `split` makes a list of. */
export function listField(
  { fields }: FrontMatter,
  name: string,
  split: (text: string) => string[],
): string[] {
  const value = fields[name]
  const texts = Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
  if (typeof value === 'string') texts.push(...split(value))
  return texts.map((text) => text.trim()).filter((text) => text !== '')
}

function parseYaml(text: string): { value?: unknown; fault?: string } {
  const strict = parseStrictly(text)
  return strict.fault === undefined ? strict : parseStrictly(quoteLooseValues(text))
}

function parseStrictly(text: string): { value?: unknown; fault?: string } {
  try {
    const document = parseDocument(text, {
      prettyErrors: false, // the pretty form quotes the line
      stringKeys: true,
      resolveKnownTags: false,
      logLevel: 'error', // with "silent" a second document goes unnoticed
    })
    const [error] = [...document.errors, ...document.warnings]
    if (error) return { fault: `has front matter that is not valid YAML: ${firstWords(error)}` }
    return { value: document.toJS({ maxAliasCount }) }
  } catch (error) {
    if (error instanceof RangeError) return { fault: 'has front matter that is nested too deeply' }
    if (error instanceof ReferenceError) return { fault: 'has front matter with unknown or too many aliases' }
    throw error
  }
}

/**
 * Other tools write `globs: *.ts` and `description: Use this: always`, and read them by their own rules. In YAML
 * the one is an alias and the other a mapping in a mapping, so such values get quotes.
 */
function quoteLooseValues(text: string): string {
  return text.replaceAll(
    /^([A-Za-z][\w-]*:|[ \t]*-)[ \t]+(\*.*|[^\s"'[{|>&!%@`#].*: .*)$/gm,
    (_, key: string, value: string) => `${key} ${JSON.stringify(value.trimEnd())}`,
  )
}

/** After a colon the parser quotes the text it stumbled over. */
const firstWords = ({ message }: YAMLError): string => message.replace(/(?<=\S): .*$/s, '')

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
