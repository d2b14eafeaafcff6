import type { Logger } from 'pino'
import { decideApprovalSchema, type Approval, type DecideApproval } from '../protocol/approval.ts'
import { programIn } from '../operations/calls.ts'
import { misfit } from '../protocol/issues.ts'
import { ParleyError } from '../protocol/error.ts'
import type { StoredApproval } from '../store/queries/approvals.ts'
import type { Store } from '../store/store.ts'
import { decideApproval } from './decide-approval.ts'

/** What a program answers an ask with, as `parley.approvals.decide` takes it. */
export type ApprovalAnswer = Omit<DecideApproval, 'scope'>
type MaybeAnswer = ApprovalAnswer | undefined | void

/**
 * Is asked when a call needs a decision; undefined leaves it to whoever looks into the inbox. The signal aborts when the
 * ask is settled by somebody else, has expired, or its turn was stopped.
 */
export type OnApproval = (ask: Approval, signal: AbortSignal) => MaybeAnswer | Promise<MaybeAnswer>

const answerSchema = decideApprovalSchema.omit({ scope: true })

/** Has the program answer an ask while somebody waits for it. Whatever goes wrong is logged, and the ask stays open. */
export async function askProgram(
  { store, logger, onApproval }: { store: Store; logger: Logger; onApproval: OnApproval },
  { answer: _, ...approval }: StoredApproval,
  signal: AbortSignal,
): Promise<void> {
  const { id, scope } = approval
  try {
    const said = await onApproval(structuredClone(approval), signal)
    if (said === undefined || signal.aborted) return
    const answer = answerSchema.safeParse(said)
    if (!answer.success) throw misfit(answer.error, said)
    await decideApproval(store, programIn({ scope }), id, answer.data)
  } catch (error) {
    const isLate = signal.aborted || (error instanceof ParleyError && error.code === 'conflict')
    if (!isLate)
      logger.warn({ err: error, approvalId: id }, 'onApproval failed; the ask waits for somebody else')
  }
}
