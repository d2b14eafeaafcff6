import { CommanderError } from 'commander'
import { ParleyError, type ErrorCode } from '../protocol/error.ts'
import { createVisibleStream, escapeJson, type Piece } from '../shared/visible.ts'
import { describeSystemError, isSystemError } from './system-error.ts'
import { dim, oneLine, ready, render, toPlain, type Shown } from './printable.ts'

/**
 * The only way out to a terminal. What is printed comes from models, tools, files and servers: on a terminal, control
 * characters and what cannot be seen are shown as marks. Where stdout is a file or a pipe, an answer is what was answered.
 */

/** The answer: stdout, and nothing else goes there. */
export function printAnswer(shown: Shown): void {
  const text = forStdout(shown)
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}

/** A text as it is, without a line end of ours. */
export const printWhole = (text: string): void => void process.stdout.write(forStdout(text))

const forStdout = (shown: Shown) => render(shown, process.stdout, !process.stdout.isTTY)

export const printJson = (value: unknown, indent = 2): void =>
  void process.stdout.write(`${escapeJson(JSON.stringify(value, undefined, indent))}\n`)

/** What happens meanwhile: stderr. */
export function printProgress(shown: Shown): void {
  process.stderr.write(`${render(shown, process.stderr)}\n`)
}

/** What is wrong with a line, which is quoted in it. */
export const printUsage = (text: string): void => void process.stderr.write(render(text, process.stderr))

// 128 and the number of SIGPIPE, as a shell reports a program that it ended
const closedPipe = 141

/**
 * Ends the program when nobody reads its output any more, as `head` does: without a word, and work that Ctrl-C would stop is
 * stopped first. Output that cannot be written for another reason, such as a full disk, is a failure.
 */
export function endWithOutput(): void {
  for (const stream of [process.stdout, process.stderr])
    if (!stream.listeners('error').includes(onOutputError)) stream.on('error', onOutputError)
}

function onOutputError(this: NodeJS.WriteStream, error: NodeJS.ErrnoException): void {
  // what ends meanwhile may print again, and fail again
  this.off('error', onOutputError).on('error', () => {})
  const code = error.code === 'EPIPE' ? closedPipe : 1
  process.once('exit', () => void (process.exitCode = code))
  if (code === 1 && this !== process.stderr)
    printProgress(`parley: The output cannot be written: ${describeSystemError(error).message}`)
  if (!process.emit('SIGINT', 'SIGINT')) process.exit(code)
}

export interface Stream {
  add(text: string): void
  /** Ends the line, where something was written since the last. */
  end(): void
}

/** Text of an answer as it comes. */
export const streamAnswer = (): Stream => openStream(process.stdout, !process.stdout.isTTY)

/** Text as it comes that is no part of the answer. */
export const streamProgress = (): Stream => openStream(process.stderr, false, dim)

function openStream(
  stream: NodeJS.WriteStream,
  isRaw: boolean,
  style: (shown: Shown) => Shown = (shown) => shown,
): Stream {
  const visible = createVisibleStream()
  let isOpen = false
  const write = (pieces: readonly Piece[]) =>
    pieces.length > 0 && stream.write(render(style(ready(pieces)), stream))
  return {
    add(text) {
      isOpen = true
      if (isRaw) stream.write(text)
      else write(visible.add(text))
    },
    end() {
      write(visible.end())
      if (isOpen) stream.write('\n')
      isOpen = false
    },
  }
}

/** Whether the terminal marks what is pasted. */
export const setBracketedPaste = (isOn: boolean): void =>
  void process.stderr.write(isOn ? '\u001b[?2004h' : '\u001b[?2004l')

/** Questions to a person go the same way. */
export const toQuestion = (shown: Shown): string => render(shown, process.stderr)

const exitCodes: Partial<Record<ErrorCode, number>> = {
  invalid_request: 2,
  payload_too_large: 2,
  not_found: 3,
  unauthorized: 4,
  forbidden: 4,
  adapter_unavailable: 4,
}

/** For machines: one JSON value, or lines of JSON. */
export type MachineFormat = 'json' | 'lines'

/** Prints what went wrong and returns the exit code. Only a bug is printed with its stack. */
export function reportFailure(error: unknown, format?: MachineFormat): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0
  const { code, message, details, isBug } = describeFailure(error)
  // the text of wrong usage was printed where it was found
  if (format === 'json') printJson({ error: { code, message, details } })
  else if (format === 'lines') printJson({ type: 'failure', error: { code, message, details } }, 0)
  else if (!(error instanceof CommanderError)) printProgress(`parley: ${message}`)
  if (isBug && error instanceof Error && error.stack) printProgress(error.stack)
  return exitCodes[code] ?? 1
}

interface Failure {
  code: ErrorCode
  message: string
  details?: unknown
  isBug?: boolean
}

function describeFailure(error: unknown): Failure {
  if (error instanceof ParleyError) return error
  if (error instanceof CommanderError)
    return { code: 'invalid_request', message: error.message.replace(/^error: /, '') }
  if (isSystemError(error)) return describeSystemError(error)
  return { code: 'internal', message: error instanceof Error ? error.message : String(error), isBug: true }
}

/** Columns that line up; wide characters count double, so that Chinese titles do too. A cell is one line, whatever it holds. */
export function formatTable(header: string[], rows: readonly (readonly Shown[])[]): Shown {
  const all = [header, ...rows].map((row) =>
    row.map((cell) => {
      const shown = typeof cell === 'string' ? oneLine(cell) : cell
      return { shown, width: displayWidth(toPlain(shown)) }
    }),
  )
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.width ?? 0)))
  return all.flatMap((row, index) => {
    const last = row.findLastIndex(({ width }) => width > 0)
    const cells = row.slice(0, last + 1).flatMap(({ shown, width }, column) => {
      const gap = column === last ? '' : ' '.repeat(Math.max(0, widths[column]! - width) + 2)
      return [shown, gap]
    })
    return index === 0 ? cells : ['\n', ...cells]
  })
}

const wide =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303f\uff00-\uff60]|\p{Emoji_Presentation}/u
const displayWidth = (text: string) =>
  [...text].reduce((width, character) => width + (wide.test(character) ? 2 : 1), 0)
