import { messageText } from './message-text.ts'
import type { Part } from './message.ts'

/** The text of the last step that said something; empty when none did. */
export function lastWords(parts: readonly Part[]): string {
  const steps: Part[][] = [[]]
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([])
    else steps.at(-1)!.push(part)
  }
  const texts = steps.map((step) => messageText({ parts: step }).trim())
  return texts.findLast((text) => text !== '') ?? ''
}
