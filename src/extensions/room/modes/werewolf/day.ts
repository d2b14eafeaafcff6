import { enter, type Phase, mostNamed, type Step } from './phase.ts'
import { textsOf } from './texts.ts'
import { isAgent } from '../players.ts'
import type { RoomFacts, Statement } from '../mode.ts'
import { abstain } from './choices.ts'
import { bury, shownRole, finish, nightfall } from './round-changes.ts'
import { winnerOf } from './roles.ts'
import type { Act, Vote, WerewolfState } from './state.ts'

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
    statements: [],
  }),
}

/** All vote unseen; a tie may be voted on once more, among the tied. */
export const dayVote: Phase = {
  actors: (state) => state.alive,
  toDo(room, state, player) {
    const texts = textsOf(room)
    return [texts.castVote, texts.canChoose(candidates(state, player))]
  },
  choices: (state, player) => ({ vote: [...candidates(state, player), abstain] }),
  toAct: (_state, { vote }) => (vote === abstain ? {} : { target: vote }),
  hasWords: true,
  end(room, state) {
    const named = mostNamed(state.acts)
    const vote: Vote = {
      round: state.round,
      attempt: state.step,
      ballots: actsInOrder(state).map(({ player, target }) => ({ player, ...(target && { target }) })),
      ...(named.length === 1 && { out: named[0] }),
      ...(named.length > 1 && { tied: state.alive.filter((player) => named.includes(player)) }),
    }
    const statements = [...words(room, state), { text: textsOf(room).ballots(vote) }]
    return settle(room, { ...state, votes: [...state.votes, vote] }, vote, statements)
  },
}

/** Who can be out: in a second vote, those who were tied in the first. */
export const tiedIn = (state: WerewolfState) =>
  state.phase === 'day_vote' && state.step === 2 ? state.votes.at(-1)?.tied : undefined

const candidates = (state: WerewolfState, player: string) =>
  (tiedIn(state) ?? state.alive).filter((other) => other !== player)

function settle(room: RoomFacts, state: WerewolfState, vote: Vote, statements: readonly Statement[]): Step {
  const texts = textsOf(room)
  if (vote.tied && state.options.revote && vote.attempt === 1)
    return {
      state: enter(state, 'day_vote', 2),
      statements: [...statements, { text: texts.tiedAgain(vote.tied) }],
    }
  if (!vote.out) return nightfall(room, state, [...statements, { text: texts.nobodyOut }])
  const after = bury(state, [vote.out], 'vote')
  const all = [...statements, { text: texts.out(vote.out, shownRole(state, vote.out)) }]
  const winner = winnerOf(after)
  return winner ? finish(room, after, winner, all) : nightfall(room, after, all)
}

const actsInOrder = (state: WerewolfState): Act[] =>
  state.alive.map((player) => state.acts.find((act) => act.player === player) ?? { player })

/** Comments on the votes, which were private so far. */
function words(room: RoomFacts, state: WerewolfState): Statement[] {
  const texts = textsOf(room)
  return actsInOrder(state).flatMap(({ player, text, target }): Statement[] => {
    if (!text) return []
    if (!isAgent(room, player)) return [{ text: texts.says(player, text) }]
    return [{ agent: player, text: `${text}\n${target ? texts.votesFor(target) : texts.abstains}` }]
  })
}
