/**
 * Moves the place where a window begins and, with a memo, first has the memo take in what is about to leave; both commit
 * together. When the memo cannot be had and the window is over its limit, it is cut all the same: what left waits (the
 * memo's `throughSeq` stays behind) and is taken in with the next resize.
 */
import { conflict, describeThrown, invalidRequest, ParleyError, quote } from '../../protocol/error.ts'
import type { Session } from '../../protocol/session.ts'
import type { Memo, Resize } from '../../protocol/window.ts'
import { cutBack, nothing, sizeOf, turnStarts, type Size, type Sized } from './cut-window.ts'
import { askHandler, readHandled, type WindowHandlers } from './window-handlers.ts'
import { defaultPolicy, readDecision, type Decision } from './resize-policy.ts'
import { asksSomebody, isOverLimit, readWindow, toJudged, toView, type Reading } from './read-window.ts'
import type { EffectiveWindow } from './window-settings.ts'
import { isFruitless, sizesAround, storeResize } from './store-resize.ts'
import { takeGiven, takeIn, type MemoDeps } from './take-into-memo.ts'

const storeTrouble = new Set<string>(['store_unavailable', 'storage_full'])
// of a resize that somebody else was in the way of
const maxTries = 3

/** Does what the policy decides. Whatever fails, the window ends up within its limit. */
export async function resizeWhenDue(
  deps: MemoDeps,
  session: Session,
  effective: EffectiveWindow,
  handlers: WindowHandlers,
  { ahead = nothing, tries = maxTries }: { ahead?: Size; tries?: number } = {},
): Promise<Reading> {
  const { store, logger, stopping } = deps
  const reading = await readWindow({ tx: store, copies: deps.copies }, session, effective, handlers, ahead)
  // with one turn left there is nothing to cut: an oversized one is shortened, not resized again and again
  if (reading.turns < 2) return reading
  const isTooLarge = isOverLimit(reading)
  if (reading.state.stopped !== undefined) {
    if (isTooLarge) await cutOnly(deps, session, reading, `stopped: ${reading.state.stopped}`)
  } else
    try {
      const decision = await decideResize(deps, session, reading, handlers)
      if (!decision) return reading
      await resizeNow(deps, session, reading, { decision, handlers, isForced: false })
    } catch (error) {
      // another node, or an edit of the memo, was faster
      if (error instanceof ParleyError && error.code === 'conflict')
        return tries > 1 && !stopping.aborted
          ? resizeWhenDue(deps, session, effective, handlers, { ahead, tries: tries - 1 })
          : reading
      if (error instanceof ParleyError && storeTrouble.has(error.code)) throw error
      // cut off by the end of the process, it has not failed
      if (stopping.aborted) return reading
      logger.warn({ err: error, sessionId: session.id }, 'a handler of the window failed')
      await cutOnly(deps, session, reading, describeThrown(error), isTooLarge)
    }
  return readWindow({ tx: store, copies: deps.copies }, session, effective, handlers)
}

/** Whether a resize is due, and which. */
export async function decideResize(
  { stopping }: Pick<MemoDeps, 'stopping'>,
  session: Session,
  reading: Reading,
  handlers: WindowHandlers,
): Promise<Decision | undefined> {
  if (!handlers.policyHandler) return defaultPolicy(toJudged(reading), reading.effective)
  const { timeoutMs } = reading.effective.memo
  const answer = await askHandler('policy handler', { timeoutMs, signal: stopping }, () =>
    handlers.policyHandler!(toView(session, reading)),
  )
  return readDecision(answer)
}

/** The built-in cut without memo and handlers; what leaves waits for the memo. */
async function cutOnly(
  { store }: MemoDeps,
  session: Session,
  reading: Reading,
  why: string,
  isTooLarge = true,
): Promise<void> {
  const { sized, effective, ahead } = reading
  const decision = defaultPolicy(toJudged(reading), effective) ?? {
    type: 'lite',
    reason: 'policy',
    severity: 0,
  }
  await storeResize(
    store,
    session,
    reading,
    isTooLarge
      ? {
          decision,
          start: cutBack(sized, effective, ahead),
          outcome: 'resized',
          message: `cut without handlers and memo: ${why}`,
        }
      : { decision, start: 0, outcome: 'failed', message: why, stopsAfter: () => why },
  )
}

interface Resizing {
  decision: Decision
  handlers: WindowHandlers
  /** A person or program requested it. */
  isForced: boolean
}

/** Throws `conflict` when another one was faster, and what a handler throws; nothing is changed then. */
export async function resizeNow(
  deps: MemoDeps,
  session: Session,
  reading: Reading,
  resizing: Resizing,
): Promise<Resize> {
  const { decision, handlers, isForced } = resizing
  const { state, messages, effective, memo } = reading
  const handled = await handle(deps, session, reading, resizing)
  // when forced, the memo takes in what is still in the window too
  const throughSeq = isForced ? state.lastSeq : messages[handled.start]!.seq - 1
  const what = { session, effective, memo, throughSeq }
  const taken = !effective.hasMemo
    ? { waiting: 0 }
    : handled.memo
      ? await takeGiven(deps, what, handled.memo)
      : await takeIn(deps, what, handlers)
  if (taken.error && deps.stopping.aborted) throw conflict('The server stops; the next turn resizes.')
  const why = taken.error && describeThrown(taken.error)
  if (taken.error && isForced)
    throw new ParleyError('turn_failed', `The memo was not updated: ${why}`, { cause: taken.error })
  const message = why === undefined ? waitingText(taken.waiting) : `the memo was not updated: ${why}`
  const isFruitful = !isFruitless(sizesAround(reading, handled.start, taken.memo))
  const resize = await storeResize(
    deps.store,
    session,
    reading,
    taken.error && !isOverLimit(reading)
      ? // not urgent: tried again after as many turns as usual
        { decision, start: 0, outcome: 'failed', message, stopsAfter: () => message! }
      : {
          decision,
          start: handled.start,
          outcome: isFruitful || taken.memo || handled.start > 0 ? 'resized' : 'unchanged',
          message,
          memo: taken.memo,
          usage: taken.usage,
          resumes: isForced,
          ...(!isFruitful && {
            stopsAfter: ({ type }) =>
              `Two resizes in a row (${type}, ${decision.type}) did not make the prompt shorter.`,
          }),
        },
  )
  if (!resize) throw conflict('The window of this session was resized meanwhile.')
  return resize
}

const waitingText = (count: number) =>
  count > 0 ? `${count} messages wait for the next memo update` : undefined

/** Index of the first message that stays, by the handler of the type or the built-in way. */
async function handle(
  { stopping }: MemoDeps,
  session: Session,
  reading: Reading,
  { decision, handlers: { resizeHandlers = {} }, isForced }: Resizing,
): Promise<{ start: number; memo?: Memo }> {
  const { messages, sized, effective, ahead } = reading
  const own = Object.hasOwn(resizeHandlers, decision.type) ? resizeHandlers[decision.type] : undefined
  if (own) {
    const limits = { timeoutMs: effective.memo.timeoutMs, signal: stopping }
    const answer = await askHandler(`resize handler ${quote(decision.type)}`, limits, () =>
      own(toView(session, reading), decision),
    )
    return readHandled(answer, decision.type, messages)
  }
  if (decision.type === 'deep' && isForced) return { start: turnStarts(messages).at(-1)! }
  if (decision.type === 'lite' || decision.type === 'deep') return { start: cutBack(sized, effective, ahead) }
  const known = [...new Set(['lite', 'deep', ...Object.keys(resizeHandlers)])].join(', ')
  throw invalidRequest(`There is no resize handler for ${quote(decision.type)}. Known: ${known}.`)
}

/** The window as the next turn will see it before its input: a cut that would come first, and asks nobody, is made here too. */
export function foresee(reading: Reading, handlers: WindowHandlers, inputs: readonly Sized[]): Reading {
  const { state, effective, messages, turns, turnsSinceResize } = reading
  const sized = [...reading.sized, ...inputs]
  const judged = { size: sizeOf(sized), doneTurns: turns, turnsSinceResize }
  const isStopped = state.stopped !== undefined
  if (messages.length === 0 || (!isStopped && asksSomebody(effective, handlers))) return reading
  const isDue = isStopped ? isOverLimit({ ...reading, ...judged }) : defaultPolicy(judged, effective)
  if (!isDue) return reading
  const start = cutBack(sized, effective)
  const kept = reading.sized.slice(start)
  return { ...reading, messages: messages.slice(start), sized: kept, size: sizeOf(kept) }
}
