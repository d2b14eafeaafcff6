import { extname } from 'node:path'
import { invalidRequest } from '../../../core/protocol/error.ts'
import type { GivenTriple } from '../protocol/knowledge.ts'
import { isObject } from '../../../core/shared/type-checks.ts'

const columns = ['subject', 'predicate', 'object', 'subjectType', 'objectType', 'evidence'] as const

/**
 * Triples of a JSON, CSV or TSV text; the end of the file's name says which. A first line of a table that names "subject"
 * is a header, in any order; without it the columns are subject, predicate, object, subjectType, objectType, evidence.
 */
export function parseTriples(text: string, file: string): GivenTriple[] {
  const clean = text.replace(/^\uFEFF/, '')
  switch (extname(file).toLowerCase()) {
    case '.json':
      return parseJson(clean, file)
    case '.csv':
      return fromTable(parseTable(clean, ',', file), file)
    case '.tsv':
      return fromTable(parseTable(clean, '\t', file), file)
    default:
      throw invalidRequest(`${file} must end in .json, .csv or .tsv.`)
  }
}

function parseJson(text: string, file: string): GivenTriple[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalidRequest(`${file} is not valid JSON: ${(error as Error).message}`)
  }
  const list = isObject(value) ? value.triples : value
  if (!Array.isArray(list))
    throw invalidRequest(`${file} must hold a list of triples, or an object with "triples".`)
  // what is in it is checked with the import
  return list as GivenTriple[]
}

/** Fields may stand in quotes, with doubled quotes, separators and line breaks inside. */
function parseTable(text: string, separator: string, file: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    const isQuoted = text[at] === '"'
    const end = isQuoted ? endOfQuoted(text, at, file) : endOfPlain(text, at, separator)
    row.push(isQuoted ? text.slice(at + 1, end - 1).replaceAll('""', '"') : text.slice(at, end))
    at = end
    if (text[at] === separator) {
      at++
      // the last field of a text that ends here
      if (at === text.length) row.push('')
      continue
    }
    if (at < text.length && text[at] !== '\n' && text[at] !== '\r')
      throw invalidRequest(`${file}, row ${rows.length + 1}: there is something after a closing quote.`)
    at += text.startsWith('\r\n', at) ? 2 : 1
    rows.push(row)
    row = []
  }
  if (row.length > 0) rows.push(row)
  return rows.filter((fields) => fields.some((field) => field.trim() !== ''))
}

function endOfQuoted(text: string, start: number, file: string): number {
  for (let at = start + 1; ;) {
    const quote = text.indexOf('"', at)
    if (quote === -1) throw invalidRequest(`${file}: a quote is not closed.`)
    if (text[quote + 1] !== '"') return quote + 1
    at = quote + 2
  }
}

function endOfPlain(text: string, start: number, separator: string): number {
  let end = start
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end++
  return end
}

function fromTable(rows: string[][], file: string): GivenTriple[] {
  const named = rows[0]?.map(toColumn) ?? []
  const hasHeader = named.includes('subject')
  const order = hasHeader ? named : [...columns]
  for (const column of ['subject', 'predicate', 'object'] as const)
    if (!order.includes(column)) throw invalidRequest(`${file} has no column "${column}".`)
  return rows.slice(hasHeader ? 1 : 0).map((fields) => {
    const entries = order.flatMap((column, index) =>
      column === undefined || !fields[index] ? [] : [[column, fields[index]]],
    )
    return Object.fromEntries(entries) as GivenTriple
  })
}

/** `Subject_Type` is `subjectType`; what is no column of ours is passed over. */
function toColumn(name: string): (typeof columns)[number] | undefined {
  const plain = name.toLowerCase().replace(/[\s_-]/g, '')
  return columns.find((column) => column.toLowerCase() === plain)
}
