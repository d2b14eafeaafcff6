import type { Calls } from '../../core/operations/calls.ts'
import { operationsOf } from '../../core/operations/operation.ts'
import {
  advanceSchema,
  askAgentSchema,
  muteSchema,
  regenerateSchema,
  roomModeListSchema,
  roomQuerySchema,
  roomSchema,
  roundListQuerySchema,
  roundPageSchema,
  setModeSchema,
} from './protocol/room.ts'
import type { SessionSchemas } from '../../core/protocol/session-schemas.ts'
import { muteAgent } from './mute-agent.ts'
import { advanceRoom, listModes, listRounds, readRoom, setMode } from './rooms.ts'
import type { RoomDeps } from './room-service.ts'
import type { Call } from '../../core/operations/operation.ts'
import { toRunRecord } from '../../core/runs/run-record.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { runSchema } from '../../core/protocol/chat.ts'
import { askOne, regenerate } from './ask-one.ts'

const rooms = operationsOf<RoomDeps>('rooms')
const begins = {
  output: runSchema,
  status: 202,
  streams: true,
  returns: 'The run; X-Parley-Run has its id',
} as const

/** Stores a run of the room, and starts it after the commit. */
const begun =
  <Input>(
    admit: (
      tx: StoreOperations,
      deps: RoomDeps,
      caller: Caller,
      id: string,
      input: Input,
    ) => Promise<{ run: Run; begin(): void }>,
  ) =>
  async ({ tx, deps, caller, later }: Call<RoomDeps>, { id }: { id: string }, input: Input) => {
    const { run, begin } = await admit(tx, deps, caller, id, input)
    later(begin)
    return toRunRecord(run)
  }

export const roomOperationsOf = (schemas: SessionSchemas) => ({
  modes: rooms.read('/api/modes', {
    summary: 'List the modes of rooms',
    output: roomModeListSchema,
    returns: 'All modes',
    run: ({ deps }) => ({ items: listModes(deps), nextCursor: null }),
  }),
  /** Restarts in that mode. Refused with `conflict` while the room is busy. */
  setMode: rooms.write('PUT', '/api/sessions/{id}/mode', {
    summary: 'Set the mode of a room and restart it; 409 while it is busy',
    input: setModeSchema,
    output: schemas.session,
    returns: 'The session as it is now',
    run: ({ tx, deps, caller }, { id }, wish) => setMode(tx, deps, caller, id, wish),
  }),
  /** Continues the room without waiting: resolves when the run is stored. `sessions.observe` shows its events. */
  advance: rooms.write('POST', '/api/sessions/{id}/advance', {
    summary:
      'Continue a room, or do what it asks of a person; streams the events with Accept: text/event-stream',
    input: advanceSchema,
    ...begins,
    run: begun(advanceRoom),
  }),
  /** Asks one agent alone, or whispers to it, and does not wait. */
  ask: rooms.write('POST', '/api/sessions/{id}/ask', {
    summary: 'Ask one agent of a room, or whisper to it; streams its answer with Accept: text/event-stream',
    input: askAgentSchema,
    ...begins,
    run: begun(askOne),
  }),
  regenerate: rooms.write('POST', '/api/sessions/{id}/regenerate', {
    summary:
      'Ask an agent again for one of its answers, in a variant of the room, which is the session of the run',
    input: regenerateSchema,
    ...begins,
    run: begun(regenerate),
  }),
  /** The agent is no longer asked, even when it is mentioned; 409 while the room is busy. */
  mute: rooms.write('POST', '/api/sessions/{id}/mute', {
    summary:
      'Mute an agent of a room: it is not asked, even when it is mentioned; 409 while the room is busy',
    input: muteSchema,
    output: roomSchema,
    returns: 'The room as it is now',
    run: ({ tx, deps, caller }, { id }, { agent }) =>
      muteAgent(tx, deps, caller, id, { agent, isMuted: true }),
  }),
  unmute: rooms.write('POST', '/api/sessions/{id}/unmute', {
    summary: 'Let a muted agent be asked again; 409 while the room is busy',
    input: muteSchema,
    output: roomSchema,
    returns: 'The room as it is now',
    run: ({ tx, deps, caller }, { id }, { agent }) =>
      muteAgent(tx, deps, caller, id, { agent, isMuted: false }),
  }),
  /** With what a front end shows of it, as the person `as` may see it; default the first one that plays. */
  get: rooms.read('/api/sessions/{id}/room', {
    summary: 'Get a room with its agents, its mode and what people are asked to do, as one person sees it',
    input: roomQuerySchema,
    output: roomSchema,
    returns: 'The room',
    run: ({ tx, deps, caller }, { id }, { as }) => readRoom(tx, deps, caller, id, as),
  }),
  /** Newest first. */
  rounds: rooms.read('/api/sessions/{id}/rounds', {
    summary: 'List who was asked, why, and the outcome, newest first',
    input: roundListQuerySchema,
    output: roundPageSchema,
    returns: 'A page of rounds',
    run: ({ tx, pages, deps, caller }, { id }, page) =>
      listRounds(tx, deps, caller, id, { ...page, limits: pages }),
  }),
})

/**
 * What one can do with rooms, beyond what one can do with every session: the same calls in the process and over HTTP. A
 * room is made with `sessions.create({mode, agents})`, and spoken to with `sessions.chat`.
 */
export type Rooms = Calls<ReturnType<typeof roomOperationsOf>>
