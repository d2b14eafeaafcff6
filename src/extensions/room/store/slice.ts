import { roomFacets } from '../facets.ts'
import { roomSeatSource } from '../protocol/session-kinds.ts'
import type { StoreSlice } from '../../../core/store/store-slice.ts'
import { roomQueries, type RoomQueries } from './rooms.ts'
import type { RoomTables } from './tables.ts'

export const roomStore: StoreSlice = {
  name: 'room',
  facets: roomFacets,
  migrations: 'src/extensions/room/store/migrations',
  sharedThrough: 20,
  queries: [roomQueries],
  sessionRows: { rooms: 'session_id', room_states: 'session_id', room_seats: 'room_id' },
  hiddenSources: [roomSeatSource],
}

declare module '../../../core/store/store.ts' {
  interface ExtensionQueries extends RoomQueries {}
}

declare module '../../../core/store/tables.ts' {
  interface ExtensionTables extends RoomTables {}
}
