/** What a person asks of one agent outside the rules of the mode: an answer, another answer, or a whisper. */
import type { StoreOperations } from '../../core/store/store.ts'
import type { StoredTurn } from './read-answers.ts'
import { findDisplayName } from './name-lookup.ts'
import type { RoomRound } from './active-round.ts'
import type { Ask, Decision } from './modes/mode.ts'
import type { Room } from './open-room.ts'
import { toRoutingWords } from './routing-words.ts'

export interface FirstDecision extends Decision<Record<string, unknown>> {
  /** Of those who are asked: who has answered already. */
  carried?: readonly StoredTurn[]
}

interface Aside {
  agent: string
  from: string
  text: string
  isWhisper?: boolean
  again?: { runId: string; number: number }
}

export async function decideAsk(
  tx: StoreOperations,
  { facts, state }: Room,
  { agent, from, text, isWhisper, again }: Aside,
): Promise<FirstDecision> {
  const words = toRoutingWords(facts.settings.language)
  const ask: Ask = { agent, isAside: true, ...(isWhisper && { isPrivate: true, whisper: { from, text } }) }
  const others = again ? await turnsOfRound(tx, again, agent) : []
  const describe = isWhisper ? words.whispers : again ? words.asksAgain : words.asks
  const names = [findDisplayName(facts.humans, from), findDisplayName(facts.agents, agent)] as const
  return {
    state,
    statements: [],
    asks: again ? others.map((turn) => (turn.agent === agent ? ask : turn.ask)) : [ask],
    carried: others.filter((turn) => turn.agent !== agent),
    routing: { reason: 'asked', text: describe(...names), mentions: [] },
  }
}

/** Who was asked in a round, in order, as far as they have answered in it: what they said is said again. */
async function turnsOfRound(
  tx: StoreOperations,
  { runId, number }: { runId: string; number: number },
  agent: string,
): Promise<StoredTurn[]> {
  const rounds = (await tx.listRoundsOf(runId)) as RoomRound[]
  const round = rounds.find((one) => one.number === number)
  if (!round) return [{ agent, ask: { agent } }]
  const isFinished = round.finishedAt !== undefined
  return round.turns
    .filter((turn) => turn.agent === agent || (turn.answer && !(isFinished && turn.isPublished)))
    .map(({ isPublished: _, ...turn }) => turn)
}
