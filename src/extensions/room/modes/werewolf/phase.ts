import type { RoomFacts, Statement } from '../mode.ts'
import type { Choices } from './choices.ts'
import type { Act, WerewolfState } from './state.ts'

/** The new state of the game, and its public messages. */
export interface Step {
  state: WerewolfState
  statements: readonly Statement[]
}

/** A part of a night or day in which some players act. It ends when all of them have acted, or could not. */
export interface Phase {
  /** Who acts, in the order in which they are asked. */
  actors(state: WerewolfState): readonly string[]
  /** One agent after another, so that each sees the messages before it. */
  isOneByOne?(state: WerewolfState): boolean
  /** What a player has to do now. */
  toDo(room: RoomFacts, state: WerewolfState, player: string): string[]
  /** What a player chooses from; none: they speak to all. */
  choices?(state: WerewolfState, player: string): Choices
  /** What was chosen as an act; undefined when the fields do not go together. */
  toAct?(state: WerewolfState, chosen: Readonly<Record<string, string>>): Omit<Act, 'player'> | undefined
  /** A choice comes with words. */
  hasWords?: true
  end(room: RoomFacts, state: WerewolfState): Step
}

/** A phase begins, or a step of it. */
export const enter = (state: WerewolfState, phase: WerewolfState['phase'], step = 1): WerewolfState => ({
  ...state,
  phase,
  step,
  acts: [],
})

/** Who is named most often; more than one: a tie. */
export function mostNamed(acts: readonly Act[]): string[] {
  const counts = new Map<string, number>()
  for (const { target } of acts) if (target !== undefined) counts.set(target, (counts.get(target) ?? 0) + 1)
  const most = Math.max(...counts.values())
  return [...counts].filter(([, count]) => count === most).map(([target]) => target)
}

/** The night that it is, or that was last. */
export const tonight = (state: WerewolfState) => state.nights.at(-1)!

export const withNight = (state: WerewolfState, change: Partial<WerewolfState['nights'][number]>) => ({
  ...state,
  nights: [...state.nights.slice(0, -1), { ...tonight(state), ...change }],
})
