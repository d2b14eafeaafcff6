import { expect, it } from 'vitest'
import { pathOfPlace, placeOf } from './session-place.ts'

it('knows the run and the step of a session, also when it is called otherwise', () => {
  const bgMeta = {
    triggerType: 'workflow' as const,
    source: 'workflow',
    sourceId: 'run_1',
    label: 'each#1/look',
  }
  const place = placeOf({ title: 'digest: each#1/look', bgMeta })!
  expect(place).toEqual({ kind: 'step', name: 'digest', step: 'each#1/look', runId: 'run_1' })
  expect(pathOfPlace(place)).toBe('/workflow-runs/run_1')
  expect(placeOf({ title: 'Mine now', bgMeta })?.name).toBe('Mine now')
})

it('knows the session of a run, and the chat of a workflow', () => {
  const run = placeOf({
    title: 'digest',
    toolMeta: { source: 'workflow-run', runId: 'run_1', workflowName: 'digest' },
  })
  expect(run).toEqual({ kind: 'run', name: 'digest', runId: 'run_1' })
  const chat = placeOf({
    title: 'digest',
    toolMeta: { source: 'workflow-management', workflowDefId: 'wfl_1', workflowName: 'digest' },
  })!
  expect(pathOfPlace(chat)).toBe('/workflows/wfl_1')
  const unmade = placeOf({ title: 'New workflow', toolMeta: { source: 'workflow-management' } })!
  expect(pathOfPlace(unmade)).toBeUndefined()
})

it('leaves all others where they are', () => {
  expect(placeOf({ title: 'A talk' })).toBeUndefined()
  expect(placeOf({ title: 'A tool', toolMeta: { source: 'other' } })).toBeUndefined()
  expect(placeOf({ title: 'A task', bgMeta: { triggerType: 'tool_spawn', label: 'x' } })).toBeUndefined()
})
