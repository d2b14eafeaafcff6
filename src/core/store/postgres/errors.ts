import { ParleyError } from '../../protocol/error.ts'

// connection failures (08), a user or password that is refused (28), no such database (3D), rights that are missing (42501),
// out of resources (53), shutdown and crash recovery (57P), too long between two statements, rolled back for others (40)
// and tried again as often as we do
const unavailableStates = /^(08|28|3D|42501|53|57P|25P03|40001|40P01)/
const unavailableCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
])
// pg gives these no code
const unavailableTexts =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

export function toRefusal(error: unknown): ParleyError | undefined {
  const code = codeOf(error)
  if (code === '53100')
    return new ParleyError(
      'storage_full',
      'The disk of the database is full; nothing of this request was stored.',
      { cause: error },
    )
  const isUnavailable =
    (code !== undefined && (unavailableStates.test(code) || unavailableCodes.has(code))) ||
    (error instanceof Error && unavailableTexts.test(error.message))
  if (!isUnavailable) return undefined
  return new ParleyError(
    'store_unavailable',
    'The database cannot be reached. Repeat the request with its Idempotency-Key.',
    {
      cause: error,
    },
  )
}

export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === '23505'
export const isForeignKeyViolation = (error: unknown): boolean => codeOf(error) === '23503'

/** Serialisation failure and deadlock: PostgreSQL rolled one side back so that the other could continue. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof ParleyError) return isRetryable(error.cause)
  return (
    ['40001', '40P01'].includes(codeOf(error) ?? '') || isPreparedOutdated(error) || isPreparedLost(error)
  )
}

/** A newer node has changed a table, and a text that is kept would give other columns than before. */
export const isPreparedOutdated = (error: unknown): boolean =>
  codeOf(error) === '0A000' && (error as { routine?: string }).routine === 'RevalidateCachedQuery'

/** What is between us and the database gave us another connection than the one that keeps the texts. */
export const isPreparedLost = (error: unknown): boolean => ['26000', '42P05'].includes(codeOf(error) ?? '')

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
