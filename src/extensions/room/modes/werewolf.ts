import { conflict, invalidRequest, quote } from '../../../core/protocol/error.ts'
import { misfit } from '../../../core/protocol/issues.ts'
import type { PlayerAsk } from '../protocol/room.ts'
import { toPeopleText } from '../routing-words.ts'
import type { Decision, Mode, RoomFacts, RoomInput } from './mode.ts'
import { introduced, playersOf, whoPasses } from './players.ts'
import { describeChoices, reservedNames, schemaOf } from './werewolf/choices.ts'
import { actOf, playOn, takeAnswers, waitingFor, withAct } from './werewolf/game.ts'
import { channelOf, factsOf } from './werewolf/known.ts'
import { nightfall } from './werewolf/round-changes.ts'
import { phaseOf } from './werewolf/phases.ts'
import { assignRoles } from './werewolf/roles.ts'
import { isSealed, shownPhase, standingOf, viewOf } from './werewolf/standing.ts'
import { werewolfOptionsSchema, werewolfStateSchema, type WerewolfState } from './werewolf/state.ts'
import { textsOf } from './werewolf/texts.ts'

const minPlayers = 5

/** The game of Werewolf: agents play it, and people who want to. Somebody who does not play is the host. */
export const werewolf: Mode<WerewolfState> = {
  name: 'werewolf',
  label: { en: 'Werewolf', zh: '狼人杀' },
  icon: '🐺',
  description: {
    en: 'Secret roles, nights and days, votes: the village against the werewolves',
    zh: '秘密身份、黑夜与白天、投票：好人对抗狼人',
  },
  // people may be the other players
  minAgents: 1,
  maxAgents: 20,
  // a whole game is to be seen: what was said on the first day counts on the last
  window: { limit: { messages: 400 } },
  options: werewolfOptionsSchema,
  state: werewolfStateSchema,
  usesMemory: false,
  resumesRounds: true,
  begin,
  rules: (room) => textsOf(room).rules(introduced(room)),
  describe: standingOf,
  view: (_room, state) => viewOf(state),
  onInput,
  onAnswers: (room, state, answers, run) =>
    playOn(room, takeAnswers(state, answers), room.settings.maxReplies - run.answers),
  onAdvance,
  asksOfPeople: (room, state) => waitingFor(room, state).humans.map((human) => askOf(room, state, human)),
  playerView: (room, state, human) =>
    state.humans.includes(human) && state.phase !== 'lobby'
      ? {
          facts: factsOf(room, state, human),
          channel: channelOf(state, human).map(({ from, text, target }) => ({
            from,
            text: [target && `→ ${target}`, text].filter(Boolean).join(': '),
          })),
        }
      : { facts: [], channel: [] },
  isSealed: (_room, state) => isSealed(state),
  canAdvance: (_room, state) => state.phase !== 'ended',
}

function begin(room: RoomFacts, given: Record<string, unknown>, chance: number): WerewolfState {
  const { data: options, error } = werewolfOptionsSchema.safeParse(given)
  if (!options) throw misfit(error, given, { before: 'A game cannot begin so:', within: ['modeState'] })
  const { players, humans } = playersOf(room, minPlayers, reservedNames)
  const seed = options.seed ?? chance
  return {
    phase: 'lobby',
    round: 0,
    step: 1,
    seed,
    options,
    players,
    humans,
    roles: assignRoles(players, options.roles, seed),
    alive: players,
    witch: { antidote: true, poison: true },
    asked: [],
    acts: [],
    channel: [],
    nights: [],
    votes: [],
    deaths: [],
  }
}

/**
 * The first words begin the game; in the discussion the words of a player are their speech; what else is said to a person
 * moves nothing; others are the host's.
 */
function onInput(
  room: RoomFacts,
  state: WerewolfState,
  { from, mentions, people }: RoomInput,
): Decision<WerewolfState> {
  const isSpeech = state.phase === 'day_discuss' && waitingFor(room, state).humans.includes(from)
  if (!isSpeech && mentions.length === 0 && people.length > 0) return leaveToPeople(room, state, people)
  const decision = proceed(room, isSpeech ? withAct(state, { player: from }) : state)
  return { ...decision, routing: { ...decision.routing, mentions: [...mentions] } }
}

const leaveToPeople = (
  room: RoomFacts,
  state: WerewolfState,
  people: readonly string[],
): Decision<WerewolfState> => ({
  state,
  statements: [],
  asks: [],
  routing: { reason: 'nobody', text: toPeopleText(room, people), mentions: [], phase: shownPhase(state) },
})

function onAdvance(
  room: RoomFacts,
  state: WerewolfState,
  { from, action }: { from: string; action?: Record<string, unknown> },
): Decision<WerewolfState> {
  if (state.phase === 'ended') throw conflict('The game is over. Set the mode again for another one.')
  if (action) return proceed(room, withAct(state, requireAct(room, state, from, action)))
  const { agents, humans } = waitingFor(room, state)
  // agents that were not asked, or were not heard, go first
  const passing = agents.length > 0 ? [] : whoPasses(humans, state.humans, from)
  return proceed(
    room,
    passing.reduce((passed, player) => withAct(passed, { player }), state),
  )
}

const proceed = (room: RoomFacts, state: WerewolfState) =>
  playOn(
    room,
    state.phase === 'lobby' ? nightfall(room, state) : { state, statements: [] },
    room.settings.maxReplies,
  )

function requireAct(room: RoomFacts, state: WerewolfState, from: string, action: Record<string, unknown>) {
  if (!state.humans.includes(from)) throw invalidRequest(`${quote(from)} does not play.`)
  if (!waitingFor(room, state).humans.includes(from)) throw conflict(`${quote(from)} has nothing to do now.`)
  const choices = phaseOf(state)?.choices?.(state, from)
  if (!choices) throw invalidRequest('It is time to speak: say it in the room.')
  const act = actOf(state, from, action, action['say'])
  if (!act)
    throw invalidRequest(`That cannot be done: ${quote(action)}. Expected is ${describeChoices(choices)}.`)
  return act
}

function askOf(room: RoomFacts, state: WerewolfState, human: string): PlayerAsk {
  const phase = phaseOf(state)!
  const choices = phase.choices?.(state, human)
  return {
    human,
    text: phase.toDo(room, state, human).join('\n'),
    ...(choices ? { schema: schemaOf(choices, phase.hasWords ?? false) } : { byChat: true }),
  }
}
