/**
 * The windows of sessions: what of a log the model sees, when that is cut back, and what is kept of the rest.
 *
 * The log never changes. A resize moves the place where the window begins and, with a memo, first has the memo take in
 * what is about to leave; both commit together. When the memo cannot be had and the window is over its limit, it is
 * cut all the same: what left waits (the memo's `throughSeq` stays behind) and is taken in with the next resize.
 */
import type { Logger } from 'pino'
import type { ModelAdapter, Usage } from '../../models/adapter.ts'
import { conflict, invalidRequest, ParleyError, quote } from '../../protocol/error.ts'
import type { Message } from '../../protocol/message.ts'
import { isAboutPlan, isRoom, type Session } from '../../protocol/session.ts'
import type { ScopeSettings } from '../../protocol/settings.ts'
import type { Memo, MemoVersion, Resize, WindowSettings, WindowView } from '../../protocol/window.ts'
import type { WindowMessage } from '../../store/queries/messages.ts'
import type { NewMemoVersion, WindowState } from '../../store/queries/windows.ts'
import type { Store, StoreOperations } from '../../store/store.ts'
import { cutBack, isWithin, sizeOf, turnStarts, type Size, type Sized } from './cut.ts'
import { askHandler, describeThrown, readHandled, type HandlerView, type WindowHandlers } from './handlers.ts'
import { findLeft, type LeftMessages } from './left.ts'
import { measureChars, measureTokens, type Measured } from './measure.ts'
import { memoSize } from './memo-schema.ts'
import { summariseAttachments, updateMemo, type UpdatedMemo } from './memo-update.ts'
import { defaultPolicy, forced, readDecision, type Decision } from './policy.ts'
import { checkSettings, resolveWindow, type EffectiveWindow } from './settings.ts'
import { shorten } from './shorten.ts'

/** A plan is told anew with each input, so little of what was said about it has to be; who comes into a room hears its end. */
function presetOf(session: Partial<Session>): WindowSettings | undefined {
  if (isAboutPlan(session)) return { preset: 'last-10' }
  return isRoom(session) ? { preset: 'last-20' } : undefined
}

export interface WindowsOptions {
  store: Store
  logger: Logger
  requireModel(id: string | undefined): ModelAdapter
  /** What holds for sessions that say nothing else. */
  settings?: WindowSettings
  /** What is set for a scope; goes before `settings`. Default: nothing. */
  scopeSettings?(tx: StoreOperations, scope: string): Promise<ScopeSettings>
  handlers?: WindowHandlers
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
  /** For `afterTurn`. */
  judged: Pick<Reading, 'size' | 'turns' | 'doneTurns' | 'turnsSinceResize' | 'effective' | 'state'>
}

/** What a call says of the window for itself alone. */
export type CallWindow = WindowSettings & Pick<EffectiveWindow, 'rounds'>

export interface Windows {
  /** Resizes first when that is due, and waits for a resize that is under way. */
  open(session: Session, call?: CallWindow, handlers?: WindowHandlers): Promise<OpenWindow>
  /** The same without resizing anything. */
  peek(session: Session): Promise<OpenWindow>
  /** Resizes in the background when the reply makes it due. Never throws. */
  afterTurn(session: Session, opened: OpenWindow, reply: Measured, handlers?: WindowHandlers): void
  /** Whether a resize is due, and which. */
  judge(session: Session, force?: string | true, handlers?: WindowHandlers): Promise<Decision | undefined>
  /** Resizes now; the memo takes in all that it has not yet. Throws when that fails, and changes nothing then. */
  resize(session: Session, force?: string | true, handlers?: WindowHandlers): Promise<Resize>
  view(session: Session, tx?: StoreOperations): Promise<WindowView>
  effective(session: Session, tx?: StoreOperations): Promise<EffectiveWindow>
  /** Of sessions in a scope that say nothing themselves. */
  viewScope(scope: string, tx?: StoreOperations): Promise<WindowView['effective']>
  /** Waits for what goes on in the background; stops it after a while. */
  stop(graceMs: number): Promise<void>
}

const storeTrouble = new Set<string>(['store_unavailable', 'storage_full'])
// one call of a model takes in so much; what leaves a window in one cut is less, as a rule
const minChunk = 20_000
const maxChunk = 200_000
// a log that grew long without a memo is taken in over several resizes
const maxChunks = 8
// a policy only looks
const handlerMs = 5_000
// of a resize that somebody else was in the way of
const maxTries = 3
const shownResizes = 20

interface Reading {
  state: WindowState
  effective: EffectiveWindow
  messages: WindowMessage[]
  sized: Sized[]
  size: Size
  turns: number
  doneTurns: number
  turnsSinceResize: number
  memo: MemoVersion | undefined
}

export function createWindows(options: WindowsOptions): Windows {
  const { store, logger, requireModel } = options
  const settings = options.settings && checkSettings(options.settings)
  /** What is done to a session's window, one thing after another. */
  const lines = new Map<string, Promise<unknown>>()
  const stopping = new AbortController()

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
    session: Pick<Session, 'scope' | 'model' | 'window'> &
      Partial<Pick<Session, 'kind' | 'planId' | 'mode' | 'agents'>>,
    { rounds, ...call }: CallWindow = {},
    tx: StoreOperations = store,
  ): Promise<EffectiveWindow> {
    const ofScope = await options.scopeSettings?.(tx, session.scope)
    const model = session.model ?? ofScope?.model
    return {
      ...resolveWindow(settings, ofScope?.window, presetOf(session), session.window, call),
      ...(rounds && { rounds }),
      ...(model !== undefined && { model }),
    }
  }
  const handlersOf = (own: WindowHandlers | undefined): WindowHandlers => ({ ...options.handlers, ...own })

  async function read(
    session: Session,
    effective: EffectiveWindow,
    handlers: WindowHandlers,
    tx: StoreOperations = store,
  ): Promise<Reading> {
    const state = (await tx.getWindowState(session.id))!
    // more than one over the limit would be cut anyway, unless a handler has the say
    let limit = effective.maxMessages > 0 && !handlers.policyHandler ? effective.maxMessages + 1 : undefined
    let newest = await tx.readWindow(session.id, state.startSeq, limit)
    // the limit fell in the middle of a turn, and a turn belongs together
    while (limit !== undefined && newest.length === limit && newest[0]!.role !== 'user')
      newest = await tx.readWindow(session.id, state.startSeq, (limit *= 2))
    const messages = newest.map((message) => shorten(message, effective))
    const sized = messages.map((message) => toSized(message, effective))
    const turns = turnStarts(messages).length
    return {
      state,
      effective,
      messages,
      sized,
      size: sizeOf(sized),
      turns,
      // the newest one goes on while it has no answer
      doneTurns: turns - (messages.at(-1)?.role === 'user' ? 1 : 0),
      turnsSinceResize: messages.filter(({ role, seq }) => role === 'assistant' && seq > state.resizedSeq)
        .length,
      memo: effective.hasMemo && state.memoVersion > 0 ? await tx.getMemo(session.id) : undefined,
    }
  }

  async function decide(
    session: Session,
    reading: Reading,
    handlers: WindowHandlers,
  ): Promise<Decision | undefined> {
    if (handlers.policyHandler)
      return readDecision(
        await askHandler('policy handler', { timeoutMs: handlerMs, signal: stopping.signal }, () =>
          handlers.policyHandler!(toView(session, reading)),
        ),
      )
    return defaultPolicy(reading, reading.effective)
  }

  /** What the policy asks for, done. Whatever fails, the window ends up within its limit. */
  async function resizeWhenDue(
    session: Session,
    effective: EffectiveWindow,
    handlers: WindowHandlers,
    tries = maxTries,
  ): Promise<Reading> {
    const reading = await read(session, effective, handlers)
    // with one turn left there is nothing to cut: an oversized one is shortened, not resized again and again
    if (reading.turns < 2) return reading
    const isOver = isOverLimit(reading)
    if (reading.state.stopped !== undefined) {
      if (isOver) await cutOnly(session, reading, `stopped: ${reading.state.stopped}`)
    } else
      try {
        const decision = await decide(session, reading, handlers)
        if (!decision) return reading
        await perform(session, reading, decision, handlers, false)
      } catch (error) {
        // another node, or an edit of the memo, was faster
        if (error instanceof ParleyError && error.code === 'conflict')
          return tries > 1 && !stopping.signal.aborted
            ? resizeWhenDue(session, effective, handlers, tries - 1)
            : reading
        if (error instanceof ParleyError && storeTrouble.has(error.code)) throw error
        // cut off by the end of the process, it has not failed
        if (stopping.signal.aborted) return reading
        logger.warn({ err: error, sessionId: session.id }, 'a handler of the window failed')
        await cutOnly(session, reading, describeThrown(error), isOver)
      }
    return read(session, effective, handlers)
  }

  /** The built-in cut without memo and handlers; what leaves waits for the memo. */
  async function cutOnly(session: Session, reading: Reading, why: string, isOver = true): Promise<void> {
    const { state, sized, effective, messages } = reading
    const start = isOver ? cutBack(sized, effective) : 0
    const message = isOver ? `cut without handlers and memo: ${why}` : why
    const decision = defaultPolicy(reading, effective) ?? { type: 'lite', reason: 'policy', severity: 0 }
    await store.transaction(async (tx) => {
      if (!(await tx.moveWindow(session.id, state, messages[start]!.seq))) return
      const after = sizesOf(sized.slice(start), reading.memo?.memo)
      const last = (await tx.listResizes(session.id, 1))[0]
      const resize = await tx.recordResize(session.id, {
        ...decision,
        outcome: isOver ? 'resized' : 'failed',
        message,
        before: sizesOf(sized, reading.memo?.memo),
        after,
        startSeq: messages[start]!.seq,
      })
      if (!isOver && last && isFruitless(last)) await tx.stopResizes(session.id, why)
      await tellResize(tx, session, resize)
    })
  }

  async function perform(
    session: Session,
    reading: Reading,
    decision: Decision,
    handlers: WindowHandlers,
    isForced: boolean,
  ): Promise<Resize> {
    const { state, sized, messages } = reading
    const handled = await handle(session, reading, decision, handlers, isForced)
    const startSeq = messages[handled.start]!.seq
    // asked for by somebody, the memo takes in what is still in the window too
    const throughSeq = isForced ? state.lastSeq : startSeq - 1
    const taken = await takeIn(session, reading, handled.memo, throughSeq, handlers)
    if (taken.error && stopping.signal.aborted) throw conflict('The server stops; the next turn resizes.')
    const isOver = isOverLimit(reading)
    if (taken.error && (isForced || !isOver)) {
      if (isForced)
        throw new ParleyError('turn_failed', `The memo was not updated: ${describeThrown(taken.error)}`, {
          cause: taken.error,
        })
      // not urgent: tried again after as many turns as usual
      return recordFailure(session, reading, decision, taken.error)
    }
    const memo = taken.memo ?? reading.memo
    const before = sizesOf(sized, reading.memo?.memo)
    const after = sizesOf(sized.slice(handled.start), memo?.memo)
    const isFruitful = after.chars < before.chars
    return store.transaction(async (tx) => {
      if (!(await tx.moveWindow(session.id, state, startSeq)))
        throw conflict('The window of this session was resized meanwhile.')
      const version = taken.memo && (await tx.addMemoVersion(session.id, state.memoVersion, taken.memo))
      const [last] = await tx.listResizes(session.id, 1)
      const resize = await tx.recordResize(session.id, {
        type: decision.type,
        reason: decision.reason,
        severity: decision.severity,
        outcome: isFruitful || version || handled.start > 0 ? 'resized' : 'unchanged',
        ...(taken.error && { message: `the memo was not updated: ${describeThrown(taken.error)}` }),
        ...(taken.waiting > 0 && { message: `${taken.waiting} messages wait for the next memo update` }),
        before,
        after,
        startSeq,
        ...(version && { memoVersion: version.version }),
        ...(taken.usage !== undefined && { usage: taken.usage }),
      })
      if (isForced) await tx.stopResizes(session.id, null)
      else if (!isFruitful && last && isFruitless(last))
        await tx.stopResizes(
          session.id,
          `Two resizes in a row (${last.type}, ${decision.type}) did not make the prompt shorter.`,
        )
      await tellResize(tx, session, resize)
      return resize
    })
  }

  /** Index of the first message that stays, by the handler of the type or the built-in way. */
  async function handle(
    session: Session,
    reading: Reading,
    decision: Decision,
    { resizeHandlers = {} }: WindowHandlers,
    isForced: boolean,
  ): Promise<{ start: number; memo?: Memo }> {
    const { messages, sized, effective } = reading
    const own = Object.hasOwn(resizeHandlers, decision.type) ? resizeHandlers[decision.type] : undefined
    if (own)
      return readHandled(
        await askHandler(
          `resize handler ${quote(decision.type)}`,
          { timeoutMs: effective.memo.timeoutMs, signal: stopping.signal },
          () => own(toView(session, reading), decision),
        ),
        decision.type,
        messages,
      )
    if (decision.type === 'deep' && isForced) return { start: turnStarts(messages).at(-1)! }
    if (decision.type === 'lite' || decision.type === 'deep') return { start: cutBack(sized, effective) }
    const known = [...new Set(['lite', 'deep', ...Object.keys(resizeHandlers)])].join(', ')
    throw invalidRequest(`There is no resize handler for ${quote(decision.type)}. Known: ${known}.`)
  }

  /** Has the memo take in what is not in it yet, up to a message; what it managed before it failed counts. */
  async function takeIn(
    session: Session,
    { effective, memo }: Reading,
    given: Memo | undefined,
    throughSeq: number,
    handlers: WindowHandlers,
  ): Promise<{ memo?: NewMemoVersion; error?: Error; waiting: number; usage?: unknown }> {
    if (!effective.hasMemo) return { waiting: 0 }
    const sizeBefore = memoSize(memo?.memo ?? {})
    const fromSeq = (memo?.throughSeq ?? 0) + 1
    let current: (UpdatedMemo & { throughSeq: number }) | undefined
    const toVersion = (): NewMemoVersion | undefined =>
      current && {
        memo: current.memo,
        pinned: memo?.pinned ?? [],
        throughSeq: current.throughSeq,
        author: current.author,
        ...(current.model !== undefined && { model: current.model }),
        ...(fromSeq <= current.throughSeq && { fromSeq, toSeq: current.throughSeq }),
        sizeBefore,
        sizeAfter: memoSize(current.memo),
      }
    try {
      if (given) {
        const { memo: checked } = await updateMemo(
          toUpdate(memo?.memo ?? {}, [], []),
          { memoUpdateHandler: () => given },
          () => requireModel(undefined),
          memo?.pinned ?? [],
          async () => {},
        )
        current = { memo: checked, author: 'handler', throughSeq: Math.max(throughSeq, fromSeq - 1) }
        return { memo: toVersion(), waiting: 0 }
      }
      let next = fromSeq
      for (let chunks = 0; next <= throughSeq && chunks < maxChunks; chunks++) {
        const messages = await readChunk(session, next, throughSeq, effective)
        if (messages.length === 0) break
        const attachments = await summariseAttachments(
          messages,
          { timeoutMs: effective.memo.timeoutMs, signal: stopping.signal },
          handlers,
        )
        const updated = await updateMemo(
          toUpdate(current?.memo ?? memo?.memo ?? {}, messages, attachments),
          handlers,
          () => requireModel(effective.memo.model ?? effective.model),
          memo?.pinned ?? [],
          (model, usage) => count(session, model, usage),
        )
        current = {
          ...updated,
          throughSeq: messages.at(-1)!.seq,
          usage: sumUsage(current?.usage, updated.usage),
        }
        next = current.throughSeq + 1
      }
      return { memo: toVersion(), waiting: Math.max(0, throughSeq - next + 1), usage: current?.usage }
    } catch (error) {
      logger.warn({ err: error, sessionId: session.id }, 'the memo could not be updated; it stays as it was')
      return {
        memo: toVersion(),
        error: error instanceof Error ? error : new Error(describeThrown(error)),
        waiting: 0,
        usage: current?.usage,
      }
    }

    function toUpdate(soFar: Memo, messages: Message[], attachments: unknown[]) {
      const { instruct, schema, maxLength, timeoutMs } = effective.memo
      return {
        sessionId: session.id,
        memo: structuredClone(soFar),
        messages: structuredClone(messages),
        attachments,
        instruct,
        schema,
        maxLength,
        timeoutMs,
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(timeoutMs)]),
      }
    }
  }

  /** Not with the resize: an update that comes to nothing has been paid for too. */
  async function count({ scope, id }: Session, model: string, usage: Usage): Promise<void> {
    const { inputTokens, outputTokens, cacheReadTokens } = usage
    const cost = options.costOf?.(model, usage)
    const call = { model, kind: 'memo', inputTokens, outputTokens, cacheReadTokens, cost }
    await store
      .recordUsage({ scope, sessionId: id, ...call })
      .catch((error: unknown) =>
        logger.warn({ err: error, sessionId: id }, 'what a memo update used was not counted'),
      )
  }

  /** As much of the log as one update takes in. */
  async function readChunk(
    session: Session,
    fromSeq: number,
    throughSeq: number,
    { maxChars }: EffectiveWindow,
  ): Promise<Message[]> {
    const room = Math.min(maxChunk, Math.max(minChunk, maxChars))
    const limit = Math.min(1_000, throughSeq - fromSeq + 1)
    const page = await store.listMessages(session.scope, session.id, { after: fromSeq - 1, limit })
    let chars = 0
    const end = page.findIndex((message) => (chars += measureChars(message)) > room)
    return end === -1 ? page : page.slice(0, Math.max(1, end))
  }

  function recordFailure(
    session: Session,
    { state, sized, memo, messages }: Reading,
    decision: Decision,
    error: Error,
  ): Promise<Resize> {
    const size = sizesOf(sized, memo?.memo)
    return store.transaction(async (tx) => {
      if (!(await tx.moveWindow(session.id, state, messages[0]!.seq)))
        throw conflict('The window of this session was resized meanwhile.')
      const [last] = await tx.listResizes(session.id, 1)
      const message = `the memo was not updated: ${describeThrown(error)}`
      const resize = await tx.recordResize(session.id, {
        type: decision.type,
        reason: decision.reason,
        severity: decision.severity,
        outcome: 'failed',
        message,
        before: size,
        after: size,
        startSeq: messages[0]!.seq,
      })
      if (last && isFruitless(last)) await tx.stopResizes(session.id, message)
      await tellResize(tx, session, resize)
      return resize
    })
  }

  async function toOpen(session: Session, reading: Reading): Promise<OpenWindow> {
    const { messages, memo, size, turns, doneTurns, turnsSinceResize, effective, state } = reading
    const startSeq = messages[0]?.seq ?? state.startSeq
    return {
      startSeq,
      messages,
      ...(memo && { memo }),
      left: effective.hasMemo
        ? await findLeft(store, session, { throughSeq: memo?.throughSeq ?? 0, startSeq })
        : undefined,
      judged: { size, turns, doneTurns, turnsSinceResize, effective, state },
    }
  }

  return {
    effective: (session, tx) => effectiveOf(session, undefined, tx),

    viewScope: async (scope, tx) => toEffectiveView(await effectiveOf({ scope }, undefined, tx)),

    open: (session, call, own) =>
      inLine(session.id, async () => {
        const effective = await effectiveOf(session, call)
        const reading = await resizeWhenDue(session, effective, handlersOf(own))
        return toOpen(session, reading)
      }),

    peek: async (session) => toOpen(session, await read(session, await effectiveOf(session), {})),

    afterTurn(session, { judged }, reply, own) {
      const handlers = handlersOf(own)
      const { effective, state } = judged
      const more = toSized(reply, effective)
      const size = {
        messages: judged.size.messages + 1,
        chars: judged.size.chars + more.chars,
        tokens: judged.size.tokens + more.tokens,
      }
      const now = { size, doneTurns: judged.turns, turnsSinceResize: judged.turnsSinceResize + 1 }
      // most turns end here, without another look at the log
      const isDue = handlers.policyHandler
        ? state.stopped === undefined
        : judged.turns > 1 && defaultPolicy(now, effective) !== undefined
      if (!isDue || stopping.signal.aborted) return
      inLine(session.id, () => resizeWhenDue(session, effective, handlers)).catch((error: unknown) =>
        logger.warn({ err: error, sessionId: session.id }, 'the window was not resized; the next turn will'),
      )
    },

    judge: async (session, force, own) => {
      if (force !== undefined) return forced(force)
      const handlers = handlersOf(own)
      return decide(session, await read(session, await effectiveOf(session), handlers), handlers)
    },

    resize: (session, force = true, own) =>
      inLine(session.id, async () => {
        const handlers = handlersOf(own)
        const reading = await read(session, await effectiveOf(session), handlers)
        if (reading.messages.length === 0) throw invalidRequest('The session has no messages yet.')
        return perform(session, reading, forced(force), handlers, true)
      }),

    async view(session, tx = store) {
      const effective = await effectiveOf(session, undefined, tx)
      const reading = await read(session, effective, {}, tx)
      return {
        settings: session.window ?? {},
        effective: toEffectiveView(effective),
        startSeq: reading.messages[0]?.seq ?? reading.state.startSeq,
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
    },
  }
}

function toEffectiveView(effective: EffectiveWindow): WindowView['effective'] {
  const { mode, hasMemo, maxChars, maxMessages, maxTokens, everyNTurns, rounds } = effective
  return { mode, memo: hasMemo, maxChars, maxMessages, maxTokens, everyNTurns, rounds }
}

const toSized = (message: Measured, { maxTokens }: EffectiveWindow): Sized => ({
  role: message.role,
  chars: measureChars(message),
  tokens: maxTokens > 0 ? measureTokens(message) : 0,
})

/** Of the prompt as a whole: the memo takes room too. */
function sizesOf(sized: readonly Sized[], memo: Memo = {}): { messages: number; chars: number } {
  const { messages, chars } = sizeOf(sized)
  return { messages, chars: chars + memoSize(memo) }
}

function sumUsage(sum: Usage | undefined, more: Usage | undefined): Usage | undefined {
  if (!sum || !more) return sum ?? more
  const keys = [...new Set([...Object.keys(sum), ...Object.keys(more)])] as (keyof Usage)[]
  return Object.fromEntries(keys.map((key) => [key, (sum[key] ?? 0) + (more[key] ?? 0)]))
}

/** Over a limit that has to be kept; turns since the last resize are only a wish. */
const isOverLimit = ({ size, doneTurns, effective }: Reading) =>
  !isWithin(size, effective) ||
  (effective.rounds !== undefined && doneTurns >= effective.rounds.keep + effective.rounds.drop)

/** Last in its transaction: others wait for the row of the scope. */
const tellResize = (tx: StoreOperations, { scope, id }: Session, { number, outcome }: Resize) =>
  tx.recordEvent(scope, { type: 'session-resized', sessionId: id, data: { number, outcome } })

const isFruitless = ({ before, after }: Resize) => after.chars >= before.chars

function toView(session: Session, reading: Reading): HandlerView {
  const { messages, size, turnsSinceResize, effective, memo } = reading
  return structuredClone({
    sessionId: session.id,
    messages: messages.map(({ context: _, ...message }) => message),
    memo: memo?.memo ?? {},
    size,
    turnsSinceResize,
    settings: effective,
  })
}
