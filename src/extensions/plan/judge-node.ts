import type { TaskResult } from '../../core/protocol/background.ts'
import type { NodeCheck } from './protocol/plan-node.ts'
import { cut } from '../../core/shared/text.ts'
import { passed } from './acceptance-checks.ts'
import { isFinalCode } from './final-errors.ts'

// the whole of it is in the result
const maxReason = 4_000

export interface NodeVerdict {
  status: 'completed' | 'partial' | 'refused' | 'failed'
  /** Why it is not completed. */
  reason?: string
  /** Whether a retry may have another outcome. */
  mayPass: boolean
}

/**
 * What the end of a session means for its node. Texts are never interpreted: a session states itself how it ended,
 * its provider reports that it withheld an answer, and checks decide whether the work is there. Without any of these, a
 * person has to decide.
 */
export function judgeNode(outcome: TaskResult, checks: readonly NodeCheck[], code?: string): NodeVerdict {
  const { status, source, output, error } = outcome
  if (status === 'refused' || code === 'content_filter')
    return { status: 'refused', reason: cut(error ?? output, maxReason), mayPass: false }
  const isHandedIn = source !== 'extracted'
  const rejection = rejectionOf(checks)
  if (status === 'partial' && isHandedIn) {
    const partly = 'Only a part of it was done.'
    return {
      status: 'partial',
      reason: rejection === undefined ? partly : `${partly} ${rejection}`,
      mayPass: false,
    }
  }
  if (status === 'cancelled') return { status: 'failed', reason: 'It was stopped.', mayPass: false }
  if (status !== 'success' && status !== 'partial')
    return {
      status: 'failed',
      reason: cut(
        error ?? (output.trim() === '' ? `It ended as ${status}, without a result.` : output),
        maxReason,
      ),
      mayPass: !isFinalCode(code),
    }
  if (rejection !== undefined) return { status: 'failed', reason: rejection, mayPass: true }
  const isChecked = checks.some(({ warning }) => !warning)
  if (isHandedIn || isChecked) return { status: 'completed', mayPass: false }
  return {
    status: 'partial',
    reason: 'It handed in no result and has no checks; what it said last has to be looked at.',
    mayPass: false,
  }
}

function rejectionOf(checks: readonly NodeCheck[]): string | undefined {
  if (passed(checks)) return undefined
  const failed = checks.filter((check) => !check.passed && !check.warning)
  return `Not accepted: ${failed.map(({ check, message }) => `${check}: ${message}`).join('; ')}`
}
