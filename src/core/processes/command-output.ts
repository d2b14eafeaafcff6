import { stripVTControlCharacters } from 'node:util'

/** The beginning and the end of a long text, with what is left out named in between. */
export interface KeptOutput {
  add(text: string): void
  /** Whether more was added than is kept. */
  readonly isCut: boolean
  read(): string
}

/** Keeps a bounded part of whatever is added: half of it from the beginning, half from the end. */
export function createKeptOutput(maxCharacters: number): KeptOutput {
  const half = Math.floor(maxCharacters / 2)
  let head = ''
  let tail = ''
  let length = 0
  return {
    add(text) {
      length += text.length
      const free = Math.max(0, half - head.length)
      head += text.slice(0, free)
      tail = (tail + text.slice(free)).slice(-(maxCharacters - half))
    },
    get isCut() {
      return length > maxCharacters
    },
    read() {
      if (length <= maxCharacters) return toPlain(head + tail)
      return `${toPlain(head)}\n… ${length - maxCharacters} characters left out …\n${toPlain(tail)}`
    },
  }
}

/** Without colours and movements of a cursor that nobody sees, and without what cannot be stored. */
export const toPlain = (text: string) =>
  stripVTControlCharacters(text).replaceAll('\r\n', '\n').replaceAll('\0', '').toWellFormed()
