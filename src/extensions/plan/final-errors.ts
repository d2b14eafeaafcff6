import { z } from 'zod'
import { ParleyError, type ErrorCode } from '../../core/protocol/error.ts'

/** Errors that a retry would repeat: a refusal, something missing, something invalid. */
export const isFinalError = (error: unknown): boolean =>
  error instanceof z.ZodError || (error instanceof ParleyError && finalErrors.has(error.code))

/** The same for the end of a session: its provider, or a budget, would refuse again. */
export const isFinalCode = (code: string | undefined): boolean => code !== undefined && finalCodes.has(code)

/** How the session of a step ended, in a word. */
export const codeOf = (run: { outcome?: unknown } | undefined): string | undefined =>
  (run?.outcome as { code?: string } | undefined)?.code

const finalErrors: ReadonlySet<ErrorCode> = new Set([
  'invalid_request',
  'unauthorized',
  'forbidden',
  'not_found',
  'payload_too_large',
] as const)

const finalCodes: ReadonlySet<string> = new Set([
  'content_filter',
  'model_auth',
  'model_bad_request',
  'model_not_found',
  'model_too_large',
  'model_quota',
  'model_unavailable',
  'budget_exhausted',
])
