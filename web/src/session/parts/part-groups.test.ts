import { expect, it } from 'vitest'
import { partViewsOf } from '../../shell/part-views.ts'
import { groupParts } from './part-groups.ts'

const view = () => Promise.reject(new Error('not drawn here'))
const views = partViewsOf([
  {
    id: 'test',
    parts: { 'step-start': null, 'data-reply': null, 'data-reply-attempt': null, 'data-plan': view },
    tools: { spawn_task: view, task_status: view },
  },
])

const call = (toolName: string) => ({
  type: 'dynamic-tool',
  toolName,
  toolCallId: toolName,
  state: 'output-available',
})
const shape = (parts: Parameters<typeof groupParts>[0]) =>
  groupParts(parts, views).map(({ kind, index, parts: grouped }) => `${kind} ${index} ×${grouped.length}`)

it('joins calls that follow one another, over steps too', () => {
  const parts = [
    { type: 'step-start' },
    { type: 'text', text: 'Let me look.' },
    call('read'),
    call('search'),
    { type: 'step-start' },
    call('read'),
    { type: 'text', text: 'Done.' },
  ]
  expect(shape(parts)).toEqual(['part 1 ×1', 'tools 2 ×3', 'part 6 ×1'])
})

it('leaves tasks alone', () => {
  expect(shape([call('read'), call('spawn_task'), call('task_status'), call('read')])).toEqual([
    'tools 0 ×1',
    'part 1 ×1',
    'part 2 ×1',
    'tools 3 ×1',
  ])
})

it('knows the calls of other tools by their type', () => {
  expect(shape([{ type: 'tool-weather', state: 'output-available' }])).toEqual(['tools 0 ×1'])
})

it('has nothing for words that have not come yet', () => {
  expect(
    shape([
      { type: 'reasoning', text: '' },
      { type: 'text', text: ' \n' },
    ]),
  ).toEqual([])
})

it('leaves out what a reply was read from', () => {
  const parts = [
    { type: 'data-reply-attempt', data: {} },
    { type: 'text', text: 'Words' },
    { type: 'data-reply', data: {} },
    { type: 'data-plan', data: {} },
  ]
  expect(groupParts(parts, views).map(({ parts: [part] }) => part!.type)).toEqual(['text', 'data-plan'])
})
