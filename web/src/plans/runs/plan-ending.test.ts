import { expect, it } from 'vitest'
import type { EventFrame } from '../../../../src/client/index.ts'
import { planEndingOf } from './plan-ending.ts'

const finished = (data: Record<string, unknown>): EventFrame => ({
  seq: 1,
  type: 'plan-run-finished',
  sessionId: 'ses_1',
  data: { runId: 'run_1', planId: 'plan_1', ...data },
  createdAt: '2026-01-01T00:00:00.000Z',
})

it('tells of what was executed or taken apart, and how it went', () => {
  expect(planEndingOf(finished({ type: 'execute', status: 'completed', summary: '3 done' }))).toEqual({
    planId: 'plan_1',
    kind: 'executed',
    sessionId: 'ses_1',
    summary: '3 done',
    isProblem: false,
    key: 'run_1:end',
  })
  expect(planEndingOf(finished({ type: 'decompose', status: 'completed' }))?.kind).toBe('decomposed')
  expect(planEndingOf(finished({ type: 'execute', status: 'timeout' }))).toMatchObject({
    kind: 'failed',
    isProblem: true,
  })
})

it('tells of nothing that an answer tells, that somebody stopped, or that is something else', () => {
  expect(planEndingOf(finished({ type: 'actions', status: 'completed' }))).toBeUndefined()
  expect(planEndingOf(finished({ type: 'execute', status: 'cancelled' }))).toBeUndefined()
  expect(planEndingOf({ ...finished({}), type: 'plan-run-started' } as EventFrame)).toBeUndefined()
})
