import { setImmediate as others } from 'node:timers/promises'
import { ParleyError } from '../protocol/error.ts'
import type { ReadingSession } from './export.ts'
import { requireHead, requireMessage } from './formats/document.ts'
import type { Format } from './formats/format.ts'

/** A session as text, piece by piece; others have their turn after each. Together they are what `format.write` gives. */
export async function* exportText({ head, messageCount, rules, pages }: ReadingSession, format: Format) {
  const writing = format.start(requireHead(head, rules), messageCount, rules)
  yield writing.begin
  let place = 0
  for await (const page of pages()) {
    yield page.map((message) => writing.message(requireMessage(message, place), place++)).join('')
    await others()
  }
  yield writing.end
}

/** The whole text, where it has to be one; refuses when it grows beyond the limit. */
export async function exportWhole(
  reading: ReadingSession,
  format: Format,
  maxCharacters: number,
): Promise<string> {
  let text = ''
  for await (const piece of exportText(reading, format)) {
    text += piece
    if (text.length > maxCharacters)
      throw new ParleyError(
        'payload_too_large',
        `The session comes to more than ${maxCharacters} characters as ${format.name}; export it over HTTP, which has no such limit.`,
      )
  }
  return text
}
