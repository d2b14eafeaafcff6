import { chanceOf, shuffled } from '../../seeded-random.ts'
import { nobody, type Choices } from './choices.ts'
import { enter, mostNamed, withNight, type Phase, tonight } from './phase.ts'
import { aliveAs } from './roles.ts'
import type { WerewolfState } from './state.ts'
import { textsOf } from './texts.ts'
import { dawn } from './round-changes.ts'

/** Wolves discuss their victim, then choose. */
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
    if (isTalk(state)) return { state: enter(heard, 'night_wolf', state.step + 1), statements: [] }
    // the tie is broken by a draw that nothing else of the game shares
    const [victim] = shuffled(mostNamed(state.acts).sort(), chanceOf(state.seed, state.round, 1))
    return { state: enter(withNight(heard, { ...(victim && { victim }) }), 'night_seer'), statements: [] }
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
    return { state: enter(withNight(state, { ...(check && { check }) }), 'night_witch'), statements: [] }
  },
}

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
