import { expect, it } from 'vitest'
import { freeName, renamed, starterText } from './starter.ts'

it('takes the first name that is free', () => {
  expect(freeName('Digest', [])).toBe('Digest')
  expect(freeName('Digest', ['Digest', 'Digest 2'])).toBe('Digest 3')
})

it('renames a definition and leaves the rest of it alone', () => {
  const text = starterText('A: b')
  expect(text.split('\n')[0]).toBe('name: "A: b"')
  expect(renamed(text, '新的')).toBe(text.replace('"A: b"', '"新的"'))
  expect(renamed('# why\nname: a # old\nsteps: []', 'b')).toBe('# why\nname: "b"\nsteps: []')
})
