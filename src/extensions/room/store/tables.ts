export interface RoomTables {
  rooms: {
    session_id: string
    mode: string
    state: string
    options: string
    through_seq: number
    through_id: string | null
    updated_at: number
  }
  room_states: {
    session_id: string
    seq: number
    mode: string
    state: string
    options: string
    size: number
  }
  room_seats: {
    room_id: string
    agent: string
    session_id: string
    through_seq: number
    through_id: string | null
  }
  room_rounds: RoomRoundRow
}

export interface RoomRoundRow {
  run_id: string
  number: number
  room_id: string
  routing: string
  event_seq: number
  turns: string
  commands: string | null
  message_ids: string
  created_at: number
  finished_at: number | null
  log_seq: number | null
}
