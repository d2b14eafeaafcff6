type Headers = Readonly<Record<string, string | string[] | undefined>>

/**
 * How long the provider asks to wait: `retry-after-ms`, `retry-after` in seconds or as an HTTP date, or Google's
 * RetryInfo in the body. Undefined when it is missing or invalid; a long wait is returned as it is.
 */
export function readRetryAfter(headers: Headers, body = '', now = Date.now()): number | undefined {
  const [ms, after] = [first(headers['retry-after-ms']), first(headers['retry-after'])]
  return (
    scaled(ms, 1) ??
    scaled(after, 1_000) ??
    until(after, now) ??
    scaled(/"retryDelay":\s*"([\d.]+)s"/.exec(body)?.[1], 1_000)
  )
}

const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)

const scaled = (text: string | undefined, factor: number) =>
  text !== undefined && /^\d+(\.\d+)?$/.test(text.trim()) ? Math.round(Number(text) * factor) : undefined

function until(date: string | undefined, now: number): number | undefined {
  // Date.parse takes almost anything for a date, "-1" too
  if (date === undefined || !/^[A-Z][a-z]+,? .*\d{2}:\d{2}:\d{2}/.test(date)) return undefined
  const wait = Date.parse(date) - now
  return wait >= 0 ? wait : undefined
}
