import type { Part } from './message.ts'

/** The readable text of a message: its text parts, joined. */
export function messageText(message: { parts: readonly Part[] }): string {
  return message.parts
    .filter((part) => part.type === 'text')
    .map((part) => part.text as string)
    .join('\n')
}
