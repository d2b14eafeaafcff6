import { maxPartsPerMessage, type NewMessage, newMessageSchema } from '../../protocol/message.ts'
import type { SessionDocument } from '../../protocol/session.ts'
import { z } from 'zod'
import { invalidRequest, quote } from '../../protocol/error.ts'
import { misfit } from '../../protocol/issues.ts'
import { requireCleanJson } from '../../protocol/json.ts'
import { type DocumentRules, joinFacets } from '../../protocol/joined-facets.ts'

// whatever a request was allowed to nest must come back from an export: more than limits.jsonDepth can be set to,
// and still far from where recursive readers and writers overflow
export const documentDepth = 1_100

/** Those of a Parley without extensions. */
const coreRules = joinFacets([])

/** For readers that pass a document on to a Parley, which checks the fields of the session. */
export const looseRules: DocumentRules = {
  outline: z.strictObject({
    format: z.literal('parley.session'),
    version: z.literal(1),
    session: z.record(z.string(), z.unknown()),
    messages: z.array(z.unknown()),
  }) as unknown as DocumentRules['outline'],
  takesAnyHeading: true,
}

// zod collects an issue for every wrong item of a list: 10 MB of them would take 10 s and 2 GB
const stopEarly: z.core.ParseContextInternal<z.core.$ZodIssue> = { abortEarly: true }

/**
 * A checked document, its known fields in the order of the schema, which is the order they are written in.
 * Both directions pass through here, so nothing is written that could not be read again.
 */
export function requireDocument(value: unknown, rules: DocumentRules = coreRules.documents): SessionDocument {
  requireCleanJson(value, documentDepth)
  const outline = rules.outline.safeParse(value, stopEarly)
  if (!outline.success) throw misfit(outline.error, value, { before: 'The session document is not valid.' })
  const messages = outline.data.messages.map(requireMessage)
  requireUniqueIds(messages)
  return { ...outline.data, messages }
}

/** What a document has besides its messages, checked as a whole one would be. */
export function requireHead(value: DocumentHead, rules: DocumentRules): DocumentHead {
  const { messages: _, ...head } = requireDocument({ ...value, messages: [] }, rules)
  return head
}

/** One at a time, so that the first wrong one ends it. */
export function requireMessage(message: unknown, place: number): NewMessage {
  const { parts } = (message ?? {}) as { parts?: unknown }
  if (Array.isArray(parts) && parts.length > maxPartsPerMessage)
    throw invalidRequest(
      `messages.${place} has ${parts.length} parts; at most ${maxPartsPerMessage} are accepted.`,
    )
  const result = newMessageSchema.safeParse(message)
  if (result.success) return result.data
  throw misfit(result.error, message, {
    before: `messages.${place} is not valid.`,
    within: ['messages', place],
  })
}

function requireUniqueIds(messages: NewMessage[]): void {
  const places = new Map<string, number>()
  for (const [place, { id }] of messages.entries()) {
    if (id === undefined) continue
    if (places.has(id))
      throw invalidRequest(`messages.${places.get(id)} and messages.${place} have the same id ${quote(id)}.`)
    places.set(id, place)
  }
}

/** A document without its messages. */
export type DocumentHead = Omit<SessionDocument, 'messages'>

/** A text in pieces: `begin`, then every message in its order, then `end`. A long log is never in memory as a whole. */
export interface Writing {
  begin: string
  message(message: NewMessage, place: number): string
  end: string
}
