import { chanceOf, shuffled } from '../../seeded-random.ts'
import { nobody } from './choices.ts'
import { enter, mostNamed, withNight, type Phase } from './phase.ts'
import { aliveAs } from './roles.ts'
import type { WerewolfState } from './state.ts'
import { textsOf } from './texts.ts'

/** Wolves tell one another whom they want, then choose. */
export const nightWolf: Phase = {
  actors: (state) => aliveAs(state, 'wolf'),
  toDo(room, state) {
    const texts = textsOf(room)
    return [
      isTalk(state) ? texts.talkAsWolf : texts.chooseAsWolf,
      texts.canChoose(victims(state)),
      texts.noWish,
    ]
  },
  choices: (state) => ({ target: [...victims(state), nobody] }),
  toAct: (_state, { target }) => (target === nobody ? {} : { target }),
  hasWords: true,
  end(_room, state) {
    const heard = { ...state, channel: [...state.channel, ...spoken(state)] }
    if (isTalk(state)) return { state: enter(heard, 'night_wolf', state.step + 1), said: [] }
    // the tie is broken by a draw that nothing else of the game shares
    const [victim] = shuffled(mostNamed(state.acts).sort(), chanceOf(state.seed, state.round, 1))
    return { state: enter(withNight(heard, { ...(victim && { victim }) }), 'night_seer'), said: [] }
  },
}

const victims = (state: WerewolfState) => state.alive.filter((player) => state.roles[player] !== 'wolf')

const isTalk = (state: WerewolfState) =>
  aliveAs(state, 'wolf').length > 1 && state.step <= state.options.wolfChatRounds

const spoken = (state: WerewolfState) =>
  state.acts
    .filter(({ text, target }) => text || target)
    .map(({ player, text = '', target }) => ({
      round: state.round,
      from: player,
      text,
      ...(target && { target }),
    }))
