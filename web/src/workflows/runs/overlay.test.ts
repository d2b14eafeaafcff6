import { expect, it } from 'vitest'
import type { WorkflowStep } from '../../../../src/extensions/workflow/protocol/workflow.ts'
import { durationOf, formatDuration } from '../../ui/duration.ts'
import { activeStepOf, standingsOf } from './overlay.ts'

const step = (path: string, status: WorkflowStep['status']): WorkflowStep => ({
  path,
  stepId: path.split('/').at(-1)!,
  type: 'agent',
  status,
  attempt: 1,
})

it('takes the rounds of a step together, and what needs somebody first', () => {
  const standings = standingsOf([
    step('plan', 'completed'),
    step('polish', 'running'),
    step('polish#1/write', 'completed'),
    step('polish#2/write', 'running'),
    step('polish#2/judge', 'skipped'),
    step('polish#1/judge', 'completed'),
  ])
  expect(standings.get('plan')).toEqual({ status: 'completed', times: 1, rounds: 0, failures: 0 })
  expect(standings.get('polish')).toEqual({ status: 'running', times: 1, rounds: 2, failures: 0 })
  expect(standings.get('write')).toEqual({ status: 'running', times: 2, rounds: 0, failures: 0 })
  expect(standings.get('judge')).toEqual({ status: 'completed', times: 2, rounds: 0, failures: 0 })
  expect(standings.get('never')).toBeUndefined()
})

it('counts the rounds of a step that is in another', () => {
  const standings = standingsOf([step('a', 'running'), step('a#1/b', 'running'), step('a#1/b#3/c', 'failed')])
  expect(standings.get('b')?.rounds).toBe(3)
  expect(standings.get('a')?.rounds).toBe(1)
})

it('knows the step that a run is at: what asks, else what runs, and of those the innermost', () => {
  const going = [step('a', 'running'), step('a#1/b', 'running'), step('c', 'completed')]
  expect(activeStepOf(going)).toBe('b')
  expect(activeStepOf([...going, step('d', 'paused')])).toBe('d')
  expect(activeStepOf([step('c', 'completed')])).toBeUndefined()
})

it('says how long something took, or has taken so far', () => {
  const at = '2026-01-01T00:00:00.000Z'
  expect(durationOf({}, 0)).toBeUndefined()
  expect(durationOf({ startedAt: at, finishedAt: '2026-01-01T00:00:02.000Z' }, 0)).toBe(2_000)
  expect(durationOf({ startedAt: at }, Date.parse(at) + 500)).toBe(500)
  expect([40, 3_200, 245_000, 7_380_000].map((ms) => formatDuration(ms))).toEqual([
    '40 ms',
    '3.2 s',
    '4 min 5 s',
    '2 h 3 min',
  ])
  expect(formatDuration(3_200, true)).toBe('3 s')
})
