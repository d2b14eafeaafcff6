import type { Message, Part } from '../../../src/client/index.ts'

const known = new WeakMap<Message, Message>()

/**
 * What a mode wrote, and no model: its lines are lines, where Markdown would make one of them. The same object for the
 * same message, so that nothing is drawn again.
 */
export function withPlainLines(message: Message): Message {
  // what a model said tells when it was done
  if (message.parts.some(({ type, state }) => type !== 'text' || state !== undefined)) return message
  const before = known.get(message)
  if (before) return before
  const lined = { ...message, parts: message.parts.map(toLined) }
  known.set(message, lined)
  return lined
}

const toLined = (part: Part): Part => ({ ...part, text: toHardBreaks(part.text as string) })

/** Ends lines as Markdown wants lines to end; what is fenced stays as it is. */
export function toHardBreaks(text: string): string {
  let isFenced = false
  const lines = text.split('\n')
  return lines
    .map((line, index) => {
      const isFence = /^\s*(```|~~~)/.test(line)
      if (isFence) isFenced = !isFenced
      const next = lines[index + 1]
      const breaks = !isFence && !isFenced && line.trim() !== '' && next !== undefined && next.trim() !== ''
      return breaks ? `${line}  ` : line
    })
    .join('\n')
}
