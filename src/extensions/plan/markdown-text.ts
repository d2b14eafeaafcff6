/** Lines of text in a list of tasks: what would be read as something else begins with a backslash, as everywhere in Markdown. */

/** A bullet or a number. */
export const listMark = /^(?:[-*+]|\d{1,9}[.)])(?=\s|$)/
/** Of code; with backticks in it, it is code within a line. */
const fenceMark = /^(?:(`{3,})[^`]*|(~{3,}).*)$/s

const wouldBeRead = /^(?:[-*+](?:\s|$)|#{1,6}(?:\s|$)|`{3}|~{3}|<!--)/
const wouldBeUnescaped = /^\\(?:[-\\*+#`~<_\s]|$)/

/** A thematic break, which has no content. */
export const isRule = (text: string) => /^(?:-{3,}|\*{3,}|_{3,})$/.test(text.replaceAll(/\s/g, ''))

/** The lines of a text as they can stand in a list. */
export function escapeText(text: string): string[] {
  if (text === '') return []
  const lines = text.split(/\r?\n/)
  const fenced = findFenced(lines)
  return lines.map((line, index) => {
    if (fenced.has(index)) return line
    const isEdge = index === 0 || index === lines.length - 1
    // blank lines around a text are not part of it
    return isEdge && line.trim() === '' ? `\\${line}` : escapeLine(line)
  })
}

function escapeLine(line: string): string {
  const { space, rest } = split(line)
  const [, number, dot] = /^(\d{1,9})(\\*[.)](?:\s.*)?)$/s.exec(rest) ?? []
  if (number !== undefined) return `${space}${number}\\${dot}`
  return wouldBeRead.test(rest) || wouldBeUnescaped.test(rest) || isRule(rest) ? `${space}\\${rest}` : line
}

export function unescapeLine(line: string): string {
  const { space, rest } = split(line)
  if (wouldBeUnescaped.test(rest)) return `${space}${rest.slice(1)}`
  return space + rest.replace(/^(\d{1,9})\\(\\*[.)](?:\s|$))/, '$1$2')
}

function split(line: string) {
  const start = line.length - line.trimStart().length
  return { space: line.slice(0, start), rest: line.slice(start) }
}

/** The fence that a line begins code with. */
export function fenceOf(line: string): string | undefined {
  const found = fenceMark.exec(line.trimStart())
  return found?.[1] ?? found?.[2]
}

export function closesFence(line: string, fence: string): boolean {
  const text = line.trim()
  return text.length >= fence.length && text === fence[0]!.repeat(text.length)
}

/** The lines of fenced code that is closed again, with its fences. */
function findFenced(lines: readonly string[]): Set<number> {
  const found = new Set<number>()
  const longest = longestClosers(lines)
  for (let start = 0; start < lines.length; start++) {
    const fence = fenceOf(lines[start]!)
    if (fence === undefined || longest(fence[0]!, start + 1) < fence.length) continue
    found.add(start)
    do found.add(++start)
    while (!closesFence(lines[start]!, fence))
  }
  return found
}

/** The longest closing fence of a kind from a line on; searched once, since a text may open many that are never closed. */
function longestClosers(lines: readonly string[]) {
  const lengths: Record<string, number[]> = { '`': [], '~': [] }
  for (const [mark, longest] of Object.entries(lengths)) {
    let length = 0
    for (let index = lines.length - 1; index >= 0; index--) {
      const text = lines[index]!.trim()
      if (text !== '' && closesFence(text, mark)) length = Math.max(length, text.length)
      longest[index] = length
    }
  }
  return (mark: string, from: number) => lengths[mark]![from] ?? 0
}
