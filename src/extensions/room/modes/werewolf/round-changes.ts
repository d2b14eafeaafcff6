import type { RoomFacts, Statement } from '../mode.ts'
import { enter, type Step, tonight } from './phase.ts'
import type { WerewolfState, Death, Role, Winner } from './state.ts'
import { textsOf } from './texts.ts'
import { winnerOf } from './roles.ts'

/** The next round begins, unless there were enough. */
export function nightfall(
  room: RoomFacts,
  state: WerewolfState,
  statements: readonly Statement[] = [],
): Step {
  if (state.round >= state.options.maxRounds) return finish(room, state, 'nobody', statements)
  const round = state.round + 1
  return {
    state: enter({ ...state, round, nights: [...state.nights, { round }] }, 'night_wolf'),
    statements: [...statements, { text: textsOf(room).nightFalls(round) }],
  }
}

/** What the night has done comes to light: those who die in one night die together. */
export function dawn(room: RoomFacts, state: WerewolfState): Step {
  const { victim, isSaved, poisoned } = tonight(state)
  const dying = new Set([isSaved ? undefined : victim, poisoned].filter((player) => player !== undefined))
  // in the order of the players, which does not reveal who died of what
  const dead = state.players.filter((player) => dying.has(player))
  const after = bury(state, dead, 'night')
  const statements = [
    {
      text: textsOf(room).dawn(
        state.round,
        dead.map((player) => ({ player, role: shownRole(state, player) })),
      ),
    },
  ]
  const winner = winnerOf(after)
  return winner ? finish(room, after, winner, statements) : { state: enter(after, 'day_discuss'), statements }
}

export function bury(state: WerewolfState, dead: readonly string[], cause: Death['cause']): WerewolfState {
  return {
    ...state,
    alive: state.alive.filter((player) => !dead.includes(player)),
    deaths: [...state.deaths, ...dead.map((player) => ({ player, round: state.round, cause }))],
  }
}

/** The role of a dead player, where that is revealed. */
export const shownRole = (state: WerewolfState, player: string): Role | undefined =>
  state.options.revealOnDeath ? state.roles[player] : undefined

/** The end: now all may know everything. */
export function finish(
  room: RoomFacts,
  state: WerewolfState,
  winner: Winner,
  statements: readonly Statement[],
): Step {
  const roles = state.players.map((player) => [player, state.roles[player]!] as const)
  const [seer = ''] = roles.find(([, role]) => role === 'seer') ?? []
  const text = textsOf(room).reveal(winner, roles, state.nights, seer)
  return { state: { ...enter(state, 'ended'), winner }, statements: [...statements, { text }] }
}
