import type { SessionListItem } from '../../../src/client/index.ts'
import type { SessionListQuery } from '../../../src/protocol/session.ts'

export const sessionGroups = ['mine', 'background', 'rooms'] as const
export type SessionGroup = (typeof sessionGroups)[number]

export interface SessionFilter {
  scope?: string
  group: SessionGroup
  archived: boolean
  /** Words of the title or of a message. */
  find?: string
}

/** What the server is asked for; it does not know rooms apart, so `isInGroup` has the last word. */
export function toListQuery({ scope, group, archived, find }: SessionFilter): SessionListQuery {
  return {
    scope,
    kind: group === 'background' ? 'background' : 'interactive',
    ...(group === 'mine' && { roots: 'true' }),
    counts: 'true',
    archived: archived ? 'true' : 'false',
    q: find,
    limit: group === 'rooms' ? 200 : 50,
  }
}

/** A room is a session with a mode. */
export function isInGroup(session: Pick<SessionListItem, 'kind' | 'mode'>, group: SessionGroup): boolean {
  if (group === 'background') return session.kind === 'background'
  return session.kind === 'interactive' && (session.mode !== undefined) === (group === 'rooms')
}
