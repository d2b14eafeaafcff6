import { createHash } from 'node:crypto'
import { z } from 'zod'

/** What each node said of the plan. */
export const proposalSchema = z.object({
  coder: z.string().optional(),
  reviewer: z.string().optional(),
  tester: z.string().optional(),
})
export type Proposal = z.infer<typeof proposalSchema>

export const contractSchema = z.object({
  goal: z.string(),
  core_plan: z.string(),
  notes: z.string(),
  acceptance_criteria: z.array(z.string()),
  constraints: z.array(z.string()),
  must_fix: z.array(z.string()),
  hash: z.string(),
})
type Contract = z.infer<typeof contractSchema>

const maxLines = 50
const maxLine = 2_000

/**
 * What was agreed on, in the words that were used, so that the implementation is held to it. The hash distinguishes
 * contracts.
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
