import { replySkip } from './protocol/room.ts'

// what models like to put around a word that they are to say exactly
const opening = /^[\s`*_"']+/
const closing = /^[\s`*_"'.。!]*$/

/** Whether an agent said that it stays silent, and nothing else. */
export const isSilence = (text: string): boolean => {
  const trimmed = text.replace(opening, '')
  return trimmed.startsWith(replySkip) && closing.test(trimmed.slice(replySkip.length))
}

/** Whether what was said so far may still come to that. */
export const mayBeSilence = (text: string): boolean =>
  replySkip.startsWith(text.replace(opening, '')) || isSilence(text)
