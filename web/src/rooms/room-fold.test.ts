import { expect, it } from 'vitest'
import type { Chunk, RunEvent } from '../../../src/core/protocol/chunk.ts'
import type { Routing } from '../../../src/extensions/room/protocol/room.ts'
import { answeringRuns, emptyRoomDraft, foldRoom, type RoomDraft } from './room-fold.ts'

const routing: Routing = { reason: 'policy', text: 'All answer.', mentions: [], policy: 'all' }
const round = (number: number, ...agents: string[]): Chunk => ({
  type: 'data-round',
  id: `round-${number}`,
  data: { number, routing, agents },
})
const told = (agent: string, status: string, more: object = {}, number = 1): Chunk => ({
  type: 'data-agent',
  id: `agent-${number}-${agent}`,
  data: { agent, round: number, status, ...more },
})
const start = (agent: string, id = '1'): Chunk => ({
  type: 'text-start',
  id: `${agent}:${id}`,
  providerMetadata: { parley: { agent } },
})
const delta = (agent: string, text: string, id = '1'): Chunk => ({
  type: 'text-delta',
  id: `${agent}:${id}`,
  delta: text,
})
const toEvents = (chunks: Chunk[]): RunEvent[] => chunks.map((chunk, index) => ({ seq: index + 1, chunk }))
const watch = (...chunks: Chunk[]) => foldRoom(emptyRoomDraft('run_1'), toEvents(chunks))
const saidIn = ({ rounds }: RoomDraft) =>
  rounds.map(({ turns }) =>
    Object.fromEntries(
      turns.map(({ agent, draft }) => [agent, draft.parts.map(({ text, toolName }) => text ?? toolName)]),
    ),
  )

it('tells apart what several agents say at once', () => {
  const draft = watch(
    round(1, 'milk', 'coffee'),
    start('milk'),
    start('coffee'),
    delta('milk', 'Good '),
    delta('coffee', 'No'),
    delta('milk', 'day'),
    delta('coffee', '!'),
  )
  expect(saidIn(draft)).toEqual([{ milk: ['Good day'], coffee: ['No!'] }])
})

it('folds the same whether it comes at once or piece by piece', () => {
  const chunks = [
    round(1, 'milk', 'coffee'),
    start('milk'),
    delta('milk', 'a'),
    start('coffee'),
    told('milk', 'said', { runId: 'run_m' }),
    delta('coffee', 'b'),
    told('coffee', 'failed', { runId: 'run_c', error: { code: 'model_auth' } }),
    round(2, 'milk'),
    start('milk', '2'),
    delta('milk', 'c', '2'),
    told('milk', 'said', { runId: 'run_m2' }, 2),
    { type: 'finish' } as Chunk,
  ]
  const whole = watch(...chunks)
  const pieces = toEvents(chunks).reduce((draft, event) => foldRoom(draft, [event]), emptyRoomDraft('run_1'))
  expect(pieces).toEqual(whole)
  expect(saidIn(whole)).toEqual([{ milk: ['a'], coffee: ['b'] }, { milk: ['c'] }])
  expect(whole.isFinished).toBe(true)
  expect(answeringRuns(whole)).toEqual(['run_m', 'run_c', 'run_m2'])
})

it('knows what becomes of each agent', () => {
  const draft = watch(
    round(1, 'a', 'b', 'c', 'd'),
    told('a', 'said'),
    told('b', 'skipped'),
    told('c', 'failed', { error: { code: 'model_timeout', message: 'Too late.' } }),
    told('d', 'asked', { private: true }),
  )
  expect(draft.rounds[0]!.turns.map(({ status, isPrivate }) => [status, isPrivate])).toEqual([
    ['said', false],
    ['skipped', false],
    ['failed', false],
    ['asked', true],
  ])
  expect(draft.rounds[0]!.turns[2]!.error).toEqual({ code: 'model_timeout', message: 'Too late.' })
})

it('keeps tools with the agent that calls them', () => {
  const draft = watch(
    round(1, 'milk', 'coffee'),
    {
      type: 'tool-input-available',
      toolCallId: 'coffee:call-1',
      toolName: 'read_file',
      input: {},
      dynamic: true,
    },
    { type: 'tool-output-available', toolCallId: 'coffee:call-1', output: 'text', dynamic: true },
  )
  expect(saidIn(draft)).toEqual([{ milk: [], coffee: ['read_file'] }])
  expect(draft.rounds[0]!.turns[1]!.draft.parts[0]).toMatchObject({ state: 'output-available' })
})

it('leaves who is silent as it is, so that nothing of it is drawn again', () => {
  const before = watch(round(1, 'milk', 'coffee'), start('milk'), delta('milk', 'a'), start('coffee'))
  const after = foldRoom(before, toEvents([delta('coffee', 'b')]))
  expect(after.rounds[0]!.turns[0]).toBe(before.rounds[0]!.turns[0])
  expect(after.rounds[0]!.turns[1]).not.toBe(before.rounds[0]!.turns[1])
})

it('goes on with a round that is told again after a restart', () => {
  const draft = watch(
    round(1, 'milk', 'coffee'),
    start('milk'),
    delta('milk', 'done'),
    told('milk', 'said'),
    start('coffee'),
    delta('coffee', 'to be '),
    round(1, 'milk', 'coffee'),
    told('milk', 'said'),
    told('coffee', 'asked'),
    start('coffee'),
    delta('coffee', 'to be or not'),
  )
  expect(draft.rounds).toHaveLength(1)
  expect(draft.rounds[0]!.turns[0]).toMatchObject({ status: 'said' })
  expect(saidIn(draft)).toEqual([{ milk: ['done'], coffee: ['to be or not'] }])
})

it('takes what a mode makes public of a private answer for what it is: something else', () => {
  const published: Chunk[] = [
    { type: 'text-start', id: 'milk:msg_1' },
    { type: 'text-delta', id: 'milk:msg_1', delta: 'I vote for Billy.' },
  ]
  const isPrivate = { private: true }
  expect(saidIn(watch(round(1, 'milk'), told('milk', 'said', isPrivate), ...published))).toEqual([
    { milk: [] },
  ])
  expect(saidIn(watch(round(1, 'milk'), told('milk', 'said'), ...published))).toEqual([
    { milk: ['I vote for Billy.'] },
  ])
})

it('tells of a model that is asked again, and of an answer to an ask, whose they are', () => {
  const retry = { agent: 'coffee', message: 'Busy.', waitMs: 1_000 }
  const waiting = watch(round(1, 'milk', 'coffee'), { type: 'data-retry', data: retry })
  expect(waiting.rounds[0]!.turns.map(({ draft }) => draft.retry)).toEqual([undefined, retry])
  const call = { toolCallId: 'coffee:1', toolName: 'write', input: {}, dynamic: true } as const
  const decided = watch(
    round(1, 'milk', 'coffee'),
    { type: 'tool-input-available', ...call },
    { type: 'tool-approval-request', approvalId: 'apr_1', toolCallId: 'coffee:1' },
    { type: 'tool-approval-response', approvalId: 'apr_1', approved: true },
  )
  expect(decided.rounds[0]!.turns[1]!.draft.parts[0]).toMatchObject({ state: 'approval-responded' })
})

it('is being resumed: one agent of it, or all that were asked', () => {
  const isResuming = (chunk: Chunk) =>
    watch(round(1, 'milk', 'coffee'), chunk).rounds[0]!.turns.map(({ draft }) => draft.isResuming)
  expect(isResuming({ type: 'data-resuming', data: { agent: 'coffee' } })).toEqual([undefined, true])
  expect(isResuming({ type: 'data-resuming', data: {} })).toEqual([true, true])
})

it('bears what belongs to nobody', () => {
  const draft = watch(delta('ghost', 'boo'), round(1, 'milk'), delta('ghost', 'boo'), {
    type: 'text-delta',
    id: 'no-name',
    delta: 'x',
  })
  expect(saidIn(draft)).toEqual([{ milk: [] }])
})

it('remembers where the mode stands', () => {
  const room = { mode: 'quiz', state: { round: 2 } }
  expect(watch(round(1, 'milk'), { type: 'data-room', data: room }).room).toEqual(room)
})
