/** Where a quiz stands, as all may know it: never the answer of a question that is open. */
import type { Routing } from '../../protocol/room.ts'
import type { RoomFacts } from '../mode.ts'
import { askedText, solutionOf } from './question.ts'
import { questionerOf, type QuizState } from './state.ts'
import { quizTexts } from './texts.ts'

export const scoresOf = (state: QuizState) =>
  state.players.map((player) => [player, state.scores[player]!] as const)

/** With their rank; as many points, same rank. */
export function ranked(state: QuizState): (readonly [number, string, number])[] {
  const scores = scoresOf(state).toSorted(([, one], [, other]) => other - one)
  return scores.map(([player, points]) => [
    scores.findIndex(([, other]) => other === points) + 1,
    player,
    points,
  ])
}

export function standingOf(room: RoomFacts, state: QuizState): string {
  const texts = quizTexts(room)
  if (state.phase === 'lobby') return texts.notBegun
  const scores = texts.scores(scoresOf(state))
  if (state.phase === 'ended') return [texts.over, scores].join('\n')
  return [texts.standing(state.topic, state.round, state.rounds, questionerOf(state)), scores].join('\n')
}

export function viewOf(state: QuizState): Record<string, unknown> {
  const { question } = state
  return {
    phase: state.phase,
    topic: state.topic,
    round: state.round,
    rounds: state.rounds,
    players: state.players,
    ...(state.round > 0 && { questioner: questionerOf(state) }),
    ...(question && {
      question: { kind: question.kind, text: question.question, options: question.options },
      answered: state.answers.map((answer) => answer.player),
    }),
    scores: state.scores,
    results: state.results.map(({ question: asked, ...result }) => ({
      ...result,
      ...(asked && { question: askedText(asked), answer: solutionOf(asked) }),
    })),
    ...(state.phase === 'ended' && { table: ranked(state).map(toRow) }),
  }
}

export function routingOf(
  room: RoomFacts,
  state: QuizState,
  isAsked: boolean,
  waiting: { agents: readonly string[]; humans: readonly string[] },
): Routing {
  const texts = quizTexts(room)
  const isPaused = !isAsked && waiting.agents.length > 0
  return {
    reason: isAsked ? 'mode' : 'nobody',
    text: [
      phaseText(room, state),
      ...(isPaused ? [texts.paused] : []),
      ...(!isAsked && waiting.humans.length > 0 ? [texts.waitingFor(waiting.humans)] : []),
    ].join(' '),
    mentions: [],
    phase: state.phase,
    ...(isPaused && { stopped: 'max_replies' as const }),
  }
}

function phaseText(room: RoomFacts, state: QuizState): string {
  const texts = quizTexts(room)
  const { round } = state
  if (state.phase === 'lobby') return texts.notBegun
  if (state.phase === 'question') return texts.asking(round, questionerOf(state))
  if (state.phase === 'answers') return texts.answering(round)
  if (state.phase === 'judge') return texts.judging(round, questionerOf(state))
  return state.phase === 'between' ? texts.between : texts.over
}

const toRow = ([rank, player, points]: readonly [number, string, number]) => ({ rank, player, points })
