import { nobody, type Choices } from './choices.ts'
import { dawn } from './dawn.ts'
import { tonight, withNight, type Phase } from './phase.ts'
import { aliveAs } from './roles.ts'
import type { WerewolfState } from './state.ts'
import { textsOf } from './texts.ts'

/** The witch saves or kills, once each in the game and not both in one night. */
export const nightWitch: Phase = {
  actors: (state) => (state.witch.antidote || state.witch.poison ? aliveAs(state, 'witch') : []),
  toDo(room, state, player) {
    const texts = textsOf(room)
    const { victim } = tonight(state)
    return [
      victim ? texts.victim(victim) : texts.noVictim,
      texts.decide,
      ...(state.witch.poison ? [texts.canChoose(others(state, player))] : []),
    ]
  },
  choices: choicesOf,
  toAct(_state, { item, target = nobody }) {
    if (item === 'antidote') return { item }
    if (item === 'poison') return target === nobody ? undefined : { item, target }
    return {}
  },
  end(room, state) {
    const act = state.acts[0]
    const witch = act?.item ? { ...state.witch, [act.item]: false } : state.witch
    const used = withNight(
      { ...state, witch },
      {
        ...(act?.item === 'antidote' && { isSaved: true }),
        ...(act?.item === 'poison' && { poisoned: act.target }),
      },
    )
    return dawn(room, used)
  },
}

function choicesOf(state: WerewolfState, player: string): Choices {
  const { antidote, poison } = state.witch
  return {
    item: [
      ...(antidote && tonight(state).victim ? ['antidote'] : []),
      ...(poison ? ['poison'] : []),
      'nothing',
    ],
    target: [null, ...(poison ? others(state, player) : []), nobody],
  }
}

const others = (state: WerewolfState, player: string) => state.alive.filter((other) => other !== player)
