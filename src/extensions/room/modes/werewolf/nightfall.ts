import type { RoomFacts, Said } from '../mode.ts'
import { finish } from './finish.ts'
import { enter, type Step } from './phase.ts'
import type { WerewolfState } from './state.ts'
import { textsOf } from './texts.ts'

/** The next round begins, unless there were enough. */
export function nightfall(room: RoomFacts, state: WerewolfState, said: readonly Said[] = []): Step {
  if (state.round >= state.options.maxRounds) return finish(room, state, 'nobody', said)
  const round = state.round + 1
  return {
    state: enter({ ...state, round, nights: [...state.nights, { round }] }, 'night_wolf'),
    said: [...said, { text: textsOf(room).nightFalls(round) }],
  }
}
