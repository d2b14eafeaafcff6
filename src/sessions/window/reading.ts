import { setImmediate as others } from 'node:timers/promises'
import { isWithin, sizeOf, turnStarts, type Size, type Sized } from './cut.ts'
import type { Session } from '../../protocol/session.ts'
import type { MemoVersion } from '../../protocol/window.ts'
import type { WindowMessage } from '../../store/queries/messages.ts'
import type { WindowState } from '../../store/queries/windows.ts'
import type { StoreOperations } from '../../store/store.ts'
import type { HandlerView, WindowHandlers } from './handlers.ts'
import { measureChars, measureTokens, type Measured } from './measure.ts'
import type { EffectiveWindow } from './settings.ts'
import { shorten } from './shorten.ts'

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
}

export async function readWindow(
  tx: StoreOperations,
  session: Session,
  effective: EffectiveWindow,
  handlers: WindowHandlers,
): Promise<Reading> {
  const state = (await tx.getWindowState(session.id))!
  // more than one over the limit would be cut anyway, unless a handler has the say
  let limit = effective.maxMessages > 0 && !handlers.policyHandler ? effective.maxMessages + 1 : undefined
  let newest = await tx.readWindow(session.id, state.startSeq, limit)
  // the limit fell in the middle of a turn, and a turn belongs together
  while (limit !== undefined && newest.length === limit && newest[0]!.role !== 'user')
    newest = await tx.readWindow(session.id, state.startSeq, (limit *= 2))
  const messages: WindowMessage[] = []
  const sized: Sized[] = []
  for (const [index, message] of newest.entries()) {
    const short = shorten(message, effective)
    const size = toSized(short, effective)
    messages.push(short)
    sized.push(size)
    // long ones take their time
    if (size.chars > longMessage && index < newest.length - 1) await others()
  }
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

export const toSized = (message: Measured, { maxTokens }: EffectiveWindow): Sized => ({
  role: message.role,
  chars: measureChars(message),
  tokens: maxTokens > 0 ? measureTokens(message) : 0,
})

/** Over a limit that has to be kept; turns since the last resize are only a wish. */
export const isOverLimit = ({ size, doneTurns, effective }: Reading) =>
  !isWithin(size, effective) ||
  (effective.rounds !== undefined && doneTurns >= effective.rounds.keep + effective.rounds.drop)

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
