import type { Context, ErrorHandler, NotFoundHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { Logger } from 'pino'
import { z } from 'zod'
import { errorCodes, invalidRequest, ParleyError, quote } from '../core/protocol/error.ts'
import { issueCodes, type IssueParams } from '../core/protocol/issue.ts'
import { misfit } from '../core/protocol/issues.ts'
import type { AppEnv } from './environment.ts'
import { isOpenAiPath, toOpenAiError } from '../extensions/openai/error.ts'

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

/** The one place where what was thrown becomes an answer. A bug is logged whole and answered without its words. */
export function answerErrors(logger: Logger): ErrorHandler<AppEnv> {
  return (error, c) => {
    const refusal = toRefusal(error)
    if (!refusal) {
      logger.error(
        { err: error, requestId: c.get('requestId'), method: c.req.method, path: c.req.path },
        'unexpected error',
      )
      return answer(
        c,
        new ParleyError('internal', 'Something unexpected failed; the log has it under the request id.'),
      )
    }
    if (refusal.status >= 500) logger.warn({ err: refusal, requestId: c.get('requestId') }, refusal.message)
    return answer(c, refusal)
  }
}

export const answerNotFound: NotFoundHandler<AppEnv> = (c) =>
  answer(
    c,
    new ParleyError('not_found', `There is no route ${c.req.method} ${quote(c.req.path)}. /docs lists them.`),
  )

export function answerMethodNotAllowed(c: Context, allowed: string[]): Response {
  c.header('Allow', allowed.join(', '))
  return answer(
    c,
    new ParleyError('method_not_allowed', `${c.req.method} is not possible here; ${allowed.join(', ')} is.`),
  )
}

/** For values that did not fit their schema. */
export function refuseInvalid(result: { success: boolean; error?: unknown; data?: unknown }): void {
  if (!result.success) throw misfit(result.error as z.ZodError, result.data)
}

/** The same where the values are secrets: none of them is repeated. */
export function refuseInvalidSecret(result: { success: boolean; error?: unknown }): undefined {
  if (result.success) return
  // declared, it would keep the types of routes from being inferred
  const { data } = result as { data?: unknown }
  throw misfit(result.error as z.ZodError, data, { isSecret: true })
}

function toRefusal(error: unknown): ParleyError | undefined {
  if (error instanceof ParleyError) return error
  if (error instanceof HTTPException && error.status < 500)
    return invalidRequest(error.message || 'The request is malformed.')
  return undefined
}

function answer(c: Context, error: ParleyError): Response {
  const retryAfter = { 503: '1', 429: '60' }[error.status as number]
  if (retryAfter) c.header('Retry-After', retryAfter)
  if (isOpenAiPath(c.req.path)) {
    // its clients ask again by themselves, and Parley has done that already
    if (error.code === 'turn_failed' || error.code === 'adapter_unavailable')
      c.header('X-Should-Retry', 'false')
    return c.json(toOpenAiError(error), error.status)
  }
  const { code, message, details } = error
  return c.json(
    { error: { code, message, ...(details !== undefined && { details }), requestId: c.get('requestId') } },
    error.status,
  )
}
