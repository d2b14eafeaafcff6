import { createHash } from 'node:crypto'
import type { WorkflowNode, WorkflowState } from './state.ts'

/** What each said of the plan. */
export type Proposal = Partial<Record<WorkflowNode, string>>
type Contract = WorkflowState['contract']

const maxLines = 50
const maxLine = 2_000

/**
 * What was agreed on, made of the words that were said, so that the implementation is held to it. The hash tells two
 * contracts apart.
 */
export function toContract(
  [goal = '']: readonly string[],
  { coder = '', reviewer = '', tester = '' }: Proposal,
  constraints: readonly string[] = [],
): Contract {
  const criteria = listedIn(tester)
  const agreed = {
    goal,
    core_plan: coder,
    notes: reviewer,
    acceptance_criteria: criteria.length > 0 || tester === '' ? criteria : [tester],
    constraints: [...constraints],
    must_fix: listedIn(reviewer).filter((line) => /^\**P[123]\b/i.test(line)),
  }
  const hash = createHash('sha256').update(JSON.stringify(agreed)).digest('hex').slice(0, 12)
  return { ...agreed, hash }
}

/** The items of lists in a text. */
function listedIn(text: string): string[] {
  const items = text.split('\n').flatMap((line) => {
    const item = /^(?:[-*•]|\d{1,3}[.)、])\s*(\S.*)$/.exec(line.trim())?.[1]
    return item === undefined ? [] : [item.slice(0, maxLine).toWellFormed()]
  })
  return items.slice(0, maxLines)
}
