import { messageText } from '../../core/protocol/message-text.ts'
import type { Part } from '../../core/protocol/message.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import { findText } from '../../core/shared/find-text.ts'

/** What of a turn's input matters here. */
export interface TurnWords {
  message: { id: string; parts: Part[] }
  actor?: { type: 'user' | 'agent' | 'system' }
  isWake?: boolean
  skipNarrativeBatchExtract?: boolean
}

/** Whether a person wrote the input: not a cron, a task's parent or a result that came back. */
export function isPersons({ kind, input }: Run): boolean {
  const { actor, isWake } = input as TurnWords
  return kind === 'turn' && !isWake && (actor === undefined || actor.type === 'user')
}

/**
 * What a person said in a message themselves. What they attached, quoted or pasted as a block was written by somebody
 * else; files and pages that they point at are no text of the message in the first place.
 */
export const ownWords = (message: { parts: readonly Part[] }): string =>
  messageText(message)
    .replace(/^(```|~~~)[^\n]*\n[\s\S]*?(?:^\1[^\n]*$|$(?![\s\S]))/gm, '')
    .replace(/^[^\S\r\n\u2028\u2029]*>.*$/gm, '')
    .trim()

/** The text of a model; results of tools and tasks are not part of it. */
export const answerWords = (message: { parts: readonly Part[] }): string => messageText(message).trim()

// less is in every text, and proves nothing
const minQuoted = 2

/** Whether the passage is in the text as it is; case, white space and the shape of quotes do not matter. */
export function quotes(text: string, passage: string): boolean {
  const sought = plain(passage)
  return [...sought].length >= minQuoted && findText(plain(text), sought) !== -1
}

/** The whole sentences that a passage is in: half of one can mean the opposite. Undefined when it is not there. */
export function sentencesAround(text: string, passage: string): string | undefined {
  if (!quotes(text, passage)) return undefined
  // it reaches over as many sentences as it has places where one can end
  const most = (passage.match(/[\s.!?。！？]/g)?.length ?? 0) + 1
  const sentences = text.match(/[^.!?。！？\n]+(?:[.!?。！？]+|\n|$)/g) ?? []
  for (let length = 1; length <= Math.min(most, sentences.length); length++)
    for (let start = 0; start + length <= sentences.length; start++) {
      const piece = sentences.slice(start, start + length).join('')
      if (quotes(piece, passage)) return piece.trim()
    }
  return undefined
}

export const plain = (text: string): string =>
  text.normalize('NFKC').toLowerCase().replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replace(/\s+/g, ' ').trim()
