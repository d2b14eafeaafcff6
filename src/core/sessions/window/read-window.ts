import { messageText } from '../../protocol/message-text.ts'
import type { StoreOperations } from '../../store/store.ts'
import { setImmediate as others } from 'node:timers/promises'
import { addSizes, isWithin, nothing, type Size, type Sized, sizeOf, turnStarts } from './cut-window.ts'
import type { Session } from '../../protocol/session.ts'
import type { MemoVersion } from '../../protocol/window.ts'
import type { WindowMessage } from '../../store/queries/messages.ts'
import type { WindowState } from '../../store/queries/windows.ts'
import type { LogCopies } from './log-copies.ts'
import type { HandlerView, WindowHandlers } from './window-handlers.ts'
import { measureChars, type Measured, measureTokens } from './measure-messages.ts'
import type { Judged } from './resize-policy.ts'
import type { EffectiveWindow } from './window-settings.ts'
import { shorten } from './shorten-message.ts'

const longMessage = 200_000

/** A window as it is now: what is in it, and how much that is. */
export interface Reading {
  state: WindowState
  effective: EffectiveWindow
  /** Oldest first; one that alone is over the limit is shortened. */
  messages: WindowMessage[]
  sized: Sized[]
  size: Size
  turns: number
  doneTurns: number
  turnsSinceResize: number
  memo: MemoVersion | undefined
  /** What comes in next and is not in the log yet; limits count it too. */
  ahead: Size
}

/** A window that asks somebody before it is cut may grow to so many times its limits meanwhile. */
const patience = 2

/** Whether a resize may take its time: a model keeps the memo, or functions of the program decide. */
export const asksSomebody = (
  { hasMemo }: Pick<EffectiveWindow, 'hasMemo'>,
  { policyHandler, resizeHandlers = {} }: WindowHandlers,
): boolean => hasMemo || policyHandler !== undefined || Object.keys(resizeHandlers).length > 0

export async function readWindow(
  { tx, copies }: ReadFrom,
  session: Session,
  effective: EffectiveWindow,
  handlers: WindowHandlers,
  ahead: Size = nothing,
): Promise<Reading> {
  const readStored = (limit: number | undefined) =>
    copies ? copies.read(tx, session.id, limit) : tx.readWindow(session.id, { limit })
  // more than that would be cut anyway, unless a handler decides
  const most = effective.maxMessages * (asksSomebody(effective, handlers) ? patience : 1)
  let limit = most > 0 && !handlers.policyHandler ? most + 1 : undefined
  let read = await readStored(limit)
  // the limit fell in the middle of a turn, and a turn belongs together
  while (limit !== undefined && read?.messages.length === limit && read.messages[0]!.role !== 'user')
    read = await readStored((limit *= 2))
  const { state, messages: newest } = read ?? {
    state: (await tx.getWindowState(session.id))!,
    messages: [],
  }
  const messages: WindowMessage[] = []
  const sized: Sized[] = []
  for (const [index, message] of newest.entries()) {
    const { short, size, isKnown } = measure(message, effective)
    messages.push(short)
    sized.push(size)
    // long ones take their time
    if (!isKnown && size.chars > longMessage && index < newest.length - 1) await others()
  }
  const turns = turnStarts(messages).length
  return {
    state,
    effective,
    messages,
    sized,
    size: sizeOf(sized),
    turns,
    // the newest one is running while it has no answer
    doneTurns: turns - (messages.at(-1)?.role === 'user' ? 1 : 0),
    turnsSinceResize: messages.filter(({ role, seq }) => role === 'assistant' && seq > state.resizedSeq)
      .length,
    // of the same moment: a resize moves both together
    memo:
      effective.hasMemo && state.memoVersion > 0
        ? await tx.getMemo(session.id, state.memoVersion)
        : undefined,
    ahead,
  }
}

interface ReadFrom {
  tx: StoreOperations
  /** Of what is committed; a transaction reads for itself. */
  copies?: LogCopies
}

interface Measures {
  short: WindowMessage
  size: Sized
  by: Pick<EffectiveWindow, 'maxChars' | 'maxTokens'>
}
/** Of messages that stay in memory from turn to turn. */
const measures = new WeakMap<WindowMessage, Measures>()

function measure(message: WindowMessage, effective: EffectiveWindow): Measures & { isKnown: boolean } {
  const known = measures.get(message)
  if (known && known.by.maxChars === effective.maxChars && known.by.maxTokens === effective.maxTokens)
    return { ...known, isKnown: true }
  const short = shorten(message, effective)
  const { maxChars, maxTokens } = effective
  const measured = { short, size: toSized(short, effective), by: { maxChars, maxTokens } }
  measures.set(message, measured)
  return { ...measured, isKnown: false }
}

export const toSized = (message: Measured, { maxTokens }: EffectiveWindow): Sized => ({
  role: message.role,
  chars: measureChars(message),
  tokens: maxTokens > 0 ? measureTokens(message) : 0,
})

/** Over a limit that has to be kept; turns since the last resize are only a wish. */
export const isOverLimit = (reading: Reading) => isAbove(reading, 1)

/** So much over it that it is not to be sent as it is. */
export const isFarOver = (reading: Reading) => isAbove(reading, patience)

function isAbove({ size, ahead, doneTurns, effective }: Reading, times: number): boolean {
  const { maxChars, maxMessages, maxTokens, rounds } = effective
  const limits = {
    maxChars: maxChars * times,
    maxMessages: maxMessages * times,
    maxTokens: maxTokens * times,
  }
  return (
    !isWithin(addSizes(size, ahead), limits) ||
    (rounds !== undefined && doneTurns >= (rounds.keep + rounds.drop) * times)
  )
}

/** As the policy judges it: with what comes in next. */
export const toJudged = ({ size, ahead, doneTurns, turnsSinceResize }: Reading): Judged => ({
  size: addSizes(size, ahead),
  doneTurns,
  turnsSinceResize,
})

export function toView(session: Session, reading: Reading): HandlerView {
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

export interface LeftMessages {
  fromSeq: number
  toSeq: number
  heads: string[]
}

const maxHeads = 20
const headLength = 120

/** Messages that left the window and are not in the memo yet, by their first words. */
export async function findLeft(
  store: Pick<StoreOperations, 'listMessages'>,
  session: { scope: string; id: string },
  { throughSeq, startSeq }: { throughSeq: number; startSeq: number },
): Promise<LeftMessages | undefined> {
  const fromSeq = throughSeq + 1
  if (fromSeq >= startSeq) return undefined
  const range = { after: fromSeq - 1, before: startSeq, limit: maxHeads * 2 }
  const heads = (await store.listMessages(session.scope, session.id, range))
    .filter(({ role }) => role === 'user')
    .map((message) => messageText(message).replace(/\s+/g, ' ').trim().slice(0, headLength).toWellFormed())
  return { fromSeq, toSeq: startSeq - 1, heads: heads.slice(-maxHeads) }
}
