import type { RunLog } from '../../core/runs/event-hub.ts'
import type { ActiveRoom, RoomRound } from './active-round.ts'
import { readAnswer, type StoredTurn } from './read-answers.ts'
import type { RoomDeps } from './room-service.ts'
import { createRelay } from './relay-deltas.ts'
import { isHidden, type Room } from './open-room.ts'

// by then an end that was emitted is usually stored
const pollMs = 50
const stopMs = 10_000

/** Waits for all agents that were asked and streams their answers; false when it was stopped before. */
export async function gatherAnswers(deps: RoomDeps, active: ActiveRoom, round: RoomRound): Promise<boolean> {
  await Promise.all(
    round.turns.map((turn) => watchTurn(deps, active, { round, turn, isStreaming: true }, active.signal)),
  )
  return !active.signal.aborted && round.turns.every(({ answer }) => answer)
}

async function watchTurn(
  deps: RoomDeps,
  { room, log }: ActiveRoom,
  { round, turn, isStreaming }: { round: RoomRound; turn: StoredTurn; isStreaming: boolean },
  signal: AbortSignal,
): Promise<void> {
  if (turn.answer) return
  const { chats } = deps
  // after a crash it may wait for somebody to take it up
  if (turn.sessionId !== undefined) chats.adopt(turn.sessionId)
  const relay =
    isStreaming && isStreamed(room, turn)
      ? createRelay(turn.agent, (chunk) => log.emit(chunk), turn.ask.isPrivate === true)
      : undefined
  let after = 0
  while (!signal.aborted) {
    if (turn.runId !== undefined)
      for await (const events of chats.observe(turn.runId, { after, signal })) {
        after = events.at(-1)!.seq
        if (relay) for (const { chunk } of events) relay(chunk)
      }
    const read = await readAnswer(deps.store, room, turn)
    if (read) {
      Object.assign(turn, read)
      return emitTurn(log, room, round.number, turn)
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

/** Answers that must be objects, and those hidden from players, are not streamed. */
const isStreamed = (room: Room, { ask }: StoredTurn) => !ask.schema && !isHidden(room, ask)

/** The state of an agent that was asked, under one id: a later event replaces an earlier one. */
export function emitTurn(
  log: RunLog,
  room: Room,
  round: number,
  { agent, ask, answer, runId, sessionId }: StoredTurn,
): void {
  if (isHidden(room, ask)) return
  log.emit({
    type: 'data-agent',
    id: `agent-${round}-${agent}`,
    data: {
      agent,
      round,
      status: answer?.status ?? 'asked',
      runId,
      sessionId,
      ...(ask.isPrivate && { private: true, ...(answer?.text && { text: answer.text }) }),
      ...(ask.whisper && { whisper: ask.whisper }),
      ...(answer?.error && { error: answer.error }),
    },
  })
}

/** Stops the agents of the open round that have not answered, and waits a while for their partial answers. */
export async function stopTurns(deps: RoomDeps, active: ActiveRoom): Promise<void> {
  const { room, rounds } = active
  const open = rounds.at(-1)
  const pending = open?.turns.filter(({ answer }) => !answer) ?? []
  for (const { runId, sessionId } of pending) {
    const run = runId === undefined ? undefined : await deps.store.getRun(room.session.scope, runId)
    if (run) await deps.chats.stopRun(run)
    if (sessionId !== undefined) await deps.cancelTasksOf(room.session.scope, sessionId)
  }
  const signal = AbortSignal.timeout(stopMs)
  await Promise.all(
    pending.map((turn) => watchTurn(deps, active, { round: open!, turn, isStreaming: false }, signal)),
  )
}
