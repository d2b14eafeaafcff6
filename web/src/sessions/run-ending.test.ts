import { describe, expect, it } from 'vitest'
import type { EventFrame } from '../../../src/client/index.ts'
import { askOf, decideTelling, endingOf, withCount } from './run-ending.ts'

const event = (type: string, data: Record<string, unknown>): EventFrame => ({
  seq: 1,
  type,
  sessionId: 'ses_1',
  data,
  createdAt: '2026-01-01T00:00:00.000Z',
})

describe('what counts as an ending', () => {
  it('is a turn that finished, well or not', () => {
    expect(endingOf(event('run-finished', { runId: 'r', status: 'completed' }))).toEqual({
      runId: 'r',
      sessionId: 'ses_1',
      isFailure: false,
    })
    expect(endingOf(event('run-finished', { runId: 'r', status: 'timeout' }))?.isFailure).toBe(true)
  })
  it('is a task that ended, whatever its result says', () => {
    expect(endingOf(event('bg:session.completed', { runId: 'r', status: 'partial' }))?.isFailure).toBe(false)
    expect(endingOf(event('bg:session.failed', { runId: 'r', status: 'failed' }))?.isFailure).toBe(true)
  })
  it('is nothing that was stopped, has begun or is unknown', () => {
    expect(endingOf(event('run-finished', { runId: 'r', status: 'cancelled' }))).toBeUndefined()
    expect(endingOf(event('bg:session.cancelled', { runId: 'r', status: 'cancelled' }))).toBeUndefined()
    expect(endingOf(event('bg:session.created', { runId: 'r' }))).toBeUndefined()
    expect(endingOf(event('run-started', { runId: 'r' }))).toBeUndefined()
    expect(endingOf({ type: 'gap', after: 1, seq: 9 })).toBeUndefined()
  })
})

describe('an ask', () => {
  const ask = { approvalId: 'a', sessionId: 'ses_1', parentSessionId: 'ses_0' }
  it('is told by one event, and by no other', () => {
    expect(askOf(event('approval-requested', { approvalId: 'a', parentSessionId: 'ses_0' }))).toEqual(ask)
    expect(askOf(event('approval-settled', { approvalId: 'a' }))).toBeUndefined()
    expect(askOf(event('approval-requested', {}))).toBeUndefined()
  })
  it.each([
    ['where it was asked', { sessionId: 'ses_1' }, true],
    ['in the session that started the task', { sessionId: 'ses_0' }, true],
    ['on the page with all asks', { seesAsks: true }, true],
    ['elsewhere', { sessionId: 'ses_2' }, false],
  ])('is seen or told, %s', (_, place, isSeen) => {
    const telling = decideTelling(ask, { ...place, isVisible: true, isAllowed: true })
    expect(telling).toMatchObject({ isSeen, toast: !isSeen })
  })
})

describe('who is told of it', () => {
  const ending = { runId: 'r', sessionId: 'ses_1', isFailure: false }
  it('nobody who is looking at it', () => {
    const telling = decideTelling(ending, { sessionId: 'ses_1', isVisible: true, isAllowed: true })
    expect(telling).toMatchObject({ isSeen: true, toast: false, system: false })
  })
  it('by a toast, whoever looks at something else', () => {
    const telling = decideTelling(ending, { sessionId: 'ses_2', isVisible: true, isAllowed: true })
    expect(telling).toMatchObject({ isSeen: false, toast: true, system: false })
  })
  it('by the system, who looks elsewhere and allowed it, also of the session that is open', () => {
    const hidden = { sessionId: 'ses_1', isVisible: false }
    expect(decideTelling(ending, { ...hidden, isAllowed: true })).toMatchObject({
      isSeen: false,
      toast: false,
      system: true,
    })
    expect(decideTelling(ending, { ...hidden, isAllowed: false }).system).toBe(false)
  })
  it('first in the tab that shows it, then in one that is seen, then in one that is not', () => {
    const delays = [
      { sessionId: 'ses_1', isVisible: true, isAllowed: true },
      { sessionId: undefined, isVisible: true, isAllowed: true },
      { sessionId: 'ses_1', isVisible: false, isAllowed: true },
    ].map((onlooker) => decideTelling(ending, onlooker).delayMs)
    expect(delays).toEqual(delays.toSorted((a, b) => a - b))
    expect(new Set(delays).size).toBe(3)
  })
})

it('counts in the title, once', () => {
  expect(withCount('Parley', 2)).toBe('(2) Parley')
  expect(withCount('(2) Parley', 3)).toBe('(3) Parley')
  expect(withCount('(3) Parley', 0)).toBe('Parley')
})
