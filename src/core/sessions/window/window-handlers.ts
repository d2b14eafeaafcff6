import { describeThrown, invalidRequest, quote } from '../../protocol/error.ts'
import { memoSchema, type Memo } from '../../protocol/window.ts'
import type { Message, Part } from '../../protocol/message.ts'
import { inTime } from '../../shared/time-limit.ts'
import { turnStarts, type Size } from './cut-window.ts'
import type { Decision } from './resize-policy.ts'
import type { EffectiveWindow } from './window-settings.ts'

/** What a handler gets to see: copies, so whatever it does to them changes nothing. */
export interface HandlerView {
  sessionId: string
  /** The window, oldest first. */
  messages: Message[]
  memo: Memo
  size: Size
  turnsSinceResize: number
  settings: EffectiveWindow
}

export interface MemoUpdate {
  sessionId: string
  memo: Memo
  /** What the memo is to take in, oldest first. */
  messages: Message[]
  attachments: unknown[]
  instruct: string
  /** JSON Schema that the new memo has to keep to. */
  schema: Record<string, unknown>
  maxLength: number
  timeoutMs: number
  /** Aborts at the timeout, and when the server stops. */
  signal: AbortSignal
}

/** The end of the window that stays, a new memo, or both. Nothing at all leaves everything as it is. */
export interface HandledResize {
  window?: Message[]
  memo?: Memo
}

/** Parts of the window that can be replaced; each may be async, and goes before any setting. */
export interface WindowHandlers {
  /** Whether and how to resize: nothing, a type, or a decision. */
  policyHandler?(view: HandlerView): unknown
  /** By type; `lite` and `deep` replace the built-in ones. Answers a `HandledResize` or nothing. */
  resizeHandlers?: Record<string, (view: HandlerView, decision: Decision) => unknown>
  /** What the memo gets to know of an attachment. */
  attachmentSummaryHandler?(part: Part, message: Message): unknown
  /** Answers the new memo, whole. */
  memoUpdateHandler?(update: MemoUpdate): unknown
}

const handlerNames = ['policyHandler', 'attachmentSummaryHandler', 'memoUpdateHandler'] as const

/** Refuses what is no handler, by name: it would fail at the first resize otherwise, long after. */
export function checkHandlers(given: WindowHandlers): WindowHandlers {
  if (typeof given !== 'object' || given === null)
    throw invalidRequest(`Handlers of the window are an object of functions, not ${quote(given)}.`)
  for (const [name, handler] of Object.entries(given)) {
    if (name === 'resizeHandlers') {
      for (const [type, resize] of Object.entries((handler as object | undefined) ?? {}))
        if (resize !== undefined) requireFunction(`resizeHandlers.${type}`, resize)
    } else if (!handlerNames.some((known) => known === name))
      throw invalidRequest(
        `There is no handler ${quote(name)} of the window. Known: ${handlerNames.join(', ')}, resizeHandlers.`,
      )
    else if (handler !== undefined) requireFunction(name, handler)
  }
  return given
}

/** Later ones go before earlier ones, type by type; what is `undefined` in a later one is gone. */
export function mergeHandlers(...layers: (WindowHandlers | undefined)[]): WindowHandlers {
  const merged: WindowHandlers = Object.assign({}, ...layers)
  const resizeHandlers = present(Object.assign({}, ...layers.map((layer) => layer?.resizeHandlers)))
  return present({ ...merged, resizeHandlers })
}

const present = <T extends object>(handlers: T): T =>
  Object.fromEntries(Object.entries(handlers).filter(([, handler]) => handler !== undefined)) as T

function requireFunction(name: string, value: unknown): void {
  if (typeof value !== 'function') throw invalidRequest(`${name} must be a function, not ${quote(value)}.`)
}

/** Asks a handler. One that throws, or never returns, is a refusal that names it and the reason. */
export async function askHandler<T>(
  name: string,
  bounds: { timeoutMs: number; signal: AbortSignal },
  ask: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  try {
    return await inTime(bounds, ask)
  } catch (error) {
    throw invalidRequest(`The ${name} failed: ${describeThrown(error)}`)
  }
}

/** Index of the first message that stays, and the memo, of what a resize handler answered. */
export function readHandled(
  answer: unknown,
  type: string,
  messages: readonly Message[],
): { start: number; memo?: Memo } {
  const refuse = (why: string) => invalidRequest(`The resize handler ${quote(type)} ${why}`)
  if (answer === undefined || answer === null) return { start: 0 }
  if (typeof answer !== 'object' || Array.isArray(answer))
    throw refuse(`must answer {window?, memo?} or nothing; it answered ${quote(answer)}.`)
  const { window, memo } = answer as HandledResize
  const read = memo === undefined ? undefined : memoSchema.safeParse(memo)
  if (read && !read.success) throw refuse(`must answer an object as memo, not ${quote(memo)}.`)
  const rest = read ? { memo: read.data } : {}
  if (window === undefined) return { start: 0, ...rest }
  if (!Array.isArray(window) || window.length === 0)
    throw refuse(`must keep at least the newest message; it answered ${quote(window)}.`)
  const start = messages.length - window.length
  const isEnd = start >= 0 && window.every((kept, index) => kept?.id === messages[start + index]!.id)
  if (!isEnd)
    throw refuse('may only leave out messages from the beginning of the window; the log does not change.')
  if (!turnStarts(messages).includes(start))
    throw refuse('must begin the window where a turn begins, with what the user said.')
  return { start, ...rest }
}
