import { CommanderError } from 'commander'
import { ParleyError, type ErrorCode } from '../protocol/error.ts'

/** The answer: stdout, and nothing else goes there. */
export function printAnswer(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}

export const printJson = (value: unknown) => printAnswer(JSON.stringify(value, undefined, 2))

/** What happens meanwhile: stderr. */
export function printProgress(text: string): void {
  process.stderr.write(`${text}\n`)
}

const exitCodes: Partial<Record<ErrorCode, number>> = {
  invalid_request: 2,
  payload_too_large: 2,
  not_found: 3,
  unauthorized: 4,
  forbidden: 4,
  adapter_unavailable: 4,
}

/** Tells what went wrong and answers the exit code. */
export function reportFailure(error: unknown, asJson: boolean): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const isExpected = error instanceof ParleyError
  const message = error instanceof Error ? error.message : String(error)
  if (asJson)
    printJson({
      error: {
        code: isExpected ? error.code : 'internal',
        message,
        details: isExpected ? error.details : undefined,
      },
    })
  else printProgress(`parley: ${message}`)
  if (!isExpected && error instanceof Error && error.stack) printProgress(error.stack)
  return (isExpected && exitCodes[error.code]) || 1
}

/** Columns that line up; wide characters count double, so that Chinese titles do too. */
export function formatTable(header: string[], rows: string[][]): string {
  const all = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...all.map((row) => displayWidth(row[column] ?? ''))))
  const line = (row: string[]) =>
    row
      .map((cell, column) => cell + ' '.repeat(Math.max(0, widths[column]! - displayWidth(cell))))
      .join('  ')
      .trimEnd()
  return all.map(line).join('\n')
}

const wide =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303f\uff00-\uff60]|\p{Emoji_Presentation}/u
const displayWidth = (text: string) =>
  [...text].reduce((width, character) => width + (wide.test(character) ? 2 : 1), 0)
