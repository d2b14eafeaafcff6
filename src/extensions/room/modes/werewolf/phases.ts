import { dayDiscuss, dayVote } from './day.ts'
import { nightSeer, nightWitch, nightWolf } from './night.ts'
import type { Phase } from './phase.ts'
import type { WerewolfState } from './state.ts'

const phases = {
  night_wolf: nightWolf,
  night_seer: nightSeer,
  night_witch: nightWitch,
  day_discuss: dayDiscuss,
  day_vote: dayVote,
}

/** Undefined before the game and after it. */
export const phaseOf = (state: WerewolfState): Phase | undefined =>
  state.phase === 'lobby' || state.phase === 'ended' ? undefined : phases[state.phase]
