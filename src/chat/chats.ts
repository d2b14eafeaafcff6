import type { RunEvent } from '../protocol/chunk.ts'
import type { ChatAnswer } from '../protocol/chat.ts'
import { notFound, ParleyError } from '../protocol/error.ts'
import type { Message } from '../protocol/message.ts'
import type { PromptPreview, RunPrompt, SentPrompt } from '../protocol/prompt.ts'
import {
  createInProcessDispatcher,
  type Dispatcher,
  type DispatcherOptions,
  type Execution,
} from '../dispatch/in-process.ts'
import { createEventHub, type EventHub } from '../runs/event-hub.ts'
import type { BusyPolicy } from '../runs/ledger.ts'
import { replyId } from '../runs/reply-id.ts'
import { toRunRecord } from '../runs/run-record.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { Slots } from '../store/queries/claims.ts'
import { checkSettings } from '../sessions/window/settings.ts'
import type { StoreOperations } from '../store/store.ts'
import { afterTurn } from './after-turn.ts'
import { abandonTurn, runTurn } from './chat.ts'
import type { ChatDeps, ChatLimits } from './deps.ts'
import { inspectRun, inspectStep, previewPrompt } from './inspect.ts'
import { sendMessage, type RunBounds } from './send.ts'
import type { TurnInput } from './turn-input.ts'

export interface Place {
  scope: string
  sessionId: string
  /** Of the key with which it is asked: who speaks in a room. */
  keyName?: string
}

/** The conversations of one Parley: takes inputs in, executes their turns, lets them be watched and stopped. */
export interface Chats {
  start(): void
  /** Stored when it resolves; `begin` then sets the turn going. In a transaction, call it after the commit. */
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
  /** Waits until the run is over. */
  answerOf(run: Pick<Run, 'id' | 'scope' | 'sessionId'>, signal: AbortSignal): Promise<ChatAnswer>
  /** Stops the run that goes on in the session; those that wait stay where they are. Answers what it stopped. */
  stopSession(place: Place): Promise<Run | undefined>
  /** Stops this one, whether it goes on or waits. */
  stopRun(run: Run): Promise<void>
  /** Executes what waits in this session, in a Parley that takes up nothing by itself. */
  adopt(sessionId: string): void
  previewPrompt(place: Place): Promise<PromptPreview>
  inspectRun(scope: string, runId: string): Promise<RunPrompt>
  /** One model call of a run, whole. */
  inspectStep(scope: string, runId: string, step: number): Promise<SentPrompt>
  close(graceMs: number): Promise<void>
}

const memoGraceMs = 2_000

const isAgentRun = ({ kind }: Run) => kind === 'agent'

/** Does runs of another kind than turns; see `DispatcherOptions`. */
export type RunExecutor = Pick<DispatcherOptions, 'execute' | 'giveUp'>

export interface ChatsOptions {
  /** Unique to this process: the name under which it holds leases. */
  owner: string
  takesUpRuns: boolean
  /** Lets it execute background runs, so many at once over all nodes. */
  slots?: Slots
  /** Ends background runs whose process died, in place of going on with them. */
  interruptsTasks?: boolean
  /** Who does runs of other kinds, by kind. */
  executors?: Readonly<Record<string, RunExecutor>>
  /** Put around the execution of each run, for those who watch. */
  aroundRun?<T>(execution: Execution, work: () => Promise<T>): Promise<T>
  /** Of a program's own agent: it answers what it was asked itself, and nothing else. */
  isAgent?: boolean
}

export function createChats(
  deps: ChatDeps,
  {
    owner,
    takesUpRuns,
    slots,
    interruptsTasks = false,
    executors = {},
    aroundRun = (_, work) => work(),
    isAgent = false,
  }: ChatsOptions,
): Chats {
  const { store, logger } = deps
  /** What was asked here; of an agent alone, since only it knows who it is. */
  const asked = new Set<string>()
  const hub: EventHub = createEventHub(store, (error) =>
    logger.warn({ err: error }, 'storing events failed, will try again'),
  )
  const dispatcher: Dispatcher = createInProcessDispatcher({
    store,
    hub,
    logger,
    owner,
    takesUpRuns,
    slots,
    claims: isAgent ? isAgentRun : undefined,
    canExecute: (run) =>
      isAgentRun(run)
        ? asked.has(run.id)
        : !isAgent && !(interruptsTasks && run.kind === 'background' && run.attempt > 1),
    leaseMs: deps.limits.leaseMs,
    maxClaims: deps.limits.maxClaims,
    maxTakenUp: deps.limits.maxTakenUp,
    execute: (execution) =>
      aroundRun(execution, async () => {
        const executor = executors[execution.run.kind]
        if (executor) return executor.execute(execution)
        await runTurn(deps, execution).finally(() => asked.delete(execution.run.id))
        if (deps.hooks) void afterTurn(deps, execution.run)
      }),
    giveUp: (execution, reason) =>
      (executors[execution.run.kind]?.giveUp ?? ((...given) => abandonTurn(deps, ...given)))(
        execution,
        reason,
      ),
  })

  return {
    start: () => dispatcher.start(),

    async admit(tx, place, input, policy, bounds) {
      // a model that cannot be had is refused before anything is stored
      if (input.model !== undefined) deps.requireModel(input.model)
      if (input.window) checkSettings(input.window)
      requireInputLength(input, deps.limits)
      const { run, lease, interrupted } = await sendMessage(
        tx,
        { ids: deps.ids, claim: dispatcher.claim, isAgent },
        place,
        input,
        policy,
        bounds,
      )
      return {
        run,
        begin() {
          if (isAgent) asked.add(run.id)
          if (lease) dispatcher.take(run, lease)
          if (interrupted) dispatcher.abort(interrupted.id, 'interrupted by a newer input')
        },
      }
    },

    adopt: (sessionId) => dispatcher.adopt(sessionId),

    observe: (runId, options) => hub.observe(runId, options),

    get observerCount() {
      return hub.observerCount
    },

    async answerOf(run, signal) {
      for await (const _ of hub.observe(run.id, { after: Number.MAX_SAFE_INTEGER, signal }));
      const ended = await store.getRun(run.scope, run.id)
      if (!ended) throw notFound('run', run.id)
      const message = await store.getMessage(run.scope, run.sessionId, replyId(run))
      const messages = ended.kind === 'room' ? await readAnswers(store, ended) : undefined
      return { message, ...(messages && { messages }), usage: ended.usage, run: toRunRecord(ended) }
    },

    async stopSession({ scope, sessionId }) {
      await store.requireSession(scope, sessionId)
      const running = (await store.listOpenRuns(sessionId)).find(({ status }) => status === 'running')
      if (!running) return undefined
      await store.requestStop(scope, running.id, 'stopped')
      dispatcher.abort(running.id, 'stopped')
      return running
    },

    async stopRun({ scope, id }) {
      await store.requestStop(scope, id, 'stopped')
      dispatcher.abort(id, 'stopped')
    },

    previewPrompt: ({ scope, sessionId }) => previewPrompt(deps, scope, sessionId),
    inspectRun: (scope, runId) => inspectRun(store, scope, runId),
    inspectStep: (scope, runId, step) => inspectStep(deps, scope, runId, step),

    async close(graceMs) {
      await dispatcher.stop(graceMs)
      // a memo that is not finished is made at the next turn
      await deps.windows.stop(Math.min(graceMs, memoGraceMs))
      await hub.stop()
    },
  }
}

function requireInputLength({ message }: TurnInput, { maxInputCharacters }: ChatLimits): void {
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

/** What was answered in a room, as its run told at its end. */
async function readAnswers(store: StoreOperations, { scope, sessionId, outcome }: Run): Promise<Message[]> {
  const { messageIds = [] } = (outcome ?? {}) as { messageIds?: string[] }
  const found = await Promise.all(messageIds.map((id) => store.getMessage(scope, sessionId, id)))
  return found.filter((message) => message !== undefined)
}
