import { z } from 'zod'
import { once } from '../../../../core/shared/once.ts'
import { maxWords } from './bounded.ts'

const lineSchema = z.string().trim().min(1).max(2_000)
const linesSchema = z.array(lineSchema).max(50)

const reviewSchema = z
  .object({
    decision: z.enum(['approve', 'changes_requested']),
    must_fix: linesSchema.meta({ description: 'Each begins with P1, P2 or P3 and says why' }),
    nice_to_have: linesSchema,
    tests: linesSchema.meta({ description: 'What should be tested' }),
    security: linesSchema,
  })
  .refine(
    ({ decision, must_fix }) => (decision === 'approve') === (must_fix.length === 0),
    'approve needs an empty must_fix, changes_requested one that is not',
  )
export type Review = z.infer<typeof reviewSchema>

const testPlanSchema = z.object({
  test_plan: z.string().trim().max(maxWords),
  commands: z.array(z.string().trim().min(1).max(1_000)).max(20),
  expected_results: linesSchema,
})
export type TestPlan = z.infer<typeof testPlanSchema>

/** Undefined when it is not one, or contradicts itself. */
export const readReview = (data: unknown): Review | undefined => reviewSchema.safeParse(data).data
export const readTestPlan = (data: unknown): TestPlan | undefined => testPlanSchema.safeParse(data).data

const lines = { type: 'array', items: { type: 'string' } }
const decided = (decision: Review['decision'], bound: object) => ({
  type: 'object',
  properties: { decision: { const: decision }, must_fix: { ...lines, ...bound } },
})

/** Checks also that the fields agree, so that a model that contradicts itself is asked again. */
export const reviewJsonSchema = once((): Record<string, unknown> => {
  const { $schema, ...review } = z.toJSONSchema(reviewSchema)
  return {
    ...review,
    anyOf: [decided('approve', { maxItems: 0 }), decided('changes_requested', { minItems: 1 })],
  }
})

export const testPlanJsonSchema = once((): Record<string, unknown> => {
  const { $schema, ...plan } = z.toJSONSchema(testPlanSchema)
  return plan
})
