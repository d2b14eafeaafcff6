import { defaultHuman } from '../agents/protocol/reserved-names.ts'
import type { ChatAnswer } from '../../core/protocol/chat.ts'
import { notFound } from '../../core/protocol/error.ts'
import type { Message } from '../../core/protocol/message.ts'
import { messageText } from '../../core/protocol/message-text.ts'
import type { RoomChatAnswer, RoomMessageMetadata, Round, RoundTurn } from './protocol/room.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import { readCall } from '../../core/sessions/answering-model.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { RoomDeps } from './room-service.ts'
import { listRounds } from './rooms.ts'

type Row = RoomChatAnswer['responses'][number]

/** The input and all answers; agents that failed are listed with the reason. */
export async function toRoomChatAnswer(
  deps: RoomDeps,
  caller: Caller,
  { messages = [], run }: ChatAnswer,
  messageId: string,
): Promise<RoomChatAnswer> {
  const { store } = deps
  const { scope } = caller
  const session = await store.requireSession(scope, run.sessionId)
  const input = await store.getMessage(scope, session.id, messageId)
  if (!input) throw notFound('message', messageId)
  const answers = await Promise.all(messages.map((message) => toRow(store, scope, message)))
  const failures = findFailures(await readRounds(deps, caller, run), messages)
  return {
    thread_id: session.id,
    thread_slug: session.thread ?? null,
    mode: session.mode ?? '',
    mode_state: session.modeState ?? {},
    user_message: await toRow(store, scope, input),
    responses: [...answers, ...failures],
  }
}

const pageSize = 200

/** Oldest first. */
async function readRounds(deps: RoomDeps, caller: Caller, run: ChatAnswer['run']): Promise<Round[]> {
  const rounds: Round[] = []
  for (let cursor: string | undefined; ;) {
    const filter = { run: run.id, limit: pageSize, cursor, limits: { pageSize } }
    const page = await listRounds(deps.store, deps, caller, run.sessionId, filter)
    rounds.push(...page.items)
    if (page.nextCursor === null) return rounds.toReversed()
    cursor = page.nextCursor
  }
}

interface AnswerMetadata extends RoomMessageMetadata {
  /** The run in which the agent said it. */
  runId?: string
  usage?: { inputTokens?: number; outputTokens?: number }
  error?: { code: string; message?: string }
}

async function toRow(store: StoreOperations, scope: string, message: Message): Promise<Row> {
  const { agent, from = defaultHuman, runId, usage, error } = (message.metadata ?? {}) as AnswerMetadata
  const isUser = message.role === 'user'
  return {
    ...emptyRow,
    id: message.id,
    sender: isUser ? from : (agent ?? 'room'),
    sender_type: isUser ? 'user' : 'cat',
    cat_name: agent ?? null,
    text: messageText(message),
    ts: message.createdAt,
    ...(runId !== undefined && !isUser && (await readCall(store, scope, runId))),
    input_tokens: usage?.inputTokens ?? null,
    output_tokens: usage?.outputTokens ?? null,
    ...(error && { error: error.message ?? error.code }),
  }
}

const emptyRow = {
  provider: null,
  model: null,
  duration_ms: null,
  input_tokens: null,
  output_tokens: null,
  cost_usd: null,
}

/** Agents that failed without a message; private turns stay private. */
function findFailures(rounds: readonly Round[], messages: readonly Message[]): Row[] {
  const answered = new Set(
    messages.map(({ metadata }) => `${String(metadata?.round)} ${String(metadata?.agent)}`),
  )
  return rounds.flatMap((round) =>
    round.turns
      .filter(
        (turn) => turn.status === 'failed' && !turn.private && !answered.has(`${round.number} ${turn.agent}`),
      )
      .map((turn) => toFailure(round, turn)),
  )
}

const toFailure = (round: Round, { agent, runId, error }: RoundTurn): Row => ({
  ...emptyRow,
  id: runId ?? `${round.runId}-${agent}`,
  sender: agent,
  sender_type: 'cat',
  cat_name: agent,
  text: '',
  ts: round.finishedAt ?? round.createdAt,
  error: error?.message ?? error?.code ?? 'failed',
})
