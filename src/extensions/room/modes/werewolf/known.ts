import type { RoomFacts } from '../mode.ts'
import type { WerewolfState } from './state.ts'
import { textsOf } from './texts.ts'

/** The last so many lines are enough to remember what wolves agreed on. */
const shownLines = 40

/** What a player knows beyond the rest: the only way from the secrets of the state into a text before the end. */
export function factsOf(room: RoomFacts, state: WerewolfState, player: string): string[] {
  const texts = textsOf(room)
  const role = state.roles[player]!
  const facts = [texts.you(player, role)]
  if (role === 'wolf') facts.push(texts.wolves(wolvesOf(state)))
  if (role === 'seer')
    for (const { round, check } of state.nights)
      if (check) facts.push(texts.checked(round, check.target, check.isWolf))
  if (role === 'witch')
    facts.push(texts.stillHas((['antidote', 'poison'] as const).filter((item) => state.witch[item])))
  return facts
}

/** Private messages that a player may read. */
export const channelOf = (state: WerewolfState, player: string) =>
  state.roles[player] === 'wolf' ? state.channel : []

/** Everything that only this player sees: what it knows, and what it has to do. */
export function taskOf(room: RoomFacts, state: WerewolfState, player: string, toDo: readonly string[]) {
  const texts = textsOf(room)
  const heard = channelOf(state, player).slice(-shownLines)
  return [
    texts.secret,
    ...factsOf(room, state, player),
    ...(heard.length > 0 ? [texts.channel] : []),
    ...heard.map(({ round, from, text, target }) => texts.channelLine(round, from, text, target)),
    ...toDo,
  ].join('\n')
}

const wolvesOf = (state: WerewolfState) => state.players.filter((player) => state.roles[player] === 'wolf')
