import { expect, it } from 'vitest'
import { proposalOf } from './proposal.ts'

it('knows a call that saves a definition', () => {
  const text = 'name: a'
  expect(proposalOf({ toolName: 'workflow', input: { action: 'create', text } })).toEqual({
    text,
    isNew: true,
  })
  expect(proposalOf({ toolName: 'workflow', input: { action: 'update', id: 'wfl_1', text } })).toEqual({
    text,
    isNew: false,
    id: 'wfl_1',
  })
})

it.each([
  ['another action', { toolName: 'workflow', input: { action: 'run', name: 'a' } }],
  ['another tool', { toolName: 'file', input: { action: 'update', text: 'a' } }],
  ['no text', { toolName: 'workflow', input: { action: 'update' } }],
  ['no arguments', { toolName: 'workflow', input: null }],
])('leaves %s alone', (_, call) => {
  expect(proposalOf(call)).toBeUndefined()
})
