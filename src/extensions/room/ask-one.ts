/** Asks one agent of a room, as a person requested. */
import type { TurnInput } from '../../core/chat/turn-input.ts'
import { conflict, invalidRequest, notFound, quote } from '../../core/protocol/error.ts'
import type { Message } from '../../core/protocol/message.ts'
import type { AskAgent, Regenerate } from './protocol/room.ts'
import type { Session } from '../../core/protocol/session.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import { forkSession } from '../../core/sessions/fork.ts'
import { requirePerson } from './speakers.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { RoomDeps } from './room-service.ts'
import { requireAgentOf } from './mute-rules.ts'
import { forkRoom } from './rewind-room.ts'
import { requireRoom } from './open-room.ts'
import { requireIdle } from './rooms.ts'

interface Started {
  run: Run
  /** After the commit. */
  begin(): void
}

type AskOptions = NonNullable<NonNullable<NonNullable<TurnInput['room']>['advance']>['ask']>

/** Stores a run in which one agent is asked, or receives a whisper. */
export function askOne(
  store: StoreOperations,
  deps: RoomDeps,
  caller: Caller,
  sessionId: string,
  { agent: given, from, whisper }: Omit<AskAgent, 'scope'>,
): Promise<Started> {
  return store.transaction(async (tx) => {
    const session = await requireRoom(tx, caller.scope, sessionId)
    await requireIdle(tx, sessionId)
    const agent = requireAskable(deps, session, given)
    const ask = { agent, ...(whisper !== undefined && { isWhisper: true }) }
    return start(tx, deps, caller, session, { from, ask, text: whisper })
  })
}

/**
 * Asks an agent again, from the messages before its answer. The log stays as it is: the new answer is in a variant of the room,
 * with what others answered in the same round.
 */
export function regenerate(
  store: StoreOperations,
  deps: RoomDeps,
  caller: Caller,
  sessionId: string,
  { messageId, from }: Omit<Regenerate, 'scope'>,
): Promise<Started> {
  return store.transaction(async (tx) => {
    const session = await requireRoom(tx, caller.scope, sessionId)
    requirePerson(session, from, caller.keyName)
    const message = await tx.getMessage(caller.scope, sessionId, messageId)
    if (!message) throw notFound('message', messageId)
    const { agent: speaker } = message.metadata ?? {}
    if (message.role !== 'assistant' || typeof speaker !== 'string')
      throw invalidRequest(`The message ${quote(messageId)} is not the answer of an agent.`)
    const agent = requireAskable(deps, session, speaker)
    const round = await findRound(tx, message)
    if (!round)
      throw conflict(`The round of the message ${quote(messageId)} is no longer known: ask the agent again.`)
    const cut = { messageId: round.messageIds[0]!, before: true, variant: true }
    const variant = await forkSession(tx, caller, sessionId, cut, {
      sessionForked: (inner, original, fork) => forkRoom(inner, deps, original, fork),
    })
    const again = { runId: round.runId, number: round.number }
    return start(tx, deps, caller, variant, { from, ask: { agent, again } })
  })
}

/** Of what was copied from another room, the round is that of the other. */
async function findRound(tx: StoreOperations, { id }: Message) {
  const rounds = await tx.listRoundsOf(runOf(id))
  return rounds.find((round) => round.messageIds.includes(id))
}

/** The run of a message: messages of a room are named after it. */
const runOf = (messageId: string) => messageId.replace(/^msg_/, 'run_').replace(/-\d+$/, '')

function requireAskable({ modes }: RoomDeps, session: Session, given: string): string {
  const mode = modes.find(({ name }) => name === session.mode) ?? modes[0]!
  if (!mode.canAsk) throw invalidRequest(`The mode ${quote(mode.name)} decides itself who is asked.`)
  const agent = requireAgentOf(session, given)
  if (session.room?.muted?.includes(agent))
    throw conflict(`The agent ${quote(agent)} is muted: unmute it first.`, { agent })
  return agent
}

function start(
  tx: StoreOperations,
  deps: RoomDeps,
  { scope, keyName }: Caller,
  session: Session,
  { from, ask, text }: { from?: string; ask: AskOptions; text?: string },
): Promise<Started> {
  const input: TurnInput = {
    message: { id: deps.ids.next('msg'), parts: text === undefined ? [] : [{ type: 'text', text }] },
    room: { from: requirePerson(session, from, keyName), advance: { ask } },
    skipSummary: true,
  }
  return deps.chats.admit(tx, { scope, sessionId: session.id, keyName }, input, 'reject')
}
