/**
 * Messages that a person writes at the terminal, one after the other. Enter sends a message; a line that ends in `\` goes on
 * in the next one, and what is pasted is part of the message, whatever line ends it has. Ctrl-C discards what was typed, or
 * stops what is being done; a second one ends the input, as Ctrl-D does. Where the input is no terminal, each line is a message.
 */
import { createInterface } from 'node:readline'
import { openHistory, toTyped, type HistoryPlace } from './message-history.ts'
import { printProgress, setBracketedPaste } from './output.ts'
import { createPasteFilter } from './paste-filter.ts'

export interface MessageReader {
  /** Asks for a message; undefined when the input has ended. */
  next(): Promise<string | undefined>
  /** While the work is done, Ctrl-C means `stop`. */
  during(stop: () => void, work: () => Promise<void>): Promise<void>
  /** The next line is the answer, and no message. Throws when the input ends before. */
  question(text: string): Promise<string>
  close(): void
}

// stands for a line end in a line that can be edited
const lineEnd = '\u23ce'
// each character that is typed costs as much as there are before it
const longestShown = 2_000

export function createMessageReader(place?: HistoryPlace): MessageReader {
  const { stdin, stderr } = process
  const isTerminal = stdin.isTTY === true && stderr.isTTY === true
  const history = openHistory(place && isTerminal ? place : { file: '', size: 0 })
  const pastes = createPastes()
  const input: NodeJS.ReadableStream = isTerminal ? createPasteFilter(stdin, pastes.toKeys) : stdin
  const terminal = createInterface({ input, output: stderr, terminal: isTerminal, prompt: '> ' })
  const messages: string[] = []
  let begun: string[] = []
  let wake: (() => void) | undefined
  let answer: { take(line: string): void; fail(): void } | undefined
  // one at a time: whose answer would a line be?
  let lastQuestion: Promise<unknown> = Promise.resolve()
  let stopWork: (() => void) | undefined
  let isClosed = false
  let isInterrupted = false

  const showHistory = () =>
    Object.assign(terminal, { history: history.entries.map((entry) => entry.replaceAll('\n', lineEnd)) })
  const prompt = () => {
    if (isClosed) return
    terminal.setPrompt(begun.length > 0 ? '… ' : '> ')
    terminal.prompt()
  }

  const ask = async (text: string): Promise<string> => {
    if (isClosed) throw new Error('The input has ended, so nobody can answer.')
    try {
      return await new Promise<string>((take, reject) => {
        answer = { take, fail: () => reject(new Error('Nothing was answered.')) }
        terminal.setPrompt(text)
        terminal.prompt()
      })
    } finally {
      answer = undefined
    }
  }
  const endPaste = () => setBracketedPaste(false)

  if (isTerminal) {
    setBracketedPaste(true)
    process.once('exit', endPaste)
  }
  showHistory()
  terminal.on('line', (line) => {
    // the interface has added the line to its history, whatever it was
    showHistory()
    if (answer) return answer.take(line)
    const text = pastes.expand(line.replaceAll(lineEnd, '\n'))
    if (text.endsWith('\\')) {
      begun.push(text.slice(0, -1))
      return prompt()
    }
    const message = [...begun, text].join('\n')
    begun = []
    history.add(message.trimEnd())
    showHistory()
    messages.push(message.trim())
    wake?.()
  })
  terminal.on('SIGINT', () => {
    const isSecond = isInterrupted
    isInterrupted = true
    if (isSecond) return terminal.close()
    begun = []
    terminal.write(null, { ctrl: true, name: 'e' })
    terminal.write(null, { ctrl: true, name: 'u' })
    answer?.fail()
    if (stopWork) return stopWork()
    printProgress('\n(Ctrl-C again ends; so does Ctrl-D)')
    prompt()
  })
  input.on('keypress', (_text, key?: { ctrl: boolean; name?: string }) => {
    if (!key?.ctrl || key.name !== 'c') isInterrupted = false
  })
  terminal.on('close', () => {
    isClosed = true
    if (isTerminal) {
      endPaste()
      process.off('exit', endPaste)
      // or it would keep the process
      stdin.unpipe().pause()
    }
    // what was begun at the end of a file is a message too
    if (begun.length > 0) messages.push(begun.join('\n').trim())
    begun = []
    answer?.fail()
    wake?.()
  })

  return {
    async next() {
      for (;;) {
        const message = messages.shift()
        if (message !== undefined && message !== '') return message
        if (message === undefined) {
          if (isClosed) return undefined
          prompt()
          await new Promise<void>((resolve) => (wake = resolve))
        }
      }
    },
    async during(stop, work) {
      stopWork = stop
      await work().finally(() => (stopWork = undefined))
    },
    question(text) {
      const asked = lastQuestion.then(() => ask(text))
      lastQuestion = asked.catch(() => '')
      return asked
    },
    close: () => terminal.close(),
  }
}

/** A long paste is shown as a note, which stands for it in the line. */
function createPastes() {
  const long = new Map<string, string>()
  return {
    toKeys(pasted: string): string {
      const text = toTyped(pasted).trimEnd()
      if (text.length <= longestShown) return text.replaceAll('\n', lineEnd)
      const lines = text.split('\n').length
      const note = `[pasted ${long.size + 1}: ${lines} ${lines === 1 ? 'line' : 'lines'}, ${text.length} characters]`
      long.set(note, text)
      return note
    },
    expand: (line: string) =>
      long.size === 0 ? line : line.replaceAll(/\[pasted \d+: [^\]]*\]/g, (note) => long.get(note) ?? note),
  }
}
