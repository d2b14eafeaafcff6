import { conflict, invalidRequest, quote } from '../../../core/protocol/error.ts'
import { invalidAt, misfit } from '../../../core/protocol/issues.ts'
import { chanceOf, shuffled } from '../seeded-random.ts'
import { toPeopleText } from '../routing-words.ts'
import type { Answer, Decision, Mode, RoomFacts, RoomInput } from './mode.ts'
import { introduced, isAgent, playersOf, whoPasses } from './players.ts'
import { goOn, nextRound, takeAnswers, toAnswer, waitingFor } from './quiz/game.ts'
import { askedText } from './quiz/question.ts'
import { standingOf, viewOf } from './quiz/standing.ts'
import { quizOptionsSchema, quizStateSchema, type GivenAnswer, type QuizState } from './quiz/state.ts'
import { quizTexts } from './quiz/texts.ts'

/** Agents ask in turn, everybody else answers; people may play, and then answer only. */
export const quiz: Mode<QuizState> = {
  name: 'quiz',
  label: { en: 'Quiz', zh: '出题答题' },
  icon: '🧩',
  description: {
    en: 'Agents ask one another questions with hidden answers, and points are counted',
    zh: '智能体轮流出题，答案保密，作答计分',
  },
  // a person may be the one who answers
  minAgents: 1,
  maxAgents: 30,
  window: { limit: { messages: 100 } },
  options: quizOptionsSchema,
  state: quizStateSchema,
  usesMemory: false,
  resumesRounds: true,
  begin,
  rules: (room) => quizTexts(room).rules(introduced(room)),
  describe: standingOf,
  view: (_room, state) => viewOf(state),
  onInput,
  onAnswers(room, state, answers, run) {
    if (state.isAside) return answeredAside(room, state, answers)
    return goOn(room, takeAnswers(room, state, answers), room.settings.maxReplies - run.answers)
  },
  onAdvance,
  asksOfPeople: (room, state) =>
    waitingFor(room, state).humans.map((human) => ({
      human,
      text: quizTexts(room).human(askedText(state.question!)),
      schema: {
        type: 'object',
        properties: { answer: { type: 'string' } },
        required: ['answer'],
        additionalProperties: false,
      },
      byChat: true,
    })),
  playerView: (_room, state, human) => ({
    facts: state.answers.flatMap(({ player, text }) => (player === human && text ? [text] : [])),
    channel: [],
  }),
  isSealed: (_room, state) => state.humans.length > 0 && state.phase !== 'ended',
  canAdvance: (_room, state) => state.phase !== 'ended',
}

function begin(room: RoomFacts, given: Record<string, unknown>, chance: number): QuizState {
  const { data: options, error } = quizOptionsSchema.safeParse(given)
  if (!options) throw misfit(error, given, { before: 'A quiz cannot begin so:', within: ['modeState'] })
  const { players, humans } = playersOf(room, 2)
  const agents = room.agents.map((agent) => agent.name)
  if (agents.length === 0) throw invalidAt(['agents'], 'A quiz needs an agent that asks.')
  return {
    phase: 'lobby',
    topic: options.topic ?? quizTexts(room).topic,
    round: 0,
    rounds: options.rounds ?? agents.length,
    auto: options.auto,
    players,
    humans,
    questioners: shuffled(agents, chanceOf(options.seed ?? chance)),
    asked: [],
    isAside: false,
    answers: [],
    scores: Object.fromEntries(players.map((player) => [player, 0])),
    results: [],
  }
}

/**
 * The first words begin the quiz. Words of somebody who is to answer are the answer; a mention between questions asks
 * that agent outside the quiz; a message to a person changes nothing; other messages between questions start the next.
 */
function onInput(room: RoomFacts, state: QuizState, input: RoomInput): Decision<QuizState> {
  const { mentions, people } = input
  if (mentions.length === 0 && people.length > 0) return leaveToPeople(room, state, people)
  const decision =
    isBetween(state) && mentions.length > 0 ? askAside(room, state, input) : heard(room, state, input)
  return { ...decision, routing: { ...decision.routing, mentions: [...mentions] } }
}

function onAdvance(
  room: RoomFacts,
  state: QuizState,
  { from, action }: { from: string; action?: Record<string, unknown> },
): Decision<QuizState> {
  if (state.phase === 'ended') throw conflict('The quiz is over. Set the mode again for another one.')
  if (action) return proceed(room, withAnswer(state, requireAnswer(room, state, from, action)))
  const { agents, humans } = waitingFor(room, state)
  // agents that were not asked, or were not heard, go first
  const passing = agents.length > 0 ? [] : whoPasses(humans, state.humans, from)
  return proceed(
    room,
    passing.reduce((passed, player) => withAnswer(passed, { player }), state),
  )
}

function heard(
  room: RoomFacts,
  state: QuizState,
  { from, cleanText, mentions }: RoomInput,
): Decision<QuizState> {
  const isAnswer = mentions.length === 0 && waitingFor(room, state).humans.includes(from)
  const answer: GivenAnswer = { ...toAnswer(from, cleanText), isHeard: true }
  return proceed(room, isAnswer ? withAnswer(state, answer) : state)
}

function proceed(room: RoomFacts, state: QuizState): Decision<QuizState> {
  const begins = { text: quizTexts(room).begins(state.topic, state.rounds) }
  const step =
    state.phase === 'lobby' || state.phase === 'between' ? nextRound(room, state) : { state, statements: [] }
  const statements = state.phase === 'lobby' ? [begins, ...step.statements] : step.statements
  return goOn(room, { state: step.state, statements }, room.settings.maxReplies)
}

const isBetween = (state: QuizState) => state.phase === 'between' || state.phase === 'ended'

function askAside(room: RoomFacts, state: QuizState, { mentions }: RoomInput): Decision<QuizState> {
  const texts = quizTexts(room)
  const asked = mentions.filter((agent) => isAgent(room, agent)).slice(0, room.settings.maxReplies)
  return {
    state: { ...state, asked, isAside: true },
    statements: [],
    asks: asked.map((agent) => ({ agent, task: texts.besides })),
    routing: { reason: 'mention', text: texts.aside, mentions: [], phase: state.phase },
  }
}

const leaveToPeople = (
  room: RoomFacts,
  state: QuizState,
  people: readonly string[],
): Decision<QuizState> => ({
  state,
  statements: [],
  asks: [],
  routing: { reason: 'nobody', text: toPeopleText(room, people), mentions: [], phase: state.phase },
})

function answeredAside(room: RoomFacts, state: QuizState, answers: readonly Answer[]): Decision<QuizState> {
  const decision = goOn(room, { state: { ...state, asked: [] }, statements: [] }, 0)
  const statements = answers
    .filter(({ status }) => status !== 'skipped')
    .map(({ agent }) => ({ answerOf: agent }))
  return { ...decision, statements }
}

const withAnswer = (state: QuizState, answer: GivenAnswer): QuizState => ({
  ...state,
  answers: [...state.answers, answer],
})

function requireAnswer(room: RoomFacts, state: QuizState, from: string, action: Record<string, unknown>) {
  if (!state.humans.includes(from)) throw invalidRequest(`${quote(from)} does not play.`)
  if (!waitingFor(room, state).humans.includes(from))
    throw conflict(`${quote(from)} has nothing to answer now.`)
  const answer = toAnswer(from, action['answer'])
  if (answer.text === undefined)
    throw invalidRequest(`That is no answer: ${quote(action)}. Expected is answer: a text.`)
  return answer
}
