import type { SessionListQuery } from '../../../src/core/protocol/session.ts'

export const sessionGroups = ['mine', 'background', 'rooms'] as const
export type SessionGroup = (typeof sessionGroups)[number]

export interface SessionFilter {
  scope?: string
  group: SessionGroup
  archived: boolean
  /** Words of the title or of a message. */
  find?: string
}

const queries: Record<SessionGroup, SessionListQuery> = {
  mine: { kind: 'interactive', mode: '', roots: 'true' },
  background: { kind: 'background' },
  // a room is a session with a mode; those about plans are among the others
  rooms: { kind: 'interactive', mode: '*' },
}

/** What the server is asked for. */
export const toListQuery = ({ scope, group, archived, find }: SessionFilter): SessionListQuery => ({
  ...queries[group],
  scope,
  counts: 'true',
  archived: archived ? 'true' : 'false',
  q: find,
  limit: 50,
})
