import { nobody } from './choices.ts'
import { enter, withNight, type Phase } from './phase.ts'
import { aliveAs } from './roles.ts'
import type { WerewolfState } from './state.ts'
import { textsOf } from './texts.ts'

export const nightSeer: Phase = {
  actors: (state) => aliveAs(state, 'seer'),
  toDo(room, state, player) {
    const texts = textsOf(room)
    return [texts.check, texts.canChoose(others(state, player)), texts.noWish]
  },
  choices: (state, player) => ({ target: [...others(state, player), nobody] }),
  toAct: (_state, { target }) => (target === nobody ? {} : { target }),
  end(_room, state) {
    const target = state.acts[0]?.target
    const check = target && { target, isWolf: state.roles[target] === 'wolf' }
    return { state: enter(withNight(state, { ...(check && { check }) }), 'night_witch'), said: [] }
  },
}

const others = (state: WerewolfState, player: string) => state.alive.filter((other) => other !== player)
