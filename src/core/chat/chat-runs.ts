import type { RunEngine } from '../runs/run-engine.ts'
import type { ChatAnswer } from '../protocol/chat.ts'
import type { AwaitingChunk, RunEvent } from '../protocol/chunk.ts'
import { invalidRequest, notFound, ParleyError } from '../protocol/error.ts'
import type { BusyPolicy } from '../runs/busy-policy.ts'
import { outputOf } from '../protocol/output.ts'
import { replyId, toRunRecord } from '../runs/run-record.ts'
import { checkSettings } from '../sessions/window/window-settings.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { Store, StoreOperations } from '../store/store.ts'
import type { ChatDeps, ChatLimits } from './turn-limits.ts'
import { useToolName } from '../tools/call-through.ts'
import { checkCallerTools } from '../tools/caller-tools.ts'
import type { ToolRegistry } from '../tools/tool-registry.ts'
import { type RunBounds, sendMessage } from './send-message.ts'
import type { RunKinds } from './input-queue.ts'
import { createSessionTypes, type SessionTypes } from './session-types.ts'
import { checkParameters, type ParameterMeans } from './turn-parameters.ts'
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
  /** Waits until the run has finished, or waits for results of whoever sent the input. */
  answerOrCalls(
    run: Pick<Run, 'id' | 'scope' | 'sessionId'>,
    input: Pick<TurnInput, 'callerTools'>,
    signal: AbortSignal,
  ): Promise<ChatAnswer>
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

export interface ChatRunsDeps extends Pick<ChatDeps, 'ids'>, ParameterMeans {
  store: Store
  engine: RunEngine
  limits: Pick<ChatLimits, 'maxInputCharacters'>
  /** Those that every turn may have, read when an input comes. Default: none. */
  tools?: Pick<ToolRegistry, 'find' | 'list'>
  /** Default: those that every Parley has. */
  types?: SessionTypes
  /** Of a program's own agent: its runs are of another kind. */
  isAgent?: boolean
}

export function createChatRuns(deps: ChatRunsDeps): ChatRuns {
  const { store, engine, ids, types = createSessionTypes(), isAgent = false, tools = noTools } = deps
  const answerOf: ChatRuns['answerOf'] = async (run, signal) => {
    for await (const _ of engine.observe(run.id, { after: Number.MAX_SAFE_INTEGER, signal }));
    const ended = await store.getRun(run.scope, run.id)
    if (!ended) throw notFound('run', run.id)
    const message = await store.getMessage(run.scope, run.sessionId, replyId(run))
    const messages = await engine.kind(ended.kind)?.answers?.(store, ended)
    const record = toRunRecord(ended)
    const output = outputOf(record, message)
    return {
      message,
      ...(messages && { messages }),
      ...(output !== undefined && { output }),
      usage: ended.usage,
      run: record,
    }
  }
  return {
    async admit(tx, place, input, policy, bounds) {
      // a model that cannot be had is refused before anything is stored
      if (input.model !== undefined) deps.requireModel(input.model)
      if (input.window) checkSettings(input.window)
      checkParameters(input, deps)
      const own = input.parameters ? 'parameters' : input.output ? 'output' : undefined
      if (own !== undefined && policy === 'steer')
        throw invalidRequest(
          `"${own}" goes with a turn of its own: an input with the policy "steer" can become part of a running one.`,
        )
      requireInputLength(input, deps.limits)
      if (input.callerTools) checkTools(input, policy, tools)
      const { requireModel, adapterNames, windows } = deps
      const means = { ids, engine, types, isAgent, requireModel, adapterNames, windows }
      const admission = await sendMessage(tx, means, place, input, { policy, bounds })
      return { run: admission.run, begin: () => engine.begin(admission) }
    },

    observe: (runId, options) => engine.observe(runId, options),
    get observerCount() {
      return engine.observerCount
    },

    async answerOrCalls(run, { callerTools }, signal) {
      if (!callerTools && !tools.list().some(({ isAwaited }) => isAwaited)) return answerOf(run, signal)
      for await (const events of engine.observe(run.id, { signal })) {
        const chunk = events.findLast((event) => event.chunk.type === 'data-awaiting')?.chunk
        if (!chunk) continue
        const filter = { status: 'waiting' as const, runId: run.id, limit: maxCalls }
        // they may have been answered since
        const { items } = await store.listAwaitedCalls(run.scope, filter)
        const now = items.length > 0 ? await store.getRun(run.scope, run.id) : undefined
        const { calls } = (chunk as AwaitingChunk).data
        // in the order in which the model made them
        const awaiting = calls.flatMap(({ id }) => items.find((item) => item.id === id) ?? [])
        if (now) return { awaiting, run: toRunRecord(now) }
      }
      return answerOf(run, signal)
    },
    answerOf,

    stopSession: (place) => engine.stopSession(place),
    stopRun: (run) => engine.stopRun(run),
    adopt: (sessionId) => engine.adopt(sessionId),
    kinds: engine,
    types,
  }
}

const noTools = { find: () => undefined, list: () => [] }

// of one step, far more than models make
const maxCalls = 1_000

/** A message for a turn that is running cannot bring tools: that turn has its own. */
function checkTools(
  { callerTools = [], hasBuiltInTools = true }: TurnInput,
  policy: BusyPolicy | undefined,
  tools: NonNullable<ChatRunsDeps['tools']>,
): void {
  if (policy === 'steer')
    throw invalidRequest('"tools" go with an input of its own; use another "policy" than "steer".')
  checkCallerTools(callerTools, (name) => {
    const known = tools.find(name)
    return known?.endsTurn === true || (hasBuiltInTools && (known !== undefined || name === useToolName))
  })
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
