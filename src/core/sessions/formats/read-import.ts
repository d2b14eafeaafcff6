import { invalidRequest, ParleyError } from '../../protocol/error.ts'
import { countValues, parseJsonBody, requireCleanJson } from '../../protocol/json.ts'
import { toParts, type NewMessage } from '../../protocol/message.ts'
import type { SessionDocument } from '../../protocol/session.ts'
import type { WrittenMessage } from '../../store/queries/messages.ts'
import { looseRules } from './document.ts'
import { readDocuments } from './read-documents.ts'

/** A body of an import, and what it may be. */
export interface ImportText {
  text: string
  /** Whether its content type is JSON; the other formats are recognized by how they begin. */
  isJson: boolean
  jsonDepth: number
  /** In one message, and in the session without its messages. */
  maxValues: number
}

export interface ReadImport {
  /** What a JSON body contains besides the document, unchecked. */
  scope?: unknown
  /** Checked by the Parley that it is for: see `createImportReader`. */
  session: SessionDocument['session']
  messages: WrittenMessage[]
}

const messagesAtOnce = 500
const charactersAtOnce = 500_000

/** A piece that is passed on and stored in moments. */
export function messagesFrom(messages: readonly WrittenMessage[], from: number): WrittenMessage[] {
  let characters = 0
  const piece: WrittenMessage[] = []
  for (const message of messages.slice(from, from + messagesAtOnce)) {
    characters += message.parts.length
    if (piece.length > 0 && characters > charactersAtOnce) break
    piece.push(message)
  }
  return piece
}

/** A document holds its messages a few levels deeper than the requests that appended them. */
const documentLevels = 8

/** The one session of a text, its messages as they are stored. Reads the text as a whole, however long that takes. */
export function readImport({ text, isJson, jsonDepth, maxValues }: ImportText): ReadImport {
  const { scope, text: rest } = isJson ? takeScope(text, jsonDepth) : { text }
  const documents = readDocuments(rest, { rules: looseRules })
  const [document] = documents
  if (!document || documents.length > 1)
    throw invalidRequest(
      `The body holds ${documents.length} conversations, one is expected. "parley sessions import" takes several.`,
    )
  const { session, messages } = document
  requireFew(session, maxValues, 'The session of the document')
  for (const [place, message] of messages.entries()) requireFew(message, maxValues, `messages.${place}`)
  return { ...(scope !== undefined && { scope }), session, messages: messages.map(toWritten) }
}

/** `scope` may stand in a JSON body too, as everywhere; it is no part of the document. */
function takeScope(text: string, jsonDepth: number): { scope?: unknown; text: string } {
  const body = parseJsonBody(text)
  requireCleanJson(body, jsonDepth + documentLevels)
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'scope')) return { text }
  const { scope, ...rest } = body as { scope?: unknown }
  return { scope, text: JSON.stringify(rest) }
}

export const toWritten = ({ parts, content, metadata, ...message }: NewMessage): WrittenMessage => ({
  ...message,
  parts: JSON.stringify(toParts({ parts, content })),
  ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }),
})

/** Whoever reads the message later parses it in one go. */
function requireFew(value: unknown, maxValues: number, what: string): void {
  if (countValues(value, maxValues) > maxValues)
    throw new ParleyError(
      'payload_too_large',
      `${what} holds more than ${maxValues} values (limits.jsonValues).`,
    )
}
