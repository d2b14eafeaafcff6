import { recordTurn, recordRunEvent } from '../../core/chat/record-turn.ts'
import { requeueSteering } from '../../core/chat/steering.ts'
import type { TurnInput } from '../../core/chat/turn-input.ts'
import type { Ending } from '../../core/orchestrator/orchestrate.ts'
import type { Chunk } from '../../core/protocol/chunk.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { RoomDeps } from './room-service.ts'
import type { ClaimedRoom, ActiveRoom, RoomRound } from './active-round.ts'
import { toMessages } from './publish-messages.ts'
import { isHidden, putState, type Room } from './open-room.ts'

export const stoppedBy = ({ signal }: ActiveRoom): Ending => ({
  status: 'cancelled',
  code: 'stopped',
  message: String(signal.reason),
})

/** Ends a run whose round is unfinished. Its public messages are in the log; `advance` can continue with the rest. */
export async function endEarly(
  deps: RoomDeps,
  active: ClaimedRoom & { room?: Room },
  ending: Ending,
): Promise<void> {
  const { run, lease, log, session, room, rounds } = active
  const open = rounds.at(-1)
  const turns = (open?.turns ?? []).map((turn) => ({ ...turn }))
  const statements = turns
    .filter(
      ({ ask: { schema, isPrivate }, answer }) =>
        !schema && !isPrivate && answer && answer.status !== 'skipped',
    )
    .map(({ agent }) => ({ answerOf: agent }))
  if (open && ending.code === 'budget_exhausted') emitBudgetStop(active, open)
  const before = rounds.reduce((sum, { messageIds }) => sum + messageIds.length, 0)
  const place = { runId: run.id, round: open?.number ?? 1, before }
  const { messages, agents } = await toMessages(deps.store, session, place, statements, turns)
  for (const turn of turns) if (agents.has(turn.agent)) turn.isPublished = true
  const ids = messages.map(({ id }) => id!)
  const end = async (tx: StoreOperations) => {
    await tx.finishRun(lease, toFinal(active, ending, ids))
    if (messages.length > 0) await tx.appendMessages(run.scope, run.sessionId, messages)
    if (room) await putState(tx, deps, room, room.state)
    if (open) await tx.setRoundTurns({ ...open, turns, messageIds: [...open.messageIds, ...ids] })
    await settle(tx, deps, active, ending)
  }
  await log.commit(end, toLast(ending))
}

/** The round is emitted again, with the reason why it stopped. */
function emitBudgetStop({ log, room }: ClaimedRoom & { room?: Room }, round: RoomRound): void {
  round.routing = { ...round.routing, stopped: 'budget' }
  const { number, routing, turns } = round
  const shown = turns.filter(({ ask }) => !room || !isHidden(room, ask))
  const data = { number, routing, agents: shown.map(({ agent }) => agent) }
  log.emit({ type: 'data-round', id: `round-${number}`, data })
}

/** The last chunks, emitted when the end is stored. */
export function toLast({ status, code, message }: Ending): Chunk[] {
  const isFailed = status === 'failed' || status === 'interrupted'
  const finishReason = status === 'completed' ? 'stop' : status === 'failed' ? 'error' : 'other'
  return [
    ...(isFailed ? [{ type: 'error' as const, errorText: message ?? code }] : []),
    ...(status === 'cancelled' ? [{ type: 'abort' as const, reason: code }] : []),
    { type: 'finish', finishReason },
  ]
}

/** A run of whose agents none could answer has failed. */
export function endingOf({ room, rounds }: ActiveRoom): Ending {
  const turns = rounds.flatMap((round) => round.turns).filter(({ ask }) => !ask.selects)
  const answers = turns.flatMap(({ answer }) => answer ?? [])
  const isFailed = answers.length > 0 && answers.every(({ status }) => status === 'failed')
  if (!isFailed) return { status: 'completed', code: answers.length === 0 ? 'nobody_asked' : 'stop' }
  const shown = turns.find(({ ask }) => !isHidden(room, ask))
  const why = shown?.answer?.error?.message ?? shown?.answer?.error?.code
  return {
    status: 'failed',
    code: 'agents_failed',
    message: `No agent could answer.${shown && why ? ` ${shown.agent}: ${why}` : ''}`,
  }
}

export function toFinal({ rounds }: ClaimedRoom, { status, code, message }: Ending, lastIds: string[]) {
  const messageIds = [...rounds.flatMap((round) => round.messageIds), ...lastIds]
  const usage: Record<string, number> = {}
  for (const turn of rounds.flatMap(({ turns }) => turns))
    for (const [key, value] of Object.entries(turn.usage ?? {}))
      if (typeof value === 'number') usage[key] = (usage[key] ?? 0) + value
  return { status, outcome: { code, message, messageIds }, usage }
}

/** Everything else that ends with a run, in its transaction. */
export async function settle(
  tx: StoreOperations,
  deps: RoomDeps,
  { run, session, message, undoSeq }: ClaimedRoom,
  { status, code }: Ending,
): Promise<void> {
  const input = run.input as TurnInput
  if (session.room?.budget) await tx.closeBudget(run.id)
  const isSaid = !input.room?.advance && !input.isWake && message !== undefined
  if (isSaid) await recordTurn(tx, deps, session, input, undoSeq)
  await tx.setChatStatus(run.sessionId, 'idle')
  // results that arrived while it was running get a run of their own
  await requeueSteering(tx, run, await tx.listInbox(run.sessionId), {
    ...deps,
    isCompleted: status === 'completed',
  })
  await recordRunEvent(tx, run, 'run-finished', { status, code })
}
