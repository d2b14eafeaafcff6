import type { RoomFacts, Said } from '../mode.ts'
import { enter, type Step } from './phase.ts'
import type { WerewolfState, Winner } from './state.ts'
import { textsOf } from './texts.ts'

/** The end: now all may know everything. */
export function finish(room: RoomFacts, state: WerewolfState, winner: Winner, said: readonly Said[]): Step {
  const roles = state.players.map((player) => [player, state.roles[player]!] as const)
  const [seer = ''] = roles.find(([, role]) => role === 'seer') ?? []
  const text = textsOf(room).reveal(winner, roles, state.nights, seer)
  return { state: { ...enter(state, 'ended'), winner }, said: [...said, { text }] }
}
