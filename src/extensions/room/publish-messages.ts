import type { Chunk } from '../../core/protocol/chunk.ts'
import type { RoomMessageMetadata } from './protocol/room.ts'
import type { Session } from '../../core/protocol/session.ts'
import { replyId } from '../../core/runs/run-record.ts'
import type { MessageToAppend } from '../../core/store/queries/messages.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { readParts, type StoredTurn } from './read-answers.ts'
import type { Statement } from './modes/mode.ts'

/** Public messages, as they enter the log. */
export interface Published {
  messages: MessageToAppend[]
  /** Of texts that were not streamed. */
  chunks: Chunk[]
  /** Agents whose answers are among them unchanged. */
  agents: Set<string>
}

/** Turns the statements of a mode into messages; `before` is how many the run has published already. */
export async function toMessages(
  tx: StoreOperations,
  session: Session,
  { runId, round, before }: { runId: string; round: number; before: number },
  statements: readonly Statement[],
  turns: readonly StoredTurn[],
): Promise<Published> {
  const published: Published = { messages: [], chunks: [], agents: new Set() }
  for (const one of statements) {
    const number = before + published.messages.length + 1
    const id = number === 1 ? replyId({ id: runId }) : `${replyId({ id: runId })}-${number}`
    if ('answerOf' in one) {
      const turn = turns.find(({ agent }) => agent === one.answerOf)
      if (!turn || turn.isPublished || published.agents.has(turn.agent)) continue
      published.agents.add(turn.agent)
      published.messages.push(await toAnswerMessage(tx, session, turn, id, round))
      if (turn.ask.schema || turn.ask.isPrivate)
        published.chunks.push(...toChunks(id, turn.answer!.text, turn.agent))
      continue
    }
    const agent = 'agent' in one ? one.agent : undefined
    const turn = turns.find((candidate) => candidate.agent === agent)
    const metadata: RoomMessageMetadata & Record<string, unknown> = {
      ...(agent === undefined ? { room: true } : { agent }),
      round,
      ...(turn?.runId !== undefined && { runId: turn.runId }),
    }
    published.messages.push({ id, role: 'assistant', parts: [{ type: 'text', text: one.text }], metadata })
    published.chunks.push(...toChunks(id, one.text, agent))
  }
  return published
}

async function toAnswerMessage(
  tx: StoreOperations,
  session: Session,
  turn: StoredTurn,
  id: string,
  round: number,
): Promise<MessageToAppend> {
  const { answer, agent, runId, usage } = turn
  return {
    id,
    role: 'assistant',
    parts: await readParts(tx, session, turn),
    metadata: {
      agent,
      round,
      ...(runId !== undefined && { runId }),
      ...(usage && { usage }),
      ...(answer?.status === 'stopped' && { stopped: true }),
      ...(answer?.error && { error: answer.error }),
    },
  }
}

function toChunks(id: string, text: string, agent: string | undefined): Chunk[] {
  const partId = `${agent ?? 'room'}:${id}`
  const providerMetadata = { parley: agent === undefined ? { room: true } : { agent } }
  return [
    { type: 'text-start', id: partId, providerMetadata },
    { type: 'text-delta', id: partId, delta: text },
    { type: 'text-end', id: partId },
  ]
}
