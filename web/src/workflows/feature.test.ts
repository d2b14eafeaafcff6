import { expect, it } from 'vitest'
import type { ScopeEvent } from '../../../src/client/index.ts'
import { workflows } from './feature.ts'

const asked = (data: Record<string, unknown>): ScopeEvent => ({
  seq: 1,
  type: 'approval-requested',
  sessionId: 'ses_1',
  data: { approvalId: 'a', ...data },
  createdAt: '2026-01-01T00:00:00.000Z',
})

it('notifies of the questions of its runs itself, and of no other ask', () => {
  expect(workflows.ownsAsk!(asked({ toolName: 'workflow', action: 'approve' }))).toBe(true)
  expect(workflows.ownsAsk!(asked({ toolName: 'workflow', action: 'update' }))).toBe(false)
  expect(workflows.ownsAsk!(asked({ toolName: 'file', action: 'write' }))).toBe(false)
})
