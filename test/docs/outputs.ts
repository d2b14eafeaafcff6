/**
 * What commands print, held against what the pages show and take for granted:
 *
 * - a block marked `<!-- output -->` shows what the last command of the block before it prints. JSON has the same keys
 *   and values of the same types, and the same texts but for ids, times and numbers. Of text, each line that is shown is
 *   one of those that are printed, in that order. `…` stands for anything.
 * - a field that an answer does not have is `null` to jq: no value that a command prints or keeps may be that, unless it
 *   is shown
 * - a command that asks Parley for something is told something
 */
import { isNotRun, placeOf, type Block } from './blocks.ts'
import { readCommands, type Printed } from './shell.ts'

/** Everything that is wrong with what the commands of a page printed. */
export function checkOutputs(blocks: Block[], printed: Printed[]): string[] {
  const shown = new Map<number, Block>()
  const problems: string[] = []
  for (const block of blocks.filter(({ marks }) => marks.output !== undefined)) {
    const line = lineBefore(block, blocks)
    if (line === undefined) problems.push(`${placeOf(block)} comes after no command that is run.`)
    else shown.set(line, block)
  }
  for (const each of printed) {
    const block = shown.get(each.command.line)
    if (block) problems.push(...compareOutput(block, each.stdout).map((text) => `${placeOf(block)}: ${text}`))
    else {
      const problem = describeEmpty(each)
      const place = placeOf({ ...blocks[0]!, line: each.command.line })
      if (problem !== undefined) problems.push(`${place}: ${problem}`)
    }
  }
  return problems
}

/** The line of the command whose output a block shows. */
function lineBefore(block: Block, blocks: Block[]): number | undefined {
  const before = blocks[blocks.indexOf(block) - 1]
  if (before?.language !== 'sh' || isNotRun(before)) return undefined
  return readCommands(before).at(-1)?.line
}

function describeEmpty({ command: { text, exits }, stdout, stderr, value }: Printed): string | undefined {
  if (value !== undefined) return value === '' || value === 'null' ? 'what it keeps is empty' : undefined
  if (/\bjq\b/.test(text) && hasNull(stdout)) return `it asks for a field that is not there: ${stdout}`
  const asks = /(^|[|{] *)(parley|curl) /.test(text) && !/> ?\S+|&$/.test(text.replaceAll(/'[^']*'/g, ''))
  return asks && exits === undefined && `${stdout}${stderr}`.trim() === '' ? 'it prints nothing' : undefined
}

/** A value that is null, or an object or list with one at its top. */
const hasNull = (text: string) => text.trim() === 'null' || /^(null| {2}("[^"]*": )?null,?)$/m.test(text)

export function compareOutput(
  { language, text }: Pick<Block, 'language' | 'text'>,
  output: string,
): string[] {
  if (language !== 'json') return compareLines(text, output)
  try {
    return compareValues(JSON.parse(text), JSON.parse(output), 'the answer')
  } catch (error) {
    return [`what is printed is no JSON (${(error as Error).message}): ${output}`]
  }
}

function compareLines(shown: string, output: string): string[] {
  const lines = output.split('\n')
  let next = 0
  for (const line of shown.trimEnd().split('\n')) {
    const found = lines.findIndex((candidate, index) => index >= next && isAlike(line, candidate))
    if (found === -1) return [`${JSON.stringify(line)} is not printed there: ${output}`]
    next = found + 1
  }
  return []
}

function compareValues(shown: unknown, actual: unknown, path: string): string[] {
  const [wanted, found] = [kindOf(shown), kindOf(actual)]
  if (wanted !== found) return [`${path} is shown as ${wanted}, and is ${found}`]
  if (typeof shown === 'string')
    return isAlike(shown, actual as string) ? [] : [`${path} is ${JSON.stringify(actual)}`]
  if (typeof shown === 'boolean') return shown === actual ? [] : [`${path} is ${String(actual)}`]
  if (Array.isArray(shown)) return compareLists(shown, actual as unknown[], path)
  if (typeof shown !== 'object' || shown === null) return []
  const [given, real] = [shown as Record<string, unknown>, actual as Record<string, unknown>]
  return [...new Set([...Object.keys(given), ...Object.keys(real)])].flatMap((key) => {
    if (!(key in real)) return [`${path} has no ${key}`]
    return key in given
      ? compareValues(given[key], real[key], `${path}.${key}`)
      : [`${path} has ${key} as well: ${JSON.stringify(real[key])}`]
  })
}

/** A long list may be shown by its beginning. */
function compareLists(shown: unknown[], actual: unknown[], path: string): string[] {
  const isShort = shown.length > actual.length || (shown.length === 0 && actual.length > 0)
  if (isShort) return [`${path} has ${actual.length} values`]
  return shown.flatMap((value, index) => compareValues(value, actual[index], `${path}[${index}]`))
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`
}

/** Whether two texts differ in nothing but ids, times, numbers and blanks; `…` in the first stands for anything. */
function isAlike(shown: string, actual: string): boolean {
  const parts = toPlain(shown).split('…')
  const pattern = parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*')
  return new RegExp(`^${pattern}$`, 's').test(toPlain(actual))
}

const toPlain = (text: string) =>
  text
    .replaceAll(/\b([a-z]{2,5})_(…|[\da-z]{8,})/g, '$1_0')
    .replaceAll(/\b[\da-f]{16,}\b/g, '0')
    .replaceAll(/\d+/g, '0')
    .replaceAll(/[ \t]+/g, ' ')
    .trim()
