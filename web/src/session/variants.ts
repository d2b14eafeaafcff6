import type { Message } from '../../../src/client/index.ts'

/**
 * Variants are sessions that share the beginning of their log. One that was made from a message begins to differ there:
 * its first own message stands where that message stood. So all variants made from one message, and the session that
 * has the message itself, are alternatives at that place.
 */
export interface Variant {
  sessionId: string
  forkedFrom?: { sessionId: string; messageId: string; before?: boolean }
  createdAt: string
  updatedAt: string
}

/** What stands at one place of the log, in which sessions. */
export interface Alternatives {
  /** Which of them is shown; from 0. */
  index: number
  /** Where each is to be seen, the first one first. */
  sessionIds: string[]
}

type LogEntry = Pick<Message, 'id' | 'createdAt'>

/** The alternatives at each message of an open session, by the id of the message; those without any are missing. */
export function findAlternatives(
  sessionId: string,
  variants: readonly Variant[],
  messages: readonly LogEntry[],
): Map<string, Alternatives> {
  const found = new Map<string, Alternatives>()
  if (variants.length < 2) return found
  const lineage = lineageOf(sessionId, variants)
  const places = placesOf(lineage, messages)
  for (const { id } of messages) {
    const { owner, root } = places.get(id) ?? { owner: ownerOf(id, lineage, messages), root: id }
    const made = variants.filter((variant) => isAt(variant, root)).toSorted(byCreation)
    if (made.length === 0) continue
    const isOriginal = id === root
    // the session that has the message itself comes first, unless it is gone
    const originals = isOriginal || variants.some(isSession(owner)) ? [owner] : []
    const index = isOriginal ? 0 : originals.length + made.findIndex((variant) => lineage.includes(variant))
    const sessionIds = [...originals, ...made.map((variant) => newestBelow(variant, variants))]
    if (sessionIds.length > 1) found.set(id, { index, sessionIds: sessionIds.with(index, sessionId) })
  }
  return found
}

/**
 * From where a new alternative to a message is made: the session that had the message at this place first, so that all
 * of them name the same one. The log before it is the same in both.
 */
export function originOf(
  message: LogEntry,
  sessionId: string,
  variants: readonly Variant[],
  messages: readonly LogEntry[],
): { sessionId: string; messageId: string } {
  const lineage = lineageOf(sessionId, variants)
  const { owner, root } = placesOf(lineage, messages).get(message.id) ?? {
    owner: ownerOf(message.id, lineage, messages),
    root: message.id,
  }
  return variants.some(isSession(owner))
    ? { sessionId: owner, messageId: root }
    : { sessionId, messageId: message.id }
}

/** The session, the one that it was made from, and so on, as far as they are there. */
function lineageOf(sessionId: string, variants: readonly Variant[]): Variant[] {
  const lineage: Variant[] = []
  let next = variants.find(isSession(sessionId))
  while (next && !lineage.includes(next)) {
    lineage.push(next)
    const from: string | undefined = next.forkedFrom?.sessionId
    next = variants.find((variant) => variant.sessionId === from)
  }
  return lineage
}

/** For the messages that stand in place of another: which one, and where that is. The oldest one counts. */
function placesOf(
  lineage: readonly Variant[],
  messages: readonly LogEntry[],
): Map<string, { owner: string; root: string }> {
  const places = new Map<string, { owner: string; root: string }>()
  for (const { forkedFrom, createdAt } of lineage) {
    if (!forkedFrom?.before) continue
    const first = messages.findIndex((message) => message.createdAt >= createdAt)
    // the first that is loaded may have others before it that are not
    const isKnown = first > 0 || (first === 0 && isWhole(messages))
    if (isKnown) places.set(messages[first]!.id, { owner: forkedFrom.sessionId, root: forkedFrom.messageId })
  }
  return places
}

const isWhole = (messages: readonly (LogEntry & { seq?: number })[]) =>
  messages[0]?.seq === undefined || messages[0].seq === 1

/** The session of the lineage in which a message was said; the others have a copy. */
function ownerOf(id: string, lineage: readonly Variant[], messages: readonly LogEntry[]): string {
  const said = messages.find((message) => message.id === id)!.createdAt
  return (lineage.find(({ createdAt }) => createdAt <= said) ?? lineage.at(-1))?.sessionId ?? ''
}

/** Of an alternative and what was made from it later: the one in which something happened last. */
function newestBelow(variant: Variant, variants: readonly Variant[]): string {
  const below = variants.filter(({ sessionId }) => lineageOf(sessionId, variants).includes(variant))
  return below.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))[0]!.sessionId
}

const isAt = ({ forkedFrom }: Variant, messageId: string) =>
  forkedFrom?.before === true && forkedFrom.messageId === messageId
const isSession = (sessionId: string) => (variant: Variant) => variant.sessionId === sessionId
const byCreation = (a: Variant, b: Variant) =>
  a.createdAt.localeCompare(b.createdAt) || a.sessionId.localeCompare(b.sessionId)
