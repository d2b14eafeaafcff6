import type { RoomFacts } from '../mode.ts'
import { finish } from './finish.ts'
import { enter, tonight, type Step } from './phase.ts'
import { winnerOf } from './roles.ts'
import type { Death, Role, WerewolfState } from './state.ts'
import { textsOf } from './texts.ts'

/** What the night has done comes to light: those who die in one night die together. */
export function dawn(room: RoomFacts, state: WerewolfState): Step {
  const { victim, isSaved, poisoned } = tonight(state)
  const dying = new Set([isSaved ? undefined : victim, poisoned].filter((player) => player !== undefined))
  // in the order of the players, which tells nothing of who died of what
  const dead = state.players.filter((player) => dying.has(player))
  const after = bury(state, dead, 'night')
  const said = [
    {
      text: textsOf(room).dawn(
        state.round,
        dead.map((player) => ({ player, role: shownRole(state, player) })),
      ),
    },
  ]
  const winner = winnerOf(after)
  return winner ? finish(room, after, winner, said) : { state: enter(after, 'day_discuss'), said }
}

export function bury(state: WerewolfState, dead: readonly string[], cause: Death['cause']): WerewolfState {
  return {
    ...state,
    alive: state.alive.filter((player) => !dead.includes(player)),
    deaths: [...state.deaths, ...dead.map((player) => ({ player, round: state.round, cause }))],
  }
}

/** The role of somebody who is dead, where that is told. */
export const shownRole = (state: WerewolfState, player: string): Role | undefined =>
  state.options.revealOnDeath ? state.roles[player] : undefined
