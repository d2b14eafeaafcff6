import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tries } from '../../../test/property-runs.ts'
import { createSecretMask } from './secret-mask.ts'

const hide = (text: string, ...secrets: string[]) => createSecretMask(secrets)(text)

describe('a secret of a few characters', () => {
  const ordinary = [
    '{"level":30,"time":1794968111565,"sessionId":"ses_01xk1nonesk1x","msg":"x stopped: none left, ollama is at 1"}',
    'GET /api/sessions/ses_1x?limit=1&cursor=x answered 200 in 1 ms',
    'the keyboard: xylophone, monkey=nonesuch, token budget: 1024, keys: skate',
    'Bearer xyz, key: sky, apiKey=ollama-2',
  ]
  const secrets = ['x', 'sk', '1', 'ollama', 'none', '.', '$&', '\\', '']

  it.each(ordinary)('leaves words, ids and numbers alone: %s', (text) => {
    expect(hide(text, ...secrets)).toBe(text)
  })

  it.each([
    ['authorization: Bearer x', 'authorization: Bearer ••••'],
    ['Authorization: x', 'Authorization: ••••'],
    ['{"headers":{"x-api-key":"x"},"x":"x"}', '{"headers":{"x-api-key":"••••"},"x":"x"}'],
    ['{"msg":"sent {\\"api_key\\": \\"x\\"} to x"}', '{"msg":"sent {\\"api_key\\": \\"••••\\"} to x"}'],
    ['https://host/v1?key=x&page=x', 'https://host/v1?key=••••&page=x'],
    ['http://x:x@host/x', 'http://x:••••@host/x'],
    ['Incorrect API key provided: x. See x.', 'Incorrect API key provided: ••••. See x.'],
    ["TOKEN='x' PASSWORD=x run x", "TOKEN='••••' PASSWORD=•••• run x"],
  ])('is hidden where a secret is said to be: %s', (text, shown) => {
    expect(hide(text, 'x')).toBe(shown)
  })

  it('may have characters with a meaning in patterns', () => {
    expect(hide('key=.* and key=abc', '.*')).toBe('key=•••• and key=abc')
    expect(hide('key=$& or (a+)+', '$&', '(a+)+')).toBe('key=•••• or (a+)+')
  })
})

describe('a secret of eight characters or more', () => {
  it('is hidden anywhere, also inside a word', () => {
    expect(hide('abc12345678def', '12345678')).toBe('abc••••def')
  })

  it('leaves nothing of a longer one that begins, ends or overlaps with it', () => {
    const [short, long] = ['sk-12345', 'sk-12345-and-more']
    for (const secrets of [
      [short, long],
      [long, short],
    ])
      expect(hide(`a ${long} b ${short} c`, ...secrets)).toBe('a •••• b •••• c')
    expect(hide('abcdefghijkl', 'abcdefgh', 'efghijkl')).toBe('••••')
    expect(hide('aaaaaaaaaaaa!', 'aaaaaaaa')).toBe('••••!')
  })

  const secret = `p@ss "w/o" r+d%\\é!`
  it.each([
    ['JSON', JSON.stringify({ secret })],
    ['JSON in JSON', JSON.stringify({ body: JSON.stringify({ secret }) })],
    ['a URL', `https://x/?q=${encodeURIComponent(secret)}`],
    [
      'a URL with escapes in lower case',
      `https://x/?q=${encodeURIComponent(secret).replaceAll(/%../g, (e) => e.toLowerCase())}`,
    ],
    ['a form', new URLSearchParams({ secret }).toString()],
    ['Base64', Buffer.from(secret).toString('base64')],
    ['Base64 after a user', Buffer.from(`ada:${secret}`).toString('base64')],
    ['Base64 after another user', Buffer.from(`grace:${secret}`).toString('base64')],
    ['Base64 for URLs', Buffer.from(`me:${secret}`).toString('base64url')],
  ])('is hidden in %s', (_form, text) => {
    const shown = hide(text, secret)
    expect(shown).toContain('••••')
    expect(shown.length).toBeLessThan(text.length)
    for (const part of ['p@ss', 'p%40ss', 'r+d', 'r%2Bd', 'r%2bd']) expect(shown).not.toContain(part)
  })

  it('never shows, whatever it is and whatever is around it', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 30 })
    const some = fc.array(fc.string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 30 }), {
      minLength: 1,
      maxLength: 4,
    })
    fc.assert(
      fc.property(text, some, text, (before, secrets, after) => {
        const shown = hide([before, ...secrets, after].join(' '), ...secrets)
        for (const one of secrets) expect(shown).not.toContain(one)
      }),
      tries(300),
    )
  })
})

it('takes time in proportion to the text', () => {
  const mask = createSecretMask(['x', 'sk', '12345678'])
  const hostile = [
    'key '.repeat(50_000),
    'key:'.repeat(50_000),
    '://'.repeat(50_000),
    '\\'.repeat(200_000),
    'token '.repeat(40_000),
  ]
  for (const text of hostile) expect(mask(text)).toBe(text)
}, 10_000)
