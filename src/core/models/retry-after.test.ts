import { expect, it } from 'vitest'
import { readRetryAfter } from './retry-after.ts'

const now = Date.UTC(2026, 10, 16, 12)

it.each([
  [{ 'retry-after': '12' }, 12_000],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': ' 1.5 ' }, 1_500],
  [{ 'retry-after-ms': '30', 'retry-after': '12' }, 30],
  [{ 'retry-after-ms': 'x', 'retry-after': '12' }, 12_000],
  [{ 'retry-after': ['3', '4'] }, 3_000],
  [{ 'retry-after': '86400' }, 86_400_000],
  [{ 'retry-after': 'Mon, 16 Nov 2026 12:01:00 GMT' }, 60_000],
  [{ 'retry-after': 'Monday, 16-Nov-26 12:00:01 GMT' }, 1_000],
  [{ 'retry-after': 'Mon, 16 Nov 2026 11:59:59 GMT' }, undefined],
  [{ 'retry-after': '-1' }, undefined],
  [{ 'retry-after': '1e999' }, undefined],
  [{ 'retry-after': 'in a minute' }, undefined],
  [{}, undefined],
])('reads %j as %s ms', (headers, expected) => {
  expect(readRetryAfter(headers, '', now)).toBe(expected)
})

it("finds Google's delay in the body, unless a header says otherwise", () => {
  const body = JSON.stringify({ error: { details: [{ '@type': 'RetryInfo', retryDelay: '37.5s' }] } })
  expect(readRetryAfter({}, body, now)).toBe(37_500)
  expect(readRetryAfter({ 'retry-after': '2' }, body, now)).toBe(2_000)
})
