import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maskText, maskUrl } from './mask-settings.ts'
import { tries } from '../../../test/property-runs.ts'

/** Every five characters in a row that a reader could learn of a secret; its last four are no secret. */
function leaks(secret: string, printed: string): string[] {
  const parts = Array.from({ length: Math.max(0, secret.length - 4) }, (_, start) =>
    secret.slice(start, start + 5),
  )
  return parts.filter((part) => printed.includes(part))
}

// letters that the rest of the printed text does not have, so that a hit is a leak
const secret = fc.string({
  unit: fc.constantFrom(...'ABCDEFGHJKLMNQRSTUVWXYZ0123456789'),
  minLength: 5,
  maxLength: 60,
})

describe('maskText', () => {
  it.each([
    ['short', '••••'],
    ['elevenchars', '••••'],
    ['twelve-chars', '••••hars'],
    ['sk-0123456789abcdef', '••••cdef'],
    ['', '••••'],
  ])('%j becomes %j', (text, masked) => {
    expect(maskText(text)).toBe(masked)
  })

  it('never gives away more than the last four characters', () => {
    fc.assert(
      fc.property(secret, (text) => void expect(leaks(text, maskText(text))).toEqual([])),
      tries(100),
    )
  })
})

describe('maskUrl', () => {
  it.each([
    [
      'postgres://ada:correct-horse@db.test:5432/app?sslmode=require',
      'postgres://ada:••••orse@db.test:5432/app?sslmode=require',
    ],
    ['postgres://ada:p@ss@db.test/app', 'postgres://ada:••••@db.test/app'],
    ['postgres://ada@work:hunter2@db.test/app', 'postgres://ada@work:••••@db.test/app'],
    ['postgres://:hunter2@db.test/app', 'postgres://:••••@db.test/app'],
    ['postgres://ada:correct%20horse%21@db.test/app', 'postgres://ada:••••rse!@db.test/app'],
    ['postgres://ada:100%@db.test/app', 'postgres://ada:••••@db.test/app'],
    ['postgres://db.test/app?user=ada&password=hunter2', 'postgres://db.test/app?user=ada&password=••••'],
    ['postgres://db.test/app?p%61ssword=hunter2', 'postgres://db.test/app?password=••••'],
    ['http://ada:raw/slash?and#more@host.test', 'http://ada:••••more@host.test'],
    ['postgres://ada@db.test:5432/app', 'postgres://ada@db.test:5432/app'],
    ['https://api.test/v1?version=2', 'https://api.test/v1?version=2'],
    ['not a url', 'not a url'],
  ])('%s becomes %s', (url, masked) => {
    expect(maskUrl(url)).toBe(masked)
  })

  it('never gives away more than the last four characters of a password', () => {
    fc.assert(
      fc.property(secret, fc.constantFrom('', ':', '@', '%', '/', '?'), (text, odd) => {
        const password = `${odd}${text}`
        expect(leaks(text, maskUrl(`postgres://u:${password}@db.test/app`))).toEqual([])
        expect(leaks(text, maskUrl(`postgres://db.test/app?password=${text}&x=1`))).toEqual([])
      }),
      tries(100),
    )
  })
})
