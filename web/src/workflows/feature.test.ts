import { expect, it } from 'vitest'
import { workflows } from './feature.ts'

it('notifies of the questions of its runs itself, and of no other ask', () => {
  expect(workflows.ownsAsk!({ toolName: 'workflow', action: 'approve' })).toBe(true)
  expect(workflows.ownsAsk!({ toolName: 'workflow', action: 'update' })).toBe(false)
  expect(workflows.ownsAsk!({ toolName: 'file', action: 'write' })).toBe(false)
})
