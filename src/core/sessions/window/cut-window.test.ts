import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutBack, cutToFit, isWithin, sizeOf, turnStarts, type Sized } from './cut-window.ts'
import { resolveWindow, type EffectiveWindow } from './window-settings.ts'
import { tries } from '../../../../test/property-runs.ts'

const roles = { u: 'user', a: 'assistant', s: 'system' } as const

/** `u a u a`: a letter for each role, each with so many characters and a tenth of them as tokens. */
const log = (letters: string, chars = 10): Sized[] =>
  letters
    .split(' ')
    .filter(Boolean)
    .map((letter) => ({ role: roles[letter as keyof typeof roles], chars, tokens: chars / 10 }))

const unlimited = resolveWindow({ preset: 'unlimited' })
const cut = (messages: Sized[], limits: Partial<EffectiveWindow>) =>
  cutBack(messages, { ...unlimited, ...limits })

describe('the beginnings of turns', () => {
  it.each<[string, number[]]>([
    ['', []],
    ['u', [0]],
    ['u a u a', [0, 2]],
    ['u u a', [0, 1]],
    ['u a a a u', [0, 4]],
    // what stands before the first input belongs to its turn
    ['a u a u', [0, 3]],
    ['s u a u', [0, 3]],
    ['a a', [0]],
    ['u a s u', [0, 3]],
  ])('of "%s" are %j', (letters, expected) => {
    expect(turnStarts(log(letters))).toEqual(expected)
  })
})

describe('a window is within its limits', () => {
  it.each<[string, Partial<EffectiveWindow>, boolean]>([
    ['below the characters', { maxChars: 41 }, true],
    ['not at the characters', { maxChars: 40 }, false],
    ['at the messages', { maxMessages: 4 }, true],
    ['not over the messages', { maxMessages: 3 }, false],
    ['below the tokens', { maxTokens: 5 }, true],
    ['not at the tokens', { maxTokens: 4 }, false],
    ['without any', {}, true],
    ['only when it is within all', { maxChars: 100, maxMessages: 3 }, false],
  ])('%s', (_what, limits, expected) => {
    expect(isWithin(sizeOf(log('u a u a')), { ...unlimited, ...limits })).toBe(expected)
  })
})

describe('a cut', () => {
  it.each<[string, string, Partial<EffectiveWindow>, number]>([
    ['keeps all that fits into 60 % of the characters', 'u a u a u a', { maxChars: 100 }, 0],
    ['goes back to 60 % of the characters', 'u a u a u a u a', { maxChars: 80 }, 4],
    ['goes back to 60 % of the messages', 'u a u a u a u a', { maxMessages: 10 }, 2],
    ['goes back to 60 % of the tokens', 'u a u a u a u a', { maxTokens: 7 }, 4],
    ['goes by the strictest limit', 'u a u a u a u a', { maxChars: 200, maxMessages: 4 }, 6],
    ['keeps the newest turn whole, however long', 'u a u a a a a a', { maxMessages: 2 }, 2],
    ['keeps the newest input alone when nothing else fits', 'u a u a u', { maxChars: 1 }, 4],
    ['never begins with an answer', 'u a a u a a u a a', { maxMessages: 8 }, 3],
    ['keeps a turn more where 60 % would be hardly any', 'u a u a u', { maxMessages: 4 }, 2],
    ['the same by characters', 'u a u a u', { maxChars: 45 }, 2],
    ['not when that would be cut again at once', 'u a u a u', { maxMessages: 3 }, 4],
    ['not when there is enough without it', 'u a u a u a u', { maxMessages: 6 }, 4],
    ['keeps 60 % of the turns', 'u a u a u a u a u a', { everyNTurns: 5 }, 4],
    ['counts an open turn beside them', 'u a u a u a u a u a u', { everyNTurns: 5 }, 4],
    ['keeps the rounds', 'u a u a u a u a u a u a u a', { rounds: { keep: 4, drop: 3 } }, 6],
    ['keeps the rounds beside the open one', 'u a u a u a u', { rounds: { keep: 2, drop: 1 } }, 2],
    ['without limits keeps everything', 'u a u a u a', {}, 0],
    ['of one turn keeps it', 'a s u a a', { maxChars: 1 }, 0],
  ])('%s', (_what, letters, limits, expected) => {
    expect(cut(log(letters), limits)).toBe(expected)
  })

  it('of nothing is nothing', () => {
    expect(cut([], { maxChars: 1 })).toBe(0)
  })

  it('keeps at least one turn of a limit that 60 % of are none', () => {
    for (const limits of [{ maxMessages: 1 }, { everyNTurns: 1 }])
      expect(cut(log('u a u a u'), limits)).toBe(limits.maxMessages ? 4 : 2)
  })

  it('counts what comes in next', () => {
    const ahead = { messages: 1, chars: 0, tokens: 0 }
    const limits = { ...unlimited, maxMessages: 10 }
    expect(cutBack(log('u a u a u a u a u a'), limits)).toBe(4)
    expect(cutBack(log('u a u a u a u a u a'), limits, ahead)).toBe(6)
  })

  it('tells what would be kept, turns included, for each turn it looks at', () => {
    const seen: object[] = []
    cutToFit(log('u a u a u a'), (size) => seen.push(size) < 2)
    expect(seen).toEqual([
      { messages: 4, chars: 40, tokens: 4, turns: 2 },
      { messages: 6, chars: 60, tokens: 6, turns: 3 },
    ])
  })

  it('of any log begins a turn, keeps the newest one, and is as late as it must be and no later', () => {
    const message = fc.record({
      role: fc.constantFrom('user', 'assistant', 'system'),
      chars: fc.nat({ max: 100 }),
      tokens: fc.nat({ max: 30 }),
    })
    const limits = fc.record({
      maxChars: fc.nat({ max: 1_000 }),
      maxMessages: fc.nat({ max: 20 }),
      maxTokens: fc.nat({ max: 300 }),
    })
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 40 }), limits, (messages, given) => {
        const starts = turnStarts(messages)
        const start = cut(messages, given)
        expect(starts).toContain(start)
        const fits = (from: number, part = 0.6) => {
          const { chars, messages: count, tokens } = sizeOf(messages.slice(from))
          const share = (limit: number) => Math.max(1, Math.floor(limit * part))
          return (
            (given.maxChars === 0 || chars <= share(given.maxChars)) &&
            (given.maxMessages === 0 || count <= share(given.maxMessages)) &&
            (given.maxTokens === 0 || tokens <= share(given.maxTokens))
          )
        }
        const next = starts[starts.indexOf(start) + 1]
        const before = starts[starts.indexOf(start) - 1]
        if (next !== undefined && !fits(start)) {
          // a turn more than 60 %, for want of others
          expect(fits(next, 0.4)).toBe(true)
          expect(fits(start, 0.8)).toBe(true)
        } else if (before !== undefined) {
          expect(fits(before)).toBe(false)
          if (fits(start, 0.4)) expect(fits(before, 0.8)).toBe(false)
        }
      }),
      tries(100),
    )
  })
})
