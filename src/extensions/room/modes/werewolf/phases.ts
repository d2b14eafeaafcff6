import { dayDiscuss } from './day-discuss.ts'
import { dayVote } from './day-vote.ts'
import { nightSeer } from './night-seer.ts'
import { nightWitch } from './night-witch.ts'
import { nightWolf } from './night-wolf.ts'
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
