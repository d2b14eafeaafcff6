import { APICallError, TypeValidationError } from '@ai-sdk/provider'
import { ModelFault } from './fault.ts'
import type { Faults } from './provider-faults.ts'

/** Whatever `doStream` or its stream throws. Request bodies and headers, which its errors carry, stay behind. */
export function toFault(faults: Faults, error: unknown): ModelFault {
  const known = findFault(error)
  if (known) return known
  if (APICallError.isInstance(error)) return fromCall(faults, error)
  if (!(error instanceof Error)) return faults.failed(error)
  // the SDK reports it in its message only
  if (error.message.includes('ended without a finish reason')) return faults.cut()
  if (isNetworkError(error)) return faults.unreachable(error)
  if (/^AI_(JSONParse|TypeValidation|InvalidResponseData)Error$/.test(error.name))
    return faults.malformed(brief(error))
  if (error.name.startsWith('AI_')) return faults.unsupported(error.message)
  return faults.malformed(error.message)
}

/** Anthropic may add events at any time and asks its readers to pass over them. */
export function isUnknownEvent(error: unknown): boolean {
  if (!TypeValidationError.isInstance(error)) return false
  const { type } = (error.value ?? {}) as { type?: unknown }
  return typeof type === 'string' && !/^(message|content_block|response)[._]|^(ping|error)$/.test(type)
}

function findFault(error: unknown): ModelFault | undefined {
  for (let current = error; current instanceof Error; current = current.cause)
    if (current instanceof ModelFault) return current
  return undefined
}

function fromCall(faults: Faults, error: APICallError): ModelFault {
  const { statusCode: status, responseHeaders: headers = {}, responseBody: body } = error
  if (status === undefined) return faults.unreachable(error.cause ?? error)
  if (status < 300) return faults.cut(error.cause)
  return faults.refused({ status, headers, body: body || error.message })
}

const isNetworkError = (error: Error) =>
  error.name === 'AbortError' || (error instanceof TypeError && /fetch failed|terminated/.test(error.message))

/** Without the text that could not be read: it may be megabytes. */
const brief = (error: Error) =>
  (error.cause instanceof Error ? error.cause.message : error.message).slice(0, 200)
