import { expect, it } from 'vitest'
import { readTasks } from './read-tasks.ts'

const part = (fields: object) => ({ type: 'dynamic-tool', toolName: 'spawn_task', ...fields })

it('knows a task by what was asked until its id is there', () => {
  const input = { task: 'Count the sheep', label: 'Sheep' }
  expect(readTasks(part({ state: 'input-available', input }))).toEqual([
    { taskId: undefined, label: 'Sheep', status: 'pending' },
  ])
  const output = { taskId: 'ses_1', status: 'started' }
  expect(readTasks(part({ state: 'output-available', input, output }))).toEqual([
    { taskId: 'ses_1', label: 'Sheep', status: 'started' },
  ])
})

it('lists all that were looked at', () => {
  const output = [
    { taskId: 'ses_1', status: 'running' },
    { taskId: 'ses_2', label: 'b', status: 'failed' },
    null,
    7,
  ]
  expect(readTasks(part({ output })).map(({ taskId }) => taskId)).toEqual(['ses_1', 'ses_2'])
})

it.each([
  {},
  { input: null },
  { input: 'text', output: 'text' },
  { output: { taskId: '<b>' } },
  { output: [[]] },
])('names no session for %j', (fields) => {
  expect(readTasks(part(fields)).filter(({ taskId }) => taskId !== undefined)).toEqual([])
})
