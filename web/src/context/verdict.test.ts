import { describe, expect, it } from 'vitest'
import { callBefore, fromBase, inputWords, toBase } from './call.ts'
import { contextTexts as en } from './en.ts'
import { contextTexts as zh } from './zh.ts'
import { keysOf, readMemo } from './memo-draft.ts'
import { describeVerdict } from './verdict.ts'

describe.each(['en', 'zh'] as const)('a verdict in %s', (language) => {
  const words = { en, zh }[language].verdicts
  const say = (...args: [Parameters<typeof describeVerdict>[0], object?]) =>
    describeVerdict(args[0], words, args[1])

  it('has other words for each way to miss', () => {
    const ways = ['model', 'tools', 'system', 'window', 'provider', 'rules', undefined]
    const said = ways.map((changed) => say({ verdict: 'miss', changed }))
    expect(new Set(said).size).toBe(ways.length)
    expect(
      new Set([...said, ...(['hit', 'first', 'unknown'] as const).map((verdict) => say({ verdict }))]).size,
    ).toBe(ways.length + 3)
  })

  it('names the fragment that changed, and where the window began', () => {
    expect(say({ verdict: 'miss', changed: 'available_skills' })).toContain('available_skills')
    expect(say({ verdict: 'miss', changed: 'window' }, { before: 3, now: 11 })).toMatch(/3.*11/)
    expect(say({ verdict: 'miss', changed: 'memo' }, { before: 3, now: 11 })).toMatch(/3.*11/)
    expect(say({ verdict: 'miss', changed: 'memo' }, { before: 3, now: 3 })).toContain('memo')
    expect(say({ verdict: 'miss', changed: 'window' }, { before: 3, now: 3 })).toBe(words.missWindow)
  })
})

describe('a call', () => {
  const runs = [{ id: 'run_3' }, { id: 'run_2' }, { id: 'run_1' }]

  it('is compared with the step before, or the last step of the turn before', () => {
    expect(callBefore({}, runs)).toEqual({ run: 'run_3' })
    expect(callBefore({ run: 'run_3', step: 2 }, runs)).toEqual({ run: 'run_3', step: 1 })
    expect(callBefore({ run: 'run_3', step: 1 }, runs)).toEqual({ run: 'run_2' })
    expect(callBefore({ run: 'run_1', step: 1 }, runs)).toBeUndefined()
  })

  it.each([{}, { run: 'run_1' }, { run: 'run_1', step: 12 }])('%j survives the URL', (call) => {
    expect(fromBase(toBase(call))).toEqual(call)
  })

  it('is known by the first words of its input, whatever that is', () => {
    const input = (parts: unknown) => inputWords({ input: { message: { parts } } })
    expect(input([{ type: 'text', text: '  two\n lines ' }])).toBe('two lines')
    expect(input([{ type: 'text', text: 'x'.repeat(100) }])).toHaveLength(61)
    expect([input('none'), inputWords({})]).toEqual(['', ''])
  })
})

describe('a memo that somebody wrote', () => {
  it('is an object of JSON, or it is said why not', () => {
    expect(readMemo('{"facts": []}')).toEqual({ memo: { facts: [] } })
    expect(readMemo('[1]')).toEqual({ problem: 'not-object' })
    expect(readMemo('null')).toEqual({ problem: 'not-object' })
    expect(readMemo('{"facts": ')).toMatchObject({
      problem: 'not-json',
      reason: expect.stringMatching(/JSON/),
    })
  })

  it('has the keys of its schema', () => {
    expect(keysOf({ properties: { facts: {}, tasks: {} } })).toEqual(['facts', 'tasks'])
    expect([keysOf(undefined), keysOf({ properties: null })]).toEqual([[], []])
  })
})
