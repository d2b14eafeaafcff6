/**
 * The windows of sessions: what of a log the model sees, when that is cut back, and what is kept of the rest. The log
 * never changes. What is done to the window of one session is done one thing after another.
 */
import type { Logger } from 'pino'
import type { ModelAdapter, Usage } from '../../models/adapter.ts'
import { mergeParameters } from '../../models/parameters.ts'
import { invalidRequest } from '../../protocol/error.ts'
import type { ParameterSettings } from '../../protocol/parameters.ts'
import type { Session } from '../../protocol/session.ts'
import type { ScopeSettings } from '../../protocol/settings.ts'
import type { MemoVersion, Resize, WindowSettings, WindowView } from '../../protocol/window.ts'
import type { WindowMessage } from '../../store/queries/messages.ts'
import type { TurnStart } from '../../store/queries/turn-start.ts'
import type { Store, StoreOperations } from '../../store/store.ts'
import { addSizes, sizeOf } from './cut-window.ts'
import { createLogCopies } from './log-copies.ts'
import { checkHandlers, mergeHandlers, type WindowHandlers } from './window-handlers.ts'
import { type Decision, defaultPolicy, forced } from './resize-policy.ts'
import {
  asksSomebody,
  findLeft,
  isFarOver,
  isOverLimit,
  type LeftMessages,
  type Reading,
  readWindow,
  toSized,
} from './read-window.ts'
import { type Measured, measureTokens } from './measure-messages.ts'
import { decideResize, foresee, resizeNow, resizeWhenDue } from './resize.ts'
import { checkSettings, type EffectiveWindow, mergeSettings, resolveWindow } from './window-settings.ts'
import { shorten } from './shorten-message.ts'
import type { MemoDeps } from './take-into-memo.ts'

export interface WindowsOptions {
  store: Store
  logger: Logger
  requireModel(id: string | undefined): ModelAdapter
  /** What holds for sessions without settings of their own. */
  settings?: WindowSettings
  /** The same for what models are asked with. */
  parameters?: ParameterSettings
  /** What holds for sessions of a type, where nobody set anything. */
  presetOf?(session: Partial<Session>): WindowSettings | undefined
  /** What is set for a scope, or is known of it already; goes before `settings`. Default: nothing. */
  scopeSettings?(tx: StoreOperations, scope: string, known?: ScopeSettings): Promise<ScopeSettings>
  /** Of one program that uses sessions of others; goes before what is set for the scope. */
  own?: WindowSettings
  handlers?: WindowHandlers
  /** Of an agent, whose inputs enter the log with their answers: limits of messages do not count what is being asked. */
  recordsPairs?: boolean
  /** Of one session; goes before those of all. */
  handlersFor?(sessionId: string): WindowHandlers | undefined
  /** What a model can take in, in tokens; undefined where that is not known. Default: of none. */
  contextWindowOf?(model: string | undefined): number | undefined | Promise<number | undefined>
  /** What a memo update cost; undefined when its model has no price. */
  costOf?(model: string, usage: Usage): number | undefined
}

/** What the model is to see of a session. */
export interface OpenWindow {
  startSeq: number
  /** Oldest first; one that alone is over the limit is shortened. */
  messages: WindowMessage[]
  memo?: MemoVersion
  /** What left the window and is not in the memo yet, by its first words. */
  left?: LeftMessages
  /** It is sent although it is over its limits; the resize follows the answer. */
  isOverLimit: boolean
  /** For `afterTurn`. */
  judged: Pick<Reading, 'size' | 'turns' | 'turnsSinceResize' | 'effective' | 'state'>
}

/** The window settings of a single call. */
export type CallWindow = WindowSettings &
  Pick<EffectiveWindow, 'rounds'> & {
    /** The model of the call, where that is not the session's. */
    sentTo?: string
  }

export interface Windows {
  /**
   * Resizes first when that is due, and waits for a resize that is under way. `question` is an input that is not in the log
   * yet; what it has of characters and tokens counts as well.
   */
  open(
    session: Session,
    call?: CallWindow,
    handlers?: WindowHandlers,
    question?: WindowMessage,
  ): Promise<OpenWindow>
  /**
   * For a turn, whose answer is not to wait for a memo or a handler: what needs one is resized after the turn, unless the
   * window is far over its limits. `question` as above.
   */
  openTurn(
    start: Pick<TurnStart, 'session' | 'settings'>,
    call?: CallWindow,
    question?: WindowMessage,
    handlers?: WindowHandlers,
  ): Promise<OpenWindow>
  /** What the next turn would be sent before its input, without resizing anything. */
  peek(session: Session): Promise<OpenWindow>
  /** Resizes in the background when what the turn added, or the next input, makes it due. Never throws. */
  afterTurn(session: Session, opened: OpenWindow, added: readonly Measured[], handlers?: WindowHandlers): void
  /** Waits for background work of a session. */
  settled(sessionId: string): Promise<void>
  /** Whether a resize is due, and which. */
  judge(session: Session, force?: string | true, handlers?: WindowHandlers): Promise<Decision | undefined>
  /** Resizes now; the memo takes in all that it has not yet. Throws when that fails, and changes nothing then. */
  resize(session: Session, force?: string | true, handlers?: WindowHandlers): Promise<Resize>
  view(session: Session, tx?: StoreOperations, handlers?: WindowHandlers): Promise<WindowView>
  effective(session: Session, tx?: StoreOperations): Promise<EffectiveWindow>
  /** What turns of a session are asked with that name nothing else, as it is set when they begin. */
  settingsOf(
    tx: StoreOperations,
    start: Pick<TurnStart, 'session' | 'settings'>,
  ): Promise<Pick<EffectiveWindow, 'model' | 'parameters'>>
  /** Of sessions in a scope without settings of their own. */
  viewScope(scope: string, tx?: StoreOperations): Promise<WindowView['effective']>
  /** Waits for background work; stops it after a while. */
  stop(graceMs: number): Promise<void>
}

/** What the memo of a session has to keep to. */
export type MemoRules = Pick<Windows, 'effective'>

const shownResizes = 20

export function createWindows(options: WindowsOptions): Windows {
  const { store, logger, requireModel, costOf } = options
  const settings = options.settings && checkSettings(options.settings)
  const ownSettings = options.own && checkSettings(options.own)
  if (options.handlers) checkHandlers(options.handlers)
  /** Every turn begins with an input, whose length is not known yet. */
  const nextInputs = options.recordsPairs ? [] : [{ role: 'user', chars: 0, tokens: 0 }]
  /** What is done to a session's window, one thing after another. */
  const lines = new Map<string, Promise<unknown>>()
  const stopping = new AbortController()
  const copies = createLogCopies()
  const deps: MemoDeps = { store, copies, logger, requireModel, costOf, stopping: stopping.signal }

  function inLine<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    const result = (lines.get(sessionId) ?? Promise.resolve()).then(work)
    const settled = result.catch(() => {})
    lines.set(sessionId, settled)
    void settled.then(() => {
      if (lines.get(sessionId) === settled) lines.delete(sessionId)
    })
    return result
  }

  async function effectiveOf(
    session: Pick<Session, 'scope' | 'model' | 'parameters' | 'window'> & Partial<Session>,
    { rounds, sentTo, ...call }: CallWindow = {},
    tx: StoreOperations = store,
    known?: ScopeSettings,
  ): Promise<EffectiveWindow> {
    const ofScope = await options.scopeSettings?.(tx, session.scope, known)
    const model = session.model ?? ofScope?.model
    const set = mergeSettings(
      settings,
      ofScope?.window,
      ownSettings,
      options.presetOf?.(session),
      session.window,
      call,
    )
    const effective = resolveWindow(set)
    return {
      ...effective,
      ...(set.limit?.tokens === undefined &&
        limitByModel(effective, await options.contextWindowOf?.(sentTo ?? model))),
      ...(rounds && { rounds }),
      ...(model !== undefined && { model }),
      parameters: mergeParameters(options.parameters, ofScope?.parameters, session.parameters),
    }
  }
  const handlersOf = ({ id }: Session, own: WindowHandlers | undefined): WindowHandlers =>
    mergeHandlers(options.handlers, options.handlersFor?.(id), own)

  async function toOpen(session: Session, reading: Reading): Promise<OpenWindow> {
    const { messages, memo, size, turns, turnsSinceResize, effective, state } = reading
    const startSeq = startOf(reading)
    return {
      startSeq,
      messages,
      ...(memo && { memo }),
      left: effective.hasMemo
        ? await findLeft(store, session, { throughSeq: memo?.throughSeq ?? 0, startSeq })
        : undefined,
      isOverLimit: isOverLimit(reading),
      judged: { size, turns, turnsSinceResize, effective, state },
    }
  }

  return {
    effective: (session, tx) => effectiveOf(session, undefined, tx),
    settingsOf: (tx, { session, settings: known }) => effectiveOf(session, undefined, tx, known),

    viewScope: async (scope, tx) => toEffectiveView(await effectiveOf({ scope }, undefined, tx)),

    open: (session, call, own, question) =>
      inLine(session.id, async () => {
        const effective = await effectiveOf(session, call)
        const ahead = sizeAhead(question, effective)
        const reading = await resizeWhenDue(deps, session, effective, handlersOf(session, own), { ahead })
        return toOpen(session, reading)
      }),

    async openTurn({ session, settings: ofScope }, call, question, own) {
      const handlers = handlersOf(session, own)
      const effective = await effectiveOf(session, call, store, ofScope)
      const ahead = sizeAhead(question, effective)
      if (asksSomebody(effective, handlers)) {
        const reading = await readWindow({ tx: store, copies }, session, effective, handlers, ahead)
        const isUrgent = reading.state.stopped === undefined ? isFarOver(reading) : isOverLimit(reading)
        if (!isUrgent) return toOpen(session, reading)
      }
      return inLine(session.id, async () =>
        toOpen(session, await resizeWhenDue(deps, session, effective, handlers, { ahead })),
      )
    },

    async peek(session) {
      const handlers = handlersOf(session, undefined)
      const reading = await readWindow({ tx: store, copies }, session, await effectiveOf(session), handlers)
      return toOpen(session, foresee(reading, handlers, nextInputs))
    },

    afterTurn(session, { judged }, added, own) {
      const handlers = handlersOf(session, own)
      const { effective, state } = judged
      const more = sizeOf(added.map((message) => toSized(message, effective)))
      const turns = judged.turns + added.filter(({ role }) => role === 'user').length
      const ahead = sizeOf(nextInputs)
      const size = addSizes(addSizes(judged.size, more), ahead)
      const now = { size, doneTurns: turns, turnsSinceResize: judged.turnsSinceResize + 1 }
      // most turns end here, without reading the log again
      const isDue = handlers.policyHandler
        ? state.stopped === undefined
        : turns > 1 && defaultPolicy(now, effective) !== undefined
      if (!isDue || stopping.signal.aborted) return
      inLine(session.id, () => resizeWhenDue(deps, session, effective, handlers, { ahead })).catch(
        (error: unknown) =>
          logger.warn(
            { err: error, sessionId: session.id },
            'the window was not resized; a later turn will do it',
          ),
      )
    },

    settled: async (sessionId) => void (await lines.get(sessionId)),

    judge: async (session, force, own) => {
      if (force !== undefined) return forced(force)
      const handlers = handlersOf(session, own)
      const reading = await readWindow({ tx: store, copies }, session, await effectiveOf(session), handlers)
      return decideResize(deps, session, reading, handlers)
    },

    resize: (session, force = true, own) =>
      inLine(session.id, async () => {
        const handlers = handlersOf(session, own)
        const reading = await readWindow({ tx: store, copies }, session, await effectiveOf(session), handlers)
        if (reading.messages.length === 0) throw invalidRequest('The session has no messages yet.')
        return resizeNow(deps, session, reading, { decision: forced(force), handlers, isForced: true })
      }),

    async view(session, tx = store, own) {
      const effective = await effectiveOf(session, undefined, tx)
      const handlers = handlersOf(session, own)
      const reading = foresee(await readWindow({ tx }, session, effective, handlers), handlers, nextInputs)
      return {
        settings: session.window ?? {},
        effective: toEffectiveView(effective),
        startSeq: startOf(reading),
        messages: reading.size.messages,
        chars: reading.size.chars,
        tokens: reading.messages.reduce((sum, message) => sum + measureTokens(message), 0),
        turnsSinceResize: reading.turnsSinceResize,
        logMessages: reading.state.lastSeq,
        stopped: reading.state.stopped,
        resizes: await tx.listResizes(session.id, shownResizes),
      }
    },

    async stop(graceMs) {
      const all = Promise.all(lines.values())
      const timer = setTimeout(() => stopping.abort(new Error('the server stops')), graceMs)
      await all
      clearTimeout(timer)
      stopping.abort(new Error('the server stops'))
      copies.clear()
    },
  }
}

// the rest is for what stands before the conversation, for tools, and for the answer
const conversationShare = 0.7

/** What fits into the model counts where nobody set a number of tokens, and where characters are not the tighter limit. */
function limitByModel(
  { maxChars }: Pick<EffectiveWindow, 'maxChars'>,
  contextWindow: number | undefined,
): Pick<EffectiveWindow, 'maxTokens'> | undefined {
  if (contextWindow === undefined) return undefined
  const maxTokens = Math.floor(contextWindow * conversationShare)
  return maxChars > 0 && maxTokens >= maxChars ? undefined : { maxTokens }
}

const sizeAhead = (question: WindowMessage | undefined, effective: EffectiveWindow) =>
  question && { ...sizeOf([toSized(shorten(question, effective), effective)]), messages: 0 }

const startOf = ({ messages, state }: Reading) => messages[0]?.seq ?? state.lastSeq + 1

function toEffectiveView(effective: EffectiveWindow): WindowView['effective'] {
  const { mode, hasMemo, maxChars, maxMessages, maxTokens, everyNTurns, rounds } = effective
  return { mode, memo: hasMemo, maxChars, maxMessages, maxTokens, everyNTurns, rounds }
}
