import { expect, it } from 'vitest'
import type { Message } from '../../../src/client/index.ts'
import type { Chunk } from '../../../src/core/protocol/chunk.ts'
import type { Round, Routing } from '../../../src/extensions/room/protocol/room.ts'
import { messageText } from '../../../src/core/protocol/message-text.ts'
import { emptyRoomDraft, foldRoom } from './room-fold.ts'
import { toRoomItems, type RoomItem } from './room-items.ts'

const routing: Routing = { reason: 'policy', text: 'All answer.', mentions: [], policy: 'all' }
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()

let seq = 0
const message = (second: number, text: string, metadata: object): Message => ({
  id: `msg_${second}`,
  seq: ++seq,
  role: 'from' in metadata ? 'user' : 'assistant',
  parts: [{ type: 'text', text }],
  metadata: metadata as Record<string, unknown>,
  createdAt: at(second),
})
const person = (second: number, text: string) => message(second, text, { from: 'operator' })
const answer = (second: number, agent: string, round: number, text: string, more: object = {}) =>
  message(second, text, { agent, round, runId: `run_${agent}_${second}`, ...more })

const turn = (agent: string, more: Partial<Round['turns'][number]> = {}): Round['turns'][number] => ({
  agent,
  status: 'said',
  ...more,
})
const round = (number: number, second: number, turns: Round['turns'], ids: number[]): Round => ({
  runId: 'run_1',
  number,
  routing,
  turns,
  messageIds: ids.map((id) => `msg_${id}`),
  createdAt: at(second),
  finishedAt: at(second + 5),
})

/** What one sees, in words. */
const seen = (items: readonly RoomItem[]) =>
  items.map((item) =>
    item.kind === 'message'
      ? messageText(item.message)
      : {
          asked: item.round.routing?.text,
          answers: item.round.turns.map(({ agent, status, message: said, error, isPrivate }) =>
            [agent, status, said && messageText(said), error?.code, isPrivate && 'private'].filter(Boolean),
          ),
        },
  )

const stored = {
  messages: [
    person(1, 'Hello'),
    answer(3, 'milk', 1, 'Meow'),
    answer(4, 'coffee', 1, '', { error: { code: 'model_auth' } }),
    answer(7, 'billy', 2, 'Me too'),
  ],
  rounds: [
    round(2, 5, [turn('billy')], [7]),
    round(
      1,
      2,
      [
        turn('milk'),
        turn('coffee', { status: 'failed', error: { code: 'model_auth' } }),
        turn('billy', { status: 'skipped' }),
      ],
      [3, 4],
    ),
  ],
}

const text = (agent: string, words: string, id = '1'): Chunk[] => [
  { type: 'text-start', id: `${agent}:${id}` },
  { type: 'text-delta', id: `${agent}:${id}`, delta: words },
]
const told = (agent: string, number: number, status: string, more: object = {}): Chunk => ({
  type: 'data-agent',
  data: { agent, round: number, status, ...more },
})
const chunks: Chunk[] = [
  { type: 'data-round', data: { number: 1, routing, agents: ['milk', 'coffee', 'billy'] } },
  ...text('milk', 'Meow'),
  told('coffee', 1, 'failed', { error: { code: 'model_auth' }, runId: 'run_coffee_4' }),
  told('billy', 1, 'skipped'),
  told('milk', 1, 'said', { runId: 'run_milk_3' }),
  { type: 'data-round', data: { number: 2, routing, agents: ['billy'] } },
  ...text('billy', 'Me too', '2'),
  told('billy', 2, 'said', { runId: 'run_billy_7' }),
  { type: 'finish' },
]
const watched = (count = chunks.length) =>
  foldRoom(
    emptyRoomDraft('run_1'),
    chunks.slice(0, count).map((chunk, index) => ({ seq: index + 1, chunk })),
  )

it('shows who was asked, and what came of it, in the order in which they were asked', () => {
  expect(seen(toRoomItems(stored))).toEqual([
    'Hello',
    {
      asked: 'All answer.',
      answers: [
        ['milk', 'said', 'Meow'],
        ['coffee', 'failed', 'model_auth'],
        ['billy', 'skipped'],
      ],
    },
    { asked: 'All answer.', answers: [['billy', 'said', 'Me too']] },
  ])
})

it('shows the same to whoever watched it', () => {
  const opened = toRoomItems(stored)
  const [first] = stored.messages
  const before = toRoomItems({ messages: [first!], rounds: [], draft: watched() })
  expect(seen(before)).toEqual(seen(opened))
  // the log comes first, then the rounds: at no moment is it told otherwise, nor is anything drawn as something else
  const between = toRoomItems({ messages: stored.messages, rounds: [], draft: watched() })
  expect(seen(between)).toEqual(seen(opened))
  const ids = (items: RoomItem[]) => items.map(({ id }) => id)
  expect([ids(before), ids(between)]).toEqual([ids(opened), ids(opened)])
})

it('shows words while they come, and once those that are in the log already', () => {
  const [first, second] = stored.messages
  const items = toRoomItems({ messages: [first!, second!], rounds: [], draft: watched(6) })
  expect(items).toHaveLength(2)
  expect(seen(items)[1]).toMatchObject({
    answers: [
      ['milk', 'said', 'Meow'],
      ['coffee', 'failed', 'model_auth'],
      ['billy', 'skipped'],
    ],
  })
  const coming = toRoomItems({ messages: [first!], rounds: [], draft: watched(3) })
  expect(coming[1]).toMatchObject({ round: { isOpen: true } })
  expect(seen(coming)[1]).toMatchObject({
    answers: [
      ['milk', 'asked', 'Meow'],
      ['coffee', 'asked'],
      ['billy', 'asked'],
    ],
  })
})

it('goes with the log where rounds are not known', () => {
  expect(seen(toRoomItems({ messages: stored.messages, rounds: [] }))).toEqual([
    'Hello',
    {
      asked: undefined,
      answers: [
        ['milk', 'said', 'Meow'],
        ['coffee', 'failed'],
      ],
    },
    { asked: undefined, answers: [['billy', 'said', 'Me too']] },
  ])
})

it('puts rounds of which nothing was heard where they happened', () => {
  const night: Round = {
    ...round(1, 2, [turn('milk', { private: true, text: 'I choose Billy.' })], []),
    routing: { reason: 'mode', text: 'Night.', mentions: [] },
  }
  const items = toRoomItems({
    messages: [person(1, 'Begin'), message(8, 'Billy is dead.', { room: true }), person(9, 'Oh')],
    rounds: [night],
  })
  expect(seen(items)).toEqual([
    'Begin',
    { asked: 'Night.', answers: [['milk', 'said', 'private']] },
    'Billy is dead.',
    'Oh',
  ])
  expect(items[1]).toMatchObject({ round: { turns: [{ whisper: 'I choose Billy.' }] } })
})

it('shows what all hear of a private answer beside it', () => {
  const vote = {
    ...round(1, 2, [turn('milk', { private: true, text: 'vote: billy', runId: 'run_milk_3' })], [3]),
  }
  const items = toRoomItems({
    messages: [person(1, 'Vote'), answer(3, 'milk', 1, 'Billy it is.')],
    rounds: [vote],
  })
  expect(seen(items)[1]).toMatchObject({
    answers: [
      ['milk', 'said', 'private'],
      ['milk', 'said', 'Billy it is.'],
    ],
  })
})

it('shows no rounds of what was not read, or undone since', () => {
  const old = { ...round(1, 1, [turn('milk')], [90]), runId: 'run_old' }
  const silent = { ...round(2, 1, [], []), runId: 'run_old' }
  const undone = { ...round(1, 20, [turn('milk')], [91]), runId: 'run_undone' }
  const messages = [person(10, 'Later')]
  expect(seen(toRoomItems({ messages, rounds: [old, silent, undone] }))).toEqual(['Later'])
})

it('tells who was asked once, also where the room speaks in between', () => {
  const items = toRoomItems({
    messages: [
      answer(3, 'milk', 1, 'One'),
      message(4, 'Next.', { room: true }),
      answer(5, 'coffee', 1, 'Two'),
      answer(6, 'billy', 1, 'Three'),
    ],
    rounds: [round(1, 2, [turn('milk'), turn('coffee'), turn('billy')], [3, 4, 5, 6])],
  })
  expect(new Set(items.map(({ id }) => id)).size).toBe(3)
  expect(seen(items)[2]).toEqual({
    asked: undefined,
    answers: [
      ['coffee', 'said', 'Two'],
      ['billy', 'said', 'Three'],
    ],
  })
})
