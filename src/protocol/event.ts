import { z } from 'zod'
import { scopeSchema, timestampSchema, wholeNumber } from './names.ts'

/** Something that happened in a scope, with its number: numbers grow by one and are never used twice. */
export const scopeEventSchema = z
  .object({
    seq: z.int().positive(),
    type: z.string(),
    sessionId: z.string().optional(),
    data: z.record(z.string(), z.unknown()),
    createdAt: timestampSchema,
  })
  .meta({ id: 'ScopeEvent' })
export type ScopeEvent = z.infer<typeof scopeEventSchema>

/** Events after `after` up to `seq` are not kept any more: whoever follows has to look at the things themselves. */
export interface EventGap {
  type: 'gap'
  after: number
  seq: number
}

/** What one frame of `/api/events` holds. */
export type EventFrame = ScopeEvent | EventGap

export const isGap = (frame: EventFrame): frame is EventGap => frame.type === 'gap'

export const eventQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  after: wholeNumber(0).optional().meta({
    description: 'The last number that was seen. Default: all that is kept; on a socket: from now on',
  }),
  limit: wholeNumber(1).optional(),
})

export const eventPageSchema = z
  .object({
    items: z.array(scopeEventSchema),
    first: z.int().meta({ description: 'The oldest number that is kept; 0 when there is none' }),
    last: z.int().meta({ description: 'The newest number there is; 0 before anything happened' }),
    nextCursor: z.string().nullable().meta({ description: 'As "after", leads to the next page' }),
  })
  .meta({ id: 'EventPage' })
export type EventPage = z.infer<typeof eventPageSchema>

/** The subprotocol of the socket. A browser cannot set headers there, so a key may stand beside it as another one. */
export const socketProtocol = 'parley'
const keyPrefix = 'parley.key.'

export const isKeyProtocol = (protocol: string) => protocol.startsWith(keyPrefix)

/** Percent-encoded: a protocol is a token, and keys may hold more than that. */
export const toKeyProtocol = (key: string) =>
  keyPrefix + encodeURIComponent(key).replaceAll('(', '%28').replaceAll(')', '%29')

/** The key among the protocols that a client offers. */
export function keyOfProtocols(header: string | undefined): string | undefined {
  const offered = header
    ?.split(',')
    .map((name) => name.trim())
    .find(isKeyProtocol)
  if (offered === undefined) return undefined
  const text = offered.slice(keyPrefix.length)
  try {
    return decodeURIComponent(text)
  } catch {
    return text // not encoded, and then it says what it says
  }
}
