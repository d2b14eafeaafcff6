import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeDataDir, makePrivateFile } from '../store/data-dir.ts'

/** What a person wrote at the terminal before, in this process and in others. */
export interface MessageHistory {
  /** Newest first. */
  readonly entries: readonly string[]
  add(message: string): void
}

export interface HistoryPlace {
  file: string
  /** Most messages that are kept; 0 keeps none. */
  size: number
}

// a longer one was pasted, and nobody edits it in a line
export const maxEntryCharacters = 10_000

/**
 * A line of JSON for each message, oldest first, in a file that its owner alone can read. Several processes append to it;
 * it is cut to its size when one begins. A message that begins with a blank is not kept, as in shells. A history that cannot
 * be read or written is no reason not to talk.
 */
export function openHistory({ file, size }: HistoryPlace): MessageHistory {
  let entries: string[] = size === 0 ? [] : readEntries(file)
  if (entries.length > size) writeEntries(file, (entries = entries.slice(0, size)))
  return {
    get entries() {
      return entries
    },
    add(message) {
      if (size === 0 || /^\s|^$/.test(message) || message.length > maxEntryCharacters) return
      if (message === entries[0]) return
      entries = [message, ...entries].slice(0, size)
      attempt(() => {
        makeDataDir(dirname(file))
        makePrivateFile(file)
        appendFileSync(file, toLine(message), { mode: 0o600 })
      })
    },
  }
}

function readEntries(file: string): string[] {
  const text = attempt(() => readFileSync(file, 'utf8')) ?? ''
  return text
    .split('\n')
    .flatMap((line) => {
      const entry: unknown = attempt(() => JSON.parse(line))
      return typeof entry === 'string' && entry !== '' ? [toTyped(entry)] : []
    })
    .toReversed()
}

function writeEntries(file: string, entries: readonly string[]): void {
  const draft = `${file}.${process.pid}.tmp`
  attempt(() => {
    writeFileSync(draft, entries.toReversed().map(toLine).join(''), { mode: 0o600 })
    renameSync(draft, file)
  })
}

const toLine = (message: string) => `${JSON.stringify(message)}\n`

/** Only what a person can type: it is shown at the terminal again. */
export const toTyped = (text: string): string =>
  text.replaceAll(/\r\n?/g, '\n').replaceAll(/(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, '')

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    // as if there were none
    return undefined
  }
}
