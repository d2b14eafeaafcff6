/**
 * How a game proceeds. The state records who has acted in the phase; the others are asked, agents first, then people
 * have their turn; when nobody is left the phase ends. So a run that was stopped in the middle continues with those who
 * have not acted.
 */
import { cut, toLine } from '../../../../core/shared/text.ts'
import type { Answer, Ask, Decision, RoomFacts } from '../mode.ts'
import { isAgent, isPresent } from '../players.ts'
import { readChoice, schemaOf } from './choices.ts'
import { taskOf } from './known.ts'
import type { Step } from './phase.ts'
import { phaseOf } from './phases.ts'
import { routingOf } from './standing.ts'
import type { Act, WerewolfState } from './state.ts'

/** Of a player's comment on a choice. */
const maxWords = 1_000

/** Who has not acted in this phase and still can. */
export function waitingFor(room: RoomFacts, state: WerewolfState) {
  const acted = new Set(state.acts.map((act) => act.player))
  const waiting = (phaseOf(state)?.actors(state) ?? []).filter(
    (player) => !acted.has(player) && isPresent(room, player),
  )
  return {
    agents: waiting.filter((player) => isAgent(room, player)),
    humans: waiting.filter((player) => !isAgent(room, player)),
  }
}

/** `left` is how many answers the run may still have. */
export function playOn(room: RoomFacts, begun: Step, left: number): Decision<WerewolfState> {
  let { state } = begun
  const statements = [...begun.statements]
  let waiting = waitingFor(room, state)
  for (let phase = phaseOf(state); phase && isFinished(waiting); phase = phaseOf(state)) {
    const next = phase.end(room, state)
    state = next.state
    statements.push(...next.statements)
    waiting = waitingFor(room, state)
  }
  const asks = asksOf(room, state, waiting.agents).slice(0, Math.max(left, 0))
  return {
    state: { ...state, asked: asks.map((ask) => ask.agent) },
    statements,
    asks,
    routing: routingOf(room, state, asks.length > 0, waiting),
  }
}

/** What agents answered enters the state; those who failed, did not answer or answered nonsense abstain. */
export function takeAnswers(state: WerewolfState, answers: readonly Answer[]): Step {
  const isPublic = !phaseOf(state)?.choices
  const given = state.asked.map((agent) => answers.find((answer) => answer.agent === agent) ?? { agent })
  return {
    state: { ...state, asked: [], acts: [...state.acts, ...given.map((answer) => toAct(state, answer))] },
    statements: given
      .filter((answer) => isPublic && 'status' in answer && answer.status !== 'skipped')
      .map((answer) => ({ answerOf: answer.agent })),
  }
}

/** Undefined when it is not among what the player can do. */
export function actOf(state: WerewolfState, player: string, data: unknown, words: unknown): Act | undefined {
  const phase = phaseOf(state)
  if (!phase?.choices || !phase.toAct) return undefined
  const chosen = readChoice(phase.choices(state, player), data)
  const act = chosen && phase.toAct(state, chosen)
  if (!act) return undefined
  const text = phase.hasWords && typeof words === 'string' ? toWords(words) : ''
  return { player, ...act, ...(text && { text }) }
}

export const withAct = (state: WerewolfState, act: Act): WerewolfState => ({
  ...state,
  acts: [...state.acts, act],
})

const isFinished = (waiting: { agents: readonly string[]; humans: readonly string[] }) =>
  waiting.agents.length + waiting.humans.length === 0

function asksOf(room: RoomFacts, state: WerewolfState, agents: readonly string[]): Ask[] {
  const phase = phaseOf(state)
  if (!phase) return []
  const asked = phase.isOneByOne?.(state) ? agents.slice(0, 1) : agents
  return asked.map((agent) => {
    const choices = phase.choices?.(state, agent)
    return {
      agent,
      task: taskOf(room, state, agent, phase.toDo(room, state, agent)),
      withoutTools: true,
      ...(choices && { isPrivate: true, schema: schemaOf(choices, phase.hasWords ?? false) }),
    }
  })
}

function toAct(state: WerewolfState, answer: Answer | { agent: string }): Act {
  const act =
    'status' in answer && answer.status === 'said'
      ? actOf(state, answer.agent, answer.data, answer.text)
      : undefined
  return act ?? { player: answer.agent }
}

/** A player's comment cannot pass for a line of the game. */
const toWords = (words: string) => cut(toLine(words), maxWords)
