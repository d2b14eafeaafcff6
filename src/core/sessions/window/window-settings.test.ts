import { describe, expect, it } from 'vitest'
import { windowPresets, type WindowSettings } from '../../protocol/window.ts'
import { checkSettings, mergeSettings, overlaySettings, resolveWindow } from './window-settings.ts'

const layers = ['config', 'session', 'call'] as const
type Layer = (typeof layers)[number]

/** The settings of the layers in their order; what two share is merged as one object, the first one first. */
function stack(...set: [Layer, WindowSettings][]) {
  const given: Partial<Record<Layer, WindowSettings>> = {}
  for (const [layer, settings] of set) given[layer] = { ...given[layer], ...settings }
  return resolveWindow(...layers.map((layer) => given[layer]))
}

const pairs = layers.flatMap((one) => layers.map((other): [Layer, Layer] => [one, other]))

describe('limit goes before resize', () => {
  it.each(pairs)('limit in %s, resize in %s', (limitAt, resizeAt) => {
    const limit: [Layer, WindowSettings] = [limitAt, { limit: { chars: 100, messages: 7 } }]
    const resize: [Layer, WindowSettings] = [
      resizeAt,
      { resize: { max_messages_text_length: 999, max_keep_messages_count: 99 } },
    ]
    for (const order of [
      [limit, resize],
      [resize, limit],
    ])
      expect(stack(...order)).toMatchObject({ maxChars: 100, maxMessages: 7 })
  })

  it.each(pairs)('also as "no limit", limit in %s, resize in %s', (limitAt, resizeAt) => {
    const limit: [Layer, WindowSettings] = [limitAt, { limit: { chars: 0, messages: 0 } }]
    const resize: [Layer, WindowSettings] = [
      resizeAt,
      { resize: { max_messages_text_length: 999, max_keep_messages_count: 99 } },
    ]
    for (const order of [
      [limit, resize],
      [resize, limit],
    ])
      expect(stack(...order)).toMatchObject({ maxChars: 0, maxMessages: 0 })
  })

  it('for each kind by itself', () => {
    expect(
      stack(
        ['config', { limit: { chars: 100 } }],
        ['call', { resize: { max_messages_text_length: 999, max_keep_messages_count: 99 } }],
      ),
    ).toMatchObject({ maxChars: 100, maxMessages: 99 })
    expect(
      stack(
        ['config', { resize: { max_messages_text_length: 999, max_keep_messages_count: 99 } }],
        ['session', { limit: { messages: 7 } }],
      ),
    ).toMatchObject({ maxChars: 999, maxMessages: 7 })
  })
})

describe('a later layer goes before an earlier one, key by key', () => {
  it.each(pairs)('%s and %s', (one, other) => {
    const chars = (value: number): WindowSettings => ({ limit: { chars: value } })
    const expected = layers.indexOf(one) > layers.indexOf(other) ? 1 : 2
    expect(stack([one, chars(1)], [other, chars(2)]).maxChars).toBe(expected)
    const length = (value: number): WindowSettings => ({ resize: { max_messages_text_length: value } })
    expect(stack([one, length(1)], [other, length(2)]).maxChars).toBe(expected)
    const turns = (value: number): WindowSettings => ({ resize: { every_n_turns: value } })
    expect(stack([one, turns(1)], [other, turns(2)]).everyNTurns).toBe(expected)
    const instruct = (value: string): WindowSettings => ({ memo: { instruct: value } })
    expect(stack([one, instruct('1')], [other, instruct('2')]).memo.instruct).toBe(String(expected))
  })

  it('and leaves alone what it does not name', () => {
    expect(
      resolveWindow(
        {
          mode: 'memo',
          limit: { chars: 1, tokens: 3 },
          resize: { every_n_turns: 4 },
          memo: { max_length: 500, model: 'a/b' },
        },
        { limit: { chars: undefined, messages: 2 }, memo: { timeout_ms: 100, model: undefined } },
        { mode: undefined, resize: {} },
      ),
    ).toMatchObject({
      mode: 'memo',
      hasMemo: true,
      maxChars: 1,
      maxMessages: 2,
      maxTokens: 3,
      everyNTurns: 4,
      memo: { maxLength: 500, timeoutMs: 100, model: 'a/b' },
    })
  })

  it('without changing what it was given', () => {
    const config: WindowSettings = { limit: { chars: 1 }, preset: 'last-20' }
    const session: WindowSettings = { limit: { messages: 2 } }
    const before = structuredClone([config, session])
    mergeSettings(config, session)
    resolveWindow(config, session, { limit: { tokens: 3 } })
    overlaySettings(config, session)
    expect([config, session]).toEqual(before)
    expect(resolveWindow()).toEqual(resolveWindow(undefined, {}, undefined))
  })
})

describe('memo.enabled goes before the mode', () => {
  const cases = pairs.flatMap(([one, other]) =>
    (['lite', 'memo'] as const).flatMap((mode) =>
      [true, false].map((enabled): [Layer, Layer, 'lite' | 'memo', boolean] => [one, other, mode, enabled]),
    ),
  )

  it.each(cases)('enabled in %s, mode in %s: %s and %s', (enabledAt, modeAt, mode, enabled) => {
    const explicit: [Layer, WindowSettings] = [enabledAt, { memo: { enabled } }]
    const implied: [Layer, WindowSettings] = [modeAt, { mode }]
    expect(stack(explicit, implied)).toMatchObject({ mode, hasMemo: enabled })
    expect(stack(implied, explicit)).toMatchObject({ mode, hasMemo: enabled })
  })

  it('also when the mode changes afterwards', () => {
    const modes = ['lite', 'memo'] as const
    for (const enabled of [true, false])
      for (const first of modes)
        for (const then of modes) {
          expect(resolveWindow({ mode: first, memo: { enabled } }, { mode: then }).hasMemo).toBe(enabled)
          const set = overlaySettings({ memo: { enabled } }, { mode: first })
          expect(resolveWindow(overlaySettings(set, { mode: then })).hasMemo).toBe(enabled)
        }
  })

  it('and without it the mode decides', () => {
    expect(resolveWindow({})).toMatchObject({ mode: 'lite', hasMemo: false })
    expect(resolveWindow({ mode: 'memo' })).toMatchObject({ mode: 'memo', hasMemo: true })
    expect(resolveWindow({ mode: 'memo' }, { mode: 'lite' })).toMatchObject({ mode: 'lite', hasMemo: false })
    expect(resolveWindow({ mode: 'lite' }, undefined, { mode: 'memo' })).toMatchObject({ hasMemo: true })
  })
})

describe('a preset', () => {
  const limits = { maxChars: 0, maxMessages: 0, maxTokens: 0, everyNTurns: 0 }

  it.each([
    ['last-20', { ...limits, maxMessages: 20 }],
    ['last-10', { ...limits, maxMessages: 10 }],
    ['rounds-4-3', { ...limits, rounds: { keep: 4, drop: 3 } }],
    ['unlimited', limits],
  ] as const)('%s is what it says', (preset, expected) => {
    expect(resolveWindow({ preset })).toMatchObject(expected)
    if (preset !== 'rounds-4-3') expect(resolveWindow({ preset })).not.toHaveProperty('rounds')
    for (const layer of layers) expect(stack([layer, { preset }])).toMatchObject(expected)
  })

  it('has no say about the mode and the memo', () => {
    for (const preset of windowPresets)
      expect(resolveWindow({ mode: 'memo', memo: { max_length: 500 } }, { preset })).toMatchObject({
        mode: 'memo',
        hasMemo: true,
        memo: { maxLength: 500 },
      })
  })

  it('goes before earlier limits, and later ones go before it', () => {
    expect(resolveWindow({ limit: { chars: 5, messages: 5 } }, { preset: 'last-20' })).toMatchObject({
      maxChars: 0,
      maxMessages: 20,
    })
    expect(resolveWindow({ preset: 'last-20' }, { limit: { messages: 5 } })).toMatchObject({
      maxChars: 0,
      maxMessages: 5,
    })
  })

  it('goes behind what stands beside it, in both orders', () => {
    expect(resolveWindow({ preset: 'last-20', limit: { chars: 5 } })).toMatchObject({
      maxChars: 5,
      maxMessages: 20,
    })
    expect(resolveWindow({ limit: { chars: 5 }, preset: 'last-20' })).toMatchObject({
      maxChars: 5,
      maxMessages: 20,
    })
  })

  it('replaces an earlier one as a whole', () => {
    const replaced = resolveWindow({ preset: 'rounds-4-3' }, { preset: 'last-10' })
    expect(replaced).toMatchObject({ maxMessages: 10 })
    expect(replaced).not.toHaveProperty('rounds')
    expect(resolveWindow({ preset: 'last-10' }, { preset: 'rounds-4-3' })).toMatchObject({
      maxMessages: 0,
      rounds: { keep: 4, drop: 3 },
    })
  })

  it('that is set later than a limit goes before it, also in one layer', () => {
    const set = overlaySettings({ limit: { chars: 5, messages: 5 } }, { preset: 'last-20' })
    expect(resolveWindow(set)).toMatchObject({ maxChars: 0, maxMessages: 20 })
    const later = overlaySettings({ preset: 'last-20' }, { limit: { messages: 5 } })
    expect(resolveWindow(later)).toMatchObject({ maxChars: 0, maxMessages: 5 })
  })
})

describe('what is no setting is refused', () => {
  it.each<[string, unknown, RegExp]>([
    ['a negative limit', { limit: { chars: -1 } }, /"limit\.chars"/],
    ['a fraction', { limit: { messages: 1.5 } }, /"limit\.messages"/],
    ['NaN', { limit: { tokens: Number.NaN } }, /"limit\.tokens"/],
    ['Infinity', { limit: { chars: Number.POSITIVE_INFINITY } }, /"limit\.chars"/],
    ['-Infinity', { limit: { chars: Number.NEGATIVE_INFINITY } }, /"limit\.chars"/],
    ['a text', { limit: { chars: '12000' } }, /"limit\.chars".*"12000"/],
    ['null', { limit: { chars: null } }, /"limit\.chars"/],
    ['a limit that is none', { limit: 12_000 }, /"limit"/],
    ['a number too large to count with', { limit: { chars: 1e12 } }, /"limit\.chars"/],
    ['negative turns', { resize: { every_n_turns: -1 } }, /"resize\.every_n_turns"/],
    ['half a turn', { resize: { every_n_turns: 0.5 } }, /"resize\.every_n_turns"/],
    ['a negative length', { resize: { max_messages_text_length: -1 } }, /"resize\.max_messages_text_length"/],
    ['a text as count', { resize: { max_keep_messages_count: '5' } }, /"resize\.max_keep_messages_count"/],
    ['an unknown mode', { mode: 'deep' }, /"mode".*"lite" or "memo"/],
    ['an unknown preset', { preset: 'last-7' }, /"preset".*"last-20"/],
    ['an unknown key', { limits: { chars: 1 } }, /unknown key "limits"/],
    ['an unknown key below', { limit: { characters: 1 } }, /unknown key "characters"/],
    ['a text as switch', { memo: { enabled: 'yes' } }, /"memo\.enabled"/],
    ['an empty instruction', { memo: { instruct: '' } }, /"memo\.instruct"/],
    ['a schema of a list', { memo: { schema: { type: 'array' } } }, /"type": "object"/],
    [
      'a schema that is none',
      { memo: { schema: { type: 'object', properties: { a: { type: 'strange' } } } } },
      /schema of the memo cannot be used.*strange/,
    ],
    ['a list', [], /top level/],
    ['nothing', null, /top level/],
  ])('%s', (_what, value, message) => {
    const check = () => checkSettings(value)
    expect(check).toThrow(expect.objectContaining({ code: 'invalid_request' }))
    expect(check).toThrow(message)
  })

  it.each([
    ['max_current_chars', /limit\.chars or resize\.max_messages_text_length/],
    ['keep_last_messages', /limit\.messages or resize\.max_keep_messages_count/],
  ])('the old key %s, with the name of the new one', (key, message) => {
    for (const value of [100, 0, 'x', null]) {
      const check = () => checkSettings({ resize: { [key]: value } })
      expect(check).toThrow(expect.objectContaining({ code: 'invalid_request' }))
      expect(check).toThrow(message)
    }
  })

  it('0 is a setting: no limit', () => {
    const none: WindowSettings = {
      limit: { chars: 0, messages: 0, tokens: 0 },
      resize: { every_n_turns: 0, max_messages_text_length: 0, max_keep_messages_count: 0 },
    }
    expect(checkSettings(none)).toEqual(none)
    expect(resolveWindow(none)).toMatchObject({ maxChars: 0, maxMessages: 0, maxTokens: 0, everyNTurns: 0 })
  })
})
