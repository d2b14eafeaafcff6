import { describe, expect, it } from 'vitest'
import { formatInZone, loadWords } from './schedule-words.ts'

describe('a schedule in words', () => {
  it('is said in the language of the page', async () => {
    expect((await loadWords('en'))('30 2 * * *')).toBe('At 02:30')
    expect((await loadWords('zh'))('0 9 * * 1-5')).toContain('星期一')
  })

  it('is the line where there are no words for it', async () => {
    expect((await loadWords('en'))('0 9 13 * +FRI')).toBe('0 9 13 * +FRI')
  })
})

describe('a time in a zone', () => {
  it('is what the clocks there show', () => {
    expect(formatInZone('2026-03-29T01:00:00Z', 'Europe/Berlin', 'en')).toContain('03:00')
  })

  it('is told in UTC where the zone is not known', () => {
    expect(formatInZone('2026-03-29T01:00:00Z', 'Mars/Olympus', 'en')).toMatch(/01:00 UTC$/)
  })
})
