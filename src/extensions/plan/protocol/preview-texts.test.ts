import { expect, it } from 'vitest'
import { describeApproval } from '../../../core/command-line/ask-person.ts'
import { render } from '../../../core/command-line/printable.ts'
import type { Approval } from '../../../core/protocol/approval.ts'
import { previewTexts } from './preview-texts.ts'

const describe = (more: object) => {
  const asked = { kind: 'custom', outside: [], reason: 'It runs nodes.', ...more } as unknown as Approval
  return render(describeApproval(asked, { planRun: previewTexts }), process.stderr)
}

it('shows which nodes of a plan would be run, the estimate and the limit', () => {
  const planRun = {
    planId: 'plan_1',
    title: 'Trip',
    version: 3,
    nodeCount: 102,
    nodes: [
      { id: 1, name: 'Pack', instruction: '' },
      { id: 2, name: 'Go', instruction: 'by train' },
    ],
    lastNode: 110,
    estimate: { tokens: 12_345, cost: 0.123_456, basedOn: 4 },
    limit: { tokens: 50_000 },
  }
  const asked = { toolName: 'plan', action: 'execute_plan', resources: ['plan:plan_1'], input: {}, planRun }
  const shown = describe(asked)
  expect(shown).toContain('[1] Pack\n[2] Go: by train\n… and 100 more')
  expect(shown).toContain(
    'estimate: ≈ 12,345 tokens, cost 0.123 (by the average of the last 4 that were completed)',
  )
  expect(shown).toContain('limit: 50,000 tokens')
  const unknown = describe({ ...asked, planRun: { ...planRun, estimate: undefined, limit: {} } })
  expect(unknown).toContain('estimate: unknown: no node was completed here yet')
  expect(unknown).toContain('limit: none')
})
