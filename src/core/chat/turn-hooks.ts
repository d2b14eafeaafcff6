/**
 * What other parts of Parley do around a turn. Each part contributes its own set; they are called in the order in which
 * they are listed, and none replaces another.
 */
import type { Logger } from 'pino'
import type { ModelRequest, Usage } from '../models/adapter.ts'
import type { Part } from '../protocol/message.ts'
import type { Session } from '../protocol/session.ts'
import type { InboxItem } from '../store/queries/inbox.ts'
import type { MessageToAppend } from '../store/queries/messages.ts'
import type { FinalStatus, Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Reply } from './stream-reply.ts'

/** What one part contributes; what it leaves out, it does not affect. */
export interface TurnHooks {
  /** A run begins, or resumes with another owner. Several: each. What throws fails the run. */
  onBegin?(session: Session, run: Run): Promise<void>
  /** Why the turn must not begin; not asked once a model call of it is stored. Several: the first that answers. */
  refuse?(
    run: Run,
    parts: readonly Part[],
    signal: AbortSignal,
  ): Promise<{ code: string; message: string } | undefined>
  /** A model is about to be asked, with exactly this. Several: each. What throws fails the run. */
  beforeModelCall?(call: StartedModelCall, signal: AbortSignal): Promise<void>
  /** It has answered, or failed to. Nothing waits for it; what throws is logged. */
  afterModelCall?(call: FinishedModelCall): Promise<void>
  /** What the model has to be reminded of before its answer counts as the end. Several: the first that returns something. */
  nudge?(run: Run, parts: readonly Part[]): string | undefined
  /** Why the turn must not continue. Several: the first that returns something. */
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
  /** The end is stored, whatever it is. Nothing waits for it; what throws is logged. */
  turnEnded?(ended: EndedTurn & { usage: Usage }): Promise<void>
  /**
   * When the answer is out: work that starts from the turn and is not part of it. Several: each, one after another. What
   * throws is logged, and the others are called all the same.
   */
  afterTurn?(session: Session, run: Run): Promise<void>
}

export interface StartedModelCall {
  run: Run
  /** Counted from 1 in each turn. */
  step: number
  model: string
  request: ModelRequest
}

export interface FinishedModelCall extends StartedModelCall {
  finishReason: Reply['reason']
  usage: Usage
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

type OnlyWhereUsed = 'refuse' | 'beforeModelCall' | 'afterModelCall' | 'turnEnded'

/** All contributions as one. */
export interface JoinedHooks extends Required<Omit<TurnHooks, 'afterTurn' | OnlyWhereUsed>> {
  /** These are there only where a part has one: a turn does nothing for them otherwise. The last two never reject. */
  readonly refuse?: TurnHooks['refuse']
  readonly beforeModelCall?: TurnHooks['beforeModelCall']
  readonly afterModelCall?: (call: FinishedModelCall) => Promise<void>
  readonly turnEnded?: (ended: EndedTurn & { usage: Usage }) => Promise<void>
  /** When the answer is out; what fails here is logged and nothing more. */
  afterTurn(store: StoreOperations, run: Run): Promise<void>
}

export function joinTurnHooks(contributions: readonly TurnHooks[], logger: Logger): JoinedHooks {
  const refusals = contributions.flatMap(({ refuse }) => refuse ?? [])
  const before = contributions.flatMap(({ beforeModelCall }) => beforeModelCall ?? [])
  const after = contributions.flatMap(({ afterModelCall }) => afterModelCall ?? [])
  const afterEnd = contributions.flatMap(({ turnEnded }) => turnEnded ?? [])
  const notify =
    <Given extends { run: Run }>(listeners: readonly ((given: Given) => Promise<void>)[]) =>
    async (given: Given) => {
      for (const listener of listeners)
        try {
          await listener(given)
        } catch (error) {
          logger.warn({ err: error, runId: given.run.id }, 'a hook beside a turn failed; the turn did not')
        }
    }
  return {
    ...(refusals.length > 0 && {
      async refuse(run: Run, parts: readonly Part[], signal: AbortSignal) {
        for (const refuse of refusals) {
          const reason = await refuse(run, parts, signal)
          if (reason) return reason
        }
        return undefined
      },
    }),
    ...(before.length > 0 && {
      async beforeModelCall(call: StartedModelCall, signal: AbortSignal) {
        for (const hook of before) await hook(call, signal)
      },
    }),
    ...(after.length > 0 && { afterModelCall: notify(after) }),
    ...(afterEnd.length > 0 && { turnEnded: notify(afterEnd) }),
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
      for (const hooks of contributions) {
        if (!hooks.afterTurn) continue
        try {
          const session = await store.getSession(run.scope, run.sessionId)
          if (session) await hooks.afterTurn(session, run)
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
