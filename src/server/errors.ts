import type { Context, ErrorHandler, NotFoundHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { ErrorShape } from '../core/http/contributions.ts'
import type { AppEnv } from '../core/http/request-environment.ts'
import { invalidRequest, ParleyError, quote } from '../core/protocol/error.ts'
import { misfit } from '../core/protocol/issues.ts'

/** The one place where errors become responses. A bug is logged in full and reported without its message. */
export function answerErrors(logger: Logger, shapes: readonly ErrorShape[]): ErrorHandler<AppEnv> {
  return (error, c) => {
    const refusal = toRefusal(error)
    if (!refusal) {
      logger.error(
        { err: error, requestId: c.get('requestId'), method: c.req.method, path: c.req.path },
        'unexpected error',
      )
      return answer(
        c,
        shapes,
        new ParleyError('internal', 'Something unexpected failed; the log has it under the request id.'),
      )
    }
    if (refusal.status >= 500) logger.warn({ err: refusal, requestId: c.get('requestId') }, refusal.message)
    return answer(c, shapes, refusal)
  }
}

export function answerNotFound(shapes: readonly ErrorShape[]): NotFoundHandler<AppEnv> {
  return (c) =>
    answer(
      c,
      shapes,
      new ParleyError(
        'not_found',
        `There is no route ${c.req.method} ${quote(c.req.path)}. /docs lists them.`,
      ),
    )
}

export function answerMethodNotAllowed(
  shapes: readonly ErrorShape[],
): (c: Context, allowed: string[]) => Response {
  return (c, allowed) => {
    const methods = allowed.join(', ')
    c.header('Allow', methods)
    return answer(
      c,
      shapes,
      new ParleyError('method_not_allowed', `${c.req.method} is not possible here; ${methods} is.`),
    )
  }
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

function answer(c: Context, shapes: readonly ErrorShape[], error: ParleyError): Response {
  const retryAfter = { 503: '1', 429: '60' }[error.status as number]
  if (retryAfter) c.header('Retry-After', retryAfter)
  const shape = shapes.find(({ under }) => c.req.path.startsWith(under))
  for (const [name, value] of Object.entries(shape?.toHeaders?.(error) ?? {})) c.header(name, value)
  return c.json(shape ? shape.toBody(error) : toErrorBody(error, c.get('requestId')), error.status)
}

const toErrorBody = ({ code, message, details }: ParleyError, requestId: string) => ({
  error: { code, message, ...(details !== undefined && { details }), requestId },
})
