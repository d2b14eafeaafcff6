import type { RunRecord } from './chat.ts'
import type { Advance, AskAgent, Mute, Regenerate, RoomMode, RoomRecord, RoundPage, SetMode } from './room.ts'
import type { Session } from './session.ts'
import type { InScope } from './names.ts'

export interface RoundListQuery extends InScope {
  /** Only those of this run. */
  run?: string
  limit?: number
  cursor?: string
}

/**
 * What one can do with rooms, beyond what one can do with every session: the same calls in the process and over HTTP. A
 * room is made with `sessions.create({mode, agents})`, and spoken to with `sessions.chat`.
 */
export interface Rooms {
  modes(options?: InScope): Promise<{ items: RoomMode[]; nextCursor: null }>
  /** With what a front end shows of it, as the person `as` may see it; default the first one that plays. */
  get(id: string, query?: InScope & { as?: string }): Promise<RoomRecord>
  /** Begins anew, also in the same mode. */
  setMode(id: string, input: SetMode): Promise<Session>
  /** Takes it on, and does not wait: resolves when that is stored. `sessions.observe` shows what comes of it. */
  advance(id: string, input?: Advance): Promise<RunRecord>
  /** Asks one agent alone, or whispers to it, and does not wait. */
  ask(id: string, input: AskAgent): Promise<RunRecord>
  /** Asks an agent again for one of its answers, in a variant of the room: that is the session of the run. */
  regenerate(id: string, input: Regenerate): Promise<RunRecord>
  /** The agent is not asked any more, also when it is mentioned; 409 while the room is busy. */
  mute(id: string, input: Mute): Promise<RoomRecord>
  unmute(id: string, input: Mute): Promise<RoomRecord>
  /** Newest first. */
  rounds(id: string, query?: RoundListQuery): Promise<RoundPage>
}
