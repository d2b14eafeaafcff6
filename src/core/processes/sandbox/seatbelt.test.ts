import { describe, expect, it } from 'vitest'
import { toProfile } from './seatbelt.ts'
import type { Shown } from './view.ts'

const places: Shown[] = [
  { path: '/Users/ada', as: 'empty', isExposed: false },
  { path: '/Users/ada/project', as: 'write', isExposed: true },
  { path: '/Users/ada/project/.data', as: 'hidden', isExposed: false },
  { path: '/Users/ada/project/.git/hooks', as: 'read', isExposed: true },
]
const profile = (hasNetwork = false, shown = places) => toProfile(shown, '/private/tmp/own', hasNetwork)

/** The last rule that fits counts. */
function lastAbout(text: string, path: string, deed: string): string | undefined {
  return text
    .split('\n')
    .flatMap((line) => line.match(/\((?:allow|deny) [^()]*(?:\([^)]*\)\s?)*\)/g) ?? [])
    .findLast((rule) => rule.includes(deed) && rule.includes(`"${path}"`))
    ?.slice(1, 6)
    .trim()
}

describe('a profile for Seatbelt', () => {
  it('begins with a no to everything', () => {
    expect(profile().split('\n').slice(0, 2)).toEqual(['(version 1)', '(deny default)'])
  })

  it('opens workspaces, closes what is hidden in them, and keeps what is guarded from being written', () => {
    const text = profile()
    expect(lastAbout(text, '/Users/ada', 'file-read*')).toBe('deny')
    expect(lastAbout(text, '/Users/ada/project', 'file-write*')).toBe('allow')
    expect(lastAbout(text, '/Users/ada/project/.data', 'file-read*')).toBe('deny')
    expect(lastAbout(text, '/Users/ada/project/.git/hooks', 'file-write*')).toBe('deny')
    expect(lastAbout(text, '/Users/ada/project/.git/hooks', 'file-read*')).toBe('allow')
    // outer places come first, so that the inner ones count
    const at = places.map(({ path }) => text.indexOf(`"${path}"`))
    expect(at.toSorted((one, two) => one - two)).toEqual(at)
  })

  it('keeps the folders around what is closed from being renamed, and leaves them open', () => {
    const held: Shown = { path: '/Users/ada/project/app', as: 'held', isExposed: true }
    const text = profile(false, [...places.slice(0, 2), held])
    expect(text).toContain('(deny file-write-unlink (literal "/Users/ada/project/app"))')
    expect(lastAbout(text, '/Users/ada/project', 'file-write*')).toBe('allow')
  })

  it('leaves other processes and their environments alone', () => {
    expect(profile()).toContain('(allow signal process-info* (target same-sandbox))')
    expect(profile()).not.toMatch(/procargs|\(allow sysctl-read\)|\(allow process-info\*\)/)
  })

  it('has a network only where one is switched on', () => {
    expect(profile()).toContain('(deny network*)')
    expect(profile(true)).toContain('(allow network*)')
  })

  it('is not ended by a path', () => {
    const path = '/Users/ada/") (allow default) ("\\'
    const text = profile(false, [{ path, as: 'write', isExposed: true }])
    expect(text).toContain('"/Users/ada/\\") (allow default) (\\"\\\\"')
    expect(text.replaceAll(/"(?:\\.|[^"\\])*"/g, '')).not.toContain('allow default')
  })
})
