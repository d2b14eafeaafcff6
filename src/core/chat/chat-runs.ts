import type { RunEngine } from '../runs/run-engine.ts'
import type { ChatAnswer } from '../protocol/chat.ts'
import type { RunEvent } from '../protocol/chunk.ts'
import { notFound, ParleyError } from '../protocol/error.ts'
import type { BusyPolicy } from '../runs/busy-policy.ts'
import { replyId, toRunRecord } from '../runs/run-record.ts'
import { checkSettings } from '../sessions/window/window-settings.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { Store, StoreOperations } from '../store/store.ts'
import type { ChatDeps, ChatLimits } from './turn-limits.ts'
import { type RunBounds, sendMessage } from './send-message.ts'
import type { RunKinds } from './input-queue.ts'
import { createSessionTypes, type SessionTypes } from './session-types.ts'
import type { TurnInput } from './turn-input.ts'

export interface Place {
  scope: string
  sessionId: string
  /** Of the key with which it is asked: who speaks where several people do. */
  keyName?: string
}

/** The runs of conversations: takes inputs in, and lets their runs be watched and stopped. Needs nothing that executes them. */
export interface ChatRuns {
  /** Stored when it resolves; `begin` then starts the turn. In a transaction, call it after the commit. */
  admit(
    tx: StoreOperations,
    place: Place,
    input: TurnInput,
    policy?: BusyPolicy,
    bounds?: RunBounds,
  ): Promise<{ run: Run; begin(): void }>
  observe(runId: string, options: { after?: number; signal: AbortSignal }): AsyncGenerator<RunEvent[]>
  /** How many observe a run at the moment. */
  readonly observerCount: number
  /** Waits until the run has finished. */
  answerOf(run: Pick<Run, 'id' | 'scope' | 'sessionId'>, signal: AbortSignal): Promise<ChatAnswer>
  /** Stops the active run of the session; queued runs stay. Returns what it stopped. */
  stopSession(place: Place): Promise<Run | undefined>
  /** Stops this run, whether it is running or queued. */
  stopRun(run: Run): Promise<void>
  /** Executes what waits in this session, in a Parley that takes up nothing by itself. */
  adopt(sessionId: string): void
  /** What is known of the kinds of runs, and of the types of sessions. */
  readonly kinds: RunKinds
  readonly types: SessionTypes
}

export interface ChatRunsDeps extends Pick<ChatDeps, 'requireModel' | 'ids'> {
  store: Store
  engine: RunEngine
  limits: Pick<ChatLimits, 'maxInputCharacters'>
  /** Default: those that every Parley has. */
  types?: SessionTypes
  /** Of a program's own agent: its runs are of another kind. */
  isAgent?: boolean
}

export function createChatRuns(deps: ChatRunsDeps): ChatRuns {
  const { store, engine, ids, types = createSessionTypes(), isAgent = false } = deps
  return {
    async admit(tx, place, input, policy, bounds) {
      // a model that cannot be had is refused before anything is stored
      if (input.model !== undefined) deps.requireModel(input.model)
      if (input.window) checkSettings(input.window)
      requireInputLength(input, deps.limits)
      const means = { ids, engine, types, isAgent }
      const admission = await sendMessage(tx, means, place, input, { policy, bounds })
      return { run: admission.run, begin: () => engine.begin(admission) }
    },

    observe: (runId, options) => engine.observe(runId, options),
    get observerCount() {
      return engine.observerCount
    },

    async answerOf(run, signal) {
      for await (const _ of engine.observe(run.id, { after: Number.MAX_SAFE_INTEGER, signal }));
      const ended = await store.getRun(run.scope, run.id)
      if (!ended) throw notFound('run', run.id)
      const message = await store.getMessage(run.scope, run.sessionId, replyId(run))
      const messages = await engine.kind(ended.kind)?.answers?.(store, ended)
      return { message, ...(messages && { messages }), usage: ended.usage, run: toRunRecord(ended) }
    },

    stopSession: (place) => engine.stopSession(place),
    stopRun: (run) => engine.stopRun(run),
    adopt: (sessionId) => engine.adopt(sessionId),
    kinds: engine,
    types,
  }
}

function requireInputLength(
  { message }: TurnInput,
  { maxInputCharacters }: Pick<ChatLimits, 'maxInputCharacters'>,
): void {
  const length = message.parts.reduce(
    (sum, { type, text }) => sum + (type === 'text' && typeof text === 'string' ? text.length : 0),
    0,
  )
  if (length > maxInputCharacters)
    throw new ParleyError(
      'payload_too_large',
      `The input has ${length} characters; the most is ${maxInputCharacters} (chat.maxInputCharacters). Attach a long text as a file.`,
    )
}
