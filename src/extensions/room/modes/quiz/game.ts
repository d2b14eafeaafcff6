/**
 * How a quiz proceeds: a question, answers, a judgement where one is needed, the result, and the next question. As long
 * as an answer is missing it stays where it is; a run that was stopped continues with those who have not answered.
 */
import { cut, toLine } from '../../../../core/shared/text.ts'
import { attribute } from '../../attribute-speakers.ts'
import type { Answer, Ask, Decision, RoomFacts, Statement } from '../mode.ts'
import { isAgent, isPresent } from '../players.ts'
import { marksOf, verdictSchema } from './judge.ts'
import { askedText, questionJsonSchema, readQuestion, solutionOf } from './question.ts'
import { ranked, routingOf, scoresOf } from './standing.ts'
import { type GivenAnswer, questionerOf, type QuizState } from './state.ts'
import { quizTexts } from './texts.ts'

const maxAnswer = 2_000

export interface Step {
  state: QuizState
  statements: readonly Statement[]
}

/** Who has to act before the quiz continues. */
export function waitingFor(room: RoomFacts, state: QuizState): { agents: string[]; humans: string[] } {
  const questioner = questionerOf(state)
  if (state.phase === 'question' || state.phase === 'judge')
    return { agents: isAgent(room, questioner) ? [questioner] : [], humans: [] }
  if (state.phase !== 'answers') return { agents: [], humans: [] }
  const answered = new Set(state.answers.map((answer) => answer.player))
  const waiting = state.players.filter(
    (player) => player !== questioner && !answered.has(player) && isPresent(room, player),
  )
  return {
    agents: waiting.filter((player) => isAgent(room, player)),
    humans: waiting.filter((player) => !isAgent(room, player)),
  }
}

/** `left` is how many answers the run may still have. */
export function goOn(room: RoomFacts, begun: Step, left: number): Decision<QuizState> {
  let { state } = begun
  const statements = [...begun.statements]
  let waiting = waitingFor(room, state)
  while (isUnderWay(state) && waiting.agents.length + waiting.humans.length === 0) {
    const next = endPhase(room, state)
    state = next.state
    statements.push(...next.statements)
    waiting = waitingFor(room, state)
  }
  const asks = waiting.agents.slice(0, Math.max(left, 0)).map((agent) => askOf(room, state, agent))
  return {
    state: { ...state, asked: asks.map((ask) => ask.agent), isAside: false },
    statements,
    asks,
    routing: routingOf(room, state, asks.length > 0, waiting),
  }
}

/** What agents answered enters the state. */
export function takeAnswers(room: RoomFacts, state: QuizState, answers: readonly Answer[]): Step {
  const given = state.asked.map((agent) => {
    const answer = answers.find((each) => each.agent === agent)
    return { agent, text: answer?.text ?? '', data: answer?.status === 'said' ? answer.data : undefined }
  })
  const heard = { ...state, asked: [] }
  if (state.phase === 'question') return takeQuestion(room, heard, given[0]?.data)
  if (state.phase === 'judge') return takeVerdicts(room, heard, given[0]?.data?.['verdicts'])
  const taken = given.map(({ agent, data, text }) => toAnswer(agent, data?.['answer'], text))
  return { state: { ...heard, answers: [...state.answers, ...taken] }, statements: [] }
}

/** An answer without text is none. */
export function toAnswer(player: string, answer: unknown, words?: string): GivenAnswer {
  const text = typeof answer === 'string' ? cut(answer.trim(), maxAnswer) : ''
  if (!text) return { player }
  return { player, text, ...(words?.trim() && { words: cut(words.trim(), maxAnswer) }) }
}

export function nextRound(room: RoomFacts, state: QuizState): Step {
  const texts = quizTexts(room)
  const rest = withoutQuestion(state)
  if (state.round >= state.rounds)
    return { state: { ...rest, phase: 'ended' }, statements: [{ text: texts.table(ranked(state)) }] }
  return { state: { ...rest, phase: 'question', round: state.round + 1 }, statements: [] }
}

const withoutQuestion = ({ question: _, ...state }: QuizState): QuizState => ({ ...state, answers: [] })

const isUnderWay = (state: QuizState) => ['question', 'answers', 'judge'].includes(state.phase)

/** Nobody is missing: either all have done their part, or those who should have left the room. */
function endPhase(room: RoomFacts, state: QuizState): Step {
  if (state.phase === 'question') return takeQuestion(room, state, undefined)
  const needsJudge = state.question?.kind === 'open' && state.answers.some(({ text }) => text !== undefined)
  if (state.phase === 'answers' && needsJudge) return { state: { ...state, phase: 'judge' }, statements: [] }
  return takeVerdicts(room, state, undefined)
}

function takeQuestion(room: RoomFacts, state: QuizState, data: unknown): Step {
  const questioner = questionerOf(state)
  const question = readQuestion(data)
  if (question)
    return {
      state: { ...state, phase: 'answers', question, answers: [] },
      statements: [{ agent: questioner, text: askedText(question) }],
    }
  const lost = { round: state.round, questioner, marks: [] }
  const next = nextRound(room, { ...state, results: [...state.results, lost] })
  return { ...next, statements: [{ text: quizTexts(room).lostTurn(questioner) }, ...next.statements] }
}

/** The round is judged: now everybody sees all answers, and the right one. */
function takeVerdicts(room: RoomFacts, state: QuizState, verdicts: unknown): Step {
  const texts = quizTexts(room)
  const question = state.question!
  const answers = state.players
    .filter((player) => player !== questionerOf(state))
    .map((player) => state.answers.find((answer) => answer.player === player) ?? { player })
  const marks = marksOf(question, answers, verdicts, texts)
  const scores = { ...state.scores }
  for (const { player, points } of marks) scores[player] = Math.round((scores[player]! + points) * 100) / 100
  const judged: QuizState = {
    ...state,
    scores,
    results: [...state.results, { round: state.round, questioner: questionerOf(state), question, marks }],
  }
  const statements: Statement[] = [
    ...answers.flatMap((answer) => shown(room, answer)),
    {
      text: [
        texts.solution(toLine(solutionOf(question)), question.explanation && toLine(question.explanation)),
        ...marks.map(texts.mark),
        texts.scores(scoresOf(judged)),
      ].join('\n'),
    },
  ]
  const isLast = state.round >= state.rounds
  if (!state.auto && !isLast) return { state: { ...withoutQuestion(judged), phase: 'between' }, statements }
  const next = nextRound(room, judged)
  return { ...next, statements: [...statements, ...next.statements] }
}

function shown(room: RoomFacts, { player, text, words, isHeard }: GivenAnswer): Statement[] {
  if (text === undefined || isHeard) return []
  if (!isAgent(room, player)) return [{ text: quizTexts(room).answered(player, toLine(text)) }]
  return [{ agent: player, text: words ? `${text}\n${words}` : text }]
}

function askOf(room: RoomFacts, state: QuizState, agent: string): Ask {
  const unseen = { agent, isPrivate: true, withoutTools: true } as const
  const texts = quizTexts(room)
  const { question } = state
  if (state.phase === 'question' || !question) {
    const earlier = state.results.flatMap((result) =>
      result.question ? [toLine(result.question.question)] : [],
    )
    return { ...unseen, task: texts.ask(state.topic, earlier), schema: questionJsonSchema }
  }
  const asked = askedText(question)
  if (state.phase === 'answers')
    return {
      ...unseen,
      task: texts.answer(question.kind, attribute(questionerOf(state), asked)),
      schema: answerSchema,
      textAs: 'answer',
    }
  const given = state.answers.flatMap(({ player, text }) => (text === undefined ? [] : [{ player, text }]))
  return {
    ...unseen,
    task: texts.judge(
      asked,
      question.answer,
      given.map(({ player, text }) => attribute(player, text)),
    ),
    schema: verdictSchema(given.map(({ player }) => player)),
  }
}

const answerSchema = {
  type: 'object',
  properties: { answer: { type: 'string' }, say: { type: 'string' } },
  required: ['answer'],
  additionalProperties: false,
}
