import { messageText } from '../../core/protocol/message-text.ts'
import type { Message, Part } from '../../core/protocol/message.ts'
import type { Session } from '../../core/protocol/session.ts'
import { replyId } from '../../core/runs/run-record.ts'
import type { FinalStatus, Run } from '../../core/store/queries/run-row.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { actionOf } from './seat-reply.ts'
import { parseMentions } from './mentions.ts'
import type { Answer, Ask } from './modes/mode.ts'
import type { Room } from './open-room.ts'
import { lookupOf } from './name-lookup.ts'
import { isSilence } from './silent-replies.ts'

/** Somebody who was asked in a round, as it is stored. */
export interface StoredTurn {
  agent: string
  ask: Ask
  sessionId?: string
  runId?: string
  answer?: Answer
  usage?: Record<string, number>
  /** It is in the log already, though its round did not come to an end. */
  isPublished?: true
}

/** The outcome of a turn; undefined while it is running. */
export async function readAnswer(
  tx: StoreOperations,
  room: Room,
  turn: StoredTurn,
): Promise<Pick<StoredTurn, 'answer' | 'usage'> | undefined> {
  const { agent, runId, sessionId } = turn
  if (runId === undefined || sessionId === undefined)
    return {
      answer: failed(agent, { code: 'agent_missing', message: `There is no agent "${agent}" any more.` }),
    }
  const run = await tx.getRun(room.session.scope, runId)
  if (!run) return { answer: failed(agent, { code: 'seat_gone', message: 'Its session was deleted.' }) }
  if (run.status === 'queued' || run.status === 'running') return undefined
  const message = await tx.getMessage(run.scope, sessionId, replyId(run))
  return {
    answer: toAnswer(room, turn, run, message),
    usage: run.usage as Record<string, number> | undefined,
  }
}

/** What an agent did and said, for the log: without what only the model is shown again. */
export async function readParts(
  tx: StoreOperations,
  { scope }: Pick<Session, 'scope'>,
  { runId, sessionId }: StoredTurn,
): Promise<Part[]> {
  if (runId === undefined || sessionId === undefined) return []
  const message = await tx.getMessage(scope, sessionId, replyId({ id: runId }))
  return (message?.parts ?? []).filter((part) => !hiddenParts.has(part.type) && !isSilent(part))
}

/** An agent may be silent in one step and speak in another. */
const isSilent = ({ type, text }: Part) => type === 'text' && isSilence(String(text))

const hiddenParts = new Set(['data-reply', 'data-reply-attempt', 'data-action', 'data-steer', 'step-start'])

function toAnswer(room: Room, { agent, ask }: StoredTurn, run: Run, message: Message | undefined): Answer {
  const parts = message?.parts ?? []
  const text = messageText({ parts: parts.filter((part) => !isSilent(part)) }).trim()
  const data = ask.schema ? actionOf(parts) : undefined
  if (run.status !== 'completed') return { ...ended(agent, run), text }
  const { mentions } = parseMentions(text, lookupOf(room.facts))
  return {
    agent,
    status: text === '' && parts.some(isSilent) ? 'skipped' : 'said',
    text,
    ...(data && { data }),
    mentions: mentions.filter((name) => name !== agent),
  }
}

function ended(agent: string, { status, outcome }: Run): Answer {
  const { code = status, message } = (outcome ?? {}) as { code?: string; message?: string }
  if ((status as FinalStatus) === 'cancelled') return { agent, status: 'stopped', text: '', mentions: [] }
  return failed(agent, { code, message })
}

const failed = (agent: string, error: NonNullable<Answer['error']>): Answer => ({
  agent,
  status: 'failed',
  text: '',
  mentions: [],
  error,
})
