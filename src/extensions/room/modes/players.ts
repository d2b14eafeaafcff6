import { conflict, quote } from '../../../core/protocol/error.ts'
import { invalidAt } from '../../../core/protocol/issues.ts'
import type { RoomFacts } from './mode.ts'

export interface Players {
  /** Agents first, then people, in the order of the room. */
  players: string[]
  /** Those of them who are people. */
  humans: string[]
}

/** Who takes part in a game: all agents, and the people who play. */
export function playersOf(room: RoomFacts, min: number, reserved: readonly string[] = []): Players {
  const humans = room.humans.filter((human) => human.plays).map((human) => human.name)
  const players = [...room.agents.map((agent) => agent.name), ...humans]
  if (players.length < min)
    throw invalidAt(
      ['agents'],
      `The game needs at least ${min} players, and there are ${players.length}: add agents, or let people play.`,
    )
  const taken = new Set(reserved)
  for (const player of players) {
    const called = player.toLowerCase()
    if (taken.has(called))
      throw invalidAt(['agents'], `Nobody who plays can be called ${quote(player)} here.`)
    taken.add(called)
  }
  return { players, humans }
}

export const isAgent = (room: RoomFacts, player: string) => room.agents.some((agent) => agent.name === player)

/** False of an agent that was taken out of the room, and of somebody who does not play any more. */
export const isPresent = (room: RoomFacts, player: string) =>
  isAgent(room, player) || room.humans.some((human) => human.name === player && human.plays)

/** As a list of players shows them: the name that counts, and the one that is shown in the room. */
export function introduced(room: RoomFacts): string[] {
  const people = room.humans.filter((human) => human.plays)
  return [...room.agents, ...people].map(({ name, displayName }) =>
    displayName && displayName !== name ? `${name} (${displayName})` : name,
  )
}

/**
 * Of the people whose answers are missing, those who pass when `from` asks to continue: a player for themself, somebody who
 * does not play for all. The refusal names nobody: who has to act at night is a secret.
 */
export function whoPasses(waiting: readonly string[], humans: readonly string[], from: string) {
  if (waiting.length === 0) return []
  if (waiting.includes(from)) return [from]
  if (humans.includes(from))
    throw conflict(
      'Others have not answered yet: only they, or somebody who does not play, can continue without them.',
    )
  return waiting
}
