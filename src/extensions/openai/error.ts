import { z } from 'zod'
import type { ChatAnswer } from '../../core/protocol/chat.ts'
import type { ErrorShape } from '../../core/http/contributions.ts'
import { ParleyError, type ErrorCode } from '../../core/protocol/error.ts'

export const openAiErrorSchema = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
  })
  .meta({ id: 'OpenAiError' })
export type OpenAiErrorBody = z.infer<typeof openAiErrorSchema>

const typesByStatus: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
}

export const openAiErrors: ErrorShape = {
  under: '/v1/',
  toBody: toOpenAiError,
  // its clients ask again by themselves, and Parley has done that already
  toHeaders: ({ code }): Record<string, string> =>
    code === 'turn_failed' || code === 'adapter_unavailable' ? { 'X-Should-Retry': 'false' } : {},
}

/** A refusal in the shape that clients of OpenAI read. */
export function toOpenAiError({ code, message, status, details }: ParleyError): OpenAiErrorBody {
  const { param, reason } = (details ?? {}) as { param?: string | null; reason?: string }
  const type = typesByStatus[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error')
  return { error: { message, type, param: param ?? null, code: reason ?? code } }
}

/** What ended the turn, by the words that OpenAI has a status for; anything else is 502. */
const codesByOutcome: Record<string, ErrorCode> = {
  model_rate_limit: 'too_many_requests',
  model_quota: 'too_many_requests',
  model_bad_request: 'invalid_request',
  model_too_large: 'invalid_request',
}

export const turnFailed = (reason: string, message: string) =>
  new ParleyError(codesByOutcome[reason] ?? 'turn_failed', message, { details: { reason } })

/** Undefined for a turn that came to an end one can show: also one that was stopped, or whose answer was withheld. */
export function failureOf({ run }: ChatAnswer): ParleyError | undefined {
  const { code = 'unknown', message } = (run.outcome ?? {}) as { code?: string; message?: string }
  if (run.status === 'completed' || run.status === 'cancelled' || code === 'content_filter') return undefined
  return turnFailed(code, message ?? `The turn ended as ${run.status}.`)
}
