import {
  advanceSchema,
  askAgentSchema,
  muteSchema,
  regenerateSchema,
  roomQuerySchema,
  roundListQuerySchema,
  setModeSchema,
  type Mute,
} from '../protocol/room.ts'
import type { Rooms } from '../protocol/rooms.ts'
import { toRunRecord } from '../runs/run-record.ts'
import type { PageLimits } from '../sessions/list.ts'
import { callerIn, check } from '../sessions/sessions.ts'
import type { RoomDeps } from './deps.ts'
import { askOne, regenerate } from './ask-one.ts'
import { muteAgent } from './mute.ts'
import { advanceRoom, listModes, listRounds, readRoom, setMode } from './rooms.ts'

/** The rooms of one Parley, for the program that embeds it. Input is checked as it is over HTTP. */
export function createRooms(deps: RoomDeps, pages: PageLimits): Rooms {
  const { store } = deps
  const mute = async (id: string, input: Mute, isMuted: boolean) => {
    const { scope, agent } = check(muteSchema, input)
    return muteAgent(store, deps, callerIn({ scope }), id, agent, isMuted)
  }
  return {
    modes: async () => ({ items: listModes(deps), nextCursor: null }),
    async get(id, query = {}) {
      const { scope, as } = check(roomQuerySchema, query)
      return readRoom(store, deps, callerIn({ scope }), id, as)
    },
    async setMode(id, input) {
      const { scope, ...wish } = check(setModeSchema, input)
      return setMode(store, deps, callerIn({ scope }), id, wish)
    },
    async advance(id, input = {}) {
      const { scope, ...step } = check(advanceSchema, input)
      const { run, begin } = await advanceRoom(store, deps, callerIn({ scope }), id, step)
      begin()
      return toRunRecord(run)
    },
    async ask(id, input) {
      const { scope, ...wish } = check(askAgentSchema, input)
      const { run, begin } = await askOne(store, deps, callerIn({ scope }), id, wish)
      begin()
      return toRunRecord(run)
    },
    async regenerate(id, input) {
      const { scope, ...wish } = check(regenerateSchema, input)
      const { run, begin } = await regenerate(store, deps, callerIn({ scope }), id, wish)
      begin()
      return toRunRecord(run)
    },
    mute: (id, input) => mute(id, input, true),
    unmute: (id, input) => mute(id, input, false),
    async rounds(id, query = {}) {
      const { scope, ...page } = check(roundListQuerySchema, query)
      return listRounds(store, deps, callerIn({ scope }), id, pages, page)
    },
  }
}
