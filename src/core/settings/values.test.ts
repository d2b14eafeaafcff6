import { describe, expect, it } from 'vitest'
import { arrange } from '../../../test/config-arrange.ts'

const key = 'parley-0123456789abcdef'

describe('values', () => {
  it.each([
    [
      'port: "80"',
      'port in parley.yaml line 1 must be a whole number from 0 to 65535 (0 picks a free port), not "80".',
    ],
    [
      'port:',
      'port in parley.yaml line 1 must be a whole number from 0 to 65535 (0 picks a free port), not empty.',
    ],
    [
      'port: [80]',
      'port in parley.yaml line 1 must be a whole number from 0 to 65535 (0 picks a free port), not a list.',
    ],
    ['mirror:\n  enabled: yes', 'mirror.enabled in parley.yaml line 2 must be true or false, not "yes".'],
    [
      'logLevel: loud',
      'logLevel in parley.yaml line 1 must be one of fatal, error, warn, info, debug, trace, silent, not "loud".',
    ],
    [
      'model: gpt-5.2',
      'model in parley.yaml line 1 must be an adapter and a model, such as openai/gpt-5.2 or demo/parley, not "gpt-5.2".',
    ],
    [
      'openai: sk-secret',
      'openai in parley.yaml line 1 must be a mapping with keys such as apiKey, baseUrl, not a string.',
    ],
    ['dataDir: "a\\0b"', 'dataDir in parley.yaml line 1 must be the path of a folder, not "a\\u0000b".'],
    [
      'scopes:\n  My Notes: {root: x}',
      'scopes.My Notes in parley.yaml line 2 must be 1 to 64 lower-case letters, digits, "_" or "-", not "My Notes".',
    ],
    [
      'scopes:\n  notes: {}',
      'scopes.notes.root in parley.yaml line 2 must be the path of a folder, but it is missing.',
    ],
    [
      'background: {maxGlobal: 0}',
      'background.maxGlobal in parley.yaml line 1 must be a whole number from 1 to 100000, not 0.',
    ],
    [
      'background: {overLimit: drop}',
      'background.overLimit in parley.yaml line 1 must be one of reject, queue, not "drop".',
    ],
    [
      'background: {timeoutMs: 0}',
      expect.stringMatching(/^background\.timeoutMs .* from 1000 to 604800000, not 0\.$/),
    ],
    [
      'rooms: {hopLimit: 21}',
      'rooms.hopLimit in parley.yaml line 1 must be a whole number from 0 to 20, not 21.',
    ],
    [
      'prices: {gpt: {input: 1, output: 1}}',
      expect.stringMatching(/^prices\.gpt .* must be an adapter and a model/),
    ],
    [
      'prices: {a/b: {input: -1, output: 1}}',
      expect.stringMatching(/^prices\.a\/b\.input .* must be a number from 0/),
    ],
    ['prices: {a/b: {input: 1}}', expect.stringMatching(/^prices\.a\/b\.output .* but it is missing\.$/)],
    ['events: {keptDays: 0}', expect.stringMatching(/^events\.keptDays .* from 1 to 36500, not 0\.$/)],
    [
      'scopes: &a\n  notes: *a',
      expect.stringMatching(/^parley.yaml uses an alias inside of what it stands for/),
    ],
    [
      'allowedOrigins:\n  - https://a.test\n  - "*"',
      expect.stringMatching(
        /^allowedOrigins\[1\] in parley.yaml line 3 must be an exact origin .*, not "\*"\.$/,
      ),
    ],
    [
      'allowedHosts: ["https://a.test"]',
      expect.stringMatching(/^allowedHosts\[0\] .* must be a Host header .*, not "https:\/\/a.test"\.$/),
    ],
  ])('of the wrong kind are quoted with what would be right (%#)', (own, message) => {
    expect(arrange({ own }).fail().message).toEqual(message)
  })

  it.each([
    'https://a.test',
    'http://localhost:5173',
    'https://[::1]:8443',
    'tauri://localhost',
    'chrome-extension://abc',
  ])('accepts the origin %s', (origin) => {
    expect(arrange().load({ flags: { allowedOrigins: [origin] } }).config.allowedOrigins).toEqual([origin])
  })

  it.each([
    'https://a.test/',
    'https://A.test',
    'https://a.test:443',
    'https://*.a.test',
    'https://u:p@a.test',
    'a.test',
    'null',
  ])('refuses the origin %s', (origin) => {
    expect(arrange().fail({ flags: { allowedOrigins: [origin] } }).message).toContain(
      'must be an exact origin',
    )
  })

  it.each([
    ['apiKey: SECRETVALUE', 'apiKey'],
    ['apiKey: 1234567890123456', 'apiKey'],
    ['apiKey: SECRET VALUE SECRET VALUE', 'apiKey'],
    ['openai: {apiKey: "SECRET\\nVALUE"}', 'openai.apiKey'],
    ['databaseUrl: mysql://ada:SECRETVALUE@db.test/app', 'databaseUrl'],
    ['databaseUrl: postgres://ada:12/SECRETVALUE@db.test/app', 'databaseUrl'],
    ['databaseUrl: postgres://ada:12?SECRETVALUE@db.test/app', 'databaseUrl'],
    ['databaseUrl: "postgres://ada:12#SECRETVALUE@db.test/app"', 'databaseUrl'],
    ['apiKeys: SECRETVALUE', 'apiKeys'],
    ['apiKeys: [SECRETVALUE]', 'apiKeys[0]'],
    ['apiKeys: [{name: ci, key: SECRETVALUE, scopes: [a]}]', 'apiKeys[0].key'],
    ['openai: {baseUrl: "http://ada:SECRETVALUE@proxy.test"}', 'openai.baseUrl'],
  ])('that are secret are never quoted (%#)', (own, where) => {
    const { message, problems } = arrange({ own }).fail()
    expect(problems).toMatchObject([{ key: where, line: 1, source: 'named' }])
    expect(message).not.toMatch(/SECRET|123456/)
  })

  it('of extra keys must tell the keys apart', () => {
    const bound = (name: string, text: string) => `{name: ${name}, key: ${text}, scopes: [a]}`
    const listed = (...keys: string[]) => `apiKeys: [${keys.join(', ')}]`
    expect(arrange({ own: listed(bound('a', key), bound('a', `${key}2`)) }).fail().message).toMatch(
      /with different names\.$/,
    )
    expect(arrange({ own: listed(bound('a', key), bound('b', key)) }).fail().message).toMatch(
      /a list of different keys\.$/,
    )
    expect(arrange({ own: listed(`{name: a, key: ${key}, scopes: []}`) }).fail().message).toMatch(
      /at least one scope name/,
    )
    expect(
      arrange({ own: listed(bound('a', key), bound('b', `${key}2`)) }).load().config.apiKeys,
    ).toHaveLength(2)
  })

  it('of scopes can be called like a built-in', () => {
    const { config } = arrange({ own: 'scopes: {notes: {root: /notes}}' }).load()
    expect(config.scopes['constructor']).toBeUndefined()
    expect(config.scopes['notes']).toEqual({ root: '/notes' })
  })
})
