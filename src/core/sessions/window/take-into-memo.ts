import type { Logger } from 'pino'
import { type ModelAdapter, sumUsage, type Usage } from '../../models/adapter.ts'
import { describeThrown } from '../../protocol/error.ts'
import type { Message } from '../../protocol/message.ts'
import type { Session } from '../../protocol/session.ts'
import type { Memo, MemoVersion } from '../../protocol/window.ts'
import type { NewMemoVersion } from '../../store/queries/windows.ts'
import type { Store } from '../../store/store.ts'
import type { LogCopies } from './log-copies.ts'
import type { MemoUpdate, WindowHandlers } from './window-handlers.ts'
import { measureChars } from './measure-messages.ts'
import { memoSize } from './memo-schema.ts'
import { summariseAttachments, type UpdatedMemo, updateMemo } from './memo-update.ts'
import type { EffectiveWindow } from './window-settings.ts'

export interface MemoDeps {
  store: Store
  logger: Logger
  requireModel(id: string | undefined): ModelAdapter
  /** What an update cost; undefined when its model has no price. */
  costOf?(model: string, usage: Usage): number | undefined
  /** Aborts when the server stops. */
  stopping: AbortSignal
  copies: LogCopies
}

export interface TakenIn {
  memo?: NewMemoVersion
  /** Why it is not all in it. */
  error?: Error
  /** Messages that are left for the next time. */
  waiting: number
  usage?: Usage
}

// one call of a model takes in so much; what leaves a window in one cut is less, as a rule
const minChunk = 20_000
const maxChunk = 200_000
// a log that grew long without a memo is taken in over several resizes
const maxChunks = 8

interface Gathering {
  session: Session
  effective: EffectiveWindow
  memo: MemoVersion | undefined
  /** The last message that is to be in the memo. */
  throughSeq: number
}

/** Has the memo take in what is not in it yet, up to a message; what it managed before it failed counts. */
export async function takeIn(deps: MemoDeps, what: Gathering, handlers: WindowHandlers): Promise<TakenIn> {
  const { session, effective, memo, throughSeq } = what
  let current: (UpdatedMemo & { throughSeq: number }) | undefined
  let next = (memo?.throughSeq ?? 0) + 1
  try {
    for (let chunks = 0; next <= throughSeq && chunks < maxChunks; chunks++) {
      const messages = await readChunk(deps.store, session, next, what)
      if (messages.length === 0) break
      const attachments = await summariseAttachments(
        messages,
        { timeoutMs: effective.memo.timeoutMs, signal: deps.stopping },
        handlers,
      )
      const updated = await updateMemo(
        toUpdate(deps, what, current?.memo ?? memo?.memo ?? {}, messages, attachments),
        handlers,
        () => deps.requireModel(effective.memo.model ?? effective.model),
        memo?.pinned ?? [],
        (model, usage) => count(deps, session, model, usage),
      )
      const usage = updated.usage && sumUsage(current?.usage ?? {}, updated.usage)
      current = { ...updated, throughSeq: messages.at(-1)!.seq, usage: usage ?? current?.usage }
      next = current.throughSeq + 1
    }
    const waiting = Math.max(0, throughSeq - next + 1)
    return { memo: toVersion(memo, current), waiting, usage: current?.usage }
  } catch (error) {
    return { ...toFailure(deps, session, error), memo: toVersion(memo, current), usage: current?.usage }
  }
}

/** The same with a memo that a resize handler made itself: it is checked, and counts for all of it. */
export async function takeGiven(deps: MemoDeps, what: Gathering, given: Memo): Promise<TakenIn> {
  const { session, memo, throughSeq } = what
  try {
    const { memo: checked } = await updateMemo(
      toUpdate(deps, what, memo?.memo ?? {}, [], []),
      { memoUpdateHandler: () => given },
      () => deps.requireModel(undefined),
      memo?.pinned ?? [],
      async () => {},
    )
    const through = Math.max(throughSeq, memo?.throughSeq ?? 0)
    return { memo: toVersion(memo, { memo: checked, author: 'handler', throughSeq: through }), waiting: 0 }
  } catch (error) {
    return toFailure(deps, session, error)
  }
}

function toFailure({ logger }: MemoDeps, { id }: Session, error: unknown): TakenIn {
  logger.warn({ err: error, sessionId: id }, 'the memo could not be updated; it stays as it was')
  return { error: error instanceof Error ? error : new Error(describeThrown(error)), waiting: 0 }
}

function toVersion(
  old: MemoVersion | undefined,
  current: (UpdatedMemo & { throughSeq: number }) | undefined,
): NewMemoVersion | undefined {
  if (!current) return undefined
  const { memo, throughSeq, author, model } = current
  const fromSeq = (old?.throughSeq ?? 0) + 1
  return {
    memo,
    pinned: old?.pinned ?? [],
    throughSeq,
    author,
    ...(model !== undefined && { model }),
    ...(fromSeq <= throughSeq && { fromSeq, toSeq: throughSeq }),
    sizeBefore: memoSize(old?.memo ?? {}),
    sizeAfter: memoSize(memo),
  }
}

function toUpdate(
  { stopping }: MemoDeps,
  { session, effective }: Gathering,
  soFar: Memo,
  messages: Message[],
  attachments: unknown[],
): MemoUpdate {
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
    signal: stopping,
  }
}

/** As much of the log as one update takes in. */
async function readChunk(
  store: Store,
  session: Session,
  fromSeq: number,
  { throughSeq, effective }: Gathering,
): Promise<Message[]> {
  const maxChars = Math.min(maxChunk, Math.max(minChunk, effective.maxChars))
  const limit = Math.min(1_000, throughSeq - fromSeq + 1)
  const page = await store.listMessages(session.scope, session.id, { after: fromSeq - 1, limit })
  let chars = 0
  const end = page.findIndex((message) => (chars += measureChars(message)) > maxChars)
  return end === -1 ? page : page.slice(0, Math.max(1, end))
}

/** Not with the resize: an update that comes to nothing has been paid for too. */
async function count(
  { store, logger, costOf }: MemoDeps,
  { scope, id }: Session,
  model: string,
  usage: Usage,
): Promise<void> {
  const { inputTokens, outputTokens, cacheReadTokens } = usage
  const call = {
    model,
    kind: 'memo',
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cost: costOf?.(model, usage),
  }
  await store
    .recordUsage({ scope, sessionId: id, ...call })
    .catch((error: unknown) =>
      logger.warn({ err: error, sessionId: id }, 'what a memo update used was not counted'),
    )
}
