import { enter, type Phase } from './phase.ts'
import { textsOf } from './texts.ts'

/** All who are alive speak; each day somebody else is first. */
export const dayDiscuss: Phase = {
  actors({ alive, round }) {
    const first = (round - 1) % alive.length
    return [...alive.slice(first), ...alive.slice(0, first)]
  },
  isOneByOne: (state) => state.options.discussion === 'in_order',
  toDo: (room) => [textsOf(room).speak],
  end: (_room, state) => ({
    state:
      state.step < state.options.discussionRounds
        ? enter(state, 'day_discuss', state.step + 1)
        : enter(state, 'day_vote'),
    said: [],
  }),
}
