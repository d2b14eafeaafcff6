import { z } from 'zod'
import type { ErrorShape } from '../../core/http/contributions.ts'
import type { ParleyError } from '../../core/protocol/error.ts'

const errorTypes = [
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'request_too_large',
  'rate_limit_error',
  'api_error',
  'overloaded_error',
] as const

export const anthropicErrorSchema = z
  .object({
    type: z.literal('error'),
    error: z.object({ type: z.enum(errorTypes), message: z.string() }),
  })
  .meta({ id: 'AnthropicError' })
export type AnthropicErrorBody = z.infer<typeof anthropicErrorSchema>

const typesByStatus: Record<number, (typeof errorTypes)[number]> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
}

export const anthropicErrors: ErrorShape = {
  under: '/v1/messages',
  toBody: toAnthropicError,
  // its clients ask again by themselves, and Parley has done that already
  toHeaders: ({ code }): Record<string, string> =>
    code === 'turn_failed' || code === 'adapter_unavailable' ? { 'X-Should-Retry': 'false' } : {},
}

/** A refusal in the shape that clients of Anthropic read. */
export function toAnthropicError({ message, status }: ParleyError): AnthropicErrorBody {
  const type = typesByStatus[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  return { type: 'error', error: { type, message } }
}
