/** Where the cursor of an editor stands in a YAML text, also one that is half typed: told by indentation alone. */
export interface CursorPlace {
  /** To the mapping, or to the value, that is being written. */
  path: readonly (string | number)[]
  /** What is there already, by its key. */
  siblings: Readonly<Record<string, string>>
  /** The key whose value is being written; undefined where a key is. */
  key?: string
  /** What is typed of it so far. */
  typed: string
  /** Inside of a text over several lines: nothing of YAML has a meaning there. */
  isText: boolean
}

interface Line {
  indent: number
  /** Of the key, after dashes. */
  column: number
  dashes: number
  key?: string
  value: string
}

const pattern =
  /^(?<lead>\s*(?:-\s+)*)(?:(?<key>"[^"]*"|'[^']*'|[^\s:#{}[\],&*!|>'"%@`-][^:#]*?)\s*:(?:\s+(?<value>.*)|$))?/

export function cursorPlace(text: string, offset: number): CursorPlace {
  const before = text.slice(0, offset).split('\n')
  const current = before.pop() ?? ''
  const lines = before.map(read)
  const here = read(current)
  const typed = here.key === undefined ? current.slice(here.column) : here.value
  const place = {
    key: here.key,
    typed,
    siblings: {} as Record<string, string>,
    isText: isInText(lines, current),
  }
  const path: (string | number)[] = []
  let column = here.column
  if (here.dashes > 0) path.unshift(...itemsBefore(lines, here))
  // upwards: what is at the same column is a sibling, what is left of it holds it
  let isOwn = here.dashes === 0
  for (let index = lines.length - 1; index >= 0; index--) {
    const line = lines[index]!
    if (line.key === undefined && line.dashes === 0) continue
    if (isOwn && line.column === column && line.key !== undefined) {
      if (path.length === 0) place.siblings[line.key] = line.value
      if (line.dashes > 0) {
        path.unshift(...itemsBefore(lines.slice(0, index), line))
        column = line.indent
        isOwn = false
      }
      continue
    }
    const holds = line.key !== undefined && (line.column < column || (!isOwn && line.column === column))
    if (!holds) continue
    path.unshift(line.key!)
    column = line.column
    isOwn = true
    if (line.dashes > 0) {
      path.unshift(...itemsBefore(lines.slice(0, index), line))
      column = line.indent
      isOwn = false
    }
  }
  for (const [key, value] of siblingsBelow(text.slice(offset), here.column)) place.siblings[key] ??= value
  return { ...place, path }
}

function read(line: string): Line {
  const { lead = '', key, value = '' } = pattern.exec(line)?.groups ?? {}
  return {
    indent: lead.search(/\S|$/),
    column: lead.length,
    dashes: lead.split('-').length - 1,
    ...(key !== undefined && { key: key.replace(/^(["'])(.*)\1$/, '$2') }),
    value: value.replace(/\s+#.*$/, ''),
  }
}

/** The number of the item that begins on the line; of two dashes on one line, those of both. */
function itemsBefore(lines: readonly Line[], { indent, dashes }: Line): number[] {
  let count = 0
  for (let index = lines.length - 1; index >= 0; index--) {
    const line = lines[index]!
    if (line.key === undefined && line.dashes === 0) continue
    if (line.indent < indent || (line.indent === indent && line.dashes === 0)) break
    if (line.indent === indent) count++
  }
  return [count, ...Array.from({ length: dashes - 1 }, () => 0)]
}

function isInText(lines: readonly Line[], current: string): boolean {
  const indent = current.search(/\S|$/)
  for (let index = lines.length - 1, edge = indent; index >= 0; index--) {
    const line = lines[index]!
    if (line.key === undefined && line.dashes === 0) continue
    if (line.column >= edge) continue
    if (/^[|>][-+\d]*$/.test(line.value)) return true
    edge = Math.min(edge, line.column)
  }
  return false
}

/** Until something is further left, or the next item begins. */
function siblingsBelow(after: string, column: number): [string, string][] {
  const found: [string, string][] = []
  for (const text of after.split('\n').slice(1)) {
    if (text.trim() === '') continue
    const line = read(text)
    if (line.indent < column) break
    if (line.dashes === 0 && line.column === column && line.key !== undefined)
      found.push([line.key, line.value])
  }
  return found
}
