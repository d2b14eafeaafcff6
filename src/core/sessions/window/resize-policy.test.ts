import { describe, expect, it } from 'vitest'
import { defaultPolicy, forced, readDecision, type Judged } from './resize-policy.ts'
import { resolveWindow, type EffectiveWindow } from './window-settings.ts'

const unlimited = resolveWindow({ preset: 'unlimited' })
const quiet: Judged = { size: { messages: 1, chars: 1, tokens: 1 }, doneTurns: 1, turnsSinceResize: 1 }

const judge = (judged: Partial<Judged>, limits: Partial<EffectiveWindow>) =>
  defaultPolicy({ ...quiet, ...judged }, { ...unlimited, ...limits })
const size = (given: Partial<Judged['size']>) => ({ size: { ...quiet.size, ...given } })

const byChars = { type: 'deep', reason: 'max_messages_text_length', severity: 100 }
const byTokens = { type: 'deep', reason: 'max_tokens', severity: 100 }
const byCount = { type: 'lite', reason: 'max_keep_messages_count', severity: 50 }
const byRounds = { type: 'lite', reason: 'max_rounds', severity: 50 }
const byTurns = { type: 'lite', reason: 'every_n_turns', severity: 10 }

describe('the default policy', () => {
  it.each<[string, Partial<Judged>, Partial<Judged>, Partial<EffectiveWindow>, object]>([
    ['characters, at the limit', size({ chars: 99 }), size({ chars: 100 }), { maxChars: 100 }, byChars],
    ['tokens, at the limit', size({ tokens: 99 }), size({ tokens: 100 }), { maxTokens: 100 }, byTokens],
    ['messages, over the limit', size({ messages: 5 }), size({ messages: 6 }), { maxMessages: 5 }, byCount],
    ['rounds, at both', { doneTurns: 6 }, { doneTurns: 7 }, { rounds: { keep: 4, drop: 3 } }, byRounds],
    ['turns, at the number', { turnsSinceResize: 2 }, { turnsSinceResize: 3 }, { everyNTurns: 3 }, byTurns],
  ])('asks for a resize for %s', (_what, below, reached, limits, expected) => {
    expect(judge(below, limits)).toBeUndefined()
    expect(judge(reached, limits)).toEqual(expected)
  })

  it('asks for nothing when every limit is 0, whatever the size', () => {
    const huge = { messages: 1e9, chars: 1e9, tokens: 1e9 }
    expect(judge({ size: huge, doneTurns: 1e9, turnsSinceResize: 1e9 }, {})).toBeUndefined()
  })

  it('takes the first that is met, whichever is met more', () => {
    const all = { maxChars: 10, maxTokens: 10, maxMessages: 2, rounds: { keep: 1, drop: 1 }, everyNTurns: 1 }
    const over = { size: { messages: 9, chars: 99, tokens: 99 }, doneTurns: 9, turnsSinceResize: 9 }
    const order: [keyof typeof all, object][] = [
      ['maxChars', byChars],
      ['maxTokens', byTokens],
      ['maxMessages', byCount],
      ['rounds', byRounds],
      ['everyNTurns', byTurns],
    ]
    const off: Record<keyof typeof all, number | undefined> = {
      maxChars: 0,
      maxTokens: 0,
      maxMessages: 0,
      rounds: undefined,
      everyNTurns: 0,
    }
    // from the front: each one counts as soon as those before it are off
    const left: Record<string, unknown> = { ...all }
    for (const [key, expected] of order) {
      expect(judge(over, left)).toEqual(expected)
      left[key] = off[key]
    }
    expect(judge(over, left)).toBeUndefined()
    // from the back: one more that is met counts only when it stands further in front
    const met: Record<string, unknown> = {}
    for (const [key, expected] of order.toReversed()) {
      met[key] = all[key]
      expect(judge(over, met)).toEqual(expected)
    }
    // and those in front that are not met do not hide it
    expect(judge({ ...over, size: { messages: 9, chars: 9, tokens: 9 } }, all)).toEqual(byCount)
  })
})

describe('what is forced', () => {
  it('is the type, or deep', () => {
    expect(forced(true)).toEqual({ type: 'deep', reason: 'force', severity: 1_000 })
    expect(forced('lite')).toEqual({ type: 'lite', reason: 'force', severity: 1_000 })
    expect(forced('own')).toEqual({ type: 'own', reason: 'force', severity: 1_000 })
  })

  it('is more severe than anything that is due by itself', () => {
    for (const { severity } of [byChars, byTokens, byCount, byRounds, byTurns])
      expect(forced(true).severity).toBeGreaterThan(severity)
  })
})

describe('the answer of a policy handler', () => {
  it.each<[unknown, unknown]>([
    [undefined, undefined],
    [null, undefined],
    ['lite', { type: 'lite', reason: 'policy', severity: 0 }],
    [{ type: 'own' }, { type: 'own', reason: 'policy', severity: 0 }],
    [
      { type: 'own', reason: 'why', severity: -2.5, meta: { a: [1] } },
      { type: 'own', reason: 'why', severity: -2.5, meta: { a: [1] } },
    ],
    [
      { type: 'own', unknown: true },
      { type: 'own', reason: 'policy', severity: 0 },
    ],
  ])('%j is read', (answer, expected) => {
    expect(readDecision(answer)).toEqual(expected)
  })

  it.each<[string, unknown]>([
    ['an empty text', ''],
    ['a number', 1],
    ['true', true],
    ['false', false],
    ['a list', ['lite']],
    ['an object without type', { reason: 'x' }],
    ['an empty type', { type: '' }],
    ['a type that is no text', { type: 3 }],
    ['a reason that is no text', { type: 'lite', reason: 3 }],
    ['a severity that is a text', { type: 'lite', severity: '3' }],
    ['a severity of NaN', { type: 'lite', severity: Number.NaN }],
    ['a severity of Infinity', { type: 'lite', severity: Number.POSITIVE_INFINITY }],
    ['null as meta', { type: 'lite', meta: null }],
    ['a text as meta', { type: 'lite', meta: 'x' }],
    ['a function', () => 'lite'],
    ['a symbol', Symbol('lite')],
    ['a big number', 10n],
  ])('%s is refused with what it was', (_what, answer) => {
    const read = () => readDecision(answer)
    expect(read).toThrow(expect.objectContaining({ code: 'invalid_request' }))
    expect(read).toThrow(/policy handler must answer/)
  })

  it('that contains itself is refused too', () => {
    const answer: Record<string, unknown> = {}
    answer.self = answer
    expect(() => readDecision(answer)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  })
})
