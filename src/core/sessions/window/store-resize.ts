import type { Session } from '../../protocol/session.ts'
import type { Memo, Resize } from '../../protocol/window.ts'
import type { NewMemoVersion } from '../../store/queries/windows.ts'
import type { Store } from '../../store/store.ts'
import { sizeOf, type Sized } from './cut-window.ts'
import { memoSize } from './memo-schema.ts'
import type { Decision } from './resize-policy.ts'
import type { Reading } from './read-window.ts'

export interface ResizeResult {
  decision: Decision
  /** Index of the first message that stays. */
  start: number
  outcome: Resize['outcome']
  message?: string
  memo?: NewMemoVersion
  usage?: unknown
  /** Why no more are made by themselves, where the one before came to nothing either. */
  stopsAfter?(last: Resize): string
  /** Lets them be made by themselves again. */
  resumes?: boolean
}

/** The window, the memo and the record of the resize, together. Undefined when another one was faster. */
export function storeResize(
  store: Store,
  { scope, id }: Session,
  reading: Reading,
  { decision, start, outcome, message, memo, usage, stopsAfter, resumes = false }: ResizeResult,
): Promise<Resize | undefined> {
  const { state, messages } = reading
  const startSeq = messages[start]!.seq
  return store.transaction(async (tx) => {
    if (!(await tx.moveWindow(id, state, startSeq))) return undefined
    const version = memo && (await tx.addMemoVersion(id, state.memoVersion, memo))
    const [last] = await tx.listResizes(id, 1)
    const resize = await tx.recordResize(id, {
      type: decision.type,
      reason: decision.reason,
      severity: decision.severity,
      outcome,
      ...(message !== undefined && { message }),
      ...sizesAround(reading, start, memo),
      startSeq,
      ...(version && { memoVersion: version.version }),
      ...(usage !== undefined && { usage }),
    })
    if (resumes) await tx.stopResizes(id, null)
    else if (stopsAfter && last && isFruitless(last)) await tx.stopResizes(id, stopsAfter(last))
    // last in its transaction: others wait for the row of the scope
    await tx.recordEvent(scope, {
      type: 'session-resized',
      sessionId: id,
      data: { number: resize.number, outcome: resize.outcome },
    })
    return resize
  })
}

export const isFruitless = ({ before, after }: Pick<Resize, 'before' | 'after'>) =>
  after.chars >= before.chars

/** How much the prompt was and is, when the window begins with a message and has a memo. */
export const sizesAround = (
  { sized, memo: old }: Pick<Reading, 'sized' | 'memo'>,
  start: number,
  memo: Pick<NewMemoVersion, 'memo'> | undefined = old,
) => ({ before: sizesOf(sized, old?.memo), after: sizesOf(sized.slice(start), memo?.memo) })

/** Of the prompt as a whole: the memo takes space too. */
function sizesOf(sized: readonly Sized[], memo: Memo = {}): { messages: number; chars: number } {
  const { messages, chars } = sizeOf(sized)
  return { messages, chars: chars + memoSize(memo) }
}
