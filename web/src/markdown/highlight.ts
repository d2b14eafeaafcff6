/** One piece of code in one colour. */
export interface Token {
  text: string
  light?: string
  dark?: string
}

interface Code {
  code: string
  language: string
  /** More of it is still coming. */
  isIncomplete: boolean
}

export type HighlightRequest = Code & { id: number }

export interface HighlightAnswer {
  id: number
  lines: Token[][]
}

// so many blocks that were scrolled away are in colour at once when they are seen again
const maxKept = 200
const kept = new Map<string, Token[][]>()
const keyOf = ({ code, language }: Code) => `${language}\n${code}`

export const knownLines = (code: Code): Token[][] | undefined => kept.get(keyOf(code))

/** The lines of the code in colour. Made beside the page: the first words of a language take half a second. */
export async function highlight(code: Code): Promise<Token[][]> {
  const lines = knownLines(code) ?? (await ask(code))
  if (!code.isIncomplete) keep(keyOf(code), lines)
  return lines
}

function keep(key: string, lines: Token[][]): void {
  kept.delete(key)
  kept.set(key, lines)
  if (kept.size > maxKept) kept.delete(kept.keys().next().value!)
}

let worker: Worker | undefined
let lastId = 0
const waiting = new Map<number, (lines: Token[][]) => void>()

function ask(code: Code): Promise<Token[][]> {
  worker ??= startWorker()
  const id = ++lastId
  return new Promise((resolve) => {
    waiting.set(id, resolve)
    const request: HighlightRequest = { id, ...code }
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
    worker!.postMessage(request)
  })
}

function startWorker(): Worker {
  const started = new Worker(new URL('highlight-worker.ts', import.meta.url), { type: 'module' })
  started.addEventListener('message', ({ data: { id, lines } }: MessageEvent<HighlightAnswer>) => {
    waiting.get(id)?.(lines)
    waiting.delete(id)
  })
  return started
}
