import { invalidRequest, quote } from '../../core/protocol/error.ts'
import { readConfined, type ConfinedFile } from '../../core/files/confined-file.ts'
import { decodeText } from '../../core/files/decode-text.ts'
import { shownPath, type Location } from '../../core/files/workspaces.ts'
import { requireDone } from './file-place.ts'

/** More than any text that is written by hand; what lies behind is found by other means. */
export const maxFileBytes = 10 * 1024 * 1024

export interface ReadRange {
  startLine?: number
  endLine?: number
  /** Characters of the first line to leave out. */
  offset?: number
  hasNumbers?: boolean
}

/** The requested lines, as many as fit, and how to continue when there are more. */
export async function readFile(location: Location, range: ReadRange, maxOutput: number): Promise<string> {
  const file = await readContent(location)
  const text = decodeText(file.content)
  if (text === undefined)
    throw invalidRequest(`${quote(shownPath(location))} is not text (${file.stats.size} bytes).`)
  if (text === '') return '[The file is empty.]'
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const { startLine = 1, endLine = lines.length } = range
  if (startLine > lines.length || endLine < startLine)
    throw invalidRequest(
      `There is nothing in lines ${startLine} to ${endLine}: ${describeLength(file, lines)}.`,
    )
  const wanted = lines.slice(startLine - 1, endLine)
  wanted[0] = wanted[0]!.slice(range.offset ?? 0)
  const { text: shown, next } = showLines(wanted, { ...range, startLine }, maxOutput)
  if (next !== undefined) return `${shown}\n[Cut: go on with ${next}; ${describeLength(file, lines)}.]`
  const isEnd = endLine >= lines.length && !file.isCut
  return isEnd
    ? shown
    : `${shown}\n[Up to line ${Math.min(endLine, lines.length)}; ${describeLength(file, lines)}.]`
}

export const readContent = async (location: Location): Promise<ConfinedFile> =>
  requireDone(await readConfined(location.root, location.path, maxFileBytes, location), location)

const describeLength = ({ isCut, stats }: ConfinedFile, { length }: readonly string[]) =>
  isCut
    ? `the file has ${stats.size} bytes, of which the first ${maxFileBytes} (${length} lines) can be read`
    : `the file has ${length} lines`

/** As many lines as there is space for, and where the next piece begins. */
function showLines(
  lines: readonly string[],
  { startLine, offset = 0, hasNumbers }: ReadRange & { startLine: number },
  space: number,
): { text: string; next?: string } {
  const shown: string[] = []
  let left = space
  for (const [index, line] of lines.entries()) {
    const numbered = hasNumbers ? `${startLine + index}\t${line}` : line
    left -= numbered.length + 1
    if (left < 0 && index > 0) return { text: shown.join('\n'), next: `start_line ${startLine + index}` }
    if (left < 0) {
      // one line alone is too long; half a character is left for the next piece
      const text = numbered.slice(0, space).replace(/[\uD800-\uDBFF]$/, '')
      const seen = offset + text.length - (numbered.length - line.length)
      return { text, next: `start_line ${startLine} and offset ${seen}` }
    }
    shown.push(numbered)
  }
  return { text: shown.join('\n') }
}
