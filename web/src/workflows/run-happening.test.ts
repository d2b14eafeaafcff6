import { expect, it } from 'vitest'
import type { ScopeEvent } from '../../../src/client/index.ts'
import { happeningOf } from './run-happening.ts'

const event = (type: string, data: object) =>
  ({ type, data, sessionId: 'ses_1', seq: 7, createdAt: '2026-01-01T00:00:00.000Z' }) as ScopeEvent
const data = { runId: 'run_1', name: 'Digest' }

it('tells of runs that pause, once for each question', () => {
  const [first, second] = ['ok', 'ok#2'].map((path) =>
    happeningOf(event('workflow-paused', { ...data, path, question: 'May it?' })),
  )
  expect(first).toMatchObject({ kind: 'paused', body: 'May it?' })
  expect(first?.key).not.toBe(second?.key)
})

it.each([
  ['workflow-completed', 'completed', false],
  ['workflow-failed', 'failed', true],
  ['workflow-failed', 'timeout', true],
  ['workflow-failed', 'interrupted', true],
  ['workflow-cancelled', 'cancelled', false],
])('tells by %s that a run is %s', (type, status, isProblem) => {
  const happened = happeningOf(event(type, { ...data, status, error: 'Why.' }))
  expect(happened).toEqual({
    kind: status,
    runId: 'run_1',
    name: 'Digest',
    isProblem,
    ...(isProblem && { body: 'Why.' }),
    key: 'run_1:end',
  })
})

it('is silent about the end of a run that is a step of another, but not about its question', () => {
  const inner = { ...data, parentRunId: 'run_0' }
  expect(happeningOf(event('workflow-completed', inner))).toBeUndefined()
  expect(happeningOf(event('workflow-paused', inner))?.kind).toBe('paused')
})

it('knows a notice at the end of a run for that end, and each of a step for itself', () => {
  const end = happeningOf(
    event('notification', { title: 'Digest', body: 'It is out.', level: 'error', runId: 'run_1' }),
  )
  expect(end).toMatchObject({ kind: 'notice', name: 'Digest', body: 'It is out.', isProblem: true })
  expect(end?.key).toBe(happeningOf(event('workflow-failed', data))?.key)
  const notice = happeningOf(event('notification', { title: 'Look', body: '', level: 'info' }))
  expect(notice).toMatchObject({ kind: 'notice', name: 'Look', sessionId: 'ses_1', isProblem: false })
  expect(notice?.key).toContain('7')
  expect(happeningOf(event('notification', { body: 'nothing to call it' }))).toBeUndefined()
})

it.each(['workflow-step', 'workflow-started', 'run-finished'])('is silent about %s', (type) => {
  expect(happeningOf(event(type, data))).toBeUndefined()
})
