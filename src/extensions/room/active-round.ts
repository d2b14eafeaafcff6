import { recordRunEvent } from '../../core/chat/record-turn.ts'
import { ensureInput } from '../../core/chat/ensure-input.ts'
import type { TurnInput } from '../../core/chat/turn-input.ts'
import type { Execution } from '../../core/runs/dispatcher.ts'
import type { Message } from '../../core/protocol/message.ts'
import type { Session } from '../../core/protocol/session.ts'
import { replyId } from '../../core/runs/run-record.ts'
import { isSilent } from './speakers.ts'
import type { StoredRound } from './store/rooms.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { StoredTurn } from './read-answers.ts'
import type { RoomDeps } from './room-service.ts'
import { takeResults } from './take-results.ts'
import type { Room } from './open-room.ts'

export type RoomRound = StoredRound<StoredTurn>

/** A room that this process is running. */
export interface ActiveRoom extends ClaimedRoom {
  room: Room
}

/** A run of a room that was just claimed. */
export interface ClaimedRoom extends Execution {
  session: Session
  /** The input, when there was one. */
  message?: Message
  /** Those of this run, oldest first. */
  rounds: RoomRound[]
  /** How long the log was before the input. */
  undoSeq: number
}

/** Appends the input of the run to the log, and reads how far an earlier owner of the run got. */
export async function claimRoom({ store, chats }: RoomDeps, execution: Execution): Promise<ClaimedRoom> {
  const { run, lease, log } = execution
  const input = run.input as TurnInput
  const session = await store.requireSession(run.scope, run.sessionId)
  const isInput = !input.room?.advance && !input.isWake && (await maySpeak(store, session, input))
  const added = isInput ? await ensureInput(store, chats.kinds, run) : undefined
  const results = await takeResults(store, run)
  // those for one of its agents are taken in by that agent
  const message = added ?? (input.isWake && input.room?.wakes === undefined ? results : undefined)
  if (!isInput) await recordStart(store, execution)
  const rounds = (await store.listRoundsOf(run.id)) as RoomRound[]
  // events of the open round are emitted again
  if (lease.fence > 1) await store.dropRunEventsAfter(lease, rounds.at(-1)?.eventSeq ?? 0)
  if (rounds.length === 0) log.emit({ type: 'start', messageId: replyId(run) })
  return {
    ...execution,
    session,
    rounds,
    message,
    undoSeq: message ? message.seq - 1 : (results?.seq ?? session.messageCount),
  }
}

/** The speaker may have left the game while the input was queued. */
async function maySpeak(
  store: StoreOperations,
  session: Session,
  { message, room }: TurnInput,
): Promise<boolean> {
  if (!isSilent(session, room?.from ?? '')) return true
  return (await store.getMessage(session.scope, session.id, message.id)) !== undefined
}

const recordStart = (store: StoreOperations, { run }: Execution) =>
  store.transaction(async (tx) => {
    if ((await tx.requireSession(run.scope, run.sessionId)).chatStatus === 'chatting') return
    await tx.setChatStatus(run.sessionId, 'chatting')
    await recordRunEvent(tx, run, 'run-started')
  })
