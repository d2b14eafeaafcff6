import type { Logger } from 'pino'
import { messageText } from '../protocol/message-text.ts'
import type { Part } from '../protocol/message.ts'
import { toTimestamp } from '../protocol/names.ts'
import type { Session } from '../protocol/session.ts'
import type { Clock } from '../shared/clock.ts'
import type { Ids } from '../shared/ids.ts'
import type { InboxItem } from '../store/queries/inbox.ts'
import type { MessageToAppend } from '../store/queries/messages.ts'
import type { FinalStatus, Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import type { TurnInput } from './turn-input.ts'

/** What other parts of Parley do around a turn. None of it can fail the turn. */
export interface TurnHooks {
  /** What is remembered and fits the input; left out with `skipMemory`. Of a run that used some, it answers the same. */
  readMemories?(
    session: Session,
    input: TurnInput,
    run: Run,
  ): Promise<{ id?: string; text: string; kind: string }[]>
  /** In the transaction of the first step: what was sent along counts as used. */
  useMemories?(tx: StoreOperations, run: Run, ids: readonly string[]): Promise<void>
  /** A run begins, or goes on in other hands. */
  onBegin?(session: Session, run: Run): Promise<void>
  /** What the model has to be told before its answer counts as the end. */
  nudge?(run: Run, parts: readonly Part[]): string | undefined
  /** Why the turn must not go on. */
  verdict?(run: Run, parts: readonly Part[]): { code: string; message: string } | undefined
  /** In the transaction of the end. */
  onEnd?(tx: StoreOperations, ended: EndedTurn): Promise<void>
  /** Of a turn that records a pair: what of it enters the log, in place of both messages as they are. */
  toRecord?(session: Session, input: MessageToAppend, reply: MessageToAppend): Promise<MessageToAppend[]>
  /** Learns from the turn that just ended; left out with `skipPerRoundExtract`. */
  extractRound?(session: Session, run: Run): Promise<void>
  /** Learns from a stretch of the conversation; left out with `skipNarrativeBatchExtract`. */
  extractNarrative?(session: Session, run: Run): Promise<void>
  /** Learns from documents that were changed; left out with `skipDocumentExtract`. */
  extractDocuments?(session: Session, run: Run): Promise<void>
}

export interface EndedTurn {
  session: Session
  run: Run
  status: FinalStatus
  code: string
  message?: string
  parts: readonly Part[]
  /** Results that came and were not taken in. */
  unread?: readonly InboxItem[]
}

const maxTitle = 60
const maxPreview = 200

/** What is stored with the end of a turn beside its answer: where one can go back to, and a first title. */
export async function recordTurn(
  tx: StoreOperations,
  { clock, ids }: { clock: Clock; ids: Ids },
  session: Session,
  input: TurnInput,
  messageSeq: number,
): Promise<void> {
  const text = messageText(input.message).replace(/\s+/g, ' ').trim()
  if (!input.skipCheckpoint)
    await tx.addCheckpoints(session.id, [
      {
        id: ids.next('cp'),
        messageSeq,
        userMessage: text.slice(0, maxPreview).toWellFormed(),
        completed: true,
        fileChanges: [],
        createdAt: toTimestamp(clock.now()),
      },
    ])
  if (!input.skipSummary && session.title === '' && text !== '')
    await tx.updateSession(session.scope, session.id, { title: toTitle(text) })
}

/** One line; control characters have no place in it. */
const toTitle = (text: string) => [...text.replaceAll(/\p{Cc}/gu, ' ')].slice(0, maxTitle).join('').trim()

/** Tells those who follow the scope. Last in its transaction: others wait for the row of the scope. */
export async function tellRun(
  tx: StoreOperations,
  { id, scope, sessionId }: Pick<Run, 'id' | 'scope' | 'sessionId'>,
  type: 'run-started' | 'run-finished',
  data: Record<string, unknown> = {},
): Promise<void> {
  await tx.recordEvent(scope, { type, sessionId, data: { runId: id, ...data } })
}

/** Runs when the answer is out; what fails here is logged and nothing more. */
export async function afterTurn(
  { store, hooks = {}, logger }: { store: StoreOperations; hooks?: TurnHooks; logger: Logger },
  run: Run,
): Promise<void> {
  const input = run.input as TurnInput
  const work = [
    input.skipPerRoundExtract ? undefined : hooks.extractRound,
    input.skipNarrativeBatchExtract ? undefined : hooks.extractNarrative,
    input.skipDocumentExtract ? undefined : hooks.extractDocuments,
  ].filter((hook) => hook !== undefined)
  for (const hook of work) {
    try {
      const session = await store.getSession(run.scope, run.sessionId)
      if (session) await hook(session, run)
    } catch (error) {
      logger.warn({ err: error, runId: run.id }, 'work after a turn failed; the turn did not')
    }
  }
}
