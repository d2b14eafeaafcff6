import { expect, it } from 'vitest'
import { type Chunk, resuming, type RunEvent } from '../core/protocol/chunk.ts'
import { emptyAnswer, foldAnswer, type AnswerDraft } from './answer-draft.ts'

const toEvents = (chunks: Chunk[]): RunEvent[] => chunks.map((chunk, index) => ({ seq: index + 1, chunk }))
const foldAll = (...chunks: Chunk[]): AnswerDraft => foldAnswer(emptyAnswer('run_1'), toEvents(chunks))
const says = (id: string, ...deltas: string[]): Chunk[] => [
  { type: 'text-start', id },
  ...deltas.map((delta): Chunk => ({ type: 'text-delta', id, delta })),
  { type: 'text-end', id },
]
const start: Chunk = { type: 'start', messageId: 'msg_1' }
const step: Chunk = { type: 'start-step' }
const available = (toolCallId: string): Chunk => ({
  type: 'tool-input-available',
  toolCallId,
  toolName: 'read',
  input: { path: 'a' },
  dynamic: true,
})
const types = ({ parts }: AnswerDraft) => parts.map(({ type, text }) => (type === 'text' ? text : type))

it('joins deltas into parts, and knows which are still coming', () => {
  const begun = foldAll(
    start,
    step,
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Hel' },
  )
  expect(begun).toMatchObject({ messageId: 'msg_1', isFinished: false })
  expect(begun.parts[1]).toMatchObject({ type: 'text', text: 'Hel', state: 'streaming' })
  const ended = foldAnswer(
    begun,
    toEvents([
      { type: 'text-delta', id: 't', delta: 'lo' },
      { type: 'text-end', id: 't' },
    ]),
  )
  expect(ended.parts[1]).toMatchObject({ type: 'text', text: 'Hello', state: 'done' })
})

it('comes to the same in whatever batches the events come', () => {
  const chunks: Chunk[] = [
    start,
    step,
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'hm' },
    { type: 'reasoning-end', id: 'r' },
    ...says('t', 'one ', 'two'),
    { type: 'tool-input-start', toolCallId: 'c', toolName: 'read', dynamic: true },
    { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"path":"a"}' },
    available('c'),
    { type: 'tool-output-available', toolCallId: 'c', output: { lines: 3 }, dynamic: true },
    { type: 'finish-step' },
    step,
    ...says('u', 'done'),
    { type: 'finish-step' },
    { type: 'finish', messageMetadata: { runId: 'run_1' } },
  ]
  const whole = foldAll(...chunks)
  for (let size = 1; size < chunks.length; size++) {
    let draft = emptyAnswer('run_1')
    for (let at = 0; at < chunks.length; at += size)
      draft = foldAnswer(draft, toEvents(chunks.slice(at, at + size)))
    expect(draft).toEqual(whole)
  }
})

it('leaves parts that did not change the same objects', () => {
  const before = foldAll(start, step, ...says('t', 'one'), { type: 'text-start', id: 'u' })
  const after = foldAnswer(before, toEvents([{ type: 'text-delta', id: 'u', delta: 'two' }]))
  expect(after.parts[1]).toBe(before.parts[1])
  expect(after.parts[2]).not.toBe(before.parts[2])
})

it('follows a call from its first letters to its result', () => {
  const states: unknown[] = []
  let draft = emptyAnswer('run_1')
  const calls: Chunk[] = [
    { type: 'tool-input-start', toolCallId: 'c', toolName: 'read', dynamic: true },
    available('c'),
    { type: 'tool-output-error', toolCallId: 'c', errorText: 'no such file', dynamic: true },
  ]
  for (const chunk of calls) {
    draft = foldAnswer(draft, toEvents([chunk]))
    states.push(draft.parts[0]!.state)
  }
  expect(states).toEqual(['input-streaming', 'input-available', 'output-error'])
  expect(draft.parts[0]).toMatchObject({ toolName: 'read', input: { path: 'a' }, errorText: 'no such file' })
})

const ask: Chunk = {
  type: 'tool-approval-request',
  approvalId: 'apr_1',
  toolCallId: 'c',
  reason: 'It changes something.',
}
const answer = (approved: boolean, reason?: string): Chunk => ({
  type: 'tool-approval-response',
  approvalId: 'apr_1',
  approved,
  ...(reason !== undefined && { reason }),
})

it('follows an ask to its yes, as it is stored', () => {
  const asked = foldAll(start, step, available('c'), ask)
  expect(asked.parts[1]).toMatchObject({
    state: 'approval-requested',
    approval: { id: 'apr_1', requestReason: 'It changes something.' },
  })
  const approved = foldAnswer(asked, toEvents([answer(true)]))
  expect(approved.parts[1]).toMatchObject({
    state: 'approval-responded',
    approval: { id: 'apr_1', requestReason: 'It changes something.', approved: true },
  })
  const done = foldAnswer(
    approved,
    toEvents([{ type: 'tool-output-available', toolCallId: 'c', output: 1, dynamic: true }]),
  )
  expect(done.parts[1]).toMatchObject({ state: 'output-available', approval: { approved: true }, output: 1 })
})

it('follows an ask to its no, and takes the answer for the right call', () => {
  const other: Chunk = { ...ask, approvalId: 'apr_2', toolCallId: 'd' }
  const asked = foldAll(start, step, available('c'), available('d'), ask, other)
  const denied = foldAnswer(
    asked,
    toEvents([answer(false, 'Not that.'), { type: 'tool-output-denied', toolCallId: 'c' }]),
  )
  expect(denied.parts.slice(1)).toMatchObject([
    { state: 'output-denied', approval: { id: 'apr_1', approved: false, reason: 'Not that.' } },
    { state: 'approval-requested', approval: { id: 'apr_2' } },
  ])
  expect(denied.parts[2]).toBe(asked.parts[2])
})

it('keeps a step whose ask was answered after a restart', () => {
  const draft = foldAll(start, step, available('c'), ask, answer(false), step, ...says('u', 'Then not.'))
  expect(types(draft)).toEqual(['step-start', 'dynamic-tool', 'step-start', 'Then not.'])
})

it('shows a retry until the next words, and no trace of it after', () => {
  const retry: Chunk = { type: 'data-retry', data: { message: 'busy', waitMs: 500 }, transient: true }
  const waiting = foldAll(start, step, retry)
  expect(waiting.retry).toEqual({ message: 'busy', waitMs: 500 })
  const told = foldAnswer(waiting, toEvents(says('t', 'here')))
  expect(told.retry).toBeUndefined()
  expect(types(told)).toEqual(['step-start', 'here'])
})

it('is being resumed until the next owner has something to show', () => {
  const cut = foldAll(start, step, ...says('t', 'Half a sent'))
  expect(cut.isResuming).toBeUndefined()
  const resumed = foldAnswer(cut, toEvents([resuming, start, step]))
  expect([resumed.isResuming, types(resumed)]).toEqual([true, ['step-start']])
  const told = foldAnswer(resumed, toEvents(says('t2', 'A whole')))
  expect([told.isResuming, types(told)]).toEqual([undefined, ['step-start', 'A whole']])
  const retried = foldAnswer(
    resumed,
    toEvents([{ type: 'data-retry', data: { message: 'busy', waitMs: 500 }, transient: true }]),
  )
  expect([retried.isResuming, retried.retry?.waitMs]).toEqual([undefined, 500])
})

it('replaces data that has an id, and keeps data that has none', () => {
  const draft = foldAll(
    { type: 'data-note', id: 'a', data: 1 },
    { type: 'data-note', data: 2 },
    { type: 'data-note', id: 'a', data: 3 },
    { type: 'data-passing', data: 4, transient: true },
  )
  expect(draft.parts.map(({ data }) => data)).toEqual([3, 2])
})

it('begins the step again that a restarted server repeats', () => {
  const first = [start, step, ...says('t', 'Half a sent')]
  expect(types(foldAll(...first, start, step, ...says('t2', 'A whole sentence.')))).toEqual([
    'step-start',
    'A whole sentence.',
  ])
  const stored = [
    start,
    step,
    ...says('t', 'Looking.'),
    available('c'),
    { type: 'tool-output-available', toolCallId: 'c', output: 1, dynamic: true } as Chunk,
    { type: 'finish-step' } as Chunk,
  ]
  expect(types(foldAll(...stored, step, ...says('u', 'Half'), step, ...says('v', 'Whole')))).toEqual([
    'step-start',
    'Looking.',
    'dynamic-tool',
    'step-start',
    'Whole',
  ])
})

it('keeps a stored step whose calls were settled after the restart, and what was said meanwhile', () => {
  const draft = foldAll(
    start,
    step,
    available('c'),
    { type: 'tool-output-error', toolCallId: 'c', errorText: 'interrupted', dynamic: true },
    { type: 'data-steer', id: 's', data: { parts: [] } },
    step,
    ...says('u', 'On we go'),
  )
  expect(types(draft)).toEqual(['step-start', 'dynamic-tool', 'data-steer', 'step-start', 'On we go'])
})

it('shows what waits for its caller, and keeps it over the restart that the result comes after', () => {
  const call = {
    id: 'call_1',
    toolCallId: 'c',
    toolName: 'weather',
    input: {},
    expiresAt: '2026-01-01T00:00:00.000Z',
  }
  const waiting = foldAll(start, step, available('c'), {
    type: 'data-awaiting',
    data: { calls: [call], usage: {} },
    transient: true,
  })
  expect(waiting.parts[1]).toMatchObject({
    state: 'input-available',
    awaited: { id: 'call_1', expiresAt: call.expiresAt },
  })
  const done = foldAnswer(
    waiting,
    toEvents([
      { type: 'data-resuming', data: {}, transient: true },
      { type: 'tool-output-available', toolCallId: 'c', output: 1, dynamic: true },
      { type: 'finish-step' },
      step,
    ]),
  )
  expect(done.parts).toMatchObject([
    { type: 'step-start' },
    { state: 'output-available', output: 1 },
    { type: 'step-start' },
  ])
})
