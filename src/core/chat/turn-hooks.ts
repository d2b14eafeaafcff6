/**
 * What other parts of Parley do around a turn. Each part contributes its own set; they are called in the order in which
 * they are listed, and none replaces another.
 */
import type { Logger } from 'pino'
import type { Part } from '../protocol/message.ts'
import type { Session } from '../protocol/session.ts'
import type { InboxItem } from '../store/queries/inbox.ts'
import type { MessageToAppend } from '../store/queries/messages.ts'
import type { FinalStatus, Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import type { TurnInput } from './turn-input.ts'

/** What one part contributes; what it leaves out, it has no say in. */
export interface TurnHooks {
  /**
   * What is remembered and fits the input; left out with `skipMemory`. Of a run that used some, it answers the same.
   * Several: one after another. What throws is logged, and the turn does without it.
   */
  readMemories?(session: Session, input: TurnInput, run: Run): Promise<ReadMemory[]>
  /**
   * In the transaction of the first step: what was sent along counts as used. Several: each with all ids, of which it
   * leaves alone those it does not know. What throws fails the transaction.
   */
  useMemories?(tx: StoreOperations, run: Run, ids: readonly string[]): Promise<void>
  /** A run begins, or goes on in other hands. Several: each. What throws fails the run. */
  onBegin?(session: Session, run: Run): Promise<void>
  /** What the model has to be told before its answer counts as the end. Several: the first that answers. */
  nudge?(run: Run, parts: readonly Part[]): string | undefined
  /** Why the turn must not go on. Several: the first that answers. */
  verdict?(run: Run, parts: readonly Part[]): { code: string; message: string } | undefined
  /** In the transaction of the end. Several: each. What throws fails the transaction. */
  onEnd?(tx: StoreOperations, ended: EndedTurn): Promise<void>
  /**
   * Of a turn that records a pair: what of it enters the log, in place of both messages as they are. Several: the first
   * that answers. What throws fails the turn.
   */
  toRecord?(
    session: Session,
    input: MessageToAppend,
    reply: MessageToAppend,
  ): Promise<MessageToAppend[] | undefined>
  /**
   * Learns from the turn that just ended; left out with `skipPerRoundExtract`. Several: each, of this as of the next two.
   * What throws is logged, and the others are called all the same.
   */
  extractRound?(session: Session, run: Run): Promise<void>
  /** Learns from a stretch of the conversation; left out with `skipNarrativeBatchExtract`. */
  extractNarrative?(session: Session, run: Run): Promise<void>
  /** Learns from documents that were changed; left out with `skipDocumentExtract`. */
  extractDocuments?(session: Session, run: Run): Promise<void>
}

interface ReadMemory {
  id?: string
  text: string
  kind: string
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

/** All contributions as one. */
export interface JoinedHooks extends Required<
  Omit<TurnHooks, 'extractRound' | 'extractNarrative' | 'extractDocuments'>
> {
  /** When the answer is out; what fails here is logged and nothing more. */
  afterTurn(store: StoreOperations, run: Run): Promise<void>
}

export function joinTurnHooks(contributions: readonly TurnHooks[], logger: Logger): JoinedHooks {
  return {
    async readMemories(session, input, run) {
      const found: ReadMemory[] = []
      for (const hooks of contributions)
        try {
          found.push(...((await hooks.readMemories?.(session, input, run)) ?? []))
        } catch (error) {
          logger.warn({ err: error }, 'memories could not be read; the turn goes on without')
        }
      return found
    },
    async useMemories(tx, run, ids) {
      for (const hooks of contributions) await hooks.useMemories?.(tx, run, ids)
    },
    async onBegin(session, run) {
      for (const hooks of contributions) await hooks.onBegin?.(session, run)
    },
    nudge: (run, parts) => firstOf(contributions, (hooks) => hooks.nudge?.(run, parts)),
    verdict: (run, parts) => firstOf(contributions, (hooks) => hooks.verdict?.(run, parts)),
    async onEnd(tx, ended) {
      for (const hooks of contributions) await hooks.onEnd?.(tx, ended)
    },
    async toRecord(session, input, reply) {
      for (const hooks of contributions) {
        const recorded = await hooks.toRecord?.(session, input, reply)
        if (recorded) return recorded
      }
      return undefined
    },
    async afterTurn(store, run) {
      const input = run.input as TurnInput
      const wanted = [
        ...(input.skipPerRoundExtract ? [] : ['extractRound' as const]),
        ...(input.skipNarrativeBatchExtract ? [] : ['extractNarrative' as const]),
        ...(input.skipDocumentExtract ? [] : ['extractDocuments' as const]),
      ]
      for (const name of wanted)
        for (const hooks of contributions) {
          if (!hooks[name]) continue
          try {
            const session = await store.getSession(run.scope, run.sessionId)
            if (session) await hooks[name](session, run)
          } catch (error) {
            logger.warn({ err: error, runId: run.id }, 'work after a turn failed; the turn did not')
          }
        }
    },
  }
}

function firstOf<Hooks, Answer>(
  contributions: readonly Hooks[],
  ask: (hooks: Hooks) => Answer | undefined,
): Answer | undefined {
  for (const hooks of contributions) {
    const answer = ask(hooks)
    if (answer !== undefined) return answer
  }
  return undefined
}
