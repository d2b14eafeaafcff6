import { describe, expect, it } from 'vitest'
import { formatBytes } from '../settings/format-bytes.ts'
import { fileNameOf } from './save-file.ts'

describe('the name of a file', () => {
  it.each([
    ['Morning report: 3/4', 'markdown', 'Morning-report-3-4.md'],
    ['../../etc/passwd', 'json', 'etc-passwd.json'],
    ['每日报告', 'yaml', '每日报告.yaml'],
    ['\u202Eevil', 'jsonl', 'evil.jsonl'],
    ['???', 'json', 'session.json'],
  ] as const)('of %j is safe everywhere', (title, format, expected) => {
    expect(fileNameOf(title, format)).toBe(expected)
  })
})

describe('a size', () => {
  it('is told in the unit that fits', () => {
    expect([12, 3_450, 2_000_000].map((bytes) => formatBytes(bytes, 'en'))).toEqual([
      '12 byte',
      '3.5 kB',
      '2 MB',
    ])
  })
})
