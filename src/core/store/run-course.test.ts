import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tries } from '../../../test/property-runs.ts'
import type { Chunk, RunEvent } from '../protocol/chunk.ts'
import type { Part } from '../protocol/message.ts'
import { unpack } from './event-batch.ts'
import { readEvents, readSteps, writeCourse, type Reply } from './run-course.ts'

const words = fc.string({ unit: 'binary', maxLength: 50 })
const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>
const id = fc.constantFrom('a', 'b', 'c')

const spoken = (kind: 'text' | 'reasoning') =>
  fc
    .record({
      id,
      deltas: fc.array(words, { minLength: 1, maxLength: 8 }),
      isKept: fc.boolean(),
      metadata: json,
    })
    .map(({ id: name, deltas, isKept, metadata }) => ({
      parts: isKept
        ? [
            {
              type: kind,
              text: deltas.join(''),
              state: 'done',
              ...(kind === 'reasoning' && { providerMetadata: { x: metadata } }),
            },
          ]
        : [],
      chunks: [
        { type: `${kind}-start`, id: name },
        ...deltas.map((delta) => ({ type: `${kind}-delta`, id: name, delta })),
        { type: `${kind}-end`, id: name, ...(kind === 'reasoning' && { providerMetadata: { x: metadata } }) },
      ],
    }))

const called = fc
  .record({
    toolCallId: id,
    input: json,
    output: json,
    spaces: fc.constantFrom(0, 1),
    cut: fc.nat(9),
    isFailed: fc.boolean(),
    isKept: fc.boolean(),
  })
  .map(({ toolCallId, input, output, spaces, cut, isFailed, isKept }) => {
    const text = JSON.stringify(input, null, spaces)
    const call = { toolCallId, toolName: 'look', input }
    const end = isFailed ? { errorText: 'no' } : { output }
    return {
      parts: isKept ? [{ type: 'dynamic-tool', ...call, ...end }] : [],
      chunks: [
        { type: 'tool-input-start', toolCallId, toolName: 'look', dynamic: true },
        ...[text.slice(0, cut), text.slice(cut)].map((inputTextDelta) => ({
          type: 'tool-input-delta',
          toolCallId,
          inputTextDelta,
        })),
        { type: 'tool-input-available', ...call, dynamic: true },
        { type: isFailed ? 'tool-output-error' : 'tool-output-available', toolCallId, ...end, dynamic: true },
      ],
    }
  })

const others = fc
  .oneof(
    fc.constantFrom(
      { type: 'start-step' },
      { type: 'finish-step' },
      { type: 'start', messageId: 'msg_1' },
      { type: 'start', messageId: 'msg_2' },
      { type: 'start' },
      { type: 'abort' },
    ),
    fc.record({
      type: fc.constant('finish'),
      finishReason: fc.constantFrom('stop', undefined),
      messageMetadata: fc.constantFrom(
        { runId: 'run_1', usage: { inputTokens: 1 } },
        { runId: 'run_1', usage: {}, stopped: true },
        {},
      ),
    }),
    fc.record({ type: fc.constant('text-delta'), id, delta: words }),
    fc.record({ type: fc.constant('data-x'), id, data: json }),
  )
  .map((chunk) => ({ parts: chunk.type === 'data-x' ? [chunk] : [], chunks: [chunk] }))

const pieces = fc.array(fc.oneof(spoken('text'), spoken('reasoning'), called, others), { maxLength: 12 })

/** Numbers are skipped after a crash. */
const numbered = (chunks: readonly object[], gaps: readonly number[]): RunEvent[] =>
  chunks.map((chunk, index) => ({
    seq: index + 1 + 1_000_000_000 * gaps.filter((gap) => gap <= index).length,
    chunk: chunk as Chunk,
  }))

const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

describe('the course of a run', () => {
  it('gives back each event after every number, whether or not the reply has its words', () => {
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(40), { maxLength: 2 }), (made, gaps) => {
        const parts = made.flatMap((piece): Part[] => piece.parts as Part[])
        const events = numbered(
          made.flatMap(({ chunks }): object[] => chunks),
          gaps,
        )
        const reply: Reply = { runId: 'run_1', usage: { inputTokens: 1 }, parts }
        const course = writeCourse({ steps: [], events }, reply)
        for (const after of [0, ...events.map(({ seq }) => seq)]) {
          const read = readEvents(course, { after, limit: 10 }, () => stored(reply)).flatMap(unpack)
          expect(stored(read.filter(({ seq }) => seq > after))).toEqual(
            stored(events.filter(({ seq }) => seq > after)),
          )
        }
      }),
      tries(300),
    )
  })

  it('gives back each step, whether or not the reply has its parts', () => {
    const made = fc.array(
      fc.record({
        parts: fc.array(
          words.map((text): Part => ({ type: 'text', text })),
          { maxLength: 3 },
        ),
        isKept: fc.boolean(),
      }),
      { maxLength: 5 },
    )
    fc.assert(
      fc.property(made, (steps) => {
        const parts = steps.flatMap((step) => (step.isKept ? step.parts : []))
        const reply: Reply = { runId: 'run_1', usage: {}, parts }
        const course = writeCourse(
          { steps: steps.map((step, index) => ({ parts: step.parts, prompt: index })), events: [] },
          reply,
        )
        expect(readSteps(course, stored(reply))).toEqual(
          steps.map((step, index) => ({ parts: step.parts, prompt: index })),
        )
      }),
      tries(100),
    )
  })

  it('has none of the words that the reply has', () => {
    const text = 'some words of an answer'
    const call = { toolCallId: 'c', toolName: 'look', input: { at: 'some place' } }
    const parts: Part[] = [
      { type: 'text', text, state: 'done' },
      { type: 'dynamic-tool', ...call, output: 'something seen', state: 'output-available' },
      { type: 'data-steer', id: 's', data: { parts: [{ type: 'text', text: 'something said' }] } },
    ]
    const chunks = [
      { type: 'text-start', id: 't' },
      ...text.split(/(?<= )/).map((delta) => ({ type: 'text-delta', id: 't', delta })),
      { type: 'text-end', id: 't' },
      { type: 'tool-input-start', toolCallId: 'c', toolName: 'look', dynamic: true },
      ...['{"at":', '"some place"}'].map((inputTextDelta) => ({
        type: 'tool-input-delta',
        toolCallId: 'c',
        inputTextDelta,
      })),
      { type: 'tool-input-available', ...call, dynamic: true },
      { type: 'tool-output-available', toolCallId: 'c', output: 'something seen', dynamic: true },
      { type: 'data-steer', id: 's', data: { parts: [{ type: 'text', text: 'something said' }] } },
    ]
    const course = writeCourse(
      { steps: [{ parts, prompt: {} }], events: numbered(chunks, []) },
      { runId: 'run_1', usage: {}, parts },
    )
    expect(course).not.toMatch(/some|words|look/)
    expect(course.length).toBeLessThan(250)
  })

  it('keeps the numbers of events whose reply is gone', () => {
    const chunks = ['a', 'bc'].map((delta) => ({ type: 'text-delta', id: 't', delta }))
    const events = numbered([{ type: 'text-start', id: 't' }, ...chunks, { type: 'text-end', id: 't' }], [])
    const reply: Reply = { runId: 'run_1', usage: {}, parts: [{ type: 'text', text: 'abc' }] }
    const course = writeCourse({ steps: [], events }, reply)
    const read = readEvents(course, { after: 1, limit: 1 }, () => ({ ...reply, parts: [] })).flatMap(unpack)
    expect(read.map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
  })
})
