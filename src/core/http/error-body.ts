import { z } from 'zod'
import { errorCodes } from '../protocol/error.ts'
import { issueCodes, type IssueParams } from '../protocol/issue.ts'

const plainSchema = z.union([z.string(), z.number(), z.boolean(), z.null()])

const issueParamsSchema = z.looseObject({
  expected: z.array(z.string()).optional().meta({ description: 'Types that would have fitted' }),
  values: z.array(plainSchema).optional().meta({ description: 'The values that would have fitted' }),
  origin: z.string().optional().meta({ description: 'What has the wrong size', example: 'string' }),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  inclusive: z.boolean().optional().meta({ description: 'Whether the bound itself is allowed' }),
  exact: z.boolean().optional().meta({ description: 'Nothing but this size is allowed' }),
  divisor: z.number().optional(),
  format: z
    .string()
    .optional()
    .meta({ description: 'The form that a string must have', example: 'datetime' }),
  pattern: z.string().optional().meta({ description: 'Of the format "regex"' }),
  prefix: z.string().optional().meta({ description: 'Of the format "starts_with"' }),
  suffix: z.string().optional().meta({ description: 'Of the format "ends_with"' }),
  includes: z.string().optional().meta({ description: 'Of the format "includes"' }),
  keys: z
    .array(z.string())
    .optional()
    .meta({ description: 'Keys that are not known, or exclude one another' }),
  more: z.int().optional().meta({ description: 'How many more keys there are' }),
  rule: z.string().optional().meta({ description: 'The name of the rule that was broken' }),
  message: z.string().optional().meta({ description: 'What the schema says, where it has words of its own' }),
} satisfies Record<keyof IssueParams, z.ZodType>)

const issueSchema = z
  .object({
    path: z.array(z.union([z.string(), z.int()])).meta({ description: 'Keys and places in lists' }),
    code: z.enum(issueCodes),
    params: issueParamsSchema.meta({ description: 'What a sentence about it needs; never the value itself' }),
  })
  .meta({ id: 'Issue' })

export const errorBodySchema = z
  .object({
    error: z.object({
      code: z.enum(errorCodes),
      message: z.string(),
      details: z
        .looseObject({
          issues: z
            .array(issueSchema)
            .optional()
            .meta({ description: 'What does not fit, where that is known: the first five' }),
          more: z.int().positive().optional().meta({ description: 'How many more issues there are' }),
        })
        .optional()
        .meta({ description: 'By the error: what it is about' }),
      requestId: z.string(),
    }),
  })
  .meta({ id: 'Error' })
