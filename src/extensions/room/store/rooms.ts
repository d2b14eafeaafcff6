import { sql } from 'kysely'
import type { Routing } from '../protocol/room.ts'
import type { QueryContext } from '../../../core/store/query-context.ts'
import { statement } from '../../../core/store/statement.ts'
import type { RoomRoundRow } from './tables.ts'
import { decodeCursor, encodeCursor, type Page } from '../../../core/store/queries/cursor.ts'

/** Where the mode of a room stands, secrets included. */
export interface RoomState {
  mode: string
  state: unknown
  /** Options that were given when the mode was set. */
  options: Record<string, unknown>
  /** How far the log had come, and the id of its last message. */
  throughSeq: number
  throughId?: string
}

/** The session in which an agent sees a room, and how much of the room's log it has taken in. */
export interface Seat {
  agent: string
  sessionId: string
  throughSeq: number
  throughId?: string
}

/** Agents that were asked at once, or commands that were run; the caller defines `Turn`. */
export interface StoredRound<Turn = unknown> {
  runId: string
  number: number
  roomId: string
  routing: Routing
  eventSeq: number
  turns: Turn[]
  commands?: string[]
  messageIds: string[]
  createdAt: number
  finishedAt?: number
  /** How long the log was when it began. */
  logSeq?: number
}

/** A mode as it stood at some length of the log. */
export type KeptRoomState = Pick<RoomState, 'mode' | 'state' | 'options'>

export interface RoomQueries {
  getRoomState(sessionId: string): Promise<RoomState | undefined>
  /** It is also kept for this length of the log; of such states the newest `kept` stay. */
  putRoomState(sessionId: string, state: RoomState, kept: number): Promise<void>
  /** Where the mode stood when the log was so long; undefined when that is not kept any more. */
  getRoomStateAt(sessionId: string, seq: number): Promise<KeptRoomState | undefined>
  /** What is kept up to this length of the log is kept for another room too. */
  copyRoomStates(fromId: string, toId: string, throughSeq: number): Promise<void>
  /** Forgets states and rounds of what lies beyond this length of the log. */
  cutRoom(sessionId: string, seq: number): Promise<void>
  listSeats(roomId: string): Promise<Seat[]>
  /** The room in which a session is that of an agent, or that of a run is; undefined when it is none. */
  findRoomOf(
    id: { sessionId: string } | { runId: string },
  ): Promise<{ id: string; scope: string } | undefined>
  putSeat(roomId: string, seat: Seat): Promise<void>
  /** Their sessions stay. */
  deleteSeats(roomId: string): Promise<void>
  addRound(round: Omit<StoredRound, 'createdAt' | 'finishedAt'>): Promise<void>
  /** What became of those who were asked, and what of it entered the log. */
  finishRound(round: Pick<StoredRound, 'runId' | 'number' | 'turns' | 'messageIds'>): Promise<void>
  /** Replaces what is known of those who were asked, and why it goes no further; the round stays open. */
  setRoundTurns(
    round: Pick<StoredRound, 'runId' | 'number' | 'routing' | 'turns' | 'messageIds'>,
  ): Promise<void>
  /** Oldest first. */
  listRoundsOf(runId: string): Promise<StoredRound[]>
  getNewestRound(roomId: string): Promise<StoredRound | undefined>
  /** Newest first. */
  listRounds(
    roomId: string,
    filter: { runId?: string; limit: number; cursor?: string },
  ): Promise<Page<StoredRound>>
}

// characters of all that is kept of one room: a few of the longest states, hundreds of usual ones
const maxKeptSize = 4_000_000

export function roomQueries(context: QueryContext): RoomQueries {
  const { db, clock } = context
  return {
    async getRoomState(sessionId) {
      const [row] = await selectState(context, [sessionId])
      return (
        row && {
          mode: row.mode,
          state: JSON.parse(row.state) as unknown,
          options: JSON.parse(row.options) as Record<string, unknown>,
          throughSeq: row.through_seq,
          ...(row.through_id !== null && { throughId: row.through_id }),
        }
      )
    },

    async putRoomState(sessionId, { mode, state, options, throughSeq, throughId }, kept) {
      const texts = [JSON.stringify(state), JSON.stringify(options)] as const
      await upsertState(context, [sessionId, mode, ...texts, throughSeq, throughId ?? null, clock.now()])
      await keepState(context, [sessionId, throughSeq, mode, ...texts, texts[0].length])
      await dropStates(context, [sessionId, sessionId, kept, maxKeptSize])
    },

    async getRoomStateAt(sessionId, seq) {
      const [row] = await selectKept(context, [sessionId, seq])
      return (
        row && {
          mode: row.mode,
          state: JSON.parse(row.state) as unknown,
          options: JSON.parse(row.options) as Record<string, unknown>,
        }
      )
    },

    async copyRoomStates(fromId, toId, throughSeq) {
      await copyStates(context, [toId, fromId, throughSeq])
    },

    async cutRoom(sessionId, seq) {
      await db.deleteFrom('room_states').where('session_id', '=', sessionId).where('seq', '>', seq).execute()
      await db.deleteFrom('room_rounds').where('room_id', '=', sessionId).where('log_seq', '>', seq).execute()
    },

    async listSeats(roomId) {
      const rows = await selectSeats(context, [roomId])
      return rows.map((row) => ({
        agent: row.agent,
        sessionId: row.session_id,
        throughSeq: row.through_seq,
        ...(row.through_id !== null && { throughId: row.through_id }),
      }))
    },

    async findRoomOf(place) {
      const [room] = await ('runId' in place
        ? selectRoomOfRun(context, [place.runId])
        : selectRoomOfSession(context, [place.sessionId]))
      return room
    },

    async putSeat(roomId, { agent, sessionId, throughSeq, throughId }) {
      await upsertSeat(context, [roomId, agent, sessionId, throughSeq, throughId ?? null])
    },

    async deleteSeats(roomId) {
      await db.deleteFrom('room_seats').where('room_id', '=', roomId).execute()
    },

    async addRound({ runId, number, roomId, routing, eventSeq, turns, commands, messageIds, logSeq }) {
      await insertRound(context, [
        runId,
        number,
        roomId,
        JSON.stringify(routing),
        eventSeq,
        JSON.stringify(turns),
        commands === undefined ? null : JSON.stringify(commands),
        JSON.stringify(messageIds),
        clock.now(),
        logSeq ?? null,
      ])
    },

    async finishRound({ runId, number, turns, messageIds }) {
      await updateRound(context, [
        JSON.stringify(turns),
        JSON.stringify(messageIds),
        clock.now(),
        runId,
        number,
      ])
    },

    async setRoundTurns({ runId, number, routing, turns, messageIds }) {
      const texts = [routing, turns, messageIds].map((value) => JSON.stringify(value))
      await updateTurns(context, [...texts, runId, number])
    },

    async listRoundsOf(runId) {
      return (await selectRounds(context, [runId])).map(toRound)
    },

    async getNewestRound(roomId) {
      const [row] = await selectNewest(context, [roomId])
      return row && toRound(row)
    },

    async listRounds(roomId, { runId, limit, cursor }) {
      const rows = await db
        .selectFrom('room_rounds')
        .selectAll()
        .where('room_id', '=', roomId)
        .$if(runId !== undefined, (query) => query.where('run_id', '=', runId!))
        .$if(cursor !== undefined, (query) => query.where(isAfter(cursor!)))
        .orderBy('created_at', 'desc')
        .orderBy('run_id', 'desc')
        .orderBy('number', 'desc')
        .limit(limit + 1)
        .execute()
      const items = rows.slice(0, limit)
      const last = rows.length > limit ? items.at(-1) : undefined
      return {
        items: items.map(toRound),
        nextCursor: last ? encodeCursor(last.created_at, `${last.run_id}:${last.number}`) : null,
      }
    },
  }
}

/** Rounds of one millisecond go by their run and number. */
function isAfter(cursor: string) {
  const [time, place] = decodeCursor(cursor)
  const [runId = '', number = '0'] = place.split(':')
  return sql<boolean>`(created_at, run_id, number) < (${time}, ${runId}, ${Number(number) || 0})`
}

const toRound = (row: RoomRoundRow): StoredRound => ({
  runId: row.run_id,
  number: row.number,
  roomId: row.room_id,
  routing: JSON.parse(row.routing) as Routing,
  eventSeq: row.event_seq,
  turns: JSON.parse(row.turns) as unknown[],
  ...(row.commands !== null && { commands: JSON.parse(row.commands) as string[] }),
  messageIds: JSON.parse(row.message_ids) as string[],
  createdAt: row.created_at,
  ...(row.finished_at !== null && { finishedAt: row.finished_at }),
  ...(row.log_seq !== null && { logSeq: row.log_seq }),
})

const selectState = statement<{
  mode: string
  state: string
  options: string
  through_seq: number
  through_id: string | null
}>(`select mode, state, options, through_seq, through_id from rooms where session_id = ?`)
const upsertState = statement(`
  insert into rooms (session_id, mode, state, options, through_seq, through_id, updated_at)
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict (session_id) do update
  set mode = excluded.mode, state = excluded.state, options = excluded.options,
    through_seq = excluded.through_seq,
    through_id = excluded.through_id, updated_at = excluded.updated_at
`)
const keepState = statement(`
  insert into room_states (session_id, seq, mode, state, options, size) values (?, ?, ?, ?, ?, ?)
  on conflict (session_id, seq) do update
  set mode = excluded.mode, state = excluded.state, options = excluded.options, size = excluded.size
`)
// the newest one stays whatever its size
const dropStates = statement(`
  delete from room_states where session_id = ? and seq <= (
    select max(seq) from (
      select seq, row_number() over (order by seq desc) as place, sum(size) over (order by seq desc) as total
      from room_states where session_id = ?
    ) as counted where place > 1 and (place > ? or total > ?)
  )
`)
const selectKept = statement<{ mode: string; state: string; options: string }>(`
  select mode, state, options from room_states where session_id = ? and seq <= ? order by seq desc limit 1
`)
const copyStates = statement(`
  insert into room_states (session_id, seq, mode, state, options, size)
  select ?, seq, mode, state, options, size from room_states where session_id = ? and seq <= ?
`)
const selectSeats = statement<{
  agent: string
  session_id: string
  through_seq: number
  through_id: string | null
}>(`select agent, session_id, through_seq, through_id from room_seats where room_id = ? order by agent`)
const selectRoomOfSession = statement<{ id: string; scope: string }>(`
  select sessions.id, sessions.scope from room_seats join sessions on sessions.id = room_seats.room_id
  where room_seats.session_id = ?
`)
const selectRoomOfRun = statement<{ id: string; scope: string }>(`
  select sessions.id, sessions.scope from room_seats join sessions on sessions.id = room_seats.room_id
  where room_seats.session_id = (select session_id from runs where runs.id = ?)
`)
const upsertSeat = statement(`
  insert into room_seats (room_id, agent, session_id, through_seq, through_id) values (?, ?, ?, ?, ?)
  on conflict (room_id, agent) do update
  set session_id = excluded.session_id, through_seq = excluded.through_seq, through_id = excluded.through_id
`)
const insertRound = statement(`
  insert into room_rounds
    (run_id, number, room_id, routing, event_seq, turns, commands, message_ids, created_at, log_seq)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
`)
const updateRound = statement(`
  update room_rounds set turns = ?, message_ids = ?, finished_at = ? where run_id = ? and number = ?
`)
const updateTurns = statement(
  `update room_rounds set routing = ?, turns = ?, message_ids = ? where run_id = ? and number = ?`,
)
const selectRounds = statement<RoomRoundRow>(`select * from room_rounds where run_id = ? order by number`)
const selectNewest = statement<RoomRoundRow>(`
  select * from room_rounds where room_id = ? order by created_at desc, run_id desc, number desc limit 1
`)
