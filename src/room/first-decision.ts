import type { TurnInput } from '../chat/turn-input.ts'
import { conflict } from '../protocol/error.ts'
import { messageText } from '../protocol/message-text.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Going, RoomRound } from './going.ts'
import type { StoredTurn } from './answers.ts'
import type { RoomDeps } from './deps.ts'
import { buildLookup } from './lookup.ts'
import { parseMentions } from './mentions.ts'
import type { Decision } from './modes/mode.ts'
import { resultsFrom } from './results.ts'
import type { Room } from './room.ts'

export interface FirstDecision extends Decision<Record<string, unknown>> {
  /** Of those who are asked: who has answered already. */
  carried?: readonly StoredTurn[]
}

/** What a run begins with: something was said, somebody takes the room on, or results wait for an agent. */
export async function decideFirst({ store }: RoomDeps, going: Going): Promise<FirstDecision> {
  const { run, room, message } = going
  const input = run.input as TurnInput
  const { mode, facts, state } = room
  if (input.room?.wakes !== undefined) return wake(room, input.room.wakes)
  const from = input.room?.from ?? (input.isWake ? resultsFrom : facts.humans[0]!.name)
  if (input.room?.advance) return decideAdvance(store, room, { from, action: input.room.advance.action })
  const open = mode.resumesRounds ? await findOpenRound(store, room) : undefined
  if (open) return resume(open, state)
  if (!message) return nothingNew(state)
  const text = messageText(message)
  const { mentions, cleanText } = parseMentions(text, buildLookup(facts.agents))
  return mode.onInput(facts, state, { from, text, cleanText, mentions })
}

/** Another run has taken in what this one was made for. */
const nothingNew = (state: Record<string, unknown>): FirstDecision => ({
  state,
  said: [],
  asks: [],
  routing: { reason: 'nobody', text: 'Nothing new was said.', mentions: [] },
})

/** What taking a room on comes to. Throws when there is nothing to do, or not by this person. */
export async function decideAdvance(
  tx: StoreOperations,
  room: Room,
  step: { from: string; action?: Record<string, unknown> },
): Promise<FirstDecision> {
  const { mode, facts, state } = room
  const open = step.action ? undefined : await findOpenRound(tx, room)
  if (open) return resume(open, state)
  if (!mode.onAdvance) throw conflict('There is nothing to go on with: say something instead.')
  return mode.onAdvance(facts, state, step)
}

/** A round that its run left behind: it was stopped, or its agents could not go on. */
export async function findOpenRound(
  tx: StoreOperations,
  { session, isUnderWay }: Pick<Room, 'session' | 'isUnderWay'>,
): Promise<RoomRound | undefined> {
  if (!isUnderWay) return undefined
  const round = (await tx.getNewestRound(session.id)) as RoomRound | undefined
  if (!round || round.finishedAt !== undefined) return undefined
  return (await tx.isRunOver(round.runId)) ? round : undefined
}

/** Asks those again who have not answered. */
function resume({ turns, commands, routing }: RoomRound, state: Record<string, unknown>): FirstDecision {
  const isAnswered = ({ answer }: StoredTurn) => answer?.status === 'said' || answer?.status === 'skipped'
  return {
    state,
    said: [],
    asks: turns.map(({ ask }) => ask),
    ...(commands && { commands }),
    carried: turns.filter(isAnswered),
    routing,
  }
}

const wake = ({ state }: Room, agent: string): FirstDecision => ({
  state,
  said: [],
  asks: [
    { agent, task: 'Background tasks that you started have reported back. Tell the room what came of them.' },
  ],
  routing: { reason: 'wake', text: `Results of background tasks wait for ${agent}.`, mentions: [] },
})
