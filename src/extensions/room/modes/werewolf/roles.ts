import { invalidAt } from '../../../../core/protocol/issues.ts'
import { chanceOf, shuffled } from '../../seeded-random.ts'
import { roles, type Role, type WerewolfState, type Winner } from './state.ts'

/** Who is what, by the seed alone. */
export function assignRoles(
  players: readonly string[],
  wanted: WerewolfState['options']['roles'],
  seed: number,
): Record<string, Role> {
  const { wolves = Math.floor(players.length / 3), seer = 1, witch = 1 } = wanted ?? {}
  const villagers = players.length - wolves - seer - witch
  if (villagers < 0 || wolves * 2 >= players.length)
    throw invalidAt(
      ['modeState', 'roles'],
      `The roles do not fit ${players.length} players: ${wolves} wolves must be fewer than the others, with ${seer} seer and ${witch} witch among them.`,
    )
  const counts = { wolf: wolves, seer, witch, villager: villagers }
  const dealt = shuffled(
    roles.flatMap((role) => Array<Role>(counts[role]).fill(role)),
    chanceOf(seed),
  )
  return Object.fromEntries(players.map((player, index) => [player, dealt[index]!]))
}

export const aliveAs = (state: WerewolfState, role: Role) =>
  state.alive.filter((player) => state.roles[player] === role)

export function winnerOf(state: WerewolfState): Winner | undefined {
  const wolves = aliveAs(state, 'wolf').length
  if (wolves === 0) return 'village'
  return wolves * 2 >= state.alive.length ? 'wolves' : undefined
}
