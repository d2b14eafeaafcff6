import type { TurnInput } from '../../core/chat/turn-input.ts'
import { conflict } from '../../core/protocol/error.ts'
import { messageText } from '../../core/protocol/message-text.ts'
import { resultsFrom } from '../agents/protocol/reserved-names.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { ActiveRoom, RoomRound } from './active-round.ts'
import type { StoredTurn } from './read-answers.ts'
import type { RoomDeps } from './room-service.ts'
import { decideAsk, type FirstDecision } from './decide-ask.ts'
import { parseMentions } from './mentions.ts'
import { lookupOf } from './name-lookup.ts'
import { leftMuted } from './who-answers.ts'
import type { Room } from './open-room.ts'

/** How a run starts: with a message, with an advance of the room, or with results that wait for an agent. */
export async function decideFirst({ store }: RoomDeps, active: ActiveRoom): Promise<FirstDecision> {
  const { run, room, message } = active
  const input = run.input as TurnInput
  const { mode, facts, state } = room
  if (input.room?.wakes !== undefined) return wake(room, input.room.wakes)
  const from = input.room?.from ?? (input.isWake ? resultsFrom : facts.humans[0]!.name)
  const { ask } = input.room?.advance ?? {}
  if (ask) return decideAsk(store, room, { ...ask, from, text: messageText(input.message) })
  if (input.room?.advance) return decideAdvance(store, room, { from, action: input.room.advance.action })
  const open = mode.resumesRounds ? await findOpenRound(store, room) : undefined
  if (open) return resume(open, room)
  if (!message) return nothingNew(state)
  const text = messageText(message)
  const { mentions, people, cleanText } = parseMentions(text, lookupOf(facts))
  return mode.onInput(facts, state, { from, text, cleanText, mentions, people })
}

/** Another run has taken in what this one was made for. */
const nothingNew = (state: Record<string, unknown>): FirstDecision => ({
  state,
  statements: [],
  asks: [],
  routing: { reason: 'nobody', text: 'Nothing new was said.', mentions: [] },
})

/** What continuing a room leads to. Throws when there is nothing to do, or not for this person. */
export async function decideAdvance(
  tx: StoreOperations,
  room: Room,
  step: { from: string; action?: Record<string, unknown> },
): Promise<FirstDecision> {
  const { mode, facts, state } = room
  const open = step.action ? undefined : await findOpenRound(tx, room)
  if (open) return resume(open, room)
  if (!mode.onAdvance) throw conflict('There is nothing to continue: say something instead.')
  return mode.onAdvance(facts, state, step)
}

/** An unfinished round of an earlier run: it was stopped, or its agents could not continue. */
export async function findOpenRound(
  tx: StoreOperations,
  { session, isUnderWay }: Pick<Room, 'session' | 'isUnderWay'>,
): Promise<RoomRound | undefined> {
  if (!isUnderWay) return undefined
  const round = (await tx.getNewestRound(session.id)) as RoomRound | undefined
  if (!round || round.finishedAt !== undefined) return undefined
  return (await tx.isRunFinished(round.runId)) ? round : undefined
}

/** Asks those again who have not answered, and were not muted since. */
function resume({ turns: all, commands, routing }: RoomRound, { state, facts }: Room): FirstDecision {
  const { stopped: _, ...reason } = routing
  const isAnswered = ({ answer }: StoredTurn) => answer?.status === 'said' || answer?.status === 'skipped'
  const turns = all.filter((turn) => isAnswered(turn) || !facts.settings.muted?.includes(turn.agent))
  return {
    state,
    statements: [],
    asks: turns.map(({ ask }) => ask),
    ...(commands && { commands }),
    carried: turns.filter(isAnswered),
    routing: reason,
  }
}

/** Somebody who is muted finds them when it is asked again. */
const wake = ({ state, facts }: Room, agent: string): FirstDecision => {
  const left = leftMuted(facts.settings, [agent])
  return {
    state,
    statements: [],
    asks: left.left ? [] : [{ agent, task: wakeTask }],
    routing: {
      reason: 'wake',
      text: `Results of background tasks wait for ${agent}.`,
      mentions: [],
      ...left,
    },
  }
}

const wakeTask = 'Background tasks that you started have reported back. Tell the room what came of them.'
