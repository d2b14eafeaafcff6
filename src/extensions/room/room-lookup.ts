import { buildLookup, type Lookup } from './name-lookup.ts'
import type { RoomFacts } from './modes/mode.ts'

/** Who can be mentioned in a room: its agents and its people. */
export const lookupOf = ({ agents, humans }: Pick<RoomFacts, 'agents' | 'humans'>): Lookup =>
  buildLookup(agents, humans)
