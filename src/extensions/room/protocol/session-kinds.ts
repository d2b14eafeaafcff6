/** What a session has to do with rooms, by its facets; apart from the schemas, which pages do not need to load. */

/** The `source` of the session that an agent has in a room. */
export const roomSeatSource = 'room-seat'

/** Sessions in which several agents answer; who does is decided by the mode. */
export const isRoom = ({ kind = 'interactive', mode, agents }: RoomFacets): boolean =>
  kind === 'interactive' && mode !== undefined && mode !== 'plan' && agents !== undefined

interface RoomFacets {
  kind?: string
  mode?: string
  agents?: readonly string[]
}

/** A room as one of its agents sees it. */
export const isSeat = ({ kind, toolMeta }: { kind?: string; toolMeta?: { source?: string } }): boolean =>
  kind === 'tool' && toolMeta?.source === roomSeatSource
