import { expect, it } from 'vitest'
import type { RunRecord } from '../../../src/core/protocol/chat.ts'
import { toTaskRequest } from './task-request.ts'
import type { Task } from './task-tree.ts'

const task = {
  id: 'ses_1',
  title: 'Count',
  bgMeta: { triggerType: 'api', label: 'Count', timeoutMs: 30_000 },
  parentId: 'ses_0',
} as Task

it('asks for what was asked, not for what came of it', () => {
  const asked = { expectedOutput: 'A number', timeoutMs: 90_000, budget: { seconds: 30 } }
  const run = { input: { task: { asked, detached: true } } } as RunRecord
  expect(toTaskRequest(task, 'Count the pages', run)).toMatchObject({
    ...asked,
    kind: 'background',
    prompt: 'Count the pages',
    label: 'Count',
    detached: true,
    parentSessionId: 'ses_0',
  })
})

it('makes do with the record of a task that has no run, or an older one', () => {
  for (const run of [undefined, { input: { task: {} } } as RunRecord])
    expect(toTaskRequest(task, 'Count the pages', run)).toMatchObject({ label: 'Count', timeoutMs: 30_000 })
})
