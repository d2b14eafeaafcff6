/** What crosses the socket of events. Apart from the schemas, so that a browser need not load those. */
import type { ScopeEvent } from './event.ts'

/** Events after `after` up to `seq` are not kept any more: whoever follows has to look at the things themselves. */
export interface EventGap {
  type: 'gap'
  after: number
  seq: number
}

/** What one frame of `/api/events` holds. */
export type EventFrame = ScopeEvent | EventGap

export const isGap = (frame: EventFrame): frame is EventGap => frame.type === 'gap'

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
