import { expect } from 'vitest'
import type { Ask, Decision, RoomFacts } from '../../src/extensions/room/modes/mode.ts'
import { werewolf } from '../../src/extensions/room/modes/werewolf.ts'
import type { Role, WerewolfState } from '../../src/extensions/room/modes/werewolf/state.ts'
import { answer, decided, freeze, host, roomOf, says, type Reply } from './play.ts'
import { someNames } from './scripted-players.ts'

export type Game = Decision<WerewolfState>

export const seedsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => first + index)

export const abstaining = (): Reply => ({ data: {}, text: '' })

export function sit(
  options: Record<string, unknown> = {},
  { agents = 6, humans = [] as string[], settings = {} as Partial<RoomFacts['settings']> } = {},
) {
  const room = roomOf(someNames.slice(0, agents), humans, settings)
  const lobby = freeze(werewolf.begin(room, { seed: 3, wolfChatRounds: 0, ...options }, 99))
  return {
    room,
    lobby,
    start: () => decided(werewolf, () => werewolf.onInput(room, lobby, says(host, 'go'))),
  }
}

/** All who are asked answer. */
export const answered = (room: RoomFacts, { state, asks }: Game, reply: (ask: Ask) => Reply): Game =>
  decided(werewolf, () =>
    werewolf.onAnswers(
      room,
      state,
      asks.map((ask) => answer(ask.agent, reply(ask))),
      { rounds: 1, answers: asks.length },
    ),
  )

/** Until a phase begins, everybody does what `reply` says. */
export function until(
  room: RoomFacts,
  game: Game,
  phase: string,
  reply: (ask: Ask) => Reply = abstaining,
): Game {
  let now = game
  do now = answered(room, now, reply)
  while (now.state.phase !== phase && now.asks.length > 0)
  expect(now.state.phase).toBe(phase)
  return now
}

export const as = ({ players, roles }: WerewolfState, role: Role) =>
  players.filter((player) => roles[player] === role)
export const textsOf = ({ statements }: Game) =>
  statements.flatMap((message) => ('text' in message ? [message.text] : []))
export const optionsOf = (ask: Ask, field: string) =>
  (ask.schema!['properties'] as Record<string, { enum: string[] }>)[field]!.enum
export const voting = (targets: Record<string, string>) => (ask: Ask) => ({
  data: { vote: targets[ask.agent] ?? 'abstain' },
})
