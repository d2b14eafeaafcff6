import { describe, expect, it } from 'vitest'
import { formatInZone, loadWords } from './schedule-words.ts'

describe('a schedule in words', () => {
  it('is said in the language of the page', async () => {
    expect((await loadWords('en'))('0 9 * * 1-5')).toBe('At 09:00, Monday through Friday')
    expect((await loadWords('zh'))('0 9 * * 1-5')).toBe('星期一至星期五 09:00')
  })

  it('says "every day" where the line names no day', async () => {
    expect((await loadWords('en'))('30 2 * * *')).toBe('Every day at 02:30')
    expect((await loadWords('zh'))('30 2 * * *')).toBe('每天 02:30')
    expect((await loadWords('en'))('0 9,18 * * *')).toBe('Every day at 09:00 and 18:00')
    expect((await loadWords('en'))('15 * * * *')).toBe('At 15 minutes past the hour')
  })

  it('is Chinese in the order of Chinese', async () => {
    const toWords = await loadWords('zh')
    expect(toWords('0 9 * * 1')).toBe('每星期一 09:00')
    expect(toWords('0 9 1 * *')).toBe('每月 1 号 09:00')
    expect(toWords('0 */2 * * *')).toBe('整点，每隔 2 小时')
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
